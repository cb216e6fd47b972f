//! Work items by status, as JSON.

use model::workflow::Category;
use serde::Serialize;

use super::by_name::name;
use super::item::ItemView;

/// Work items by status.
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
    #[serde(serialize_with = "name")]
    pub category: Category,
    /// `#rrggbb`.
    #[serde(rename = "colour")]
    pub color: String,
    /// Whether its items are closed.
    pub closed: bool,
    /// Maximum number of items in it.
    pub limit: Option<u32>,
    /// Its items in order, up to the limit.
    pub items: Vec<ItemView>,
    /// Total number of items in it.
    pub total: u64,
}
