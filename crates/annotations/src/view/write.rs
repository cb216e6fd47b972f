//! The results of writing, carrying and correcting annotations as JSON.

use app::view::LinesView;
use schemars::JsonSchema;
use serde::Serialize;

use super::{CorrectionView, PlaceMatch};

/// A written annotation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AnnotatedView {
    /// The commit.
    pub commit: String,
    /// Its notes ref.
    #[serde(rename = "ref")]
    pub reference: String,
    /// Its summary.
    pub summary: String,
    /// Whether it was merged into an existing note.
    pub merged: bool,
    /// How each region's anchor was resolved.
    pub regions: Vec<ResolvedView>,
    /// The commits whose annotations it supersedes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub superseded: Vec<String>,
}

/// How an anchor was resolved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ResolvedView {
    /// The file.
    pub file: String,
    /// The given name.
    pub given: String,
    /// The resolution: `exact`, `unqualified`, `similar`, `lines_differ`, `ambiguous`, `lost`, `lines`, `file` or
    /// `folder`.
    pub resolution: PlaceMatch,
    /// Its name in the file.
    pub anchor: String,
    /// Its lines in the file.
    pub lines: Option<LinesView>,
    /// Similar names, if it was not found or is ambiguous.
    pub candidates: Vec<String>,
}

/// A note that was carried to a rewritten commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CarriedView {
    /// The new commit.
    pub commit: String,
    /// The old commits.
    pub from: Vec<String>,
    /// `amend` or `squash`.
    pub operation: String,
    /// How each region's anchor was resolved.
    pub regions: Vec<ResolvedView>,
    /// What was skipped.
    pub warnings: Vec<String>,
}

/// The result of carrying the notes of a rewritten history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CarryView {
    /// The carried notes, by commit.
    pub carried: Vec<CarriedView>,
    /// Annotated commits without a replacement.
    pub unmatched: Vec<String>,
}

/// Annotations of commits that no branch or tag reaches.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StrandedView {
    /// The commits.
    pub commits: Vec<String>,
    /// The commits that replaced some of them.
    pub matches: Vec<StrandedMatchView>,
}

impl StrandedView {
    /// Returns whether there are none.
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
    /// Number of them with a match.
    pub n_commits: usize,
    /// The command that carries their notes over.
    pub command: String,
}

/// A flagged or corrected annotation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CorrectedView {
    /// The commit it was written for.
    pub commit: String,
    /// Its notes ref.
    #[serde(rename = "ref")]
    pub reference: String,
    /// The file at that commit.
    pub file: String,
    /// The function or type.
    pub anchor: String,
    /// The flag or correction.
    pub correction: CorrectionView,
}
