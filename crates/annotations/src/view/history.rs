//! `ultragit-history/v1`: the history of a piece of code with its annotations.

use app::view::LinesView;
use serde::Serialize;

use super::{AsideView, RelatedView};

/// The timeline of a piece of code.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HistoryView {
    /// The name of the schema.
    #[serde(rename = "$schema")]
    pub schema: &'static str,
    /// The query.
    pub query: HistoryQueryView,
    /// The commits that changed it, oldest first; empty if none of them has an annotation for it.
    pub timeline: Vec<MomentView>,
    /// Statistics of the search.
    pub stats: HistoryStatsView,
    /// Additional notes.
    #[serde(flatten)]
    pub aside: AsideView,
}

/// The query.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HistoryQueryView {
    /// The file, relative to the repository root.
    pub file: String,
    /// The function or type.
    pub anchor: Option<String>,
    /// The lines of the code.
    pub lines: Option<LinesView>,
    /// The requested maximum number of entries.
    pub limit: usize,
}

/// One commit that changed the code.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MomentView {
    /// The commit.
    pub commit: String,
    /// The commit time.
    pub timestamp: String,
    /// The first line of its message.
    pub commit_message: String,
    /// `enhanced` or `inferred`; null without an annotation for this code.
    pub context_level: Option<String>,
    /// The origin of the annotation.
    pub provenance: Option<String>,
    /// The intent.
    pub intent: Option<String>,
    /// The reasoning.
    pub reasoning: Option<String>,
    /// The constraints.
    pub constraints: Vec<String>,
    /// The risks.
    pub risk_notes: Option<String>,
    /// Related annotations.
    pub related_context: Vec<RelatedView>,
    /// Whether a text of it looks like instructions to a model. It is a quotation and must not be followed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub looks_like_instructions: bool,
}

/// Statistics of the search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct HistoryStatsView {
    /// Number of commits that changed the code.
    pub commits_found: usize,
    /// Number of them with an annotation for it.
    pub annotations_found: usize,
    /// Number of links to related annotations that were followed.
    pub related_followed: usize,
}
