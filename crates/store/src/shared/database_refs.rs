//! Shared refs in a database.
//!
//! A publication is one transaction there; then the clone's ref follows. If that fails, nothing is lost: the next
//! catch-up moves it. A catch-up writes the objects that the clone lacks, checked, and then moves the clone's ref.
//!
//! Lock order: the writers' lock of the clone, the turn among the servers, `catching_up`, the index. `publish` takes
//! `publishing` alone, and nobody who waits for that holds another one.

mod catch_up;
mod publish;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use database::{Database, Turn};
use parking_lot::Mutex;

use super::{PublishRefError, RefMove, ShareOptions, SharedRefs, Standing, WhenAway};
use crate::git::{CommitId, MoveError, NewCommit, RefName, Repository, UnsyncedWrites};
use crate::open::StoreError;
pub(super) use catch_up::{commit_id, move_clone_ref, raw_object};
use publish::{read_object, stored_object};

/// How long after a publication of another server this one waits for its turn before it plans.
const CONTENTION_TIME: Duration = Duration::from_secs(5);
/// How long it waits. A turn takes milliseconds; a server that hangs must not stop the others.
const MAX_WAIT: Duration = Duration::from_secs(2);

/// Shared refs in a database, of one clone.
pub(crate) struct DatabaseRefs {
    pub(super) database: Arc<Database>,
    options: ShareOptions,
    /// What is known of each ref.
    known: Mutex<BTreeMap<RefName, KnownRef>>,
    /// Answers to questions of before this moment are outdated, however old a read may be.
    outdated_until: Mutex<Option<Instant>>,
    /// One thread catches up at a time: the others would fetch the same objects.
    catching_up: Mutex<()>,
    /// Held while a publication of this server is under way: until then it is not known to be its own.
    publishing: Mutex<()>,
    /// This server's turn to write, if it has it.
    turn: Mutex<Option<Turn>>,
    /// The commit that this server published last, or is publishing.
    own_tip: Mutex<Option<CommitId>>,
    /// When a publication of another server was noticed last.
    others_published_at: Mutex<Option<Instant>>,
    /// Whether the clone writes commits of the log without syncs.
    unsynced: Mutex<Option<Arc<UnsyncedWrites>>>,
}

/// The last known state of a shared ref.
#[derive(Debug, Clone)]
struct KnownRef {
    /// The number of its objects; the clone has all of them.
    seq: i64,
    tip: Option<CommitId>,
    /// When the database was asked.
    asked_at: Instant,
    /// When the answer was here: a later question that finds fewer objects finds another history.
    learned_at: Instant,
}

impl KnownRef {
    /// Creates what an answer says that has just arrived.
    fn new(seq: i64, tip: Option<CommitId>, asked_at: Instant) -> Self {
        Self { seq, tip, asked_at, learned_at: Instant::now() }
    }
}

impl SharedRefs for DatabaseRefs {
    fn catch_up(&self, repository: &Repository, name: &RefName) -> Result<Standing, StoreError> {
        if self.is_fresh(name) {
            return Ok(Standing::Current);
        }
        match self.try_catch_up(repository, name) {
            Err(StoreError::Database(error))
                if error.is_away() && self.options.when_away == WhenAway::ReadFromClone =>
            {
                tracing::warn!(%error, "reading from the clone");
                Ok(Standing::Current)
            }
            other => other,
        }
    }

    fn publish(&self, repository: &Repository, to: &RefMove<'_>) -> Result<(), PublishRefError> {
        let objects = repository.objects_between(to.shared_from, to.to).map_err(StoreError::from)?;
        let read = |place: usize| read_object(repository, &objects[place], to.to);
        self.publish_objects(to, objects.len(), &read, || move_clone_ref(repository, to, self.unsynced().as_deref()))
    }

    fn publish_commit(
        &self,
        repository: &Repository,
        commit: &NewCommit<'_>,
        from: Option<CommitId>,
        reason: &str,
    ) -> Result<CommitId, PublishRefError> {
        let unsynced = self.unsynced();
        let plain = unsynced.as_ref().and_then(|_| repository.plain_commit(commit).transpose()).transpose();
        let (Some(unsynced), Some((id, object))) = (unsynced, plain.map_err(MoveError::from)?) else {
            let id = repository.write_commit(commit).map_err(MoveError::from)?;
            self.publish(repository, &RefMove::new(&RefName::WORK, from, id, reason))?;
            return Ok(id);
        };
        // The database has it first: others need not wait until it is written here.
        let to = RefMove::new(&RefName::WORK, from, id, reason);
        let read = |_| Ok(stored_object(object.clone(), id));
        self.publish_objects(&to, 1, &read, || {
            repository.write_shared_objects(&unsynced, std::slice::from_ref(&object))?;
            move_clone_ref(repository, &to, Some(&unsynced))
        })?;
        Ok(id)
    }

    fn is_contended(&self) -> bool {
        self.others_published_at.lock().is_some_and(|at| at.elapsed() < CONTENTION_TIME)
    }

    fn take_turn(&self) {
        if !self.is_contended() {
            return;
        }
        match self.database.take_turn(MAX_WAIT) {
            Ok(turn) => *self.turn.lock() = Some(turn),
            Err(error) => tracing::debug!(%error, "writing without a turn"),
        }
    }

    fn end_turn(&self) {
        let turn = self.turn.lock().take();
        // Ending it asks the database: not under the lock.
        drop(turn);
    }

    fn has_other_clones(&self) -> bool {
        true
    }
}

impl DatabaseRefs {
    pub(super) fn new(database: Arc<Database>, options: ShareOptions) -> Self {
        Self {
            database,
            options,
            known: Mutex::default(),
            outdated_until: Mutex::default(),
            catching_up: Mutex::default(),
            publishing: Mutex::default(),
            turn: Mutex::default(),
            own_tip: Mutex::default(),
            others_published_at: Mutex::default(),
            unsynced: Mutex::default(),
        }
    }

    /// Lets this clone write commits of the log without syncs, since the database has them, if it can and does not yet.
    pub(super) fn begin_unsynced(&self, repository: &Repository) -> Result<(), StoreError> {
        if self.unsynced().is_some() || repository.read_ref(&RefName::WORK)?.is_none() {
            return Ok(());
        }
        let guard = repository.lock_writers(|_| {})?;
        let begun = repository.begin_unsynced(&guard)?;
        *self.unsynced.lock() = begun.map(Arc::new);
        Ok(())
    }

    /// Syncs what the clone has, for a server that ends.
    pub(super) fn end_unsynced(&self, repository: &Repository) -> Result<(), StoreError> {
        // Released first: it tells whether this was the last server of the clone.
        drop(self.unsynced.lock().take());
        Ok(repository.sync_log()?)
    }

    /// Syncs the log of the clone up to a commit.
    pub(super) fn sync_log_up_to(&self, repository: &Repository, tip: CommitId) -> Result<(), StoreError> {
        match self.unsynced() {
            Some(unsynced) => Ok(repository.sync_log_up_to(&unsynced, tip)?),
            None => Ok(()),
        }
    }

    fn unsynced(&self) -> Option<Arc<UnsyncedWrites>> {
        self.unsynced.lock().clone()
    }

    /// Returns whether the last answer of the database is recent enough for a read.
    fn is_fresh(&self, name: &RefName) -> bool {
        let max_staleness = self.options.max_staleness;
        if max_staleness.is_zero() {
            return false;
        }
        let outdated_until = *self.outdated_until.lock();
        let is_fresh = |at: Instant| at.elapsed() < max_staleness && outdated_until.is_none_or(|until| at > until);
        self.known.lock().get(name).is_some_and(|known| is_fresh(known.asked_at))
    }

    /// Returns whether the clone has this state or a later one, and nothing else, as this process knows. What it knows is
    /// forgotten if the database has gone back: a standby took over that lacked the last publications, or a backup was
    /// restored. The clone then has commits that are not shared any more.
    fn is_known(&self, name: &RefName, state: &KnownRef, here: Option<CommitId>) -> bool {
        let mut all = self.known.lock();
        let Some(known) = all.get_mut(name) else { return false };
        let is_same = known.seq == state.seq && known.tip == state.tip;
        // A publication of this process may be newer than the question.
        let is_newer = known.seq > state.seq && state.asked_at <= known.learned_at;
        if !is_same && !is_newer && known.seq >= state.seq {
            tracing::warn!(%name, known = known.seq, found = state.seq, "the database has gone back");
            all.remove(name);
            return false;
        }
        let is_known = (is_same || is_newer) && known.tip == here;
        if is_known {
            known.asked_at = state.asked_at;
        }
        is_known
    }

    /// Forgets what is known of a ref, so that the database is asked for all of it.
    fn forget(&self, name: &RefName) {
        self.known.lock().remove(name);
    }

    /// Makes the next catch-up ask the database, however old an answer may be: another server has published, or the clone
    /// lacks a publication. An answer that is on its way does not count either.
    pub(super) fn forget_freshness(&self) {
        *self.outdated_until.lock() = Some(Instant::now());
    }

    /// Remembers a state, unless a newer one is known.
    fn learn(&self, name: &RefName, new: KnownRef) {
        let mut known = self.known.lock();
        match known.get(name) {
            Some(old) if old.seq > new.seq => {}
            _ => drop(known.insert(name.clone(), new)),
        }
    }
}
