//! What an annotation became when it was written, carried to another commit, or corrected.

use serde::Serialize;

use super::CorrectionView;
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
    /// Whether the commit had a note already, to which this was added.
    pub merged: bool,
    /// What became of each region's anchor.
    pub regions: Vec<ResolvedView>,
    /// The commits whose annotations this one takes the place of.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub superseded: Vec<String>,
}

/// What became of an anchor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ResolvedView {
    /// The file.
    pub file: String,
    /// The name that was given.
    pub given: String,
    /// How it was resolved: `exact`, `unqualified`, `similar`, `ambiguous`, `lost`, `lines`, `file` or `folder`.
    pub resolution: &'static str,
    /// The name it has in the file.
    pub anchor: String,
    /// The lines it has there.
    pub lines: Option<LinesView>,
    /// Names near it, when it was not found or is not the only one.
    pub candidates: Vec<String>,
}

/// A note that was carried to the commit that takes the place of others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CarriedView {
    /// The new commit.
    pub commit: String,
    /// The old ones.
    pub from: Vec<String>,
    /// `amend` or `squash`.
    pub operation: String,
    /// What became of each region's anchor.
    pub regions: Vec<ResolvedView>,
    /// What was passed over.
    pub warnings: Vec<String>,
}

/// An annotation about which something was said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CorrectedView {
    /// The commit it was written for.
    pub commit: String,
    /// The notes ref it is under.
    #[serde(rename = "ref")]
    pub reference: String,
    /// The file at that commit.
    pub file: String,
    /// The function or type.
    pub anchor: String,
    /// What was said.
    pub correction: CorrectionView,
}
