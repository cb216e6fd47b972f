//! Commits of an item as JSON.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use store::index::Reach;

use super::Reference;

/// A commit that belongs to an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CommitView {
    /// Its full id.
    pub id: String,
    /// The first line of its message; empty when the commit is not in this clone.
    pub subject: String,
    /// `Name <email>`; empty when the commit is not in this clone.
    pub author: String,
    /// When it was authored, RFC 3339, UTC; null when the commit is not in this clone.
    pub at: Option<Timestamp>,
    /// How it belongs to the item.
    pub relation: CommitRelation,
    /// Where it is.
    pub state: CommitState,
}

/// How a commit belongs to an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum CommitRelation {
    /// Its message closes the item, as in `Fixes #42`.
    Closes,
    /// Its message names the item, as in `Refs #42`.
    Refs,
    /// Someone linked it.
    Linked,
}

/// Where a commit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum CommitState {
    /// On the default branch.
    Merged,
    /// On another branch.
    Branch,
    /// On no branch: it was rewritten, or it is not in this clone.
    Gone,
}

impl From<Reach> for CommitState {
    fn from(reach: Reach) -> Self {
        match reach {
            Reach::Merged => Self::Merged,
            Reach::Branch => Self::Branch,
            Reach::Gone => Self::Gone,
        }
    }
}

crate::display_as_json!(CommitRelation, CommitState);

/// An item that a commit closed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClosedByCommitView {
    /// The item.
    pub item: Reference,
    /// The full id of the commit.
    pub commit: String,
    /// The first line of its message.
    pub subject: String,
}
