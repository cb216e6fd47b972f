//! Defers operations of entities that an earlier batch of the same catch-up folded. They are folded once more after the last
//! batch instead of with every batch, so that the time is linear in the number of operations. Temporary tables hold them and the
//! entities that were folded, so that the memory is not.

use std::collections::HashSet;

use model::id::EntityId;
use rusqlite::{Connection, OptionalExtension, params};

use super::ingest::{Batch, BatchOp, EntityScope, IngestOutcome};
use super::{Index, IndexError};
use crate::format::v1;

/// Drops the tables first, because a failed catch-up may have left them.
const TABLES: &str = "DROP TABLE IF EXISTS temp.deferred_op;
    DROP TABLE IF EXISTS temp.folded_entity;
    CREATE TEMP TABLE deferred_op (n INTEGER PRIMARY KEY, id BLOB NOT NULL, line BLOB NOT NULL);
    CREATE TEMP TABLE folded_entity (id BLOB PRIMARY KEY) WITHOUT ROWID";

/// Whether earlier batches folded entities, and whether operations of theirs are deferred.
#[derive(Default)]
pub(super) struct DeferredOps {
    has_folded: bool,
    has_deferred: bool,
}

impl DeferredOps {
    /// Records the entities of a batch that is folded now and is not the last.
    pub(super) fn mark_folded(&mut self, index: &Index, batch: &Batch) -> Result<(), IndexError> {
        if !self.has_folded {
            index.check(index.connection.execute_batch(TABLES))?;
            self.has_folded = true;
        }
        index.check(insert_folded(&index.connection, batch))
    }

    /// Moves the operations of entities that are folded already from the batch to the table.
    pub(super) fn defer(&mut self, index: &Index, batch: &mut Batch) -> Result<(), IndexError> {
        if !self.has_folded {
            return Ok(());
        }
        let folded = index.check(find_folded(&index.connection, batch))?;
        let later = batch.take_out(&folded);
        self.has_deferred |= !later.is_empty();
        index.check(insert(&index.connection, batch, &later))
    }

    /// Folds the deferred operations, entity by entity.
    pub(super) fn ingest(self, index: &Index) -> Result<IngestOutcome, IndexError> {
        let mut ingested = IngestOutcome::default();
        if self.has_deferred {
            index.check(index.connection.execute_batch("CREATE INDEX temp.deferred_op_id ON deferred_op (id)"))?;
            let mut batch = Batch::new(EntityScope::Any);
            let mut last = None;
            while let Some(id) = index.check(next_entity(&index.connection, last))? {
                index.check(read(&index.connection, id, &mut batch))?;
                if batch.is_full(0) {
                    ingested.extend(index.ingest(std::mem::replace(&mut batch, Batch::new(EntityScope::Any)))?);
                }
                last = Some(id);
            }
            ingested.extend(index.ingest(batch)?);
        }
        if self.has_folded {
            let drop = "DROP TABLE temp.deferred_op; DROP TABLE temp.folded_entity";
            index.check(index.connection.execute_batch(drop))?;
        }
        Ok(ingested)
    }
}

fn insert_folded(connection: &Connection, batch: &Batch) -> rusqlite::Result<()> {
    let mut ids: Vec<EntityId> = batch.ids().collect();
    ids.sort_unstable();
    let mut insert = connection.prepare_cached("INSERT OR IGNORE INTO temp.folded_entity VALUES (?1)")?;
    ids.iter().try_for_each(|id| insert.execute([id.as_bytes()]).map(drop))
}

/// Returns those entities of a batch that were folded before.
fn find_folded(connection: &Connection, batch: &Batch) -> rusqlite::Result<HashSet<EntityId>> {
    let mut find = connection.prepare_cached("SELECT 1 FROM temp.folded_entity WHERE id = ?1")?;
    let mut folded = HashSet::new();
    for id in batch.ids() {
        if find.exists([id.as_bytes()])? {
            folded.insert(id);
        }
    }
    Ok(folded)
}

fn insert(connection: &Connection, batch: &Batch, later: &[(EntityId, Vec<BatchOp>)]) -> rusqlite::Result<()> {
    let mut insert = connection.prepare_cached("INSERT INTO temp.deferred_op (id, line) VALUES (?1, ?2)")?;
    for (id, ops) in later {
        for op in ops {
            insert.execute(params![id.as_bytes(), batch.line(op)])?;
        }
    }
    Ok(())
}

/// Returns the first entity with deferred operations, or the next one.
fn next_entity(connection: &Connection, last: Option<EntityId>) -> rusqlite::Result<Option<EntityId>> {
    let sql = "SELECT id FROM temp.deferred_op WHERE id > ?1 ORDER BY id LIMIT 1";
    let last = last.map_or(Vec::new(), |id| id.as_bytes().to_vec());
    connection.prepare_cached(sql)?.query_row([last], |row| row.get(0).map(EntityId::from_bytes)).optional()
}

fn read(connection: &Connection, id: EntityId, batch: &mut Batch) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached("SELECT line FROM temp.deferred_op WHERE id = ?1 ORDER BY n")?;
    let mut rows = statement.query([id.as_bytes()])?;
    while let Some(row) = rows.next()? {
        let line = row.get_ref(0)?.as_blob()?;
        // Every deferred line was parsed once already.
        if let Ok(op) = v1::read(line) {
            batch.push(op, line);
        }
    }
    Ok(())
}
