//! The result of `check` as JSON.

use serde::Serialize;

/// What a change touches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DiffCheckView {
    /// The commit before the change.
    pub base: String,
    /// The commit after the change; null for changes that are not committed.
    pub tip: Option<String>,
    /// Number of changed files.
    pub n_files: usize,
    /// The findings, by file and line.
    pub findings: Vec<FindingView>,
    /// What was skipped.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// One thing that a change touches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FindingView {
    /// The kind of finding.
    pub kind: FindingKind,
    /// The file after the change; its former name if the change deletes it.
    pub file: String,
    /// The first changed line there; null if the file is deleted, or for the whole file.
    pub line: Option<u32>,
    /// The function or type, or null.
    pub anchor: Option<String>,
    /// The text.
    pub text: String,
    /// The commit of the annotation, or null.
    pub commit: Option<String>,
    /// The number of the item, or null.
    pub item: Option<u64>,
    /// The id of the review message, or null.
    pub message: Option<String>,
}

/// The kinds of findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FindingKind {
    /// A constraint of the changed code.
    Constraint,
    /// An annotation of the changed code that does not describe it anymore.
    Stale,
    /// Other code that relies on the changed code.
    Dependent,
    /// An open item about the changed code.
    Item,
    /// An unresolved review message about a changed file.
    Remark,
}

impl FindingKind {
    /// All kinds.
    pub const ALL: [Self; 5] = [Self::Constraint, Self::Stale, Self::Dependent, Self::Item, Self::Remark];
}

app::display_as_json!(FindingKind);
