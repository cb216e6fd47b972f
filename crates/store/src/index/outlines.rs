//! A cache of the symbols of files, by content: parsing a file of tens of thousands of functions takes a second, and so
//! do a thousand files of fifty. The bytes are those that the caller encoded. Losing the cache only costs time.

use std::time::{Duration, Instant};

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, params};

use super::checksum::Checksum;
use super::{Index, IndexError};
use crate::git::ObjectId;

/// Maximum size of all cached symbols together, in bytes.
const MAX_BYTES: i64 = 64 * 1024 * 1024;
/// The size is checked after every entry of this size, and after every so many smaller ones: it reads the whole table.
const LARGE: usize = 256 * 1024;
const CHECK_INTERVAL: i64 = 64;
/// How long nothing is written after a write that another process prevented. A query may parse thousands of files, and
/// each write waits for the lock.
const BUSY_PAUSE: Duration = Duration::from_secs(1);

/// Identifies the symbols of a file.
#[derive(Debug, Clone, Copy)]
pub struct OutlineKey<'a> {
    /// The content of the file.
    pub blob: ObjectId,
    /// The language it was parsed as.
    pub language: &'a str,
    /// The version of the parser.
    pub version: u64,
}

impl Index {
    /// Returns the cached symbols of a file. Wrong symbols would attach annotations to other code, so each entry has a
    /// checksum.
    pub fn known_outline(&self, key: &OutlineKey<'_>) -> Result<Option<Vec<u8>>, IndexError> {
        let sql = "SELECT symbols, sum FROM outline WHERE blob = ?1 AND language = ?2 AND version = ?3";
        let values = params![key.blob.as_bytes(), key.language, key.version.cast_signed()];
        let read = || -> rusqlite::Result<Option<Vec<u8>>> {
            let mut statement = self.connection.prepare_cached(sql)?;
            let found: Option<(Vec<u8>, i64)> =
                statement.query_row(values, |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
            let Some((symbols, stored)) = found else { return Ok(None) };
            sum(key, &symbols).check(stored)?;
            Ok(Some(symbols))
        };
        self.check(read())
    }

    /// Caches the symbols of a file, unless another process has kept writing the index.
    pub fn keep_outline(&self, key: &OutlineKey<'_>, symbols: &[u8]) -> Result<(), IndexError> {
        if self.outlines_paused.get().is_some_and(|since| since.elapsed() < BUSY_PAUSE) {
            return Ok(());
        }
        let kept = self.insert_outline(key, symbols);
        self.outlines_paused.set(kept.is_err().then(Instant::now));
        kept
    }

    fn insert_outline(&self, key: &OutlineKey<'_>, symbols: &[u8]) -> Result<(), IndexError> {
        self.in_transaction(|connection| {
            // Those of an earlier version are of no use.
            let sql = "DELETE FROM outline WHERE blob = ?1 AND language = ?2";
            connection.prepare_cached(sql)?.execute(params![key.blob.as_bytes(), key.language])?;
            let sql = "INSERT INTO outline (blob, language, version, symbols, sum) VALUES (?1, ?2, ?3, ?4, ?5)";
            let (version, sum) = (key.version.cast_signed(), sum(key, symbols).finish());
            let values = params![key.blob.as_bytes(), key.language, version, symbols, sum];
            let n = connection.prepare_cached(sql)?.insert(values)?;
            if symbols.len() >= LARGE || n % CHECK_INTERVAL == 0 { shrink(connection) } else { Ok(()) }
        })
    }
}

/// Deletes the oldest entries until the rest is small enough, but never the newest.
fn shrink(connection: &Connection) -> rusqlite::Result<()> {
    let sql = "DELETE FROM outline WHERE key < (SELECT max(key) FROM outline) AND key <=
        (SELECT max(key) FROM (SELECT key, sum(length(symbols)) OVER (ORDER BY key DESC) AS total FROM outline)
         WHERE total > ?1)";
    connection.prepare_cached(sql)?.execute([MAX_BYTES]).map(|_| ())
}

fn sum(key: &OutlineKey<'_>, symbols: &[u8]) -> Checksum {
    let version = ValueRef::Integer(key.version.cast_signed());
    Checksum::new().bytes(key.blob.as_bytes()).bytes(key.language.as_bytes()).add(version).bytes(symbols)
}
