//! The operations of the index as in the log, for an export: all of them by place, and each one again by its place.

use model::id::EntityId;
use rusqlite::OptionalExtension;

use super::checksum::damage;
use super::ingest::sound_line;
use super::schema::OPS_PER_ENTITY;
use super::{Index, IndexError};

/// Where the index has an operation: there it stays, as long as the index exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct OpPlace(i64);

impl Index {
    /// Passes every operation in the index to `each`, as in the log, with its place.
    pub fn each_line(&self, mut each: impl FnMut(OpPlace, &[u8])) -> Result<(), IndexError> {
        let mut read = || {
            // Checked first, because output cannot be taken back.
            self.check_op_keys()?;
            let mut statement = self.connection.prepare("SELECT key, line, sum FROM op ORDER BY key")?;
            let mut rows = statement.query(())?;
            while let Some(row) = rows.next()? {
                each(OpPlace(row.get(0)?), sound_line(row)?);
            }
            Ok(())
        };
        self.check(read())
    }

    /// Passes the operations of an entity to `each`, as in the log, with their places.
    pub fn each_line_of(&self, id: EntityId, mut each: impl FnMut(OpPlace, &[u8])) -> Result<(), IndexError> {
        let key = || {
            let mut find = self.connection.prepare_cached("SELECT key FROM entity WHERE id = ?1")?;
            find.query_row([id.as_bytes()], |row| row.get::<_, i64>(0)).optional()
        };
        let first = self.check(key())?.unwrap_or(0) * OPS_PER_ENTITY;
        for (place, line) in (first..).zip(self.lines(id)?) {
            each(OpPlace(place), &line);
        }
        Ok(())
    }

    /// Returns the operation at a place, as in the log.
    pub fn line_at(&self, place: OpPlace) -> Result<Vec<u8>, IndexError> {
        let read = || {
            let mut find = self.connection.prepare_cached("SELECT key, line, sum FROM op WHERE key = ?1")?;
            find.query_row([place.0], |row| Ok(sound_line(row)?.to_vec())).optional()
        };
        let found = self.check(read())?;
        found.ok_or(()).or_else(|()| self.check(Err(damage("an operation is gone"))))
    }

    /// Checks that every operation exists exactly once: a damaged page can drop and repeat rows without an SQLite
    /// error.
    fn check_op_keys(&self) -> rusqlite::Result<()> {
        let n_known: i64 =
            self.connection.query_row("SELECT coalesce(sum(n_ops), 0) FROM entity", (), |row| row.get(0))?;
        let mut statement = self.connection.prepare("SELECT key FROM op ORDER BY key")?;
        let mut rows = statement.query(())?;
        let (mut last, mut n_keys) = (None, 0);
        while let Some(row) = rows.next()? {
            let key: i64 = row.get(0)?;
            if last.is_some_and(|last| last >= key) {
                return Err(damage("operations are repeated"));
            }
            (last, n_keys) = (Some(key), n_keys + 1);
        }
        if n_keys == n_known { Ok(()) } else { Err(damage("operations are gone")) }
    }
}
