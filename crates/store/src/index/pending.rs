//! Operations that wait until a long catch-up has read all of the log. An entity that was folded in one batch and has more
//! operations in later ones is folded once more in the end, not with every batch: time then follows from the number of
//! operations. They wait in a temporary table, so memory does not follow from it.

use std::collections::HashSet;

use model::id::EntityId;
use rusqlite::{Connection, params};

use super::absorb::{Absorbed, Batch, OpLine};
use super::{Index, IndexError};
use crate::format::v1;

/// The entities that were folded in an earlier batch of the same catch-up, and whether operations of theirs wait.
#[derive(Default)]
pub(super) struct Pending {
    folded: HashSet<EntityId>,
    has_waiting: bool,
}

impl Pending {
    /// Remembers who is folded with a batch that is not the last.
    pub(super) fn remember(&mut self, batch: &Batch) {
        self.folded.extend(batch.ids());
    }

    /// Takes out of a batch what has to wait.
    pub(super) fn hold_back(&mut self, index: &Index, batch: &mut Batch) -> Result<(), IndexError> {
        let later = batch.take_out(&self.folded);
        if !later.is_empty() {
            index.check(keep(&index.connection, &later, self.has_waiting))?;
            self.has_waiting = true;
        }
        Ok(())
    }

    /// Takes in all that waits, entity by entity.
    pub(super) fn release(self, index: &Index) -> Result<Absorbed, IndexError> {
        let mut absorbed = Absorbed::default();
        if !self.has_waiting {
            return Ok(absorbed);
        }
        let mut batch = Batch::new(false);
        for id in index.check(waiting(&index.connection))? {
            index.check(read(&index.connection, id, &mut batch))?;
            if batch.is_full() {
                absorbed.extend(index.absorb(std::mem::replace(&mut batch, Batch::new(false)))?);
            }
        }
        absorbed.extend(index.absorb(batch)?);
        index.check(index.connection.execute_batch("DROP TABLE temp.pending"))?;
        Ok(absorbed)
    }
}

fn keep(connection: &Connection, later: &[(EntityId, Vec<OpLine>)], is_made: bool) -> rusqlite::Result<()> {
    if !is_made {
        let tables = "DROP TABLE IF EXISTS temp.pending;
            CREATE TEMP TABLE pending (n INTEGER PRIMARY KEY, id BLOB NOT NULL, line BLOB NOT NULL)";
        connection.execute_batch(tables)?;
    }
    let mut insert = connection.prepare_cached("INSERT INTO temp.pending (id, line) VALUES (?1, ?2)")?;
    for (id, ops) in later {
        for (_, line) in ops {
            insert.execute(params![id.as_bytes(), line])?;
        }
    }
    Ok(())
}

fn waiting(connection: &Connection) -> rusqlite::Result<Vec<EntityId>> {
    connection.execute_batch("CREATE INDEX temp.pending_id ON pending (id)")?;
    let mut statement = connection.prepare("SELECT DISTINCT id FROM temp.pending")?;
    statement.query_map((), |row| row.get(0).map(EntityId::from_bytes))?.collect()
}

fn read(connection: &Connection, id: EntityId, batch: &mut Batch) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached("SELECT line FROM temp.pending WHERE id = ?1 ORDER BY n")?;
    let mut rows = statement.query([id.as_bytes()])?;
    while let Some(row) = rows.next()? {
        let line = row.get_ref(0)?.as_blob()?;
        // They were read before, or they would not be here.
        if let Ok(op) = v1::read(line) {
            batch.push(op, line);
        }
    }
    Ok(())
}
