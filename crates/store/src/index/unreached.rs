//! A cache of the annotated commits that are not part of a history, for the last few tips.

use rusqlite::{OptionalExtension, params};

use super::{Index, IndexError};
use crate::git::CommitId;

/// Number of cached tips: the branches of a few work trees.
const MAX_HEADS: i64 = 8;

/// The annotated commits that are not reachable from a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreachedCommits {
    /// The tip.
    pub head: CommitId,
    /// Notes with a higher key were not examined.
    pub last_note: i64,
    /// The annotated commits outside of its history.
    pub commits: Vec<CommitId>,
}

impl Index {
    /// Returns the key of the newest note; 0 if there is none.
    pub fn last_note(&self) -> Result<i64, IndexError> {
        let read = || {
            let mut statement = self.connection.prepare_cached("SELECT coalesce(max(key), 0) FROM note")?;
            statement.query_row((), |row| row.get(0))
        };
        self.check(read())
    }

    /// Returns the annotated commits whose notes were ingested after the one with this key.
    pub(crate) fn annotated_since(&self, key: i64) -> Result<Vec<CommitId>, IndexError> {
        let read = || -> rusqlite::Result<Vec<Vec<u8>>> {
            let mut statement = self.connection.prepare_cached("SELECT id FROM note WHERE key > ?1 ORDER BY key")?;
            statement.query_map([key], |row| row.get(0))?.collect()
        };
        Ok(self.check(read())?.iter().filter_map(|id| CommitId::from_bytes(id).ok()).collect())
    }

    /// Returns the cached entry of a commit, else the latest one of another commit.
    pub(crate) fn known_unreached(&self, head: &CommitId) -> Result<Option<UnreachedCommits>, IndexError> {
        // Two tips of one repository differ in few commits, so any entry is a better start than none.
        let sql = "SELECT id, last_note, commits FROM unreached ORDER BY id = ?1 DESC, key DESC LIMIT 1";
        let read = || {
            let mut statement = self.connection.prepare_cached(sql)?;
            let fields = |row: &rusqlite::Row<'_>| {
                Ok((row.get::<_, Vec<u8>>(0)?, row.get::<_, i64>(1)?, row.get::<_, Vec<u8>>(2)?))
            };
            statement.query_row([head.as_bytes()], fields).optional()
        };
        let known = self.check(read())?;
        Ok(known.and_then(|(id, last_note, commits)| {
            let commits = commits.chunks(id.len()).filter_map(|commit| CommitId::from_bytes(commit).ok()).collect();
            Some(UnreachedCommits { head: CommitId::from_bytes(&id).ok()?, last_note, commits })
        }))
    }

    /// Caches the entry of a commit.
    pub(crate) fn keep_unreached(&self, found: &UnreachedCommits) -> Result<(), IndexError> {
        let commits: Vec<&[u8]> = found.commits.iter().map(CommitId::as_bytes).collect();
        self.in_transaction(|connection| {
            let sql = "INSERT OR REPLACE INTO unreached (id, last_note, commits) VALUES (?1, ?2, ?3)";
            let values = params![found.head.as_bytes(), found.last_note, commits.concat()];
            connection.prepare_cached(sql)?.execute(values)?;
            let sql = "DELETE FROM unreached WHERE key <= (SELECT max(key) FROM unreached) - ?1";
            connection.prepare_cached(sql)?.execute([MAX_HEADS]).map(|_| ())
        })
    }
}
