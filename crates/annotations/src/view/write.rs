//! What an annotation became when it was written, carried to another commit, or corrected.

use app::view::LinesView;
use schemars::JsonSchema;
use serde::Serialize;

use super::CorrectionView;

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
    /// How it was resolved: `exact`, `unqualified`, `similar`, `lines_differ`, `ambiguous`, `lost`, `lines`, `file` or `folder`.
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

/// What became of the notes of a history that was replaced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CarryView {
    /// What was carried, commit by commit.
    pub carried: Vec<CarriedView>,
    /// Annotated commits whose place no other took.
    pub unmatched: Vec<String>,
}

/// Annotations of commits that no branch or tag reaches.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StrandedView {
    /// The commits.
    pub commits: Vec<String>,
    /// What took the place of some of them.
    pub matches: Vec<StrandedMatchView>,
}

impl StrandedView {
    /// Tells whether there are none.
    pub fn is_empty(&self) -> bool {
        self.commits.is_empty()
    }
}

/// A commit that took the place of stranded ones.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StrandedMatchView {
    /// The newest of the stranded ones.
    pub commit: String,
    /// The newest commit that took their place.
    pub new: String,
    /// How many of them have a match.
    pub n_commits: usize,
    /// What carries their notes over.
    pub command: String,
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
