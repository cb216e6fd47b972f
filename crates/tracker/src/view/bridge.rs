//! What the outside sees of a pull from, or a push to, a Taiga.

use serde::Serialize;

/// What a pull or a push did, or with `--dry-run` would do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BridgeView {
    /// The address of the server.
    pub server: String,
    /// The project there.
    pub project: BridgeProjectView,
    /// Whether nothing was changed on either side.
    pub dry_run: bool,
    /// Items that are new: here after a pull, there after a push.
    pub created: Vec<BridgeStepView>,
    /// Items that were changed on that side.
    pub changed: Vec<BridgeStepView>,
    /// Items that were deleted on that side.
    pub deleted: Vec<BridgeItemView>,
    /// Items that were found on the other side and are linked now: what a push that was cut off had made.
    pub adopted: Vec<BridgeItemView>,
    /// Items that both sides changed. Neither was overwritten.
    pub conflicts: Vec<BridgeConflictView>,
    /// What could not be brought over, and why.
    pub left: Vec<BridgeLeftView>,
    /// What this user may not see there, and so was not looked at, in words.
    pub warnings: Vec<String>,
    /// Names of members that are new here.
    pub members: Vec<String>,
    /// Statuses that are new here, as `kind: name`.
    pub statuses: Vec<String>,
    /// How many linked items needed nothing.
    pub unchanged: usize,
}

/// A project of a Taiga.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BridgeProjectView {
    /// Its id there.
    pub id: u64,
    /// Its name in addresses.
    pub slug: String,
    /// Its name.
    pub name: String,
}

/// An item, here and there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BridgeItemView {
    /// Its UUID here.
    pub id: String,
    /// Its number here; `null` for one that could not be pulled.
    pub number: Option<u64>,
    /// `epic`, `story`, `task`, `issue` or `milestone`.
    pub kind: String,
    /// Its title.
    pub title: String,
    /// Its id there; `null` for one that a push makes.
    pub remote_id: Option<u64>,
    /// The number people see there.
    #[serde(rename = "ref")]
    pub reference: Option<u64>,
}

/// What happened to an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BridgeStepView {
    /// The item.
    pub item: BridgeItemView,
    /// What was changed; empty for a new item.
    pub fields: Vec<String>,
    /// How many comments were brought over.
    pub comments: usize,
}

/// An item that both sides changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BridgeConflictView {
    /// The item.
    pub item: BridgeItemView,
    /// What happened, in words.
    pub why: String,
    /// Where the two sides differ.
    pub fields: Vec<BridgeFieldView>,
}

/// One thing that both sides changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BridgeFieldView {
    /// Its name.
    pub field: String,
    /// What both sides agreed on last; `null` when that was empty, or when it was never here.
    pub base: Option<String>,
    /// What it is here; `null` when it is empty.
    pub local: Option<String>,
    /// What it is there; `null` when it is empty.
    pub remote: Option<String>,
}

/// Something that could not be brought over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BridgeLeftView {
    /// The item.
    pub item: BridgeItemView,
    /// Which field, when it is not the whole item.
    pub field: Option<String>,
    /// Why, in words.
    pub why: String,
    /// Whether the server refused it, rather than having no way to say it.
    pub refused: bool,
}
