//! An item as the index keeps it: columns for what is filtered and sorted by, one JSON document for the rest.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::civil::Date;
use model::entity::Entity;
use model::id::EntityId;
use model::item::{Item, ItemKind};
use model::number::ItemRef;
use model::person::Person;
use model::workflow::{Category, State, Workflow};
use rusqlite::types::Type;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// An item with what only the whole project can tell. Its comments are counted, not loaded.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The item; `comments` is empty here.
    pub item: Item,
    /// Its number.
    pub number: u64,
    /// Other numbers it once claimed, which may be someone else's now.
    pub former_numbers: Vec<u64>,
    /// Derived from its status.
    pub state: State,
    /// Derived from its status.
    pub category: Category,
    /// How many comments it has.
    pub comment_count: u64,
}

impl Row {
    /// Returns what people call it by.
    pub fn reference(&self) -> ItemRef {
        ItemRef::of_kind(self.item.kind, self.number)
    }
}

/// What has no column of its own.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Doc {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) labels: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) blocks: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) relates: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) touches: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    blocked: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    colour: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    claims: Vec<u64>,
    revision: String,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    extra: BTreeMap<String, Value>,
}

impl Doc {
    pub(super) fn of(item: &Item, entity: &Entity) -> Self {
        let texts = |ids: &[EntityId]| ids.iter().map(EntityId::to_string).collect();
        Self {
            labels: item.labels.clone(),
            blocks: texts(&item.blocks),
            relates: texts(&item.relates),
            touches: item.touches.clone(),
            blocked: item.blocked.clone(),
            colour: item.colour.clone(),
            claims: entity.all_claims().map(|(_, number)| number).collect(),
            revision: item.revision.clone(),
            extra: item.extra.clone(),
        }
    }

    /// Returns every link as (target, kind).
    pub(super) fn links(&self) -> impl Iterator<Item = (&str, &'static str)> {
        let blocks = self.blocks.iter().map(|target| (target.as_str(), "blocks"));
        let relates = self.relates.iter().map(|target| (target.as_str(), "relates"));
        let touches = self.touches.iter().map(|target| (target.as_str(), "touches"));
        blocks.chain(relates).chain(touches)
    }
}

/// Where an item stands: deleted, closed, or in sight.
pub(super) fn shelf(deleted: bool, state: State) -> i64 {
    match (deleted, state) {
        (true, _) => 0,
        (false, State::Closed) => 1,
        (false, _) => 2,
    }
}

/// What a query must select for `read` to make a `Row`.
pub(super) const COLUMNS: &str = "item.key, item.id, item.number, item.kind, item.title, item.status, item.state, \
    item.category, item.shelf, item.priority, item.size, item.severity, item.type, item.assignee, item.author, \
    item.board, item.milestone, item.parent, item.approved, item.created, item.updated, item.started, item.expected, \
    item.completed, item.due, item.comment_count, item.doc, body.description";

/// Reads a row selected with `COLUMNS`.
pub(super) fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<Row> {
    let doc: Doc = serde_json::from_str(row.get_ref(26)?.as_str()?).map_err(|error| foreign(26, error))?;
    let number: u64 = row.get(2)?;
    let kind: ItemKind = parsed(row, 3)?;
    let mut former_numbers: Vec<u64> = doc.claims.iter().copied().filter(|claim| *claim != number).collect();
    former_numbers.sort_unstable();
    former_numbers.dedup();
    let ids = |texts: &[String]| texts.iter().filter_map(|text| text.parse().ok()).collect();
    let item = Item {
        id: parsed(row, 1)?,
        kind,
        title: row.get(4)?,
        description: row.get::<_, Option<String>>(27)?.unwrap_or_default(),
        status: row.get(5)?,
        assignee: some_text(row, 13)?.map(|text| Person::parse(&text)),
        author: Person::parse(row.get_ref(14)?.as_str()?),
        priority: row.get(9)?,
        size: some_text(row, 10)?,
        severity: some_text(row, 11)?,
        type_: some_text(row, 12)?,
        board: maybe(row, 15)?,
        milestone: maybe(row, 16)?,
        parent: maybe(row, 17)?,
        blocks: ids(&doc.blocks),
        relates: ids(&doc.relates),
        labels: doc.labels,
        touches: doc.touches,
        blocked: doc.blocked,
        approved: row.get(18)?,
        created: instant(row, 19)?,
        updated: instant(row, 20)?,
        started: date(row, 21)?,
        expected: date(row, 22)?,
        completed: date(row, 23)?,
        due: date(row, 24)?,
        colour: doc.colour,
        comments: Vec::new(),
        deleted: row.get::<_, i64>(8)? == 0,
        revision: doc.revision,
        extra: doc.extra,
    };
    Ok(Row {
        item,
        number,
        former_numbers,
        state: state(row.get_ref(6)?.as_str()?),
        category: parsed(row, 7)?,
        comment_count: row.get(25)?,
    })
}

/// Reads what an item is called by: its kind stands in `column`, its number in the next.
pub(super) fn reference(row: &rusqlite::Row<'_>, column: usize) -> rusqlite::Result<ItemRef> {
    Ok(ItemRef::of_kind(parsed(row, column)?, row.get(column + 1)?))
}

fn state(name: &str) -> State {
    match name {
        "closed" => State::Closed,
        "draft" => State::Draft,
        _ => State::Open,
    }
}

fn parsed<T: std::str::FromStr>(row: &rusqlite::Row<'_>, column: usize) -> rusqlite::Result<T> {
    let text = row.get_ref(column)?.as_str()?;
    text.parse().map_err(|_| foreign(column, format!("`{text}`")))
}

fn maybe<T: std::str::FromStr>(row: &rusqlite::Row<'_>, column: usize) -> rusqlite::Result<Option<T>> {
    Ok(row.get_ref(column)?.as_str_or_null()?.and_then(|text| text.parse().ok()))
}

fn some_text(row: &rusqlite::Row<'_>, column: usize) -> rusqlite::Result<Option<String>> {
    let text = row.get_ref(column)?.as_str()?;
    Ok((!text.is_empty()).then(|| text.to_owned()))
}

fn date(row: &rusqlite::Row<'_>, column: usize) -> rusqlite::Result<Option<Date>> {
    maybe(row, column)
}

fn instant(row: &rusqlite::Row<'_>, column: usize) -> rusqlite::Result<Timestamp> {
    // In two parts: the library counts the last second of its range as whole microseconds out of it.
    let microseconds: i64 = row.get(column)?;
    let (second, rest) = (microseconds.div_euclid(1_000_000), microseconds.rem_euclid(1_000_000));
    let nanosecond = i32::try_from(rest * 1_000).map_err(|error| foreign(column, error))?;
    Timestamp::new(second, nanosecond).map_err(|error| foreign(column, error))
}

fn foreign(column: usize, error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, Type::Text, error.into())
}

/// The workflows of all kinds, as the index was built with.
pub(super) type Workflows = BTreeMap<ItemKind, Workflow>;
