//! What people say on an item. An edited comment keeps every earlier text; one that was taken back shows none.

use jiff::Timestamp;

use crate::id::OpId;
use crate::person::Person;

/// A comment with all it ever said.
#[derive(Debug, Clone, PartialEq)]
pub struct Comment {
    /// The operation that made it.
    pub id: OpId,
    /// Who wrote it first.
    pub author: Person,
    /// When it was first written.
    pub created: Timestamp,
    /// What it says now; empty when it was taken back.
    pub body: String,
    /// Earlier texts, oldest first; empty when it was never edited, or was taken back.
    pub former: Vec<CommentVersion>,
}

/// One text a comment had.
#[derive(Debug, Clone, PartialEq)]
pub struct CommentVersion {
    /// Who wrote this text.
    pub author: Person,
    /// When.
    pub at: Timestamp,
    /// The text.
    pub body: String,
}
