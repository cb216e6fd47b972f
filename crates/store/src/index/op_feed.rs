//! Operations on their way into the index: collected in batches of bounded size, and ingested batch by batch. Those of an
//! entity that an earlier batch folded wait until the last one.

use model::op::Op;
use rusqlite::Connection;

use super::deferred::DeferredOps;
use super::ingest::{Batch, EntityScope, IngestOutcome};
use super::{Index, IndexError, schema};

/// If a batch has more entities than this, and one for every `ITEMS_PER_NEW_ONE` items of the index, it takes less time to
/// create the SQL indexes of items again than to insert each item into all of them.
const MIN_FOR_NEW_INDEXES: usize = 2_000;
const ITEMS_PER_NEW_ONE: usize = 4;

/// The operations of one catch-up.
pub(super) struct OpFeed {
    batch: Batch,
    scope: EntityScope,
    ingested: IngestOutcome,
    deferred: DeferredOps,
    /// The index has no SQL indexes until the end.
    has_no_indexes: bool,
}

impl OpFeed {
    /// Creates a feed for an index without entities, whose SQL indexes do not exist yet.
    pub(super) fn of_new_index() -> Self {
        Self::new(EntityScope::New)
    }

    /// Creates a feed for an index that may know some of the entities.
    pub(super) fn of_known_index() -> Self {
        Self::new(EntityScope::Any)
    }

    fn new(scope: EntityScope) -> Self {
        Self {
            batch: Batch::new(scope),
            scope,
            ingested: IngestOutcome::default(),
            deferred: DeferredOps::default(),
            has_no_indexes: scope == EntityScope::New,
        }
    }

    /// Adds an operation, and ingests a batch when it is full. `spare` is memory that the caller may use and does not.
    pub(super) fn push(&mut self, index: &Index, op: Op, line: &[u8], spare: usize) -> Result<(), IndexError> {
        self.batch.push(op, line);
        if !self.batch.is_full(spare) {
            return Ok(());
        }
        let batch = self.take_batch(index)?;
        self.deferred.mark_folded(index, &batch)?;
        self.ingest(index, batch)
    }

    /// Ingests what is left, and returns the result of all batches.
    pub(super) fn finish(mut self, index: &Index) -> Result<IngestOutcome, IndexError> {
        let batch = self.take_batch(index)?;
        self.ingest(index, batch)?;
        let Self { scope, mut ingested, deferred, has_no_indexes, .. } = self;
        if scope == EntityScope::New {
            ingested.contested |= index.find_contested()?;
        }
        ingested.extend(deferred.ingest(index)?);
        if has_no_indexes {
            index.check(index.connection.execute_batch(schema::INDEXES))?;
        }
        Ok(ingested)
    }

    fn take_batch(&mut self, index: &Index) -> Result<Batch, IndexError> {
        let mut batch = std::mem::replace(&mut self.batch, Batch::new(self.scope));
        self.deferred.defer(index, &mut batch)?;
        Ok(batch)
    }

    fn ingest(&mut self, index: &Index, batch: Batch) -> Result<(), IndexError> {
        let n_new = batch.n_entities();
        if !self.has_no_indexes
            && n_new > MIN_FOR_NEW_INDEXES
            && index.check(n_items(&index.connection))? < n_new * ITEMS_PER_NEW_ONE
        {
            index.check(drop_indexes(&index.connection))?;
            self.has_no_indexes = true;
        }
        self.ingested.extend(index.ingest(batch)?);
        Ok(())
    }
}

fn n_items(connection: &Connection) -> rusqlite::Result<usize> {
    connection.query_row("SELECT coalesce(sum(n), 0) FROM tally", (), |row| row.get(0))
}

/// Drops what `schema::INDEXES` creates.
fn drop_indexes(connection: &Connection) -> rusqlite::Result<()> {
    let sql = "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'item' AND sql IS NOT NULL";
    let mut statement = connection.prepare(sql)?;
    let names: Vec<String> = statement.query_map((), |row| row.get(0))?.collect::<Result<_, _>>()?;
    names.iter().try_for_each(|name| connection.execute_batch(&format!("DROP INDEX \"{name}\"")))
}
