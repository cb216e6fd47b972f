//! What an annotation became when it was written.

use serde::Serialize;

use crate::view::LinesView;

/// An annotation, written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AnnotatedView {
    /// The commit.
    pub commit: String,
    /// The notes ref it is under.
    #[serde(rename = "ref")]
    pub reference: String,
    /// Its sentence.
    pub summary: String,
    /// What became of each region's anchor.
    pub regions: Vec<ResolvedView>,
}

/// What became of an anchor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ResolvedView {
    /// The file.
    pub file: String,
    /// The name that was given.
    pub given: String,
    /// How it was resolved: `exact`, `unqualified`, `similar`, `ambiguous`, `lost`, `lines` or `file`.
    pub resolution: &'static str,
    /// The name it has in the file.
    pub anchor: String,
    /// The lines it has there.
    pub lines: Option<LinesView>,
    /// Names near it, when it was not found or is not the only one.
    pub candidates: Vec<String>,
}
