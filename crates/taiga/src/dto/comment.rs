//! Comments on items.

use jiff::Timestamp;
use serde::Deserialize;

use super::id::UserId;
use super::item::none_as_empty;

/// A comment on an item.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Comment {
    /// A UUID.
    pub id: String,
    /// The author.
    #[serde(default)]
    pub user: Option<CommentAuthor>,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Markdown.
    #[serde(rename = "comment", default, deserialize_with = "none_as_empty")]
    pub text: String,
    /// Time of the last edit.
    #[serde(default)]
    pub edit_comment_date: Option<Timestamp>,
    /// Time of deletion; the text is still included.
    #[serde(default)]
    pub delete_comment_date: Option<Timestamp>,
    /// The user who deleted it.
    #[serde(default)]
    pub delete_comment_user: Option<CommentAuthor>,
}

/// The author of a comment.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct CommentAuthor {
    /// The user; `None` if the account was deleted.
    #[serde(rename = "pk", default)]
    pub id: Option<UserId>,
    /// Login name.
    #[serde(default)]
    pub username: Option<String>,
    /// Display name.
    #[serde(default)]
    pub name: Option<String>,
}
