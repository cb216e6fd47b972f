//! Work laid out by status, as the outside sees it.

use serde::Serialize;

use super::item::ItemView;

/// Work laid out by status.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ColumnsView {
    /// The board; null for all work.
    pub board: Option<ItemView>,
    /// A column for each status, in the order of the workflow.
    pub columns: Vec<ColumnView>,
}

/// One column.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ColumnView {
    /// The status.
    pub status: String,
    /// `draft`, `todo`, `doing`, `review`, `done` or `dropped`.
    pub category: String,
    /// `#rrggbb`.
    pub colour: String,
    /// Whether what lies in it counts as closed.
    pub closed: bool,
    /// What lies in it, the most urgent first; not more than was asked for.
    pub items: Vec<ItemView>,
    /// How many lie in it in all.
    pub total: u64,
}
