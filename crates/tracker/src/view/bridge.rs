//! The result of a pull or push as JSON.

use serde::Serialize;

/// The result of a pull or a push, or with `--dry-run` of its plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BridgeView {
    /// The URL of the server.
    pub server: String,
    /// The remote project.
    pub project: BridgeProjectView,
    /// Whether this was a dry run, which changes nothing.
    pub dry_run: bool,
    /// Created items: here by a pull, on the server by a push.
    pub created: Vec<BridgeStepView>,
    /// Changed items.
    pub changed: Vec<BridgeStepView>,
    /// Deleted items.
    pub deleted: Vec<BridgeItemView>,
    /// Items that were found on the server and are linked now: created by an interrupted push.
    pub adopted: Vec<BridgeItemView>,
    /// Items with conflicting changes. Neither side was overwritten.
    pub conflicts: Vec<BridgeConflictView>,
    /// Values that could not be transferred, and why.
    pub left: Vec<BridgeLeftView>,
    /// Kinds that this user may not view and that were skipped, as text.
    pub warnings: Vec<String>,
    /// Names of new members.
    pub members: Vec<String>,
    /// New statuses, as `kind: name`.
    pub statuses: Vec<String>,
    /// Number of linked items without changes.
    pub unchanged: usize,
}

/// A Taiga project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BridgeProjectView {
    /// Its id on the server.
    pub id: u64,
    /// Its name in URLs.
    pub slug: String,
    /// Its name.
    pub name: String,
}

/// An item on both sides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BridgeItemView {
    /// Its local UUID.
    pub id: String,
    /// Its local number; `null` for an item that could not be pulled.
    pub number: Option<u64>,
    /// `epic`, `story`, `task`, `issue` or `milestone`.
    pub kind: String,
    /// Its title.
    pub title: String,
    /// Its id on the server; `null` before a push creates it.
    pub remote_id: Option<u64>,
    /// The number that users see in Taiga.
    #[serde(rename = "ref")]
    pub reference: Option<u64>,
}

/// A change of an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BridgeStepView {
    /// The item.
    pub item: BridgeItemView,
    /// The changed fields; empty for a new item.
    pub fields: Vec<String>,
    /// Number of transferred comments.
    pub comments: usize,
}

/// An item with conflicting changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BridgeConflictView {
    /// The item.
    pub item: BridgeItemView,
    /// The reason, as text.
    pub why: String,
    /// The conflicting fields.
    pub fields: Vec<BridgeFieldView>,
}

/// A conflicting field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BridgeFieldView {
    /// Its name.
    pub field: String,
    /// The agreed value; `null` if it was empty, or never existed here.
    pub base: Option<String>,
    /// The local value; `null` if empty.
    pub local: Option<String>,
    /// The remote value; `null` if empty.
    pub remote: Option<String>,
}

/// A value that could not be transferred.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BridgeLeftView {
    /// The item.
    pub item: BridgeItemView,
    /// The field; `null` for the whole item.
    pub field: Option<String>,
    /// The reason, as text.
    pub why: String,
    /// Whether the server rejected it; otherwise the other side cannot represent it.
    pub refused: bool,
}
