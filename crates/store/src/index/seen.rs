//! What the index stores about commits: which were ingested, the clock at each, which could not be read, and its tip.

use rusqlite::OptionalExtension;

use super::catch_up::Warning;
use super::{Index, IndexError};
use crate::git::{CommitId, ObjectId, Repository};

/// The ref that an unreadable object belongs to.
#[derive(Debug, Clone, Copy)]
pub(super) enum UnreadablePart {
    Log,
    Notes,
}

impl UnreadablePart {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Log => "log",
            Self::Notes => "notes",
        }
    }
}

impl Index {
    /// Returns the commit that the index was built up to.
    pub fn tip(&self) -> Result<Option<CommitId>, IndexError> {
        let read = || {
            let mut statement = self.connection.prepare_cached("SELECT value FROM meta WHERE name = 'tip'")?;
            statement.query_row((), |row| row.get::<_, Vec<u8>>(0)).optional()
        };
        Ok(self.check(read())?.and_then(|bytes| CommitId::from_bytes(&bytes).ok()))
    }

    /// Returns the highest clock of a commit and its ancestors, if it was ingested.
    pub(crate) fn clock_of(&self, id: CommitId) -> Result<Option<u64>, IndexError> {
        let read = || {
            let mut statement = self.connection.prepare_cached("SELECT clock FROM seen WHERE id = ?1")?;
            statement.query_row([id.as_bytes()], |row| row.get(0)).optional()
        };
        self.check(read())
    }

    /// Returns whether an object that was missing or damaged can be read now: a shallow history was deepened, or a lost
    /// object came back.
    pub(super) fn can_read_more(&self, repository: &Repository, part: UnreadablePart) -> Result<bool, IndexError> {
        for (object, _) in self.unread_of(part)? {
            if repository.has_come_back(&object)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    pub(super) fn remember_unread(
        &self,
        part: UnreadablePart,
        object: ObjectId,
        commit: CommitId,
    ) -> Result<(), IndexError> {
        let sql = "INSERT OR IGNORE INTO unread VALUES (?1, ?2, ?3)";
        let values = (part.name(), object.as_bytes(), commit.as_bytes());
        self.check(self.connection.execute(sql, values)).map(|_| ())
    }

    pub(super) fn remember(&self, taken: &[(CommitId, u64)]) -> Result<(), IndexError> {
        let write = || -> rusqlite::Result<()> {
            let mut statement = self.connection.prepare_cached("INSERT OR REPLACE INTO seen VALUES (?1, ?2)")?;
            for (id, clock) in taken {
                statement.execute((id.as_bytes(), clock.cast_signed()))?;
            }
            Ok(())
        };
        self.check(write())
    }

    pub(super) fn set_tip(&self, tip: CommitId) -> Result<(), IndexError> {
        let sql = "INSERT OR REPLACE INTO meta VALUES ('tip', ?1)";
        let write = || self.connection.prepare_cached(sql)?.execute([tip.as_bytes()]);
        self.check(write()).map(|_| ())
    }

    /// Returns the highest clock in the log; the next operation gets one more.
    pub fn clock(&self) -> Result<u64, IndexError> {
        match self.tip()? {
            Some(tip) => match self.clock_of(tip)? {
                Some(clock) => Ok(clock),
                None => self.highest_clock(),
            },
            None => Ok(0),
        }
    }

    // The tip is lost: the next operation must still have a higher clock than all that is left.
    fn highest_clock(&self) -> Result<u64, IndexError> {
        let sql = "SELECT coalesce(max(clock), 0) FROM seen";
        self.check(self.connection.query_row(sql, (), |row| row.get(0)))
    }

    /// Returns the commits of the log with unreadable objects.
    pub fn unread(&self) -> Result<Vec<CommitId>, IndexError> {
        let mut commits: Vec<CommitId> =
            self.unread_of(UnreadablePart::Log)?.into_iter().map(|(_, commit)| commit).collect();
        commits.sort_unstable();
        commits.dedup();
        Ok(commits)
    }

    /// Returns the unreadable objects of the log.
    pub(crate) fn unread_objects(&self) -> Result<Vec<ObjectId>, IndexError> {
        Ok(self.unread_of(UnreadablePart::Log)?.into_iter().map(|(object, _)| object).collect())
    }

    fn unread_of(&self, part: UnreadablePart) -> Result<Vec<(ObjectId, CommitId)>, IndexError> {
        let read = || -> rusqlite::Result<Vec<(Vec<u8>, Vec<u8>)>> {
            let mut statement =
                self.connection.prepare_cached("SELECT object, commit_id FROM unread WHERE part = ?1")?;
            statement.query_map([part.name()], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
        };
        let ids = |(object, commit): &(Vec<u8>, Vec<u8>)| {
            Some((ObjectId::from_bytes(object).ok()?, CommitId::from_bytes(commit).ok()?))
        };
        Ok(self.check(read())?.iter().filter_map(ids).collect())
    }

    pub(super) fn keep_warnings(&self, warnings: &[Warning]) -> Result<(), IndexError> {
        for warning in warnings {
            let sql = "INSERT OR IGNORE INTO warning VALUES (?1, ?2)";
            self.check(self.connection.execute(sql, (&warning.place, &warning.text)))?;
        }
        Ok(())
    }
}
