//! Defers operations of entities that an earlier batch of the same catch-up folded. They are folded once more after the last
//! batch instead of with every batch, so that the time is linear in the number of operations. A temporary table holds them, so
//! that the memory is not.

use std::collections::HashSet;

use model::id::EntityId;
use rusqlite::{Connection, params};

use super::absorb::{Absorbed, Batch, OpLine};
use super::{Index, IndexError};
use crate::format::v1;

/// A failed catch-up may have left the table of its own.
const TABLE: &str = "DROP TABLE IF EXISTS temp.deferred_op;
    CREATE TEMP TABLE deferred_op (n INTEGER PRIMARY KEY, id BLOB NOT NULL, line BLOB NOT NULL)";

/// The entities that earlier batches folded, and whether operations of theirs are deferred.
#[derive(Default)]
pub(super) struct DeferredOps {
    folded: HashSet<EntityId>,
    has_deferred: bool,
}

impl DeferredOps {
    /// Records the entities of a batch that is folded now and is not the last.
    pub(super) fn mark_folded(&mut self, batch: &Batch) {
        self.folded.extend(batch.ids());
    }

    /// Moves the operations of entities that are folded already from the batch to the table.
    pub(super) fn defer(&mut self, index: &Index, batch: &mut Batch) -> Result<(), IndexError> {
        let later = batch.take_out(&self.folded);
        if later.is_empty() {
            return Ok(());
        }
        if !self.has_deferred {
            index.check(index.connection.execute_batch(TABLE))?;
            self.has_deferred = true;
        }
        index.check(insert(&index.connection, &later))
    }

    /// Folds the deferred operations, entity by entity.
    pub(super) fn ingest(self, index: &Index) -> Result<Absorbed, IndexError> {
        let mut absorbed = Absorbed::default();
        if !self.has_deferred {
            return Ok(absorbed);
        }
        let mut batch = Batch::new(false);
        for id in index.check(entities(&index.connection))? {
            index.check(read(&index.connection, id, &mut batch))?;
            if batch.is_full() {
                absorbed.extend(index.absorb(std::mem::replace(&mut batch, Batch::new(false)))?);
            }
        }
        absorbed.extend(index.absorb(batch)?);
        index.check(index.connection.execute_batch("DROP TABLE temp.deferred_op"))?;
        Ok(absorbed)
    }
}

fn insert(connection: &Connection, later: &[(EntityId, Vec<OpLine>)]) -> rusqlite::Result<()> {
    let mut insert = connection.prepare_cached("INSERT INTO temp.deferred_op (id, line) VALUES (?1, ?2)")?;
    for (id, ops) in later {
        for (_, line) in ops {
            insert.execute(params![id.as_bytes(), line])?;
        }
    }
    Ok(())
}

fn entities(connection: &Connection) -> rusqlite::Result<Vec<EntityId>> {
    connection.execute_batch("CREATE INDEX temp.deferred_op_id ON deferred_op (id)")?;
    let mut statement = connection.prepare("SELECT DISTINCT id FROM temp.deferred_op")?;
    statement.query_map((), |row| row.get(0).map(EntityId::from_bytes))?.collect()
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
