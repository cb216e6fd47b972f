//! Comments on items. An edited comment keeps every earlier text; a deleted one has none.

use std::sync::Arc;

use jiff::Timestamp;

use crate::id::OpId;
use crate::person::Person;

/// A comment with its history.
#[derive(Debug, Clone, PartialEq)]
pub struct Comment {
    /// The operation that created it.
    pub id: OpId,
    /// The first author.
    pub author: Person,
    /// Time of creation.
    pub created: Timestamp,
    /// The tool that reported author and time, if it was imported.
    pub imported: Option<Arc<str>>,
    /// Current text; empty if it was deleted.
    pub body: String,
    /// Earlier texts, oldest first; empty if it was never edited, or was deleted.
    pub former: Vec<CommentVersion>,
}

/// One version of a comment.
#[derive(Debug, Clone, PartialEq)]
pub struct CommentVersion {
    /// Author of this version.
    pub author: Person,
    /// Time of this version.
    pub at: Timestamp,
    /// Text, in Markdown.
    pub body: String,
}
