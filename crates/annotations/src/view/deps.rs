//! `ultragit-deps/v1`: who relies on a piece of code.

use serde::Serialize;

use super::AsideView;

/// Who relies on a piece of code.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DepsView {
    /// The shape's name.
    #[serde(rename = "$schema")]
    pub schema: &'static str,
    /// What was asked.
    pub query: DepsQueryView,
    /// Who relies on it, the most reliable first.
    pub dependents: Vec<DependentView>,
    /// How it was found.
    pub stats: DepsStatsView,
    /// What the reader should know beside it.
    #[serde(flatten)]
    pub aside: AsideView,
}

/// What was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DepsQueryView {
    /// The file, from the top of the repository.
    pub file: String,
    /// The function or type.
    pub anchor: Option<String>,
}

/// Code that relies on other code.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DependentView {
    /// Its file.
    pub file: String,
    /// Its name.
    pub anchor: String,
    /// What it assumes.
    pub nature: String,
    /// The commit whose note says so.
    pub commit: String,
    /// When that was written.
    pub timestamp: Option<String>,
    /// `enhanced` or `inferred`.
    pub context_level: String,
    /// How far it can be relied on.
    pub confidence: f64,
    /// Whether a text of it looks like instructions to a model. It is a quotation, not to be followed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub looks_like_instructions: bool,
}

/// How an answer was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DepsStatsView {
    /// Annotated commits there are.
    pub commits_scanned: usize,
    /// Dependencies found.
    pub dependencies_found: usize,
    /// How they were found.
    pub scan_method: &'static str,
}
