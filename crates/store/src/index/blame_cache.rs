//! A cache of git's answers about lines and names. Commits are immutable, so an answer stays valid while the settings
//! are the same. Losing the cache only costs time.

use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, params};

use super::{BUSY_TIMEOUT, Index, IndexError, cached_facts};
use crate::git::{BlameHunk, CommitId, TreePath};

/// Maximum number of cached files, each at one commit.
const MAX_FILES: i64 = 5_000;
/// How long a write to the cache waits for another process.
const SHORT_BUSY_TIMEOUT: Duration = Duration::from_millis(20);

impl Index {
    /// Returns the cached hunks from `first` to `last`, in order, without overlaps.
    pub fn known_blame(
        &self,
        commit: &CommitId,
        path: &TreePath,
        settings: u64,
        (first, last): (u32, u32),
    ) -> Result<Vec<BlameHunk>, IndexError> {
        let read = || -> rusqlite::Result<Vec<BlameHunk>> {
            let Some(file) = find(&self.connection, commit, path, settings)? else { return Ok(Vec::new()) };
            let mut statement = self.connection.prepare_cached(
                "SELECT first, n, source, source_path, source_first FROM blame
                 WHERE file = ?1 AND first <= ?3 AND first + n > ?2 ORDER BY first",
            )?;
            statement.query_map(params![file, first, last], read_hunk)?.collect()
        };
        Ok(clip(self.check(read())?, first, last))
    }

    /// Caches git's answer.
    pub fn keep_blame(
        &self,
        commit: &CommitId,
        path: &TreePath,
        settings: u64,
        hunks: &[BlameHunk],
    ) -> Result<(), IndexError> {
        self.in_transaction(|connection| {
            let file = find_or_insert(connection, commit, path, settings)?;
            let mut statement =
                connection.prepare_cached("INSERT OR IGNORE INTO blame VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?;
            for hunk in hunks {
                let source = (hunk.commit.as_bytes(), hunk.path.as_bytes());
                statement.execute(params![file, hunk.start, hunk.n_lines, source.0, source.1, hunk.source_start])?;
            }
            Ok(())
        })
    }

    // Does not wait for a concurrent writer of the index: the answer is already available, and can be computed again.
    pub(super) fn in_transaction(
        &self,
        write: impl FnOnce(&Connection) -> rusqlite::Result<()>,
    ) -> Result<(), IndexError> {
        let begun = self
            .connection
            .busy_timeout(SHORT_BUSY_TIMEOUT)
            .and_then(|()| self.connection.execute_batch("BEGIN IMMEDIATE"));
        self.check(self.connection.busy_timeout(BUSY_TIMEOUT).and(begun))?;
        let done = cached_facts::keep_sums(&self.connection).and_then(|()| write(&self.connection));
        let end = self.connection.execute_batch(if done.is_ok() { "COMMIT" } else { "ROLLBACK" });
        self.check(done.and(end))?;
        self.tidy_journal();
        Ok(())
    }
}

fn find(connection: &Connection, commit: &CommitId, path: &TreePath, settings: u64) -> rusqlite::Result<Option<i64>> {
    let sql = "SELECT key FROM blamed WHERE id = ?1 AND path = ?2 AND settings = ?3";
    let values = params![commit.as_bytes(), path.as_bytes(), settings.cast_signed()];
    connection.prepare_cached(sql)?.query_row(values, |row| row.get(0)).optional()
}

fn find_or_insert(connection: &Connection, commit: &CommitId, path: &TreePath, settings: u64) -> rusqlite::Result<i64> {
    if let Some(file) = find(connection, commit, path, settings)? {
        return Ok(file);
    }
    let sql = "INSERT INTO blamed (id, path, settings) VALUES (?1, ?2, ?3)";
    let values = params![commit.as_bytes(), path.as_bytes(), settings.cast_signed()];
    let file = connection.prepare_cached(sql)?.insert(values)?;
    connection.prepare_cached("DELETE FROM blamed WHERE key <= ?1")?.execute([file - MAX_FILES])?;
    connection.prepare_cached("DELETE FROM blame WHERE file <= ?1")?.execute([file - MAX_FILES])?;
    Ok(file)
}

fn read_hunk(row: &rusqlite::Row<'_>) -> rusqlite::Result<BlameHunk> {
    let foreign = |column, why: String| {
        rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Blob, why.into())
    };
    Ok(BlameHunk {
        start: row.get(0)?,
        n_lines: row.get(1)?,
        commit: CommitId::from_bytes(row.get_ref(2)?.as_blob()?).map_err(|error| foreign(2, error.to_string()))?,
        path: TreePath::from_bytes(row.get_ref(3)?.as_blob()?).map_err(|error| foreign(3, error.to_string()))?,
        source_start: row.get(4)?,
    })
}

// Two processes may have cached overlapping ranges; each line counts once.
fn clip(hunks: Vec<BlameHunk>, first: u32, last: u32) -> Vec<BlameHunk> {
    let mut clipped: Vec<BlameHunk> = Vec::with_capacity(hunks.len());
    for mut hunk in hunks {
        let from = clipped.last().map_or(first, |before| before.end() + 1);
        let cut = from.saturating_sub(hunk.start);
        if cut >= hunk.n_lines {
            continue;
        }
        let n_lines = (hunk.n_lines - cut).min(last + 1 - (hunk.start + cut));
        hunk = BlameHunk { start: hunk.start + cut, source_start: hunk.source_start + cut, n_lines, ..hunk };
        clipped.push(hunk);
    }
    clipped
}
