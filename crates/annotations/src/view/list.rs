//! The list of annotations as JSON.

use app::view::LinesView;
use serde::Serialize;

use super::{AnnotationStatus, KnowledgeView};

/// Annotations by file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AnnotationListView {
    /// The annotations.
    pub annotations: Vec<ListedView>,
    /// Number of annotations of each status in total, not only in the list.
    pub current: usize,
    /// Likewise.
    pub moved: usize,
    /// Likewise.
    pub changed: usize,
    /// Likewise.
    pub lost: usize,
    /// What was skipped.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// One annotation of a list.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ListedView {
    /// The current file; the recorded one if the code is lost.
    pub file: String,
    /// The function or type; empty for lines or a whole file.
    pub symbol: String,
    /// Its current lines; null if the code is lost.
    pub lines: Option<LinesView>,
    /// `current`, `changed`, `moved` or `lost`.
    pub status: AnnotationStatus,
    /// The intent.
    pub intent: String,
    /// The commit it was written for.
    pub commit: String,
    /// When it was written.
    pub timestamp: Option<String>,
    /// Its kind and age.
    #[serde(flatten)]
    pub knowledge: KnowledgeView,
}
