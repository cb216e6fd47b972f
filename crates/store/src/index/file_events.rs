//! A cache of file creations and renames, and of ancestry between commits. Commits are immutable, so git is asked once.
//! Losing the cache only costs time.

use std::collections::HashSet;

use rusqlite::{Connection, OptionalExtension, params};

use super::{Index, IndexError};
use crate::git::{CommitId, FileEvent};

/// Maximum number of cached ancestry answers.
const MAX_ANCESTRY: i64 = 100_000;

/// The difference between the events of two histories.
#[derive(Debug, Default)]
pub struct EventChange {
    /// The tip of the earlier history; `None` starts over.
    pub from: Option<CommitId>,
    /// Commits that are no longer part of the history.
    pub gone: Vec<CommitId>,
    /// Events of the new commits, oldest first.
    pub events: Vec<FileEvent>,
}

/// Whether one commit is reachable from another.
#[derive(Debug, Clone, Copy)]
pub struct Ancestry {
    /// The earlier commit.
    pub old: CommitId,
    /// The later one.
    pub new: CommitId,
    /// Whether `old` is reachable from `new`.
    pub is_ancestor: bool,
}

impl Index {
    /// Returns the tip of the history whose events are cached; `None` if none are.
    pub(crate) fn event_tip(&self) -> Result<Option<CommitId>, IndexError> {
        let tip = self.check(read_tip(&self.connection))?;
        Ok(tip.and_then(|id| CommitId::from_bytes(&id).ok()))
    }

    /// Moves the cached events to the history of `tip`. Returns `false` if another process was faster.
    pub(crate) fn move_file_events(&self, tip: &CommitId, change: &EventChange) -> Result<bool, IndexError> {
        let mut is_done = false;
        self.in_transaction(|connection| {
            match &change.from {
                // Another process has moved the events since `from` was read: its result stands.
                Some(from) if read_tip(connection)?.as_deref() != Some(from.as_bytes()) => return Ok(()),
                Some(_) => {}
                None => connection.execute_batch("DELETE FROM file_event")?,
            }
            let mut statement = connection.prepare_cached("DELETE FROM file_event WHERE id = ?1")?;
            for commit in &change.gone {
                statement.execute([commit.as_bytes()])?;
            }
            let sql = "INSERT INTO file_event (id, before, after) VALUES (?1, ?2, ?3)";
            let mut statement = connection.prepare_cached(sql)?;
            for event in &change.events {
                statement.execute(params![event.commit.as_bytes(), event.before, event.after])?;
            }
            is_done = true;
            let sql = "INSERT OR REPLACE INTO meta VALUES ('event_tip', ?1)";
            connection.prepare_cached(sql)?.execute([tip.as_bytes()]).map(|_| ())
        })?;
        Ok(is_done)
    }

    /// Returns the commits that created a file with this name or renamed one to it, newest first.
    pub(crate) fn creations_of(&self, name: &str) -> Result<Vec<FileEvent>, IndexError> {
        self.file_events("SELECT id, before, after FROM file_event WHERE after = ?1 ORDER BY key DESC", name)
    }

    /// Returns the commits that renamed the file with this name, oldest first.
    pub(crate) fn departures_of(&self, name: &str) -> Result<Vec<FileEvent>, IndexError> {
        self.file_events("SELECT id, before, after FROM file_event WHERE before = ?1 ORDER BY key", name)
    }

    /// Returns the names from which a file was renamed.
    pub fn departed_names(&self) -> Result<HashSet<String>, IndexError> {
        let sql = "SELECT DISTINCT before FROM file_event WHERE before IS NOT NULL";
        let read = || -> rusqlite::Result<HashSet<String>> {
            self.connection.prepare_cached(sql)?.query_map((), |row| row.get(0))?.collect()
        };
        self.check(read())
    }

    /// Returns whether `old` is reachable from `new`, if it is cached.
    pub fn known_ancestry(&self, old: &CommitId, new: &CommitId) -> Result<Option<bool>, IndexError> {
        let sql = "SELECT is_ancestor FROM ancestry WHERE old = ?1 AND new = ?2";
        let read = || {
            let mut statement = self.connection.prepare_cached(sql)?;
            statement.query_row([old.as_bytes(), new.as_bytes()], |row| row.get(0)).optional()
        };
        self.check(read())
    }

    /// Caches whether a commit is reachable from another.
    pub fn keep_ancestry(&self, ancestry: &Ancestry) -> Result<(), IndexError> {
        let Ancestry { old, new, is_ancestor } = ancestry;
        self.in_transaction(|connection| {
            let n_known: i64 =
                connection.prepare_cached("SELECT count(*) FROM ancestry")?.query_row((), |row| row.get(0))?;
            // All at once: a time of last use for each row would cost a write for each read.
            if n_known >= MAX_ANCESTRY {
                connection.execute("DELETE FROM ancestry", ())?;
            }
            let sql = "INSERT OR REPLACE INTO ancestry VALUES (?1, ?2, ?3)";
            connection.prepare_cached(sql)?.execute(params![old.as_bytes(), new.as_bytes(), is_ancestor]).map(|_| ())
        })
    }

    fn file_events(&self, sql: &str, name: &str) -> Result<Vec<FileEvent>, IndexError> {
        type Fields = (Vec<u8>, Option<String>, String);
        let read = || -> rusqlite::Result<Vec<Fields>> {
            let mut statement = self.connection.prepare_cached(sql)?;
            statement.query_map([name], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?.collect()
        };
        let event =
            |(id, before, after): Fields| Some(FileEvent { commit: CommitId::from_bytes(&id).ok()?, before, after });
        Ok(self.check(read())?.into_iter().filter_map(event).collect())
    }
}

fn read_tip(connection: &Connection) -> rusqlite::Result<Option<Vec<u8>>> {
    let mut statement = connection.prepare_cached("SELECT value FROM meta WHERE name = 'event_tip'")?;
    statement.query_row((), |row| row.get(0)).optional()
}
