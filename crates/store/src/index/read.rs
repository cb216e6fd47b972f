//! Single lookups: one item, links to it, people, counts.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;

use jiff::civil::Date;
use model::entity::Entity;
use model::id::EntityId;
use model::item::ItemKind;
use model::member::Member;
use model::number::ItemNumber;
use model::op::Op;
use model::person::Person;
use model::workflow::State;
use rusqlite::params;

use super::catch_up::Warning;
use super::checksum::damage;
use super::ingest::{read_entity, read_entity_lines};
use super::item_table::{ITEM_COLUMNS, N_COLUMNS, SELECTED};
use super::row::{ReferencedItem, Row, kind, parsed, read, read_referenced, reference};
use super::visibility::Visibility;
use super::{Index, IndexError};
use crate::format::v1;

/// An open item that blocks another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocker {
    /// The blocked item.
    pub waiting: EntityId,
    /// Reference of the blocking item.
    pub reference: ItemNumber,
    /// The blocking item.
    pub id: EntityId,
}

/// Number of items of a kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KindCount {
    /// The kind.
    pub kind: ItemKind,
    /// Open and draft items.
    pub open: u64,
    /// Closed items.
    pub closed: u64,
    /// Deleted items.
    pub deleted: u64,
}

/// The number of items of a kind in a status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusInUse {
    /// The kind.
    pub kind: ItemKind,
    /// The status, which may no longer be in the workflow.
    pub status: String,
    /// What the status means.
    pub state: State,
    /// How many items have it.
    pub n_items: u64,
}

/// A field by which items are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupField {
    /// The parent.
    Parent,
    /// The milestone.
    Milestone,
}

impl GroupField {
    fn column(self) -> &'static str {
        match self {
            Self::Parent => "parent",
            Self::Milestone => "milestone",
        }
    }
}

/// A finished work item, as far as charts of the pace need it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinishedItem {
    /// The day of its completion.
    pub completed: Date,
    /// The day of its start, if it is known.
    pub started: Option<Date>,
    /// The id of its parent.
    pub parent: Option<String>,
}

impl Index {
    /// Returns the item with this id, deleted or not.
    pub fn item(&self, id: EntityId) -> Result<Option<Row>, IndexError> {
        Ok(self.rows("item.id = ?1", &[&id.to_string()])?.pop())
    }

    /// Returns the items with these ids; unknown ids are left out.
    pub fn items(&self, ids: &[EntityId]) -> Result<Vec<Row>, IndexError> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        self.rows("item.id IN (SELECT value FROM json_each(?1))", &[&json_list(ids)])
    }

    /// Returns the item with this number in its space.
    pub fn item_by_number(&self, reference: ItemNumber) -> Result<Option<Row>, IndexError> {
        let Ok(number) = i64::try_from(reference.number) else { return Ok(None) };
        let mut rows = self.rows("item.number = ?1", &[&number])?;
        rows.retain(|row| row.item.kind.space() == reference.space);
        Ok(rows.pop())
    }

    /// Returns other items that once had this number.
    pub fn items_formerly(&self, reference: ItemNumber) -> Result<Vec<Row>, IndexError> {
        let Ok(number) = i64::try_from(reference.number) else { return Ok(Vec::new()) };
        let condition = "item.key IN (SELECT key FROM claim WHERE space = ?1 AND number = ?2) AND item.number <> ?2";
        self.rows(condition, &[&reference.space.word(), &number])
    }

    /// Returns the items whose id has this prefix of hexadecimal digits and dashes.
    pub fn items_by_prefix(&self, prefix: &str) -> Result<Vec<Row>, IndexError> {
        let is_safe = prefix.chars().all(|c| c.is_ascii_hexdigit() || c == '-');
        if !is_safe {
            return Ok(Vec::new());
        }
        self.rows("item.id GLOB ?1", &[&format!("{}*", prefix.to_lowercase())])
    }

    /// Returns the items of a kind with exactly this title, ignoring case.
    pub fn items_by_title(&self, kind: Option<ItemKind>, title: &str) -> Result<Vec<Row>, IndexError> {
        let kind = kind.map_or("", ItemKind::name);
        let condition = "item.visibility <> 'deleted' AND (?1 = '' OR item.kind = ?1) AND title_is(item.title, ?2)";
        self.rows(condition, &[&kind, &title])
    }

    /// Returns the items with a link of this kind to the target.
    pub fn linked_from(&self, target: &str, kind: &str) -> Result<Vec<Row>, IndexError> {
        let condition =
            "item.key IN (SELECT key FROM link WHERE target = ?1 AND kind = ?2) AND item.visibility <> 'deleted'";
        self.rows(condition, &[&target, &kind])
    }

    /// Returns the items with these ids as others refer to them, in any order; unknown ids are left out.
    pub fn referenced_items(&self, ids: &[EntityId]) -> Result<Vec<ReferencedItem>, IndexError> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let sql =
            format!("SELECT {}, item.sum FROM item WHERE item.id IN (SELECT value FROM json_each(?1))", *ITEM_COLUMNS);
        let query = || self.connection.prepare_cached(&sql)?.query_map([json_list(ids)], read_referenced)?.collect();
        self.check(query())
    }

    /// Returns, for each of these items that others block, the pairs of its id and a blocking item.
    pub fn blockers_of(&self, ids: &[EntityId]) -> Result<Vec<(EntityId, ReferencedItem)>, IndexError> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        // `CROSS JOIN` keeps the order of the tables: from the few ids to their links, never through all links.
        let sql = format!(
            "SELECT {}, item.sum, wanted.value FROM json_each(?1) AS wanted
             CROSS JOIN link ON link.target = wanted.value AND link.kind = 'blocks'
             CROSS JOIN item ON item.key = link.key
             WHERE item.visibility <> 'deleted' ORDER BY item.number, item.id",
            *ITEM_COLUMNS
        );
        // After the columns of the item comes its checksum.
        let pair = |row: &rusqlite::Row<'_>| Ok((parsed(row, N_COLUMNS + 1)?, read_referenced(row)?));
        let query = || self.connection.prepare_cached(&sql)?.query_map([json_list(ids)], pair)?.collect();
        self.check(query())
    }

    /// Returns the open items that touch a file, or code in it.
    pub fn touching(&self, path: &str) -> Result<Vec<Row>, IndexError> {
        // In byte order, `;` follows `:`.
        let condition = "item.visibility = 'open' AND item.key IN (SELECT key FROM link WHERE kind = 'touches'
            AND (target = ?1 OR (target > ?1 || ':' AND target < ?1 || ';')))";
        self.rows(condition, &[&path])
    }

    /// Returns the sub-items of an item.
    pub fn children(&self, parent: EntityId) -> Result<Vec<Row>, IndexError> {
        self.rows("item.parent = ?1 AND item.visibility <> 'deleted'", &[&parent.to_string()])
    }

    /// Returns the number of open items of a kind in each milestone, by the milestone's id; milestones without any are
    /// left out.
    pub fn open_by_milestone(&self, kind: ItemKind) -> Result<HashMap<String, u64>, IndexError> {
        let sql = "SELECT milestone, count(*) FROM item
            WHERE milestone IS NOT NULL AND visibility = 'open' AND kind = ?1 GROUP BY milestone";
        let read = || {
            let mut statement = self.connection.prepare_cached(sql)?;
            statement.query_map([kind.name()], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
        };
        self.check(read())
    }

    /// Returns the number of work items of each category by the item that a field refers to: (referenced id, category,
    /// count). Items that refer to none are counted under the empty id.
    pub fn category_counts(&self, field: GroupField) -> Result<Vec<(String, String, u64)>, IndexError> {
        let column = field.column();
        let sql = format!(
            "SELECT coalesce({column}, ''), category, count(*) FROM item INDEXED BY item_{column}
             WHERE visibility <> 'deleted' AND kind IN ('issue', 'task', 'story') GROUP BY {column}, category"
        );
        let read = || {
            let mut statement = self.connection.prepare_cached(&sql)?;
            statement.query_map((), |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?.collect()
        };
        self.check(read())
    }

    /// Returns the work items that were finished on or after a day, in the order of their completion.
    pub fn finished_since(&self, first: Date) -> Result<Vec<FinishedItem>, IndexError> {
        let sql = "SELECT completed, started, parent FROM item INDEXED BY item_completed
             WHERE completed >= ?1 AND visibility = 'closed' AND kind IN ('issue', 'task', 'story') ORDER BY completed";
        let read = || {
            let mut statement = self.connection.prepare_cached(sql)?;
            let finished = |row: &rusqlite::Row<'_>| {
                let started: Option<String> = row.get(1)?;
                // A start that is not a date is the same as none, as in the item itself.
                let started = started.and_then(|day| day.parse().ok());
                Ok(FinishedItem { completed: parsed(row, 0)?, started, parent: row.get(2)? })
            };
            statement.query_map([first.to_string()], finished)?.collect()
        };
        self.check(read())
    }

    /// Returns all open blockers of all items.
    pub fn open_blockers(&self) -> Result<Vec<Blocker>, IndexError> {
        let sql = "SELECT link.target, item.kind, item.number, item.id FROM link JOIN item USING (key)
            WHERE link.kind = 'blocks' AND item.visibility = 'open' ORDER BY item.number, item.id";
        self.blockers(sql, params![])
    }

    /// Returns all `blocks` links between items that are not deleted, as (blocker, blocked).
    pub fn blocking_pairs(&self) -> Result<Vec<(EntityId, EntityId)>, IndexError> {
        let sql = "SELECT link.target, item.kind, item.number, item.id FROM link JOIN item USING (key)
            WHERE link.kind = 'blocks' AND item.visibility <> 'deleted' ORDER BY item.number, item.id";
        let blockers = self.blockers(sql, params![])?;
        Ok(blockers.into_iter().map(|blocker| (blocker.id, blocker.waiting)).collect())
    }

    fn blockers(&self, sql: &str, values: &[&dyn rusqlite::ToSql]) -> Result<Vec<Blocker>, IndexError> {
        let read = || {
            let mut statement = self.connection.prepare_cached(sql)?;
            let found = statement.query_map(values, |row| {
                Ok(Blocker { waiting: parsed(row, 0)?, reference: reference(row, 1)?, id: parsed(row, 3)? })
            })?;
            found.collect()
        };
        self.check(read())
    }

    /// Folds an entity from all its operations.
    pub fn entity(&self, id: EntityId) -> Result<Option<Entity>, IndexError> {
        if let Some(entity) = self.check(self.last_fold.get(&self.connection, id))? {
            return Ok(Some(entity));
        }
        let entity = self.check(read_entity(&self.connection, id))?;
        if entity.is_none() {
            self.check_unknown(id)?;
        }
        Ok(entity)
    }

    // An item without operations means that operations were lost.
    fn check_unknown(&self, id: EntityId) -> Result<(), IndexError> {
        let exists = self.connection.prepare_cached("SELECT 1 FROM item WHERE id = ?1");
        let is_item = exists.and_then(|mut exists| exists.exists([id.to_string()]));
        self.check(is_item.and_then(|is_item| if is_item { Err(damage("an item has no operations")) } else { Ok(()) }))
    }

    /// Returns the operations of an entity as in the log, in any order.
    pub fn lines(&self, id: EntityId) -> Result<Vec<Vec<u8>>, IndexError> {
        let lines = self.check(read_entity_lines(&self.connection, id))?;
        if lines.is_none() {
            self.check_unknown(id)?;
        }
        Ok(lines.unwrap_or_default())
    }

    /// Returns the operations of an entity, in order.
    pub fn ops(&self, id: EntityId) -> Result<Vec<Op>, IndexError> {
        let mut ops: Vec<Op> = self.lines(id)?.iter().filter_map(|line| v1::read(line).ok()).collect();
        ops.sort_by_key(|op| op.stamp);
        Ok(ops)
    }

    /// Returns the number of operations of each item, including deleted ones.
    pub fn op_counts(&self) -> Result<HashMap<ItemNumber, u64>, IndexError> {
        let sql = "SELECT item.kind, item.number, entity.n_ops FROM item JOIN entity USING (key)";
        let read = || {
            let mut statement = self.connection.prepare_cached(sql)?;
            statement.query_map((), |row| Ok((reference(row, 0)?, row.get(2)?)))?.collect()
        };
        self.check(read())
    }

    /// Returns the number of operations in the index.
    pub fn n_ops(&self) -> Result<u64, IndexError> {
        let sql = "SELECT coalesce(sum(n_ops), 0) FROM entity";
        self.check(self.connection.query_row(sql, (), |row| row.get(0)))
    }

    /// Returns the members, by name.
    pub fn members(&self) -> Result<Vec<Member>, IndexError> {
        let read = || {
            let sql = "SELECT id, name, email, username, role FROM member ORDER BY name, email, id";
            let mut statement = self.connection.prepare_cached(sql)?;
            let found = statement.query_map((), |row| {
                let (name, email): (String, String) = (row.get(1)?, row.get(2)?);
                let person = Person::new(&name, &email);
                Ok(Member { id: parsed(row, 0)?, person, username: row.get(3)?, role: row.get(4)? })
            })?;
            found.collect()
        };
        self.check(read())
    }

    /// Returns the numbers of all members, authors and assignees, past ones included, by `Member::id_of`.
    pub fn person_numbers(&self) -> Result<HashMap<EntityId, u64>, IndexError> {
        let read = || {
            let mut statement = self.connection.prepare_cached("SELECT id, number FROM person")?;
            statement.query_map((), |row| Ok((EntityId::from_bytes(row.get(0)?), row.get(1)?)))?.collect()
        };
        self.check(read())
    }

    /// Returns all authors and assignees.
    pub fn people_seen(&self) -> Result<Vec<Person>, IndexError> {
        let texts = self.strings("SELECT author FROM item UNION SELECT assigned FROM item WHERE assigned <> ''")?;
        // Several assignees of an item are lines of one text.
        let people: BTreeSet<&str> = texts.iter().flat_map(|text| text.lines()).collect();
        Ok(people.into_iter().map(Person::parse).collect())
    }

    /// Returns the entities that were created with a kind, deleted ones included, in the order of their creation.
    pub fn entities_of(&self, kind: &str) -> Result<Vec<EntityId>, IndexError> {
        let read = || {
            let mut statement = self.connection.prepare_cached("SELECT id FROM entity WHERE kind = ?1 ORDER BY key")?;
            statement.query_map([kind], |row| Ok(EntityId::from_bytes(row.get(0)?)))?.collect()
        };
        self.check(read())
    }

    /// Returns all severities in use, sorted.
    pub fn severities(&self) -> Result<Vec<String>, IndexError> {
        self.strings("SELECT DISTINCT severity FROM item WHERE severity <> '' ORDER BY severity")
    }

    /// Returns the number of items of each kind.
    pub fn tallies(&self) -> Result<Vec<KindCount>, IndexError> {
        let count = |kind: ItemKind, visibility: Visibility| {
            let sql = "SELECT coalesce(sum(n), 0) FROM tally WHERE kind = ?1 AND visibility = ?2";
            self.check(self.connection.query_row(sql, params![kind.name(), visibility], |row| row.get(0)))
        };
        let tally = |kind| {
            let [open, closed, deleted] = [Visibility::Open, Visibility::Closed, Visibility::Deleted];
            Ok(KindCount {
                kind,
                open: count(kind, open)?,
                closed: count(kind, closed)?,
                deleted: count(kind, deleted)?,
            })
        };
        ItemKind::ALL.into_iter().map(tally).collect()
    }

    /// Returns the number of items in each status.
    pub fn statuses_in_use(&self) -> Result<Vec<StatusInUse>, IndexError> {
        let sql =
            "SELECT kind, status, state, count(*) FROM item WHERE visibility <> 'deleted' GROUP BY kind, status, state";
        let read = || {
            let mut statement = self.connection.prepare(sql)?;
            let found = statement.query_map((), |row| {
                let (kind, state) = (kind(row, 0)?, parsed(row, 2)?);
                Ok(StatusInUse { kind, status: row.get(1)?, state, n_items: row.get(3)? })
            })?;
            found.collect()
        };
        self.check(read())
    }

    /// Returns everything in the log that was skipped.
    pub fn warnings(&self) -> Result<Vec<Warning>, IndexError> {
        let read = || {
            let mut statement = self.connection.prepare("SELECT place, text FROM warning")?;
            statement.query_map((), |row| Ok(Warning { place: row.get(0)?, text: row.get(1)? }))?.collect()
        };
        self.check(read())
    }

    /// Returns the number of entities with operations but without a creation. Authors have a number without being
    /// members, so they are not counted.
    pub fn entities_without_creation(&self) -> Result<u64, IndexError> {
        let sql = "SELECT count(*) FROM entity WHERE kind = '' AND id NOT IN (SELECT id FROM person)";
        self.check(self.connection.query_row(sql, (), |row| row.get(0)))
    }

    fn strings(&self, sql: &str) -> Result<Vec<String>, IndexError> {
        let read = || self.connection.prepare(sql)?.query_map((), |row| row.get(0))?.collect();
        self.check(read())
    }

    fn rows(&self, condition: &str, values: &[&dyn rusqlite::ToSql]) -> Result<Vec<Row>, IndexError> {
        let sql = format!(
            "SELECT {} FROM item LEFT JOIN body USING (key) WHERE {condition} ORDER BY item.number, item.id",
            *SELECTED
        );
        let query = || self.connection.prepare_cached(&sql)?.query_map(values, read)?.collect();
        self.check(query())
    }
}

/// Writes ids as a JSON array; they have no character that would have to be escaped.
fn json_list(ids: &[EntityId]) -> String {
    let mut list = String::with_capacity(2 + ids.len() * 39);
    let mut separator = "[";
    for id in ids {
        // Writing to a string cannot fail.
        let _ = write!(list, "{separator}\"{id}\"");
        separator = ",";
    }
    list.push_str(if ids.is_empty() { "[]" } else { "]" });
    list
}
