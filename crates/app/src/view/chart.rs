//! Burndown and flow charts as JSON.

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;

use super::item::Reference;

/// Open items of a milestone, day by day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BurndownView {
    /// The milestone.
    pub milestone: Reference,
    /// Every day up to today, oldest first.
    pub days: Vec<BurndownDayView>,
}

/// The number of items at the end of a day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BurndownDayView {
    /// `YYYY-MM-DD`.
    pub date: Date,
    /// Items of the milestone.
    pub total: u64,
    /// Those of them that were not closed.
    pub open: u64,
}

/// The items of a board in each status, day by day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FlowView {
    /// The board.
    pub board: Reference,
    /// The statuses that items on it can be in or were in, in the order of the board.
    pub statuses: Vec<FlowStatusView>,
    /// Every day up to today, oldest first.
    pub days: Vec<FlowDayView>,
}

/// A status, as a chart shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FlowStatusView {
    /// Its name.
    pub name: String,
    /// `#rrggbb`.
    #[serde(rename = "colour")]
    pub color: String,
}

/// The number of items in each status at the end of a day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FlowDayView {
    /// `YYYY-MM-DD`.
    pub date: Date,
    /// How many were in each status, in the order of `statuses`.
    pub counts: Vec<u64>,
}
