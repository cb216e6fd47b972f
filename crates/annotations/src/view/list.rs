//! Annotations as a work list.

use app::view::LinesView;
use serde::Serialize;

use super::KnowledgeView;

/// Annotations, file by file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AnnotationListView {
    /// The annotations.
    pub annotations: Vec<ListedView>,
    /// How many there are of each status, in all and not only in the list.
    pub current: usize,
    /// Likewise.
    pub moved: usize,
    /// Likewise.
    pub changed: usize,
    /// Likewise.
    pub lost: usize,
}

/// One annotation of a list.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ListedView {
    /// The file it is about now; the one it was written for when its code is lost.
    pub file: String,
    /// The function or type; empty for lines or a whole file.
    pub symbol: String,
    /// Its lines now; null when its code is lost.
    pub lines: Option<LinesView>,
    /// `current`, `changed`, `moved` or `lost`.
    pub status: &'static str,
    /// What the code is for.
    pub intent: String,
    /// The commit it was written for.
    pub commit: String,
    /// When it was written.
    pub timestamp: Option<String>,
    /// What sort of knowledge it is, and how it aged.
    #[serde(flatten)]
    pub knowledge: KnowledgeView,
}
