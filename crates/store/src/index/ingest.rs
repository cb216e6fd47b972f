//! Ingests operations: folds the entities that they touch again and writes the results. Knows nothing about commits.

mod item;
mod person;
mod statements;

use std::borrow::Cow;
use std::collections::btree_map::Entry;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use model::entity::Entity;
use model::id::EntityId;
use model::item::{Item, ItemKind};
use model::member::Member;
use model::number::NumberSpace;
use model::op::Op;
use model::workflow::Workflow;
use rusqlite::{Connection, OptionalExtension, params};

use super::catch_up::Warning;
use super::checksum::{Checksum, damage};
use super::numbers::Contested;
use super::row::Workflows;
use super::schema::{OPS_PER_ENTITY, OPS_PER_ENTITY_LIMIT};
use super::{Index, IndexError};
use crate::format::v1;
pub(crate) use item::SearchText;
use item::{CountChanges, Memberships};
use person::People;
use statements::{RowStatement, RowStatements};

/// Maximum number of operations in a batch.
const MAX_OPS: usize = 200_000;
/// Maximum memory of a batch, in bytes.
const MAX_BATCH_BYTES: usize = 48 * 1024 * 1024;
/// Memory per entity in addition to its operations: its places in the batch, and its state during the fold.
const ENTITY_OVERHEAD: usize = 256;
/// Memory per operation in addition to its text, and copies of the text: in the line and in the operation.
const OP_OVERHEAD: usize = 320;
const TEXTS_PER_OP: usize = 2;
/// Bytes of search text that are collected before they are written.
const MAX_WORD_BYTES: usize = 16 * 1024 * 1024;

/// An operation, and where its line is in the batch.
pub(super) struct BatchOp {
    op: Op,
    line: Range<usize>,
}

/// Which entities a batch has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EntityScope {
    /// Some may be in the index.
    Any,
    /// None is in the index, so no lookups are needed. The caller finds contested numbers afterwards, for all batches at
    /// once.
    New,
}

/// Operations grouped by entity, in order of first appearance, so that entities created together are adjacent in every
/// table.
pub(super) struct Batch {
    entities: Vec<(EntityId, Vec<BatchOp>)>,
    places: HashMap<EntityId, usize>,
    /// The lines of all operations: one allocation that grows, instead of one for each.
    lines: Vec<u8>,
    n_ops: usize,
    /// Estimated memory.
    n_bytes: usize,
    scope: EntityScope,
}

impl Batch {
    pub(super) fn new(scope: EntityScope) -> Self {
        Self { entities: Vec::new(), places: HashMap::new(), lines: Vec::new(), n_ops: 0, n_bytes: 0, scope }
    }

    pub(super) fn push(&mut self, op: Op, line: &[u8]) {
        let place = *self.places.entry(op.entity).or_insert_with(|| {
            // Most entities of a long log have one operation; by default a vector starts with capacity for four.
            self.entities.push((op.entity, Vec::with_capacity(1)));
            self.n_bytes += ENTITY_OVERHEAD;
            self.entities.len() - 1
        });
        let start = self.lines.len();
        self.lines.extend_from_slice(line);
        self.entities[place].1.push(BatchOp { op, line: start..self.lines.len() });
        self.n_ops += 1;
        self.n_bytes += OP_OVERHEAD + TEXTS_PER_OP * line.len();
    }

    /// Returns the entities of the batch.
    pub(super) fn ids(&self) -> impl Iterator<Item = EntityId> {
        self.entities.iter().map(|(id, _)| *id)
    }

    /// Returns the number of entities.
    pub(super) fn n_entities(&self) -> usize {
        self.entities.len()
    }

    /// Returns the line of an operation.
    pub(super) fn line(&self, op: &BatchOp) -> &[u8] {
        &self.lines[op.line.clone()]
    }

    /// Removes and returns the operations of these entities; their lines stay.
    pub(super) fn take_out(&mut self, entities: &HashSet<EntityId>) -> Vec<(EntityId, Vec<BatchOp>)> {
        if entities.is_empty() {
            return Vec::new();
        }
        let all = std::mem::take(&mut self.entities).into_iter();
        let (out, left): (Vec<_>, Vec<_>) = all.partition(|(id, _)| entities.contains(id));
        self.places = left.iter().enumerate().map(|(place, (id, _))| (*id, place)).collect();
        self.entities = left;
        out
    }

    /// Returns whether the batch should be ingested before it grows: memory must not depend on what somebody pushes.
    /// `spare` is memory that the caller may use and does not.
    pub(super) fn is_full(&self, spare: usize) -> bool {
        self.n_ops >= MAX_OPS || self.n_bytes >= MAX_BATCH_BYTES + spare
    }
}

impl Index {
    /// Ingests a batch inside the caller's transaction.
    pub(super) fn ingest(&self, batch: Batch) -> Result<IngestOutcome, IndexError> {
        let mut ingested = self.ingest_with(batch, MAX_WORD_BYTES)?;
        self.write_words(&std::mem::take(&mut ingested.words))?;
        Ok(ingested)
    }

    /// Writes the search text of a batch; until then it is not found by search.
    pub(super) fn write_words(&self, words: &[SearchText]) -> Result<(), IndexError> {
        self.check(SearchText::write_all(words, &self.connection))
    }

    /// Ingests a batch and leaves its search text to the caller.
    pub(super) fn ingest_without_fts(&self, batch: Batch) -> Result<IngestOutcome, IndexError> {
        self.ingest_with(batch, usize::MAX)
    }

    fn ingest_with(&self, batch: Batch, max_word_bytes: usize) -> Result<IngestOutcome, IndexError> {
        self.last_fold.clear();
        let ingest = Ingest {
            connection: &self.connection,
            statements: RowStatements::new(&self.connection),
            max_word_bytes,
            scope: batch.scope,
            found: IngestOutcome::default(),
            tally: CountChanges::default(),
            people: People::default(),
            memberships: Memberships::default(),
        };
        self.check(ingest.run(batch))
    }

    /// Returns the spaces in which items claim the same number: one query over all claims, instead of one per item.
    pub(super) fn find_contested(&self) -> Result<Contested, IndexError> {
        self.check(item::find_contested(&self.connection))
    }

    /// Returns the workflow of a kind.
    pub fn workflow(&self, kind: ItemKind) -> Result<Workflow, IndexError> {
        let id = Workflow::id(kind);
        let entity = match self.check(self.last_fold.get(&self.connection, id))? {
            Some(entity) => Some(entity),
            // Not `entity`: it looks whether an unknown entity is an item that lost its operations, and no item has this id.
            None => self.check(read_entity(&self.connection, id))?,
        };
        Ok(workflow(kind, entity.as_ref()))
    }
}

fn workflow(kind: ItemKind, entity: Option<&Entity>) -> Workflow {
    entity.map_or_else(|| Workflow::built_in(kind), |entity| Workflow::from_entity(kind, entity))
}

/// The result of ingesting a batch.
#[derive(Default)]
pub(super) struct IngestOutcome {
    pub(super) warnings: Vec<Warning>,
    /// Number spaces in which a new claim is not simply the only one of its item and for its number.
    pub(super) contested: Contested,
    /// Changed search text. It is written last: SQLite flushes its pending full-text terms before every statement that
    /// it may have to roll back, and flushing thousands of texts at once is far cheaper than one at a time.
    pub(super) words: Vec<SearchText>,
    word_bytes: usize,
    /// The last entity of the batch, as it is now.
    pub(super) last: Option<Entity>,
}

impl IngestOutcome {
    /// Adds the result of another batch, after the search text of both was written.
    pub(super) fn extend(&mut self, other: Self) {
        self.warnings.extend(other.warnings);
        self.contested |= other.contested;
    }
}

struct Ingest<'a> {
    connection: &'a Connection,
    statements: RowStatements<'a>,
    /// Search text beyond this many bytes is written in between.
    max_word_bytes: usize,
    scope: EntityScope,
    found: IngestOutcome,
    tally: CountChanges,
    people: People,
    memberships: Memberships,
}

/// A folded entity with its key in the index.
struct FoldedEntity {
    key: i64,
    entity: Entity,
    /// The index has no row of it yet, so no row can conflict.
    is_new: bool,
}

/// Workflows, loaded on first use.
struct WorkflowCache<'a> {
    connection: &'a Connection,
    known: Workflows,
}

impl WorkflowCache<'_> {
    fn of(&mut self, kind: ItemKind) -> rusqlite::Result<&Workflow> {
        match self.known.entry(kind) {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(place) => {
                let entity = read_entity(self.connection, Workflow::id(kind))?;
                Ok(place.insert(workflow(kind, entity.as_ref())))
            }
        }
    }
}

impl Ingest<'_> {
    fn run(mut self, batch: Batch) -> rusqlite::Result<IngestOutcome> {
        // By id, because a change to a workflow counts even if its creation has not arrived.
        let has_workflow = ItemKind::ALL.iter().any(|kind| batch.places.contains_key(&Workflow::id(*kind)));
        let known = if has_workflow { self.read_workflows(&batch)? } else { Workflows::new() };
        let mut workflows = WorkflowCache { connection: self.connection, known };
        let mut next = self.connection.prepare_cached("SELECT coalesce(max(key), 0) + 1 FROM entity")?;
        let mut next_key: i64 = next.query_row((), |row| row.get(0))?;
        // Process one entity at a time, so that the allocator can reuse its memory.
        for (id, ops) in batch.entities {
            let one = self.fold(id, ops, &batch.lines, &mut next_key)?;
            self.write_entity(&one, &mut workflows)?;
            self.found.last = Some(one.entity);
            if self.found.word_bytes > self.max_word_bytes {
                self.write_bodies()?;
                SearchText::write_all(&std::mem::take(&mut self.found.words), self.connection)?;
                self.found.word_bytes = 0;
            }
        }
        self.tally.write(self.connection)?;
        self.write_bodies()?;
        self.write_memberships()?;
        if has_workflow {
            self.refresh_states(&workflows.known)?;
        }
        std::mem::take(&mut self.people).write(self.connection, &mut self.found.contested)?;
        Ok(self.found)
    }

    fn fold(
        &mut self,
        id: EntityId,
        ops: Vec<BatchOp>,
        batch_lines: &[u8],
        next_key: &mut i64,
    ) -> rusqlite::Result<FoldedEntity> {
        let known: Option<(i64, i64)> = match self.scope {
            EntityScope::New => None,
            EntityScope::Any => self.find_entity(id)?,
        };
        let (key, n_known) = known.unwrap_or((*next_key, 0));
        *next_key += i64::from(known.is_none());
        let lines: Vec<Vec<u8>> = if n_known > 0 { read_lines(self.connection, key, n_known)? } else { Vec::new() };
        let mut entity = Entity::new(id);
        for line in &lines {
            if let Ok(op) = v1::read(line) {
                entity.apply_owned(op);
            }
        }
        let mut lines = Lines { new: lines.into_iter().map(Cow::Owned).collect(), sought: HashSet::new() };
        let mut n_ops = n_known;
        let has_several = n_known > 0 || ops.len() > 1;
        for BatchOp { op, line } in ops {
            let line = &batch_lines[line];
            // The same operation arrives again with checkpoints and imports; a forged one has only the id in common.
            if has_several && entity.has_op(op.stamp.id) && lines.contains(line) {
                continue;
            }
            if n_ops >= OPS_PER_ENTITY_LIMIT {
                self.warn_full(id);
                break;
            }
            let place = key * OPS_PER_ENTITY + n_ops;
            let insert = self.statements.get(RowStatement::InsertOp)?;
            insert.execute(params![place, line, line_sum(place, line).finish()])?;
            self.people.add_names_of(&op);
            entity.apply_owned(op);
            if has_several {
                lines.new.push(Cow::Borrowed(line));
            }
            n_ops += 1;
        }
        let one = FoldedEntity { key, entity, is_new: known.is_none() };
        self.write_key(&one, n_ops)?;
        Ok(one)
    }

    fn find_entity(&self, id: EntityId) -> rusqlite::Result<Option<(i64, i64)>> {
        let mut find = self.connection.prepare_cached("SELECT key, n_ops FROM entity WHERE id = ?1")?;
        find.query_row([id.as_bytes()], |row| Ok((row.get(0)?, row.get(1)?))).optional()
    }

    fn write_key(&mut self, one: &FoldedEntity, n_ops: i64) -> rusqlite::Result<()> {
        let entity = &one.entity;
        let creation = entity.creation();
        let lamport = creation.map_or(0, |creation| creation.stamp.lamport.cast_signed());
        let op = creation.map_or([0; 16], |creation| *creation.stamp.id.as_bytes());
        let which = if one.is_new { RowStatement::InsertEntity } else { RowStatement::ReplaceEntity };
        let put = self.statements.get(which)?;
        put.execute(params![one.key, entity.id.as_bytes(), kind(entity), lamport, op, n_ops])?;
        Ok(())
    }

    fn warn_full(&mut self, id: EntityId) {
        let text = format!("skipped its operations beyond {OPS_PER_ENTITY_LIMIT}");
        self.found.warnings.push(Warning { place: id.to_string(), text });
    }

    fn read_workflows(&self, batch: &Batch) -> rusqlite::Result<Workflows> {
        let mut workflows = Workflows::new();
        for kind in ItemKind::ALL {
            let id = Workflow::id(kind);
            let mut entity = read_entity(self.connection, id)?;
            if let Some(place) = batch.places.get(&id) {
                let entity = entity.get_or_insert_with(|| Entity::new(id));
                batch.entities[*place].1.iter().for_each(|one| entity.apply(&one.op));
            }
            workflows.insert(kind, workflow(kind, entity.as_ref()));
        }
        Ok(workflows)
    }

    fn write_entity(&mut self, one: &FoldedEntity, workflows: &mut WorkflowCache<'_>) -> rusqlite::Result<()> {
        if !one.is_new {
            self.connection.prepare_cached("DELETE FROM member WHERE key = ?1")?.execute([one.key])?;
        }
        if let Some(item) = Item::from_entity(&one.entity) {
            let workflow = workflows.of(item.kind)?;
            return self.write_item(one, item, workflow);
        }
        if !one.is_new {
            self.remove_item(one.key)?;
        }
        self.write_claims(one, NumberSpace::Person)?;
        if let Some(member) = Member::from_entity(&one.entity) {
            let sql = "INSERT INTO member VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
            let person = &member.person;
            let values =
                (one.key, member.id.to_string(), person.name(), person.email(), &member.username, &member.role);
            self.connection.prepare_cached(sql)?.execute(values)?;
        }
        Ok(())
    }
}

/// The lines of an entity, compared only if an operation seems to be a duplicate.
struct Lines<'a> {
    new: Vec<Cow<'a, [u8]>>,
    sought: HashSet<Cow<'a, [u8]>>,
}

impl Lines<'_> {
    fn contains(&mut self, line: &[u8]) -> bool {
        // Hashed on first use: duplicates are rare, so most entities never need the set.
        self.sought.extend(self.new.drain(..));
        self.sought.contains(line)
    }
}

fn kind(entity: &Entity) -> &str {
    entity.creation().map_or("", |creation| creation.kind.as_str())
}

/// Returns the operations of an entity as in the log; `None` if the entity is unknown.
pub(super) fn read_entity_lines(connection: &Connection, id: EntityId) -> rusqlite::Result<Option<Vec<Vec<u8>>>> {
    let mut find = connection.prepare_cached("SELECT key, n_ops FROM entity WHERE id = ?1")?;
    let found = find.query_row([id.as_bytes()], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    found.map(|(key, n_ops)| read_lines(connection, key, n_ops)).transpose()
}

/// Returns the operations of the entity with this key.
pub(super) fn read_lines(connection: &Connection, key: i64, n_ops: i64) -> rusqlite::Result<Vec<Vec<u8>>> {
    let sql = "SELECT key, line, sum FROM op WHERE key BETWEEN ?1 AND ?2 ORDER BY key";
    let mut statement = connection.prepare_cached(sql)?;
    let first = key * OPS_PER_ENTITY;
    let lines = statement.query_map([first, first + OPS_PER_ENTITY - 1], |row| Ok(sound_line(row)?.to_vec()))?;
    let lines: Vec<Vec<u8>> = lines.collect::<Result<_, _>>()?;
    // SQLite does not notice rows that a damaged page lost, so count them.
    if usize::try_from(n_ops) == Ok(lines.len()) { Ok(lines) } else { Err(damage("operations of an entity are gone")) }
}

/// Returns the line of a row that begins with the key, the line and the checksum of an operation.
pub(super) fn sound_line<'row>(row: &'row rusqlite::Row<'_>) -> rusqlite::Result<&'row [u8]> {
    let line = row.get_ref(1)?.as_blob()?;
    line_sum(row.get(0)?, line).check(row.get(2)?)?;
    Ok(line)
}

fn line_sum(key: i64, line: &[u8]) -> Checksum {
    Checksum::new().word(key.cast_unsigned()).bytes(line)
}

/// Folds an entity from the operations in the index.
pub(super) fn read_entity(connection: &Connection, id: EntityId) -> rusqlite::Result<Option<Entity>> {
    let Some(lines) = read_entity_lines(connection, id)? else { return Ok(None) };
    let mut entity = Entity::new(id);
    lines.iter().filter_map(|line| v1::read(line).ok()).for_each(|op| entity.apply_owned(op));
    Ok(Some(entity))
}
