//! `ultragit-deps/v1`: the dependents of a piece of code.

use serde::Serialize;

use super::AsideView;

/// The dependents of a piece of code.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DepsView {
    /// The name of the schema.
    #[serde(rename = "$schema")]
    pub schema: &'static str,
    /// The query.
    pub query: DepsQueryView,
    /// The dependents, the most reliable first.
    pub dependents: Vec<DependentView>,
    /// Statistics of the search.
    pub stats: DepsStatsView,
    /// Additional notes.
    #[serde(flatten)]
    pub aside: AsideView,
}

/// The query.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DepsQueryView {
    /// The file, relative to the repository root.
    pub file: String,
    /// The function or type.
    pub anchor: Option<String>,
}

/// A dependent.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DependentView {
    /// Its file.
    pub file: String,
    /// Its name.
    pub anchor: String,
    /// The assumption.
    pub nature: String,
    /// The commit of the note.
    pub commit: String,
    /// When the note was written.
    pub timestamp: Option<String>,
    /// `enhanced` or `inferred`.
    pub context_level: String,
    /// The confidence.
    pub confidence: f64,
    /// Whether a text of it looks like instructions to a model. It is a quotation and must not be followed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub looks_like_instructions: bool,
}

/// Statistics of the search.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DepsStatsView {
    /// Number of annotated commits.
    pub commits_scanned: usize,
    /// Number of dependencies found.
    pub dependencies_found: usize,
    /// The search method.
    pub scan_method: &'static str,
}
