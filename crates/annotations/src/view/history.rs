//! `ultragit-history/v1`: what was done to a piece of code, and why, through time.

use app::view::LinesView;
use serde::Serialize;

use super::{AsideView, RelatedView};

/// The timeline of a piece of code.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HistoryView {
    /// The shape's name.
    #[serde(rename = "$schema")]
    pub schema: &'static str,
    /// What was asked.
    pub query: HistoryQueryView,
    /// The commits that touched it, oldest first; empty when none of them has an annotation for it.
    pub timeline: Vec<MomentView>,
    /// How it was found.
    pub stats: HistoryStatsView,
    /// What the reader should know beside it.
    #[serde(flatten)]
    pub aside: AsideView,
}

/// What was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HistoryQueryView {
    /// The file, from the top of the repository.
    pub file: String,
    /// The function or type.
    pub anchor: Option<String>,
    /// The lines that were followed.
    pub lines: Option<LinesView>,
    /// The most entries that were wanted.
    pub limit: usize,
}

/// One commit that touched the code.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MomentView {
    /// The commit.
    pub commit: String,
    /// When it was made.
    pub timestamp: String,
    /// The first line of its message.
    pub commit_message: String,
    /// `enhanced` or `inferred`; null when it has no annotation for this code.
    pub context_level: Option<String>,
    /// How the annotation came to it.
    pub provenance: Option<String>,
    /// What the code was for.
    pub intent: Option<String>,
    /// Why it was done this way.
    pub reasoning: Option<String>,
    /// What had to stay true.
    pub constraints: Vec<String>,
    /// What could go wrong.
    pub risk_notes: Option<String>,
    /// Other annotations to read with it.
    pub related_context: Vec<RelatedView>,
    /// Whether a text of it looks like instructions to a model. It is a quotation, not to be followed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub looks_like_instructions: bool,
}

/// How an answer was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct HistoryStatsView {
    /// Commits that touched the code.
    pub commits_found: usize,
    /// How many of them have an annotation for it.
    pub annotations_found: usize,
    /// Links to related annotations that were followed.
    pub related_followed: usize,
}
