//! An item row: columns for the fields that are filtered and sorted by, one JSON document for the rest.

use std::collections::BTreeMap;
use std::str::FromStr;

use jiff::Timestamp;
use jiff::civil::Date;
use model::entity::Entity;
use model::id::EntityId;
use model::item::{ASSIGNEES, Item, ItemKind, everyone};
use model::number::ItemNumber;
use model::person::Person;
use model::rank::Rank;
use model::workflow::{Category, State, Workflow};
use rusqlite::types::{Type, ValueRef};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::checksum::Checksum;
use super::ranks::RankedItem;

/// An item with derived values. Its comments are counted, not loaded.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The item; `comments` is empty here.
    pub item: Item,
    /// Its number.
    pub number: u64,
    /// Numbers it once claimed, which other items may have now.
    pub former_numbers: Vec<u64>,
    /// Derived from its status.
    pub state: State,
    /// Derived from its status.
    pub category: Category,
    /// Number of comments.
    pub comment_count: u64,
}

impl Row {
    /// Returns its reference: space and number.
    pub fn reference(&self) -> ItemNumber {
        ItemNumber::of_kind(self.item.kind, self.number)
    }

    /// Returns its rank: where it was moved, else derived from its number.
    pub fn rank(&self) -> Rank {
        self.item.rank.clone().unwrap_or_else(|| Rank::of_number(self.number))
    }

    /// Returns its position in the order of cards.
    pub fn ranked(&self) -> RankedItem {
        RankedItem { rank: self.rank(), id: self.item.id }
    }
}

/// Fields without a column.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Doc {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) labels: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    assignees: Vec<String>,
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
            assignees: entity.set_members(ASSIGNEES).into_iter().map(str::to_owned).collect(),
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

    /// Returns all links as (target, kind).
    pub(super) fn links(&self) -> impl Iterator<Item = (&str, &'static str)> {
        let blocks = self.blocks.iter().map(|target| (target.as_str(), "blocks"));
        let relates = self.relates.iter().map(|target| (target.as_str(), "relates"));
        let touches = self.touches.iter().map(|target| (target.as_str(), "touches"));
        blocks.chain(relates).chain(touches)
    }
}

/// Returns the visibility of an item: 0 deleted, 1 closed, 2 open or draft.
pub(super) fn shelf(deleted: bool, state: State) -> i64 {
    match (deleted, state) {
        (true, _) => 0,
        (false, State::Closed) => 1,
        (false, _) => 2,
    }
}

/// The columns that the checksum of an item covers, in order, each qualified by a row name.
macro_rules! item_columns {
    ($row:literal) => {
        item_columns!($row: "key", "id", "number", "kind", "title", "status", "state", "category", "shelf", "priority",
            "size", "severity", "type", "assignee", "author", "board", "milestone", "parent", "approved", "created",
            "updated", "started", "expected", "completed", "due", "comment_count", "doc", "blocked", "rank", "assigned")
    };
    ($row:literal: $first:literal, $($column:literal),*) => {
        concat!($row, ".", $first, $(", ", $row, ".", $column),*)
    };
}
pub(super) use item_columns;

/// The columns that a query must select for `read`.
pub(super) const COLUMNS: &str = concat!(item_columns!("item"), ", item.sum, body.description, body.sum");

/// Number of columns in [`COLUMNS`].
pub(super) const N_COLUMNS: usize = N_SUMMED + 3;

/// The rank expression in SQL; `rank_key` is registered on every connection.
pub(super) const RANK_KEY: &str = "rank_key(item.rank, item.number)";

/// Number of columns covered by the checksum of an item. The sum follows them, then the description and its sum.
const N_SUMMED: usize = 30;

/// The values of a row, each read from SQLite once, for the checksum and for the item.
struct Values<'row>([ValueRef<'row>; N_SUMMED]);

impl<'row> Values<'row> {
    /// Reads the values; fails if they do not match the checksum.
    fn of(row: &'row rusqlite::Row<'_>) -> rusqlite::Result<Self> {
        let mut values = [ValueRef::Null; N_SUMMED];
        let mut sum = Checksum::new();
        for (column, value) in values.iter_mut().enumerate() {
            *value = row.get_ref(column)?;
            sum = sum.add(*value);
        }
        sum.check(row.get(N_SUMMED)?)?;
        Ok(Self(values))
    }

    fn text(&self, column: usize) -> rusqlite::Result<&'row str> {
        self.0[column].as_str().map_err(|error| foreign(column, error))
    }

    fn some_text(&self, column: usize) -> rusqlite::Result<Option<String>> {
        let text = self.text(column)?;
        Ok((!text.is_empty()).then(|| text.to_owned()))
    }

    fn integer<T: TryFrom<i64>>(&self, column: usize) -> rusqlite::Result<T> {
        let number = self.0[column].as_i64().map_err(|error| foreign(column, error))?;
        T::try_from(number).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(column, number))
    }

    fn parsed<T: FromStr>(&self, column: usize) -> rusqlite::Result<T> {
        parse(column, self.text(column)?)
    }

    fn maybe<T: FromStr>(&self, column: usize) -> rusqlite::Result<Option<T>> {
        let text = self.0[column].as_str_or_null().map_err(|error| foreign(column, error))?;
        Ok(text.and_then(|text| text.parse().ok()))
    }

    fn instant(&self, column: usize) -> rusqlite::Result<Timestamp> {
        // In two parts: jiff rejects whole microseconds in the last second of its range.
        let microseconds: i64 = self.integer(column)?;
        let (second, rest) = (microseconds.div_euclid(1_000_000), microseconds.rem_euclid(1_000_000));
        let nanosecond = i32::try_from(rest * 1_000).map_err(|error| foreign(column, error))?;
        Timestamp::new(second, nanosecond).map_err(|error| foreign(column, error))
    }
}

/// Returns the description of a row selected with `COLUMNS`; every item has one.
fn description(row: &rusqlite::Row<'_>) -> rusqlite::Result<String> {
    let description = row.get_ref(N_SUMMED + 1)?;
    Checksum::new().add(row.get_ref(0)?).add(description).check(row.get(N_SUMMED + 2)?)?;
    Ok(description.as_str()?.to_owned())
}

/// Reads a row selected with `COLUMNS`.
pub(super) fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<Row> {
    let values = Values::of(row)?;
    let doc: Doc = serde_json::from_str(values.text(26)?).map_err(|error| foreign(26, error))?;
    let number: u64 = values.integer(2)?;
    let mut former_numbers: Vec<u64> = doc.claims.iter().copied().filter(|claim| *claim != number).collect();
    former_numbers.sort_unstable();
    former_numbers.dedup();
    let ids = |texts: &[String]| texts.iter().filter_map(|text| text.parse().ok()).collect();
    let assignee = values.some_text(13)?.map(|text| Person::parse(&text));
    let item = Item {
        id: values.parsed(1)?,
        kind: values.parsed(3)?,
        title: values.text(4)?.to_owned(),
        description: description(row)?,
        status: values.text(5)?.to_owned(),
        assignees: everyone(assignee.as_ref(), &doc.assignees),
        assignee,
        author: Person::parse(values.text(14)?),
        priority: values.integer(9)?,
        size: values.some_text(10)?,
        severity: values.some_text(11)?,
        type_: values.some_text(12)?,
        board: values.maybe(15)?,
        milestone: values.maybe(16)?,
        parent: values.maybe(17)?,
        blocks: ids(&doc.blocks),
        relates: ids(&doc.relates),
        labels: doc.labels,
        touches: doc.touches,
        blocked: doc.blocked,
        approved: values.integer::<i64>(18)? != 0,
        created: values.instant(19)?,
        updated: values.instant(20)?,
        started: values.maybe::<Date>(21)?,
        expected: values.maybe::<Date>(22)?,
        completed: values.maybe::<Date>(23)?,
        due: values.maybe::<Date>(24)?,
        colour: doc.colour,
        rank: values.some_text(28)?.and_then(|text| text.parse().ok()),
        comments: Vec::new(),
        deleted: values.integer::<i64>(8)? == 0,
        revision: doc.revision,
        extra: doc.extra,
    };
    Ok(Row {
        item,
        number,
        former_numbers,
        state: state(values.text(6)?),
        category: values.parsed(7)?,
        comment_count: values.integer(25)?,
    })
}

/// Reads an item reference: its kind is in `column`, its number in the next.
pub(super) fn reference(row: &rusqlite::Row<'_>, column: usize) -> rusqlite::Result<ItemNumber> {
    Ok(ItemNumber::of_kind(parse(column, row.get_ref(column)?.as_str()?)?, row.get(column + 1)?))
}

fn state(name: &str) -> State {
    match name {
        "closed" => State::Closed,
        "draft" => State::Draft,
        _ => State::Open,
    }
}

fn parse<T: FromStr>(column: usize, text: &str) -> rusqlite::Result<T> {
    text.parse().map_err(|_| foreign(column, format!("`{text}`")))
}

fn foreign(column: usize, error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, Type::Text, error.into())
}

/// The workflows of all kinds.
pub(super) type Workflows = BTreeMap<ItemKind, Workflow>;
