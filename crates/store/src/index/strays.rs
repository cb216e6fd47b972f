//! A cache of the regions whose code is no longer where they were recorded, per name, for one commit each.

use rusqlite::{OptionalExtension, params};

use super::schema::REGIONS_PER_NOTE;
use super::{Index, IndexError, RegionRow};
use crate::git::CommitId;

/// Maximum number of cached names.
const MAX_NAMES: i64 = 10_000;

/// The regions of one name whose code is no longer where it was recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StrayRegions {
    /// The commit whose code was examined.
    pub head: CommitId,
    /// Notes with a higher key were not examined.
    pub last_note: i64,
    /// Keys of the regions.
    pub regions: Vec<i64>,
}

impl StrayRegions {
    /// Returns whether a region was examined.
    pub fn covers(&self, row: &RegionRow) -> bool {
        row.key / REGIONS_PER_NOTE <= self.last_note
    }
}

impl Index {
    /// Returns the cached entry of a name.
    pub fn known_strays(&self, name: &str) -> Result<Option<StrayRegions>, IndexError> {
        type Fields = (Vec<u8>, i64, Vec<u8>);
        let read = || -> rusqlite::Result<Option<Fields>> {
            let sql = "SELECT id, last_note, regions FROM stray WHERE anchor = ?1";
            let mut statement = self.connection.prepare_cached(sql)?;
            statement.query_row([name], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).optional()
        };
        Ok(self.check(read())?.and_then(|(id, last_note, regions)| {
            let (keys, _) = regions.as_chunks::<8>();
            let regions = keys.iter().map(|key| i64::from_le_bytes(*key)).collect();
            Some(StrayRegions { head: CommitId::from_bytes(&id).ok()?, last_note, regions })
        }))
    }

    /// Caches the entry of a name.
    pub fn keep_strays(&self, name: &str, strays: &StrayRegions) -> Result<(), IndexError> {
        let regions: Vec<u8> = strays.regions.iter().flat_map(|key| key.to_le_bytes()).collect();
        self.in_transaction(|connection| {
            let n_known: i64 =
                connection.prepare_cached("SELECT count(*) FROM stray")?.query_row((), |row| row.get(0))?;
            if n_known >= MAX_NAMES {
                connection.execute("DELETE FROM stray", ())?;
            }
            let sql = "INSERT OR REPLACE INTO stray VALUES (?1, ?2, ?3, ?4)";
            let values = params![name, strays.head.as_bytes(), strays.last_note, regions];
            connection.prepare_cached(sql)?.execute(values).map(|_| ())
        })
    }
}
