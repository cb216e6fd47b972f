//! The bytes of an annotation: one JSON document per annotated commit, `ultragit/v1`. Reading tolerates missing fields
//! and keeps unknown ones; unreadable documents are reported, never guessed.

mod fields;
mod plain;
mod read;
mod write;

pub use read::{read, read_documents};
pub use write::{write, write_readable};

/// The schema name in the document.
pub const SCHEMA: &str = "ultragit/v1";
/// Maximum length of a note.
pub const MAX_BYTES: u64 = 16 * 1024 * 1024;
/// Maximum number of regions of a note.
pub const MAX_REGIONS: usize = (1 << 20) - 1;

/// Why a note is not a valid annotation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadNote {
    /// The note is empty.
    #[error("it is empty")]
    Empty,
    /// The note exceeds [`MAX_BYTES`].
    #[error("it is longer than {MAX_BYTES} bytes")]
    TooLong,
    /// The note exceeds [`MAX_REGIONS`].
    #[error("it has more than {MAX_REGIONS} regions")]
    TooManyRegions,
    /// The blob is missing or damaged.
    #[error("it cannot be read: {0}")]
    Unreadable(String),
    /// The object is not a blob.
    #[error("it is malformed: {0}")]
    Malformed(String),
    /// Not UTF-8.
    #[error("it is not UTF-8 text")]
    NotText,
    /// Not JSON.
    #[error("it is not valid JSON: {0}")]
    NotJson(String),
    /// Another schema, or a version that cannot be read.
    #[error("its schema is {0}, not `{SCHEMA}`")]
    Schema(String),
    /// The right schema with an invalid value.
    #[error("`{path}` {problem}")]
    Shape {
        /// Path of the value in the document.
        path: String,
        /// What is wrong with it.
        problem: &'static str,
    },
}

impl BadNote {
    /// Returns whether the note may well be an annotation, only one that cannot be used: knowledge is hidden.
    pub fn hides_annotations(&self) -> bool {
        matches!(self, Self::TooLong | Self::TooManyRegions | Self::Unreadable(_))
    }
}
