//! Takes operations in: folds the entities they touch again and writes down what comes out. Knows nothing of commits.

use std::collections::{BTreeMap, HashMap, HashSet};

use model::entity::Entity;
use model::id::EntityId;
use model::item::{Item, ItemKind};
use model::member::Member;
use model::op::Op;
use model::workflow::Workflow;
use rusqlite::{Connection, OptionalExtension, params};

use super::catch_up::Warning;
use super::row::{Doc, Workflows, shelf};
use super::schema::OPS_PER_ENTITY;
use super::{Index, IndexError};
use crate::format::v1;

/// An operation and the line it was read from.
type OpLine = (Op, Vec<u8>);

/// Operations gathered by the entity they are about, in the order the entities turned up: what was made in a row lies
/// in a row in every table.
pub(super) struct Batch {
    entities: Vec<(EntityId, Vec<OpLine>)>,
    places: HashMap<EntityId, usize>,
    n_ops: usize,
    /// Whether the index is known to be empty, so that nothing need be looked up.
    is_first: bool,
}

impl Batch {
    pub(super) fn new(is_first: bool) -> Self {
        Self { entities: Vec::new(), places: HashMap::new(), n_ops: 0, is_first }
    }

    pub(super) fn push(&mut self, op: Op, line: &[u8]) {
        let place = *self.places.entry(op.entity).or_insert_with(|| {
            self.entities.push((op.entity, Vec::new()));
            self.entities.len() - 1
        });
        self.entities[place].1.push((op, line.to_vec()));
        self.n_ops += 1;
    }

    pub(super) fn n_ops(&self) -> usize {
        self.n_ops
    }
}

impl Index {
    /// Takes a batch in, inside the caller's transaction.
    pub(super) fn absorb(&self, batch: Batch) -> Result<Absorbed, IndexError> {
        let absorber = Absorber {
            connection: &self.connection,
            is_first: batch.is_first,
            found: Absorbed::default(),
            tally: Tally::default(),
            words: Vec::new(),
        };
        self.check(absorber.run(batch))
    }

    /// Returns the workflow of a kind.
    pub fn workflow(&self, kind: ItemKind) -> Result<Workflow, IndexError> {
        let entity = self.entity(Workflow::id(kind))?;
        Ok(entity.map_or_else(|| Workflow::built_in(kind), |entity| Workflow::from_entity(kind, &entity)))
    }
}

/// What taking a batch in found.
#[derive(Default)]
pub(super) struct Absorbed {
    pub(super) warnings: Vec<Warning>,
    /// Whether a new claim on a number is not simply the only one of its item and on its number.
    pub(super) contested: bool,
}

struct Absorber<'a> {
    connection: &'a Connection,
    /// Whether the index was empty, so that nothing can be in the way.
    is_first: bool,
    found: Absorbed,
    tally: Tally,
    /// Texts that changed. They are written last: SQLite writes out the words it has gathered before every statement
    /// that it may have to take back, and words by the thousand are far cheaper than words by the item.
    words: Vec<Words>,
}

/// The text of an item, for the word index.
struct Words {
    key: i64,
    is_new: bool,
    title: String,
    description: String,
    comments: String,
    labels: String,
}

/// An entity and what the index calls it.
struct Folded {
    key: i64,
    entity: Entity,
}

impl Absorber<'_> {
    fn run(mut self, batch: Batch) -> rusqlite::Result<Absorbed> {
        let workflows = self.read_workflows(&batch)?;
        // By its id, as it is read: a change to a workflow counts also where its beginning has not arrived.
        let has_workflow = ItemKind::ALL.iter().any(|kind| batch.places.contains_key(&Workflow::id(*kind)));
        let mut next_key: i64 =
            self.connection.query_row("SELECT coalesce(max(key), 0) + 1 FROM entity", (), |row| row.get(0))?;
        // One after the other, each forgotten before the next: memory that is used again is cheaper than new memory.
        for (id, ops) in batch.entities {
            let one = self.fold(id, ops, &mut next_key)?;
            self.write_entity(&one, &workflows)?;
        }
        self.tally.write(self.connection)?;
        self.write_words()?;
        if has_workflow {
            self.refresh_states(&workflows)?;
        }
        if self.is_first {
            let sql = "SELECT EXISTS (SELECT 1 FROM claim GROUP BY number HAVING count(*) > 1)";
            self.found.contested |= self.connection.query_row(sql, (), |row| row.get::<_, bool>(0))?;
        }
        Ok(self.found)
    }

    fn fold(&mut self, id: EntityId, ops: Vec<OpLine>, next_key: &mut i64) -> rusqlite::Result<Folded> {
        let known: Option<(i64, i64)> = if self.is_first { None } else { self.find_entity(id)? };
        let (key, n_known) = known.unwrap_or((*next_key, 0));
        *next_key += i64::from(known.is_none());
        let lines: Vec<Vec<u8>> = if n_known > 0 { read_lines(self.connection, key)? } else { Vec::new() };
        let mut entity = Entity::new(id);
        for line in &lines {
            if let Ok(op) = v1::read(line) {
                entity.apply(&op);
            }
        }
        let mut lines = Lines { new: lines, sought: HashSet::new() };
        let mut insert = self.connection.prepare_cached("INSERT INTO op VALUES (?1, ?2)")?;
        let mut n_ops = n_known;
        for (op, line) in ops {
            // The same operation comes again with checkpoints and imports; a forged one has only the id in common.
            if entity.has_op(op.stamp.id) && lines.contains(&line) {
                continue;
            }
            if n_ops >= OPS_PER_ENTITY {
                self.warn_full(id);
                break;
            }
            insert.execute(params![key * OPS_PER_ENTITY + n_ops, line])?;
            entity.apply(&op);
            lines.new.push(line);
            n_ops += 1;
        }
        self.write_key(key, &entity, n_ops)?;
        Ok(Folded { key, entity })
    }

    fn find_entity(&self, id: EntityId) -> rusqlite::Result<Option<(i64, i64)>> {
        let mut find = self.connection.prepare_cached("SELECT key, n_ops FROM entity WHERE id = ?1")?;
        find.query_row([id.as_bytes()], |row| Ok((row.get(0)?, row.get(1)?))).optional()
    }

    fn write_key(&self, key: i64, entity: &Entity, n_ops: i64) -> rusqlite::Result<()> {
        let birth = entity.birth();
        let lamport = birth.map_or(0, |birth| birth.stamp.lamport.cast_signed());
        let op = birth.map_or([0; 16], |birth| *birth.stamp.id.as_bytes());
        let mut insert = self.put("entity VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?;
        insert.execute(params![key, entity.id.as_bytes(), kind(entity), lamport, op, n_ops])?;
        Ok(())
    }

    // What cannot be in the way need not be replaced: SQLite then keeps no way back for every single row.
    fn put(&self, what: &str) -> rusqlite::Result<rusqlite::CachedStatement<'_>> {
        let verb = if self.is_first { "INSERT INTO" } else { "INSERT OR REPLACE INTO" };
        self.connection.prepare_cached(&format!("{verb} {what}"))
    }

    fn warn_full(&mut self, id: EntityId) {
        let text = "it has more operations than can be held; the rest were passed over".to_owned();
        self.found.warnings.push(Warning { place: id.to_string(), text });
    }

    fn read_workflows(&self, batch: &Batch) -> rusqlite::Result<Workflows> {
        let mut workflows = BTreeMap::new();
        for kind in ItemKind::ALL {
            let id = Workflow::id(kind);
            let mut entity = read_entity(self.connection, id)?;
            if let Some(place) = batch.places.get(&id) {
                let entity = entity.get_or_insert_with(|| Entity::new(id));
                batch.entities[*place].1.iter().for_each(|(op, _)| entity.apply(op));
            }
            let workflow = entity.map(|entity| Workflow::from_entity(kind, &entity));
            workflows.insert(kind, workflow.unwrap_or_else(|| Workflow::built_in(kind)));
        }
        Ok(workflows)
    }

    fn write_entity(&mut self, one: &Folded, workflows: &Workflows) -> rusqlite::Result<()> {
        if !self.is_first {
            self.connection.prepare_cached("DELETE FROM member WHERE key = ?1")?.execute([one.key])?;
        }
        if let Some(item) = Item::from_entity(&one.entity) {
            let workflow = &workflows[&item.kind];
            return self.write_item(one, item, workflow);
        }
        if !self.is_first {
            self.remove_item(one.key)?;
        }
        if let Some(member) = Member::from_entity(&one.entity) {
            let sql = "INSERT INTO member VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
            let person = &member.person;
            let values =
                (one.key, member.id.to_string(), person.name(), person.email(), &member.username, &member.role);
            self.connection.prepare_cached(sql)?.execute(values)?;
        }
        Ok(())
    }

    fn write_item(&mut self, one: &Folded, item: Item, workflow: &Workflow) -> rusqlite::Result<()> {
        let old = if self.is_first { None } else { self.read_old(one.key)? };
        let doc = Doc::of(&item, &one.entity);
        self.write_claims(one)?;
        let (state, category) = workflow.meaning(&item.status);
        let shelf = shelf(item.deleted, state);
        let first_claim = one.entity.claims().next().map_or(0, |(_, number)| number.cast_signed());
        let number = old.as_ref().map_or(first_claim, |old| old.number);
        let text = |value: &Option<String>| value.clone().unwrap_or_default();
        let id = |value: &Option<EntityId>| value.map(|id| id.to_string());
        let date = |value: &Option<jiff::civil::Date>| value.map(|date| date.to_string());
        let row = "item VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, \
            ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28)";
        self.put(row)?.execute(params![
            one.key,
            item.id.to_string(),
            number,
            item.kind.name(),
            item.title,
            item.status,
            state.name(),
            category.name(),
            shelf,
            item.priority,
            text(&item.size),
            text(&item.severity),
            text(&item.type_),
            item.assignee.as_ref().map(ToString::to_string).unwrap_or_default(),
            item.author.to_string(),
            id(&item.board),
            id(&item.milestone),
            id(&item.parent),
            item.blocked.is_some(),
            item.approved,
            item.created.as_microsecond(),
            item.updated.as_microsecond(),
            date(&item.started),
            date(&item.expected),
            date(&item.completed),
            date(&item.due),
            item.comments.len(),
            serde_json::to_string(&doc).expect("strings and JSON values always serialise"),
        ])?;
        self.write_sets(one.key, old.as_ref().map(|old| &old.doc), &doc)?;
        if let Some(old) = &old {
            self.tally.add(old.kind, old.shelf, -1);
        }
        self.tally.add(item.kind, shelf, 1);
        self.gather_words(one.key, item, old.as_ref());
        Ok(())
    }

    fn write_claims(&mut self, one: &Folded) -> rusqlite::Result<()> {
        let mut insert = self.connection.prepare_cached("INSERT OR IGNORE INTO claim VALUES (?1, ?2, ?3, ?4)")?;
        let mut count = self.connection.prepare_cached("SELECT count(*) FROM claim WHERE number = ?1")?;
        let mut n_claims = 0;
        let mut n_new = 0;
        let mut is_shared = false;
        for (stamp, number) in one.entity.claims() {
            let number = number.cast_signed();
            n_new += insert.execute(params![number, stamp.lamport.cast_signed(), stamp.id.as_bytes(), one.key])?;
            n_claims += 1;
            // The first batch is looked through as a whole, once.
            is_shared |= !self.is_first && count.query_row([number], |row| row.get::<_, i64>(0))? > 1;
        }
        self.found.contested |= n_claims == 0 || n_new > 0 && (n_claims > 1 || is_shared);
        Ok(())
    }

    // Only a forged creation turns an item into something else; what was said of the item must go with it.
    fn remove_item(&mut self, key: i64) -> rusqlite::Result<()> {
        let Some(old) = self.read_old(key)? else { return Ok(()) };
        self.tally.add(old.kind, old.shelf, -1);
        // The number it held is free for whoever claimed it next.
        self.found.contested = true;
        self.write_sets(key, Some(&old.doc), &Doc::default())?;
        for sql in [
            "DELETE FROM item WHERE key = ?1",
            "DELETE FROM body WHERE key = ?1",
            "DELETE FROM words WHERE rowid = ?1",
            "DELETE FROM claim WHERE key = ?1",
        ] {
            self.connection.execute(sql, [key])?;
        }
        Ok(())
    }

    fn read_old(&self, key: i64) -> rusqlite::Result<Option<Old>> {
        let sql = "SELECT item.number, item.shelf, item.title, item.doc, body.description, body.comments, item.kind
            FROM item JOIN body USING (key) WHERE key = ?1";
        let read = |row: &rusqlite::Row<'_>| {
            let doc: String = row.get(3)?;
            let kind: String = row.get(6)?;
            Ok(Old {
                kind: kind.parse().unwrap_or(ItemKind::Issue),
                number: row.get(0)?,
                shelf: row.get(1)?,
                title: row.get(2)?,
                doc: serde_json::from_str(&doc).unwrap_or_default(),
                description: row.get(4)?,
                comments: row.get(5)?,
            })
        };
        self.connection.prepare_cached(sql)?.query_row([key], read).optional()
    }

    fn write_sets(&self, key: i64, old: Option<&Doc>, new: &Doc) -> rusqlite::Result<()> {
        for label in old.iter().flat_map(|old| &old.labels) {
            let sql = "DELETE FROM label WHERE label = ?1 AND key = ?2";
            self.connection.prepare_cached(sql)?.execute(params![label, key])?;
        }
        for (target, kind) in old.iter().flat_map(|old| old.links()) {
            let sql = "DELETE FROM link WHERE target = ?1 AND kind = ?2 AND key = ?3";
            self.connection.prepare_cached(sql)?.execute(params![target, kind, key])?;
        }
        for label in &new.labels {
            let sql = "INSERT OR IGNORE INTO label VALUES (?1, ?2)";
            self.connection.prepare_cached(sql)?.execute(params![label, key])?;
        }
        for (target, kind) in new.links() {
            let sql = "INSERT OR IGNORE INTO link VALUES (?1, ?2, ?3)";
            self.connection.prepare_cached(sql)?.execute(params![target, kind, key])?;
        }
        Ok(())
    }

    // Most changes leave the text alone, and the word index is the dearest part of a write.
    fn gather_words(&mut self, key: i64, item: Item, old: Option<&Old>) {
        let bodies: Vec<&str> = item.comments.iter().map(|comment| comment.body.as_str()).collect();
        let comments = bodies.join("\n");
        let is_same = old.is_some_and(|old| {
            old.title == item.title
                && old.description == item.description
                && old.comments == comments
                && old.doc.labels == item.labels
        });
        if !is_same {
            let (labels, is_new) = (item.labels.join(" "), old.is_none());
            self.words.push(Words { key, is_new, title: item.title, description: item.description, comments, labels });
        }
    }

    fn write_words(&self) -> rusqlite::Result<()> {
        let mut put = self.put("body VALUES (?1, ?2, ?3)")?;
        for one in &self.words {
            put.execute(params![one.key, one.description, one.comments])?;
        }
        let mut delete = self.connection.prepare_cached("DELETE FROM words WHERE rowid = ?1")?;
        let sql = "INSERT INTO words (rowid, title, description, comments, labels) VALUES (?1, ?2, ?3, ?4, ?5)";
        let mut insert = self.connection.prepare_cached(sql)?;
        for one in &self.words {
            if !one.is_new {
                delete.execute([one.key])?;
            }
            insert.execute(params![one.key, one.title, one.description, one.comments, one.labels])?;
        }
        Ok(())
    }

    // A status changed its meaning: every item in it may have moved to another shelf.
    fn refresh_states(&self, workflows: &Workflows) -> rusqlite::Result<()> {
        let mut statement = self.connection.prepare("SELECT DISTINCT kind, status FROM item")?;
        let pairs: Vec<(String, String)> =
            statement.query_map((), |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?;
        for (kind_name, status) in pairs {
            let Some(workflow) = kind_name.parse().ok().and_then(|kind: ItemKind| workflows.get(&kind)) else {
                continue;
            };
            let (state, category) = workflow.meaning(&status);
            let sql = "UPDATE item SET state = ?3, category = ?4, shelf = CASE shelf WHEN 0 THEN 0 ELSE ?5 END
                WHERE kind = ?1 AND status = ?2 AND (state <> ?3 OR category <> ?4)";
            let values = params![kind_name, status, state.name(), category.name(), shelf(false, state)];
            self.connection.execute(sql, values)?;
        }
        self.connection.execute_batch(
            "DELETE FROM tally; INSERT INTO tally SELECT kind, shelf, count(*) FROM item GROUP BY kind, shelf",
        )
    }
}

/// The lines of an entity, to be looked through only when one seems to come again.
struct Lines {
    new: Vec<Vec<u8>>,
    sought: HashSet<Vec<u8>>,
}

impl Lines {
    fn contains(&mut self, line: &[u8]) -> bool {
        self.sought.extend(self.new.drain(..));
        self.sought.contains(line)
    }
}

/// What the index said of an item before.
struct Old {
    kind: ItemKind,
    number: i64,
    shelf: i64,
    title: String,
    description: String,
    comments: String,
    doc: Doc,
}

/// How many items each shelf gained or lost.
#[derive(Default)]
struct Tally(BTreeMap<(ItemKind, i64), i64>);

impl Tally {
    fn add(&mut self, kind: ItemKind, shelf: i64, n: i64) {
        *self.0.entry((kind, shelf)).or_default() += n;
    }

    fn write(&self, connection: &Connection) -> rusqlite::Result<()> {
        let sql = "INSERT INTO tally VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET n = n + ?3";
        for ((kind, shelf), n) in &self.0 {
            connection.prepare_cached(sql)?.execute(params![kind.name(), shelf, n])?;
        }
        Ok(())
    }
}

fn kind(entity: &Entity) -> &str {
    entity.birth().map_or("", |birth| birth.kind.as_str())
}

/// Returns the operations of an entity as they stand in the log.
pub(super) fn read_lines(connection: &Connection, key: i64) -> rusqlite::Result<Vec<Vec<u8>>> {
    let mut statement = connection.prepare_cached("SELECT line FROM op WHERE key BETWEEN ?1 AND ?2 ORDER BY key")?;
    let first = key * OPS_PER_ENTITY;
    statement.query_map([first, first + OPS_PER_ENTITY - 1], |row| row.get(0))?.collect()
}

/// Folds an entity from the operations the index holds.
pub(super) fn read_entity(connection: &Connection, id: EntityId) -> rusqlite::Result<Option<Entity>> {
    let mut find = connection.prepare_cached("SELECT key FROM entity WHERE id = ?1")?;
    let Some(key) = find.query_row([id.as_bytes()], |row| row.get(0)).optional()? else { return Ok(None) };
    let ops: Vec<Op> = read_lines(connection, key)?.iter().filter_map(|line| v1::read(line).ok()).collect();
    Ok(Some(Entity::fold(id, &ops)))
}
