//! The contract's JSON of an item.

use std::collections::HashMap;

use app::view::{CommentView, ItemView, ListView};
use jiff::Timestamp;
use serde::Serialize;

/// One page of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PageShape {
    /// The items, in order.
    pub items: Vec<EntryShape>,
    /// The cursor of the next page; null on the last one.
    pub next_cursor: Option<String>,
}

/// An item in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EntryShape {
    /// Its UUID.
    pub id: String,
    /// The title, one line.
    pub title: String,
    /// `open`, `closed` or `draft`.
    pub status: &'static str,
    /// In alphabetical order.
    pub labels: Vec<String>,
    /// Counts.
    pub stats: Stats,
}

/// A single item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ItemShape {
    /// Its UUID.
    pub id: String,
    /// The title, one line.
    pub title: String,
    /// `open`, `closed` or `draft`.
    pub status: &'static str,
    /// Markdown; may be empty.
    pub description: String,
    /// In alphabetical order.
    pub labels: Vec<String>,
    /// The comments, oldest first.
    pub comments: Vec<CommentShape>,
    /// Counts.
    pub stats: Stats,
}

/// A comment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CommentShape {
    /// `Name <email>`.
    pub author: String,
    /// Markdown.
    pub body: String,
    /// RFC 3339, UTC.
    pub ts: Timestamp,
}

/// Counts of an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Stats {
    /// Number of comments.
    pub comment_count: u64,
    /// Number of open issues of a milestone; only in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_issues: Option<u64>,
}

impl PageShape {
    /// Converts a page; `open_issues` has the numbers of open issues by milestone, in a list of milestones.
    pub fn new(page: ListView, open_issues: Option<&HashMap<String, u64>>) -> Self {
        let entries = page.items.into_iter().map(|item| {
            let n_open = open_issues.map(|open| open.get(&item.id).copied().unwrap_or_default());
            EntryShape::new(item, n_open)
        });
        Self { items: entries.collect(), next_cursor: page.next_cursor }
    }
}

impl EntryShape {
    fn new(item: ItemView, open_issues: Option<u64>) -> Self {
        Self {
            id: item.id,
            title: item.title,
            status: item.state.name(),
            labels: item.labels,
            stats: Stats { comment_count: item.comment_count, open_issues },
        }
    }
}

impl From<ItemView> for ItemShape {
    fn from(item: ItemView) -> Self {
        Self {
            id: item.id,
            title: item.title,
            status: item.state.name(),
            description: item.description,
            labels: item.labels,
            comments: item.comments.into_iter().flatten().map(CommentShape::from).collect(),
            stats: Stats { comment_count: item.comment_count, open_issues: None },
        }
    }
}

impl From<CommentView> for CommentShape {
    fn from(comment: CommentView) -> Self {
        Self { author: comment.author, body: comment.body, ts: comment.created }
    }
}
