//! The bytes of an annotation: one JSON document for each annotated commit, `ultragit/v1`. Reading is lenient about what
//! is missing and keeps what it does not know; what cannot be read is reported and never guessed at.

mod fields;
mod read;
mod write;

pub use read::{read, read_documents};
pub use write::write;

/// What a document says it is.
pub const SCHEMA: &str = "ultragit/v1";
/// The longest note that is read.
pub const LIMIT: u64 = 16 * 1024 * 1024;

/// Why the bytes of a note are no annotation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadNote {
    /// There is nothing.
    #[error("it is empty")]
    Empty,
    /// Longer than anything honest.
    #[error("it is longer than {LIMIT} bytes")]
    TooLong,
    /// The bytes themselves are lost or damaged.
    #[error("it cannot be read: {0}")]
    Unreadable(String),
    /// The object is not a file.
    #[error("it is malformed: {0}")]
    Malformed(String),
    /// Bytes that are no text.
    #[error("it is not UTF-8 text")]
    NotText,
    /// Text that is no JSON.
    #[error("it is not valid JSON: {0}")]
    NotJson(String),
    /// JSON of another kind, or of a version this one cannot read.
    #[error("it says it is {0}, not `{SCHEMA}`")]
    Schema(String),
    /// The right kind of document, with something wrong in it.
    #[error("`{path}` is {problem}")]
    Shape {
        /// Where.
        path: String,
        /// What is wrong there.
        problem: &'static str,
    },
}
