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
    /// Who wrote it.
    #[serde(default)]
    pub user: Option<CommentAuthor>,
    /// When.
    pub created_at: Timestamp,
    /// Markdown.
    #[serde(rename = "comment", default, deserialize_with = "none_as_empty")]
    pub text: String,
    /// When it was changed.
    #[serde(default)]
    pub edit_comment_date: Option<Timestamp>,
    /// When it was taken back; the text is still there.
    #[serde(default)]
    pub delete_comment_date: Option<Timestamp>,
    /// Who took it back.
    #[serde(default)]
    pub delete_comment_user: Option<CommentAuthor>,
}

/// Who wrote a comment.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct CommentAuthor {
    /// Which user; none if the user is gone.
    #[serde(rename = "pk", default)]
    pub id: Option<UserId>,
    /// The name they log in with.
    #[serde(default)]
    pub username: Option<String>,
    /// The name they are called by.
    #[serde(default)]
    pub name: Option<String>,
}
