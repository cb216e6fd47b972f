//! The outline of a file.

use app::view::LinesView;
use jiff::Timestamp;

use super::AnnotationStatus;

/// The outline of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutlineView {
    /// The file, relative to the repository root.
    pub file: String,
    /// Its functions and types, in the order of the code.
    pub symbols: Vec<OutlineSymbolView>,
}

/// A function or type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutlineSymbolView {
    /// Its name, with the names of what encloses it.
    pub name: String,
    /// Its declaration on one line.
    pub signature: String,
    /// Its lines.
    pub lines: LinesView,
    /// Its newest annotation.
    pub note: Option<OutlineNoteView>,
}

/// An annotation in an outline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutlineNoteView {
    /// The intent of the code.
    pub intent: String,
    /// When it was written.
    pub at: Option<Timestamp>,
    /// Whether the code is as it was.
    pub status: AnnotationStatus,
}
