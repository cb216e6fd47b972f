//! JSON shapes of the project, its people, its rules and its history.

use jiff::Timestamp;
use model::item::ItemKind;
use model::workflow::Category;
use schemars::JsonSchema;
use serde::Serialize;
use store::sync::NotesOutcome;

use super::by_name::name;
use super::commit::ClosedByCommitView;
use super::item::{ItemView, Reference};

/// Work that can be started, and why the rest cannot.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReadyView {
    /// Items that can be started, most urgent first.
    pub items: Vec<ItemView>,
    /// Total number of items that can be started.
    pub total: u64,
    /// Items that cannot be started, with the reasons. Only with `--explain`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting: Option<Vec<WaitingView>>,
    /// Cycles of blocking items, each once. Only with `--explain`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycles: Option<Vec<Vec<Reference>>>,
}

/// An open item that cannot be started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WaitingView {
    /// The item.
    pub item: Reference,
    /// Why, in words.
    pub reasons: Vec<String>,
}

/// One operation, in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpView {
    /// Its UUID.
    pub id: String,
    /// RFC 3339, UTC.
    pub at: Timestamp,
    /// `Name <email>`.
    pub by: String,
    /// The tool it was imported from, which reported `at` and `by`, or null.
    pub imported: Option<String>,
    /// The kind of operation: `create`, `set`, …
    pub kind: String,
    /// The same in words.
    pub text: String,
}

/// One entry of the project's log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EntryView {
    /// The commit on the work ref.
    pub commit: String,
    /// RFC 3339, UTC.
    pub at: Timestamp,
    /// The name of the author.
    pub by: String,
    /// The subject of the commit.
    pub text: String,
    /// What happened, as sentences with a person and a title; empty if the commit has too many changes, or none of
    /// an item.
    pub sentences: Vec<String>,
}

/// The history of one item, or of the project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LogView {
    /// The item; null for the project.
    pub item: Option<Reference>,
    /// Its operations, oldest first. Empty for the project.
    pub operations: Vec<OpView>,
    /// Entries of the log, newest first. Empty for one item.
    pub entries: Vec<EntryView>,
    /// Total number of entries.
    pub total: usize,
}

/// A person of the project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemberView {
    /// The person's UUID, made from the e-mail address.
    pub id: String,
    /// The person's number, permanent once it was shared: what `quicksilver` (`owner_id`) and `taiga` (`assignedToId`)
    /// call the person.
    pub number: u64,
    /// The name.
    pub name: String,
    /// The e-mail address.
    pub email: String,
    /// A short name to type; may be empty.
    pub username: String,
    /// The person's role in the project; may be empty.
    pub role: String,
    /// Whether the person was added as a member; otherwise the person wrote or was assigned an item.
    pub added: bool,
}

/// The workflow of a kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkflowView {
    /// Of which kind.
    #[serde(serialize_with = "name")]
    #[schemars(with = "String")]
    pub kind: ItemKind,
    /// Its statuses, in order.
    pub statuses: Vec<StatusView>,
}

/// One status of a workflow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatusView {
    /// Its name.
    pub name: String,
    /// `draft`, `todo`, `doing`, `review`, `done` or `dropped`.
    #[serde(serialize_with = "name")]
    #[schemars(with = "String")]
    pub category: Category,
    /// Its place on a board.
    pub order: i64,
    /// `#rrggbb`.
    #[serde(rename = "colour")]
    pub color: String,
    /// Whether an item in it counts as closed.
    pub closed: bool,
    /// Maximum number of items in it, or null.
    pub limit: Option<u32>,
    /// Number of items in it.
    pub n_items: u64,
}

/// A label.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LabelView {
    /// Its name.
    pub name: String,
    /// `#rrggbb`, or null: neutral.
    pub color: Option<String>,
    /// When to use it; may be empty.
    pub about: String,
    /// Whether the team declared it; otherwise items merely have it.
    pub declared: bool,
    /// Number of items that have it.
    pub n_items: u64,
}

/// The result of a sync.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SyncView {
    /// With whom.
    pub remote: String,
    /// The received changes.
    pub received: TrafficView,
    /// The sent changes.
    pub sent: TrafficView,
    /// Items that have another number than they were known by, here or where they came from.
    pub renumbered: Vec<RenumberedView>,
    /// `same`, `shared` or `merged`.
    #[serde(serialize_with = "name")]
    #[schemars(with = "String")]
    pub notes: NotesOutcome,
    /// Cycles of blocking items.
    pub cycles: Vec<Vec<Reference>>,
    /// Items that commits of the default branch closed; left out if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub closed: Vec<ClosedByCommitView>,
    /// Number of attempts to push.
    pub n_tries: u32,
}

/// How far the default remote is behind, as of the last sync.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SyncStateView {
    /// The remote, or null if there is none.
    pub remote: Option<String>,
    /// Changes that the remote does not have.
    pub n_unsent: usize,
    /// Whether the work was ever synced with it.
    pub is_synced: bool,
}

/// Entries that were received or sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TrafficView {
    /// The number.
    pub total: usize,
    /// The newest of them, newest first.
    pub newest: Vec<EntryView>,
}

/// Changes that were undone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UndoView {
    /// The changes, newest first.
    pub undone: Vec<UndoneView>,
    /// Whether nothing was written.
    pub dry_run: bool,
}

/// A change that was undone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UndoneView {
    /// The commit on the work ref.
    pub commit: String,
    /// RFC 3339, UTC.
    pub at: Timestamp,
    /// The subject of the commit.
    pub text: String,
    /// The change as sentences with a person and a title.
    pub sentences: Vec<String>,
}

/// An item with a new number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RenumberedView {
    /// The item, under its new number.
    pub item: Reference,
    /// Its earlier number.
    pub from: u64,
    /// Its new number.
    pub to: u64,
}

/// The result of an import of an export.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OperationsImportedView {
    /// Operations that were added.
    pub operations: usize,
    /// Operations that the log had already.
    pub known: usize,
}

/// The result of all checks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DoctorView {
    /// Every check.
    pub checks: Vec<CheckView>,
    /// Whether no check failed; warnings do not count.
    pub ok: bool,
}

/// One check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CheckView {
    /// The name of the check.
    pub name: String,
    /// `ok`, `warning` or `broken`.
    #[schemars(with = "String")]
    pub outcome: CheckOutcome,
    /// The finding.
    pub text: String,
    /// A hint on what to do, or null.
    pub hint: Option<String>,
}

/// How a check ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckOutcome {
    /// Nothing is wrong.
    Ok,
    /// Worth knowing; everything works.
    Warning,
    /// Something does not work.
    Broken,
}

crate::display_as_json!(CheckOutcome);

/// Counts of items, operations and people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatsView {
    /// By kind.
    pub kinds: Vec<StatsKindView>,
    /// Operations in the log.
    pub operations: u64,
    /// Items finished in the last 7 days.
    pub closed_last_week: u64,
    /// Items finished in the last 30 days.
    pub closed_last_month: u64,
    /// People who wrote or are assigned items.
    pub people: usize,
    /// Labels in use.
    pub labels: usize,
    /// Bytes of the index file.
    pub index_bytes: u64,
}

/// The number of items of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatsKindView {
    /// The kind.
    #[serde(serialize_with = "name")]
    #[schemars(with = "String")]
    pub kind: ItemKind,
    /// Open or draft ones.
    pub open: u64,
    /// Closed ones.
    pub closed: u64,
    /// Deleted ones.
    pub deleted: u64,
    /// Number of items in each status, in the order of the workflow.
    pub statuses: Vec<(String, u64)>,
}
