//! The entity that was folded last, so that a write that changes an item and then shows it folds it once, not twice.
//!
//! Invariant: it equals a fold of the operations in the tables. Own changes replace or clear it; changes of other
//! connections show in SQLite's `data_version`.

use std::cell::RefCell;

use model::entity::Entity;
use model::id::EntityId;
use rusqlite::Connection;

#[derive(Default)]
pub(super) struct LastFold(RefCell<Option<KeptFold>>);

struct KeptFold {
    entity: Entity,
    data_version: i64,
}

impl LastFold {
    pub(super) fn keep(&self, connection: &Connection, entity: Entity) -> rusqlite::Result<()> {
        let data_version = data_version(connection)?;
        self.0.replace(Some(KeptFold { entity, data_version }));
        Ok(())
    }

    pub(super) fn clear(&self) {
        self.0.take();
    }

    pub(super) fn get(&self, connection: &Connection, id: EntityId) -> rusqlite::Result<Option<Entity>> {
        let kept = self.0.borrow();
        let Some(kept) = kept.as_ref().filter(|kept| kept.entity.id == id) else { return Ok(None) };
        Ok((data_version(connection)? == kept.data_version).then(|| kept.entity.clone()))
    }
}

fn data_version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.prepare_cached("PRAGMA data_version")?.query_row((), |row| row.get(0))
}
