//! An item as JSON.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use jiff::Timestamp;
use jiff::civil::Date;
use model::attachment::Attachment;
use model::comment::Comment;
use model::id::EntityId;
use model::imported::{self, ImportSource};
use model::item::ItemKind;
use model::number::{ItemNumber, NumberSpace};
use model::size::Size;
use model::workflow::{Category, State};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use store::index::{Index, ReferencedItem, Row};

use super::by_name::{name, name_or_empty, name_or_null};
use super::commit::CommitView;
use crate::error::Error;
use crate::verb::CategoryCounts;

/// An item.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ItemView {
    /// Its UUID.
    pub id: String,
    /// Its number. Issues, tasks, stories and epics share one count; milestones and boards each have their own.
    pub number: u64,
    /// `issue`, `task`, `story`, `epic`, `milestone` or `board`.
    #[serde(serialize_with = "name")]
    #[schemars(with = "String")]
    pub kind: ItemKind,
    /// One line.
    pub title: String,
    /// Markdown.
    pub description: String,
    /// A status of the kind's workflow.
    pub status: String,
    /// `draft`, `open` or `closed`.
    #[serde(serialize_with = "name")]
    #[schemars(with = "String")]
    pub state: State,
    /// `draft`, `todo`, `doing`, `review`, `done` or `dropped`.
    #[serde(serialize_with = "name")]
    #[schemars(with = "String")]
    pub category: Category,
    /// In alphabetical order.
    pub labels: Vec<String>,
    /// `Name <email>`, or null.
    pub assignee: Option<String>,
    /// All assignees, the main one first.
    pub assignees: Vec<String>,
    /// `Name <email>`.
    pub author: String,
    /// 0 to 10.
    pub priority: u8,
    /// `small`, `medium`, `large`, `xlarge`, or null.
    #[serde(serialize_with = "name_or_null")]
    #[schemars(with = "Option<String>")]
    pub size: Option<Size>,
    /// Its severity, in the team's words, or null.
    pub severity: Option<String>,
    /// Its type, in the team's words, or null.
    #[serde(rename = "type")]
    pub type_: Option<String>,
    /// Its board.
    pub board: Option<Reference>,
    /// Its milestone.
    pub milestone: Option<Reference>,
    /// Its parent.
    pub parent: Option<Reference>,
    /// Items that this one blocks.
    pub blocks: Vec<Reference>,
    /// Items that block this one.
    pub blocked_by: Vec<Reference>,
    /// Related items.
    pub relates: Vec<Reference>,
    /// Code it is about: `path` or `path:anchor`.
    pub touches: Vec<String>,
    /// Whether it is blocked by something outside the tracker.
    pub blocked: BlockedView,
    /// Whether it is approved.
    pub approved: bool,
    /// `YYYY-MM-DD`, or null.
    pub started: Option<Date>,
    /// `YYYY-MM-DD`, or null.
    pub expected: Option<Date>,
    /// `YYYY-MM-DD`, or null.
    pub completed: Option<Date>,
    /// `YYYY-MM-DD`, or null.
    pub due: Option<Date>,
    /// `#rrggbb`, or null.
    #[serde(rename = "colour")]
    pub color: Option<String>,
    /// Its rank in the order of cards: texts that sort, byte by byte, in that order.
    pub rank: String,
    /// Number of comments.
    pub comment_count: u64,
    /// RFC 3339, UTC.
    pub created: Timestamp,
    /// RFC 3339, UTC.
    pub updated: Timestamp,
    /// Where it was imported from, or null. Its author and times are then the source's.
    pub imported: Option<ImportSourceView>,
    /// Earlier numbers, which another item may have now.
    pub former_numbers: Vec<u64>,
    /// Whether it was deleted.
    pub deleted: bool,
    /// A hash of this state, for `--if-unchanged`.
    pub revision: String,
    /// Attached files. Only if there are any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<AttachmentView>,
    /// Fields this version does not know.
    pub extra: BTreeMap<String, Value>,
    /// Its comments, oldest first. Only where one item is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comments: Option<Vec<CommentView>>,
    /// Its sub-items. Only where one item is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub children: Option<Vec<Reference>>,
    /// Other items that once had its number. Only where one item is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub formerly_this_number: Option<Vec<Reference>>,
    /// Its commits, newest first: linked ones, and those whose messages name it. Only in `show`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commits: Option<Vec<CommitView>>,
    /// Progress of the items of a milestone or the sub-items of an epic. Only in lists that show progress.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<ProgressView>,
}

/// The number of items by progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProgressView {
    /// Drafts and items that are not started.
    pub todo: u64,
    /// In progress.
    pub doing: u64,
    /// In review.
    pub review: u64,
    /// Finished.
    pub done: u64,
    /// Not to be done; not part of the total.
    pub dropped: u64,
    /// All that are or were to be done.
    pub total: u64,
}

impl From<CategoryCounts> for ProgressView {
    fn from(counts: CategoryCounts) -> Self {
        let CategoryCounts { todo, doing, review, done, dropped } = counts;
        Self { todo, doing, review, done, dropped, total: counts.total() }
    }
}

/// Another item, named.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Reference {
    /// Its UUID.
    pub id: String,
    /// `issue`, `task`, `story`, `epic`, `milestone` or `board`; empty when this clone does not have the item.
    #[serde(serialize_with = "name_or_empty")]
    #[schemars(with = "String")]
    pub kind: Option<ItemKind>,
    /// Its number; null when this clone does not have the item.
    pub number: Option<u64>,
    /// Its title.
    pub title: String,
    /// `draft`, `open` or `closed`; empty when this clone does not have the item.
    #[serde(serialize_with = "name_or_empty")]
    #[schemars(with = "String")]
    pub state: Option<State>,
}

impl ItemView {
    /// Returns its display name: `#5`, `milestone/5`.
    pub fn name(&self) -> String {
        ItemNumber::of_kind(self.kind, self.number).to_string()
    }

    /// Returns its display name with another number.
    pub fn name_with(&self, number: u64) -> String {
        ItemNumber::of_kind(self.kind, number).to_string()
    }
}

impl Reference {
    /// Returns its display name: `#5`, `milestone/5`; its id if this clone does not have the item.
    pub fn name(&self) -> String {
        self.number.map_or_else(|| self.id.clone(), |number| self.name_with(number))
    }

    /// Returns its display name with another number.
    pub fn name_with(&self, number: u64) -> String {
        let space = self.kind.map_or(NumberSpace::Work, ItemKind::space);
        ItemNumber { space, number }.to_string()
    }
}

/// Whether an item is blocked by something outside the tracker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BlockedView {
    /// Whether it is blocked.
    pub is: bool,
    /// By what, or null.
    pub reason: Option<String>,
}

/// Where an item was imported from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImportSourceView {
    /// The tool: `github`, `jira`, ….
    pub from: String,
    /// Its id there.
    pub id: String,
    /// The address of its page, or null.
    pub url: Option<String>,
    /// Its status there, if the status here has another name, or null.
    pub status: Option<String>,
}

impl From<ImportSource> for ImportSourceView {
    fn from(source: ImportSource) -> Self {
        let ImportSource { tool, id, url, status } = source;
        Self { from: tool, id, url, status }
    }
}

/// An attached file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AttachmentView {
    /// Its UUID. A text of the item refers to it as `attachment:ID`.
    pub id: String,
    /// Its file name.
    pub name: String,
    /// Its media type.
    #[serde(rename = "type")]
    pub media_type: String,
    /// Its size in bytes.
    pub size: u64,
}

impl From<Attachment> for AttachmentView {
    fn from(attachment: Attachment) -> Self {
        let Attachment { id, name, media_type, size, .. } = attachment;
        Self { id, name, media_type, size }
    }
}

/// A comment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CommentView {
    /// Its UUID.
    pub id: String,
    /// `Name <email>`.
    pub author: String,
    /// RFC 3339, UTC.
    pub created: Timestamp,
    /// The tool it was imported from, which reported author and time, or null.
    pub imported: Option<String>,
    /// Markdown.
    pub body: String,
    /// Earlier texts, oldest first.
    pub former: Vec<FormerTextView>,
}

/// An earlier text of a comment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FormerTextView {
    /// `Name <email>`.
    pub author: String,
    /// RFC 3339, UTC.
    pub at: Timestamp,
    /// Markdown.
    pub body: String,
}

/// One page of items.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListView {
    /// The items, in order.
    pub items: Vec<ItemView>,
    /// Total number of items on all pages.
    pub total: u64,
    /// The cursor of the next page; null on the last one.
    pub next_cursor: Option<String>,
}

/// Converts rows. Referenced items are read in two queries, independent of the number of rows.
pub(crate) fn item_views(index: &Index, rows: Vec<Row>) -> Result<Vec<ItemView>, Error> {
    let mut neighbors = RelatedItems::of(index, &rows)?;
    Ok(rows.into_iter().map(|row| neighbors.view(row)).collect())
}

/// Returns one item with all related data.
pub(crate) fn one_item_view(index: &Index, row: Row) -> Result<ItemView, Error> {
    let (id, own) = (row.item.id, row.reference());
    let mut view = RelatedItems::of(index, std::slice::from_ref(&row))?.view(row);
    let entity = index.entity(id)?;
    view.comments = Some(entity.iter().flat_map(model::entity::Entity::comments).map(comment_view).collect());
    view.children = Some(index.children(id)?.iter().map(reference).collect());
    view.formerly_this_number = Some(index.items_formerly(own)?.iter().map(reference).collect());
    let back = index.linked_from(&id.to_string(), "relates")?;
    view.relates.extend(back.iter().map(reference).filter(|one| one.id != view.id));
    // By id too: an issue and a milestone may have the same number, and only neighbors are compared below.
    view.relates.sort_by(|a, b| (a.number, &a.id).cmp(&(b.number, &b.id)));
    view.relates.dedup();
    Ok(view)
}

/// The items that rows refer to, and those that block them.
struct RelatedItems {
    known: HashMap<EntityId, Reference>,
    blockers: HashMap<EntityId, Vec<Reference>>,
}

impl RelatedItems {
    fn of(index: &Index, rows: &[Row]) -> Result<Self, Error> {
        let ids: Vec<EntityId> = rows.iter().map(|row| row.item.id).collect();
        let mut blockers: HashMap<EntityId, Vec<Reference>> = HashMap::new();
        for (blocked, blocker) in index.blockers_of(&ids)? {
            blockers.entry(blocked).or_default().push(blocker.into());
        }
        let named: BTreeSet<EntityId> = rows.iter().flat_map(referenced).collect();
        let named: Vec<EntityId> = named.into_iter().collect();
        let known = index.referenced_items(&named)?.into_iter().map(|item| (item.id, item.into())).collect();
        Ok(Self { known, blockers })
    }

    fn view(&mut self, row: Row) -> ItemView {
        let rank = row.rank().to_string();
        let mut item = row.item;
        let imported = item.extra.get(imported::FIELD).and_then(ImportSource::from_value).map(ImportSourceView::from);
        if imported.is_some() {
            item.extra.remove(imported::FIELD);
        }
        let blocked_by = self.blockers.remove(&item.id).unwrap_or_default();
        let attachments = take_attachments(&mut item.extra);
        ItemView {
            attachments,
            number: row.number,
            kind: item.kind,
            status: item.status,
            state: row.state,
            category: row.category,
            assignee: item.assignee.map(|person| person.to_string()),
            assignees: item.assignees.iter().map(ToString::to_string).collect(),
            author: item.author.to_string(),
            board: item.board.map(|id| self.one(id)),
            milestone: item.milestone.map(|id| self.one(id)),
            parent: item.parent.map(|id| self.one(id)),
            blocks: item.blocks.iter().map(|id| self.one(*id)).collect(),
            blocked_by,
            relates: item.relates.iter().map(|id| self.one(*id)).collect(),
            blocked: BlockedView {
                is: item.blocked.is_some(),
                reason: item.blocked.filter(|reason| !reason.is_empty()),
            },
            comment_count: row.comment_count,
            imported,
            former_numbers: row.former_numbers,
            id: item.id.to_string(),
            title: item.title,
            description: item.description,
            labels: item.labels,
            priority: item.priority,
            size: item.size,
            severity: item.severity,
            type_: item.type_,
            touches: item.touches,
            approved: item.approved,
            started: item.started,
            expected: item.expected,
            completed: item.completed,
            due: item.due,
            color: item.color,
            rank,
            created: item.created,
            updated: item.updated,
            deleted: item.deleted,
            revision: item.revision,
            extra: item.extra,
            comments: None,
            children: None,
            formerly_this_number: None,
            commits: None,
            progress: None,
        }
    }

    fn one(&self, id: EntityId) -> Reference {
        self.known.get(&id).cloned().unwrap_or_else(|| absent(id))
    }
}

// The blobs are an internal matter of the log; the views name attachments by their ids.
fn take_attachments(extra: &mut BTreeMap<String, Value>) -> Vec<AttachmentView> {
    let found: Vec<Attachment> =
        extra.iter().filter_map(|(field, value)| Attachment::from_field(field, value)).collect();
    for attachment in &found {
        extra.remove(&attachment.field());
    }
    found.into_iter().map(AttachmentView::from).collect()
}

fn referenced(row: &Row) -> impl Iterator<Item = EntityId> {
    let item = &row.item;
    let single = [item.board, item.milestone, item.parent].into_iter().flatten();
    single.chain(item.blocks.iter().copied()).chain(item.relates.iter().copied())
}

/// Returns a reference to an item.
pub fn reference(row: &Row) -> Reference {
    Reference {
        id: row.item.id.to_string(),
        kind: Some(row.item.kind),
        number: Some(row.number),
        title: row.item.title.clone(),
        state: Some(row.state),
    }
}

impl From<ReferencedItem> for Reference {
    fn from(item: ReferencedItem) -> Self {
        let ReferencedItem { id, kind, number, title, state } = item;
        Self { id: id.to_string(), kind: Some(kind), number: Some(number), title, state: Some(state) }
    }
}

fn absent(id: EntityId) -> Reference {
    Reference { id: id.to_string(), kind: None, number: None, title: String::new(), state: None }
}

fn comment_view(comment: Comment) -> CommentView {
    let former = comment.former.into_iter().map(|version| FormerTextView {
        author: version.author.to_string(),
        at: version.at,
        body: version.body,
    });
    CommentView {
        id: comment.id.to_string(),
        author: comment.author.to_string(),
        created: comment.created,
        imported: comment.imported.map(|tool| tool.to_string()),
        body: comment.body,
        former: former.collect(),
    }
}
