//! Brings the index up to the tip of the log: reads the commits that it has not seen, parents first, and ingests their
//! operations. If the log was rewritten, the index is rebuilt.
//!
//! No content of a commit can stop it. Oversized and malformed objects are skipped for good with a warning; missing and
//! damaged ones are recorded as unread, and every later command tries them again. An I/O error says nothing about the
//! log: it ends the catch-up, and the transaction is rolled back.

mod walk;

use std::thread;
use std::time::{Duration, Instant};

use rusqlite::ErrorCode;

use super::numbers::Contested;
use super::seen::UnreadablePart;
use super::{BUSY_TIMEOUT, Index, IndexError, LARGE_CACHE};
use crate::git::{CommitId, RefName, Repository};
use walk::Walk;

/// How far the clock of an operation may be ahead of everything its writer could have seen. Honest writers increment by
/// one; a larger jump would win every conflict from then on.
pub const CLOCK_JUMP: u64 = 1 << 20;
/// Maximum delay before checking again whether another process still writes the index.
const MAX_RETRY_INTERVAL: Duration = Duration::from_millis(20);

/// The result of a catch-up.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct CatchUp {
    /// Commits read.
    pub n_commits: usize,
    /// Operations ingested.
    pub n_ops: usize,
    /// Whether the index was rebuilt.
    pub rebuilt: bool,
    /// What was skipped.
    pub warnings: Vec<Warning>,
    /// Number spaces in which new claims may have changed numbers.
    pub(crate) contested: Contested,
}

/// Something in the log that was skipped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The commit that contains it.
    pub place: String,
    /// What is wrong with it.
    pub text: String,
}

/// Limits of a catch-up.
#[derive(Clone, Copy)]
struct CatchUpScope {
    /// Maximum bytes of operations to read.
    limit: u64,
    /// All operations of the index are known to be reachable from the new tip, so it need not be rebuilt even if the
    /// old tip is not an ancestor of the new one.
    has_all: bool,
}

/// Progress of a long catch-up: commits read, and the total as far as it is known.
pub type CatchUpProgress<'a> = &'a mut dyn FnMut(usize, usize);

impl Index {
    /// Brings the index up to the commit that `tip` returns. `tip` is called when no other process is writing the
    /// index, so that the index never goes back.
    pub fn catch_up(
        &mut self,
        repository: &Repository,
        tip: &dyn Fn() -> Result<Option<CommitId>, crate::git::GitError>,
        progress: CatchUpProgress<'_>,
    ) -> Result<CatchUp, IndexError> {
        if !self.begin_catch_up(repository, tip)? {
            return Ok(CatchUp::default());
        }
        let done = self.catch_up_inside(repository, tip, CatchUpScope { limit: u64::MAX, has_all: false }, progress);
        let end = self.connection.execute_batch(if done.is_ok() { "COMMIT" } else { "ROLLBACK" });
        let done = done?;
        self.check(end)?;
        self.tidy_journal();
        Ok(done)
    }

    /// Runs `act` in a transaction: if it fails, the index is unchanged.
    pub(crate) fn write_transaction<T, E: From<IndexError>>(
        &mut self,
        act: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<T, E> {
        self.check(self.connection.execute_batch("BEGIN IMMEDIATE"))?;
        let done = act(self);
        let end = self.connection.execute_batch(if done.is_ok() { "COMMIT" } else { "ROLLBACK" });
        let done = done?;
        self.check(end)?;
        self.tidy_journal();
        Ok(done)
    }

    /// Ingests the history of `tip`, at most `limit` bytes of operations, inside the caller's transaction. All
    /// operations of the index must be reachable from `tip`.
    pub(crate) fn take_in(
        &mut self,
        repository: &Repository,
        tip: CommitId,
        limit: u64,
        progress: CatchUpProgress<'_>,
    ) -> Result<CatchUp, IndexError> {
        self.catch_up_inside(repository, &|| Ok(Some(tip)), CatchUpScope { limit, has_all: true }, progress)
    }

    /// Waits for the write lock of the index. Returns false if there is nothing to ingest, or no longer: a busy writer
    /// keeps the index up to date itself, and insisting on a turn would mean a long wait for nothing.
    fn begin_catch_up(
        &self,
        repository: &Repository,
        tip: &dyn Fn() -> Result<Option<CommitId>, crate::git::GitError>,
    ) -> Result<bool, IndexError> {
        let give_up = Instant::now() + BUSY_TIMEOUT;
        let mut pause = Duration::from_millis(1);
        while self.tip()? != tip()? || self.can_read_more(repository, UnreadablePart::Log)? {
            match self.try_begin() {
                Err(error) if is_busy(&error) && Instant::now() < give_up => {}
                begun => return self.check(begun).map(|()| true),
            }
            thread::sleep(pause);
            pause = (pause * 2).min(MAX_RETRY_INTERVAL);
        }
        Ok(false)
    }

    fn try_begin(&self) -> rusqlite::Result<()> {
        // SQLite must not wait itself: `begin_catch_up` checks between attempts whether there is still anything to
        // ingest.
        self.connection.busy_timeout(Duration::ZERO)?;
        let begun = self.connection.execute_batch("BEGIN IMMEDIATE");
        self.connection.busy_timeout(BUSY_TIMEOUT)?;
        begun
    }

    fn catch_up_inside(
        &mut self,
        repository: &Repository,
        tip: &dyn Fn() -> Result<Option<CommitId>, crate::git::GitError>,
        scope: CatchUpScope,
        progress: CatchUpProgress<'_>,
    ) -> Result<CatchUp, IndexError> {
        let (old, new) = (self.tip()?, tip()?);
        // An unreadable object may have come back although the tip is the same.
        let is_mended = self.can_read_more(repository, UnreadablePart::Log)?;
        if old == new && !is_mended {
            return Ok(CatchUp::default());
        }
        let cache = self.connection.pragma_update(None, "cache_size", LARGE_CACHE);
        self.check(cache)?;
        if let (Some(old), Some(new), false) = (old, new, is_mended) {
            let mut walk = Walk::new(self, repository, Some(old), scope.limit);
            walk.run(new, progress)?;
            // Otherwise the old tip is not an ancestor of the new one: the log was rewritten, so rebuild.
            if walk.reached_old || scope.has_all {
                return walk.finish(new);
            }
        }
        let Some(new) = new else {
            self.check(self.remake())?;
            return Ok(CatchUp { rebuilt: true, ..CatchUp::default() });
        };
        self.check(self.remake_tables())?;
        let mut walk = Walk::new(self, repository, None, scope.limit);
        walk.run(new, progress)?;
        if walk.is_cut {
            // Commits below a lost commit may still be reachable from the tracking refs.
            for tracked in repository.tracked(&RefName::WORK)? {
                walk.run(tracked, progress)?;
            }
        }
        walk.finish(new)
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
}
