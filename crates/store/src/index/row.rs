//! An item as read from its row.

use std::collections::BTreeMap;
use std::str::FromStr;

use jiff::Timestamp;
use model::entity::Entity;
use model::id::EntityId;
use model::item::{ASSIGNEES, Item, ItemKind, all_assignees};
use model::number::ItemNumber;
use model::person::Person;
use model::rank::Rank;
use model::workflow::{Category, State, Workflow};
use rusqlite::types::{FromSql, Type, ValueRef};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::checksum::Checksum;
use super::item_table::{ItemColumn, N_COLUMNS};
use super::ranks::RankedItem;
use super::visibility::Visibility;

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

/// An item as others refer to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReferencedItem {
    /// Its id.
    pub id: EntityId,
    /// Its kind.
    pub kind: ItemKind,
    /// Its number.
    pub number: u64,
    /// One line.
    pub title: String,
    /// Derived from its status.
    pub state: State,
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
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    commits: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    closed_by: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    blocked: Option<String>,
    #[serde(default, rename = "colour", skip_serializing_if = "Option::is_none")]
    color: Option<String>,
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
            commits: item.commits.clone(),
            closed_by: item.closed_by.clone(),
            blocked: item.blocked.clone(),
            color: item.color.clone(),
            claims: entity.all_claims().map(|(_, number)| number).collect(),
            revision: item.revision.clone(),
            extra: item.extra.clone(),
        }
    }

    pub(super) fn read(json: &str) -> rusqlite::Result<Self> {
        serde_json::from_str(json).map_err(|error| foreign(ItemColumn::Doc as usize, error))
    }

    /// Returns all links as (target, kind).
    pub(super) fn links(&self) -> impl Iterator<Item = (&str, &'static str)> {
        let blocks = self.blocks.iter().map(|target| (target.as_str(), "blocks"));
        let relates = self.relates.iter().map(|target| (target.as_str(), "relates"));
        let touches = self.touches.iter().map(|target| (target.as_str(), "touches"));
        let commits = self.commits.iter().map(|target| (target.as_str(), "commits"));
        blocks.chain(relates).chain(touches).chain(commits)
    }
}

/// The rank expression in SQL; `rank_key` is registered on every connection.
pub(super) const RANK_KEY: &str = "rank_key(item.rank, item.number)";

/// The values of a row, each read from SQLite once, for the checksum and for the item.
struct Values<'row>([ValueRef<'row>; N_COLUMNS]);

impl<'row> Values<'row> {
    /// Reads the values; fails if they do not match the checksum.
    fn of(row: &'row rusqlite::Row<'_>) -> rusqlite::Result<Self> {
        let mut values = [ValueRef::Null; N_COLUMNS];
        let mut sum = Checksum::new();
        for (column, value) in values.iter_mut().enumerate() {
            *value = row.get_ref(column)?;
            sum = sum.add(*value);
        }
        sum.check(row.get(N_COLUMNS)?)?;
        Ok(Self(values))
    }

    fn text(&self, column: ItemColumn) -> rusqlite::Result<&'row str> {
        self.0[column as usize].as_str().map_err(|error| foreign(column as usize, error))
    }

    fn some_text(&self, column: ItemColumn) -> rusqlite::Result<Option<&'row str>> {
        Ok(Some(self.text(column)?).filter(|text| !text.is_empty()))
    }

    fn get<T: FromSql>(&self, column: ItemColumn) -> rusqlite::Result<T> {
        T::column_result(self.0[column as usize]).map_err(|error| foreign(column as usize, error))
    }

    fn integer<T: TryFrom<i64>>(&self, column: ItemColumn) -> rusqlite::Result<T> {
        let number: i64 = self.get(column)?;
        T::try_from(number).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(column as usize, number))
    }

    fn parsed<T: FromStr>(&self, column: ItemColumn) -> rusqlite::Result<T> {
        parse(column as usize, self.text(column)?)
    }

    /// Parses a text; `None` if it is empty.
    fn some_parsed<T: FromStr>(&self, column: ItemColumn) -> rusqlite::Result<Option<T>> {
        self.some_text(column)?.map(|text| parse(column as usize, text)).transpose()
    }

    /// Parses a text; `None` for NULL.
    fn optional<T: FromStr>(&self, column: ItemColumn) -> rusqlite::Result<Option<T>> {
        let text = self.0[column as usize].as_str_or_null().map_err(|error| foreign(column as usize, error))?;
        text.map(|text| parse(column as usize, text)).transpose()
    }

    fn instant(&self, column: ItemColumn) -> rusqlite::Result<Timestamp> {
        // In two parts: jiff rejects whole microseconds in the last second of its range.
        let microseconds: i64 = self.get(column)?;
        let (second, rest) = (microseconds.div_euclid(1_000_000), microseconds.rem_euclid(1_000_000));
        let nanosecond = i32::try_from(rest * 1_000).map_err(|error| foreign(column as usize, error))?;
        Timestamp::new(second, nanosecond).map_err(|error| foreign(column as usize, error))
    }
}

/// Returns the description of a row selected with `SELECTED`; every item has one.
fn description(row: &rusqlite::Row<'_>) -> rusqlite::Result<String> {
    let description = row.get_ref(N_COLUMNS + 1)?;
    Checksum::new().add(row.get_ref(0)?).add(description).check(row.get(N_COLUMNS + 2)?)?;
    Ok(description.as_str()?.to_owned())
}

/// Reads a row selected with `SELECTED`. A value that the index never writes is damage.
pub(super) fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<Row> {
    let values = Values::of(row)?;
    let doc = Doc::read(values.text(ItemColumn::Doc)?)?;
    let number: u64 = values.integer(ItemColumn::Number)?;
    let mut former_numbers: Vec<u64> = doc.claims.iter().copied().filter(|claim| *claim != number).collect();
    former_numbers.sort_unstable();
    former_numbers.dedup();
    let id = |text: &String| parse(ItemColumn::Doc as usize, text);
    let ids = |texts: &[String]| texts.iter().map(id).collect::<rusqlite::Result<Vec<EntityId>>>();
    let assignee = values.some_text(ItemColumn::Assignee)?.map(Person::parse);
    let item = Item {
        id: values.parsed(ItemColumn::Id)?,
        kind: kind(row, ItemColumn::Kind as usize)?,
        title: values.get(ItemColumn::Title)?,
        description: description(row)?,
        status: values.get(ItemColumn::Status)?,
        assignees: all_assignees(assignee.as_ref(), &doc.assignees),
        assignee,
        author: Person::parse(values.text(ItemColumn::Author)?),
        priority: values.integer(ItemColumn::Priority)?,
        size: values.some_parsed(ItemColumn::Size)?,
        severity: values.some_text(ItemColumn::Severity)?.map(str::to_owned),
        type_: values.some_text(ItemColumn::Type)?.map(str::to_owned),
        board: values.optional(ItemColumn::Board)?,
        milestone: values.optional(ItemColumn::Milestone)?,
        parent: values.optional(ItemColumn::Parent)?,
        blocks: ids(&doc.blocks)?,
        relates: ids(&doc.relates)?,
        labels: doc.labels,
        touches: doc.touches,
        commits: doc.commits,
        closed_by: doc.closed_by,
        blocked: doc.blocked,
        approved: values.get(ItemColumn::Approved)?,
        created: values.instant(ItemColumn::Created)?,
        updated: values.instant(ItemColumn::Updated)?,
        started: values.optional(ItemColumn::Started)?,
        expected: values.optional(ItemColumn::Expected)?,
        completed: values.optional(ItemColumn::Completed)?,
        due: values.optional(ItemColumn::Due)?,
        color: doc.color,
        rank: values.some_parsed(ItemColumn::Rank)?,
        comments: Vec::new(),
        deleted: values.get::<Visibility>(ItemColumn::Visibility)? == Visibility::Deleted,
        revision: doc.revision,
        extra: doc.extra,
    };
    Ok(Row {
        item,
        number,
        former_numbers,
        state: values.parsed(ItemColumn::State)?,
        category: values.parsed(ItemColumn::Category)?,
        comment_count: values.integer(ItemColumn::CommentCount)?,
    })
}

/// Reads an item as others refer to it from a row with all columns of the item and their checksum. A long list has as many
/// references as items, and decoding the other columns would take as long as the list itself.
pub(super) fn read_referenced(row: &rusqlite::Row<'_>) -> rusqlite::Result<ReferencedItem> {
    let values = Values::of(row)?;
    Ok(ReferencedItem {
        id: values.parsed(ItemColumn::Id)?,
        kind: kind(row, ItemColumn::Kind as usize)?,
        number: values.integer(ItemColumn::Number)?,
        title: values.get(ItemColumn::Title)?,
        state: values.parsed(ItemColumn::State)?,
    })
}

/// Reads an item reference: its kind is in `column`, its number in the next.
pub(super) fn reference(row: &rusqlite::Row<'_>, column: usize) -> rusqlite::Result<ItemNumber> {
    Ok(ItemNumber::of_kind(kind(row, column)?, row.get(column + 1)?))
}

/// Reads the kind of an item.
pub(super) fn kind(row: &rusqlite::Row<'_>, column: usize) -> rusqlite::Result<ItemKind> {
    let name = row.get_ref(column)?.as_str().map_err(|error| foreign(column, error))?;
    ItemKind::from_name(name).ok_or_else(|| foreign(column, format!("unknown kind `{name}`")))
}

/// Parses a text; one that does not parse is damage.
pub(super) fn parsed<T: FromStr>(row: &rusqlite::Row<'_>, column: usize) -> rusqlite::Result<T> {
    parse(column, row.get_ref(column)?.as_str().map_err(|error| foreign(column, error))?)
}

fn parse<T: FromStr>(column: usize, text: &str) -> rusqlite::Result<T> {
    text.parse().map_err(|_| foreign(column, format!("invalid value `{text}`")))
}

fn foreign(column: usize, error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, Type::Text, error.into())
}

/// The workflows of all kinds.
pub(super) type Workflows = BTreeMap<ItemKind, Workflow>;

#[cfg(test)]
mod tests {
    use model::id::OpId;
    use model::op::{Change, Op, Stamp};
    use rusqlite::Connection;
    use serde_json::json;
    use uuid::Uuid;

    use super::super::item_table::{self, INSERT, NewRow, SELECTED, columns_of};
    use super::super::{checksum, classify, schema};
    use super::*;
    use crate::index::IndexError;

    fn item() -> (Item, Doc) {
        let text = |text: &str| (text.to_owned(), json!(text));
        let fields = [("title", "A title"), ("due", "2026-03-01"), ("size", "large"), ("rank", "a0")];
        let mut fields: BTreeMap<String, Value> =
            fields.iter().map(|(name, value)| (text(name).0, json!(value))).collect();
        fields.insert("board".to_owned(), json!(Uuid::from_u128(7).to_string()));
        let change = Change::Create { kind: "task".to_owned(), number: Some(1), fields, sets: BTreeMap::new() };
        let mut entity = Entity::new(EntityId::new(Uuid::from_u128(1)));
        let stamp = Stamp { lamport: 1, id: OpId::new(Uuid::from_u128(2)) };
        let by = Person::parse("Ada <ada@example.org>");
        entity.apply(&Op {
            stamp,
            entity: entity.id,
            at: Timestamp::UNIX_EPOCH,
            by,
            imported: None,
            undoes: None,
            change,
        });
        let item = Item::from_entity(&entity).unwrap();
        let doc = Doc::of(&item, &entity);
        (item, doc)
    }

    /// An index with one item, read after `change` was made to it. The checksums are those of the changed row.
    fn read_after(change: &str) -> Result<Row, IndexError> {
        let connection = Connection::open_in_memory().unwrap();
        checksum::register(&connection).unwrap();
        connection.execute_batch(&format!("{}{}", schema::TABLES, item_table::definition())).unwrap();
        let (item, doc) = item();
        let (state, category) = (State::Open, Category::Todo);
        let row = NewRow { key: 1, number: 1, state, category, visibility: Visibility::Open, item: &item, doc: &doc };
        item_table::write(&mut connection.prepare(&format!("INSERT INTO {}", *INSERT)).unwrap(), &row).unwrap();
        connection.execute_batch("INSERT INTO body VALUES (1, '', '', checksum(1, ''))").unwrap();
        connection.execute_batch(change).unwrap();
        connection.execute_batch(&format!("UPDATE item SET sum = checksum({})", columns_of("item"))).unwrap();
        let sql = format!("SELECT {} FROM item JOIN body USING (key)", *SELECTED);
        connection.query_row(&sql, (), read).map_err(|error| classify("index".as_ref(), error))
    }

    #[test]
    fn a_row_is_read_as_it_was_written() {
        let read = read_after("").unwrap();
        assert_eq!((read.item, read.number, read.state, read.category), (item().0, 1, State::Open, Category::Todo));
    }

    #[test]
    fn a_value_that_the_index_never_writes_is_damage() {
        for (column, value) in [
            ("kind", "saga"),
            ("kind", "tasks"),
            ("state", "ajar"),
            ("category", "later"),
            ("visibility", "dim"),
            ("size", "huge"),
            ("board", "none"),
            ("due", "soon"),
            ("rank", "!"),
            ("doc", "{}"),
        ] {
            let found = read_after(&format!("UPDATE item SET {column} = '{value}'"));
            assert!(matches!(found, Err(IndexError::Damaged { .. })), "{column} = {value}: {found:?}");
        }
    }
}
