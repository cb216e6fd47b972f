//! Shared refs in a database.
//!
//! A publication is one transaction there; then the clone's ref follows. If that fails, nothing is lost: the next
//! catch-up moves it. A catch-up writes the objects that the clone lacks, checked, and then moves the clone's ref.
//!
//! Lock order: the writers' lock of the clone, the turn among the servers, `catching_up`, the index. `publish` takes
//! `publishing` alone, and nobody who waits for that holds another one.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use database::refs::{Announcement, ObjectKind, Publication, PublishError, PublishOutcome, RefState, StoredObject};
use database::{Database, DatabaseError, DatabaseErrorKind, Turn};
use parking_lot::Mutex;

use super::{PublishRefError, RefMove, ShareOptions, SharedRefs, Standing, WhenAway};
use crate::git::{
    CommitId, MoveError, NewCommit, ObjectId, ObjectType, RawObject, ReadError, RefName, Repository, UnsyncedWrites,
};
use crate::open::StoreError;

/// Objects and bytes that a catch-up holds in memory before it writes them.
const MAX_HELD_OBJECTS: usize = 50_000;
const MAX_HELD_BYTES: usize = 64 * 1024 * 1024;

/// How long after a publication of another server this one waits for its turn before it plans.
const CONTENTION_TIME: Duration = Duration::from_secs(5);
/// How long it waits. A turn takes milliseconds; a server that hangs must not stop the others.
const MAX_WAIT: Duration = Duration::from_secs(2);

/// How long a read waits for a publication of its own server before it fetches the objects itself.
const OWN_PUBLICATION_TIME: Duration = Duration::from_millis(20);

/// Shared refs in a database, of one clone.
pub(crate) struct DatabaseRefs {
    pub(super) database: Arc<Database>,
    options: ShareOptions,
    /// What is known of each ref.
    known: Mutex<BTreeMap<RefName, KnownRef>>,
    /// One thread catches up at a time: the others would fetch the same objects.
    catching_up: Mutex<()>,
    /// Held while a publication of this server is under way: until then it is not known to be its own.
    publishing: Mutex<()>,
    /// This server's turn to write, if it has it.
    turn: Mutex<Option<Turn>>,
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
    /// When the database was asked; `None` if the answer is known to be outdated.
    asked_at: Option<Instant>,
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

    fn take_turn(&self) {
        let is_contended = self.others_published_at.lock().is_some_and(|at| at.elapsed() < CONTENTION_TIME);
        if !is_contended {
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
            catching_up: Mutex::default(),
            publishing: Mutex::default(),
            turn: Mutex::default(),
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

    /// Publishes objects; `follow` brings the clone after them.
    fn publish_objects(
        &self,
        to: &RefMove<'_>,
        n_objects: usize,
        read: &dyn Fn(usize) -> Result<StoredObject, ReadError>,
        follow: impl FnOnce() -> Result<(), MoveError>,
    ) -> Result<(), PublishRefError> {
        let asked_at = Some(Instant::now());
        let _publishing = self.publishing.lock();
        let published = self.database.publish(&Publication {
            name: to.name.as_str(),
            from: to.shared_from.as_ref().map(CommitId::as_bytes),
            to: to.to.as_bytes(),
            n_objects,
            read,
        });
        // Others need not wait until this clone has followed.
        self.end_turn();
        let seq = match published {
            Ok(PublishOutcome::Published { seq }) => seq,
            Ok(PublishOutcome::Moved) => {
                self.note_other_publisher();
                self.forget_freshness(to.name);
                return Err(MoveError::Moved { name: to.name.clone() }.into());
            }
            Err(PublishError::Object(error)) => return Err(StoreError::from(error).into()),
            Err(PublishError::Database(error)) => return Err(StoreError::from(error).into()),
            Err(PublishError::Unknown(error)) => return Err(StoreError::OutcomeUnknown(error).into()),
        };
        // Acknowledged from here on. Another thread may have caught up with this commit already, or another program
        // may have moved the clone's ref: the next catch-up settles that.
        if let Err(error) = follow() {
            tracing::debug!(%error, name = %to.name, "the ref of the clone did not follow its publication");
        }
        self.learn(to.name, KnownRef { seq, tip: Some(to.to), asked_at });
        Ok(())
    }

    /// Returns whether the clone has everything that was announced. Waits for a publication that is under way: its
    /// announcement may arrive before its answer.
    pub(super) fn has_announced(&self, payloads: &[String]) -> bool {
        let _publishing = self.publishing.lock();
        let known = self.known.lock();
        let has = |announced: Announcement<'_>| {
            known.iter().any(|(name, known)| name.as_str() == announced.name && known.seq >= announced.seq)
        };
        payloads.iter().all(|payload| Announcement::parse(payload).is_some_and(has))
    }

    fn note_other_publisher(&self) {
        *self.others_published_at.lock() = Some(Instant::now());
    }

    /// Returns whether the last answer of the database is recent enough for a read.
    fn is_fresh(&self, name: &RefName) -> bool {
        let max_staleness = self.options.max_staleness;
        !max_staleness.is_zero()
            && self
                .known
                .lock()
                .get(name)
                .and_then(|known| known.asked_at)
                .is_some_and(|at| at.elapsed() < max_staleness)
    }

    fn try_catch_up(&self, repository: &Repository, name: &RefName) -> Result<Standing, StoreError> {
        let asked_at = Some(Instant::now());
        let state = self.database.ref_state(name.as_str())?;
        if self.is_known(name, &state, repository.read_ref(name)?, asked_at) {
            return Ok(Standing::Current);
        }
        // Most often another thread has just published it, and is about to move the ref: no need to fetch it.
        drop(self.publishing.try_lock_for(OWN_PUBLICATION_TIME));
        if self.is_known(name, &state, repository.read_ref(name)?, asked_at) {
            return Ok(Standing::Current);
        }
        let (_catching_up, state, asked_at) = if let Some(guard) = self.catching_up.try_lock() {
            (guard, state, asked_at)
        } else {
            // Asked again: another thread brings all of it, or more.
            let guard = self.catching_up.lock();
            let asked_at = Some(Instant::now());
            (guard, self.database.ref_state(name.as_str())?, asked_at)
        };
        let here = repository.read_ref(name)?;
        if self.is_known(name, &state, here, asked_at) {
            return Ok(Standing::Current);
        }
        let tip = state.tip.as_deref().map(|tip| commit_id(name, tip)).transpose()?;
        let known = KnownRef { seq: state.seq, tip, asked_at };
        let standing = self.follow(repository, name, here, &known)?;
        self.learn(name, known);
        Ok(standing)
    }

    /// Returns whether the clone has this state or a later one, and nothing else, as this process knows.
    fn is_known(&self, name: &RefName, state: &RefState, here: Option<CommitId>, asked_at: Option<Instant>) -> bool {
        let mut known = self.known.lock();
        match known.get_mut(name) {
            Some(known) if known.seq >= state.seq && known.tip == here => {
                known.asked_at = asked_at;
                true
            }
            _ => false,
        }
    }

    /// Brings a shared state to the clone, whose ref is at `here`.
    fn follow(
        &self,
        repository: &Repository,
        name: &RefName,
        here: Option<CommitId>,
        shared: &KnownRef,
    ) -> Result<Standing, StoreError> {
        if here == shared.tip {
            return Ok(Standing::Current);
        }
        let Some(tip) = shared.tip else { return Ok(Standing::Ahead { shared: None }) };
        if is_next(repository, here, tip)? {
            return self.move_clone(repository, name, here, tip);
        }
        self.note_other_publisher();
        // A clone whose tip was shared once lacks only what came after. Anything else may lack everything, but for what
        // this process has brought.
        let shared_until = match here {
            None => Some(0),
            Some(here) => self.seq_of(name, here)?,
        };
        // This process published something after the database was asked.
        if shared_until.is_some_and(|seq| seq >= shared.seq) {
            return Ok(Standing::Current);
        }
        let after = shared_until.unwrap_or_else(|| self.known.lock().get(name).map_or(0, |known| known.seq));
        let has_all =
            shared_until.is_none() && repository.has_commit_object(&tip)? && repository.contains(here, Some(tip))?;
        if !has_all {
            self.fetch(repository, name, after, shared.seq)?;
        }
        match shared_until {
            Some(_) => self.move_clone(repository, name, here, tip),
            None => Ok(Standing::Ahead { shared: Some(tip) }),
        }
    }

    /// Returns the number of a commit that is or was the shared tip; `None` if it never was.
    fn seq_of(&self, name: &RefName, commit: CommitId) -> Result<Option<i64>, StoreError> {
        let known = self.known.lock().get(name).filter(|known| known.tip == Some(commit)).map(|known| known.seq);
        Ok(match known {
            Some(seq) => Some(seq),
            None => self.database.seq_of_tip(name.as_str(), commit.as_bytes())?,
        })
    }

    /// Writes the objects after a number, up to another one.
    fn fetch(&self, repository: &Repository, name: &RefName, after: i64, last: i64) -> Result<(), StoreError> {
        let unsynced = self.unsynced().filter(|_| *name == RefName::WORK);
        let write = |objects: &[RawObject]| match &unsynced {
            Some(unsynced) => repository.write_shared_objects(unsynced, objects),
            None => repository.write_objects(objects),
        };
        let (mut held, mut n_bytes) = (Vec::new(), 0);
        self.database.objects_between(name.as_str(), after, last, |_, object| {
            let object = raw_object(name, object)?;
            repository.verify_object(&object)?;
            n_bytes += object.bytes.len();
            held.push(object);
            if held.len() >= MAX_HELD_OBJECTS || n_bytes >= MAX_HELD_BYTES {
                write(&held)?;
                (held, n_bytes) = (Vec::new(), 0);
            }
            Ok::<_, StoreError>(())
        })?;
        write(&held)?;
        tracing::debug!(%name, n_objects = last - after, "fetched objects from the database");
        Ok(())
    }

    /// Moves the clone's ref to a shared commit. A ref that moved meanwhile is looked at again by the next catch-up, which
    /// the caller must not wait for: another thread may have moved it further.
    fn move_clone(
        &self,
        repository: &Repository,
        name: &RefName,
        from: Option<CommitId>,
        to: CommitId,
    ) -> Result<Standing, StoreError> {
        match move_clone_ref(repository, &RefMove::new(name, from, to, "shared"), self.unsynced().as_deref()) {
            Ok(()) => Ok(Standing::Current),
            Err(MoveError::Moved { .. }) if repository.contains(repository.read_ref(name)?, Some(to))? => {
                Ok(Standing::Current)
            }
            Err(MoveError::Moved { .. }) => Ok(Standing::Ahead { shared: Some(to) }),
            Err(error) => Err(error.into()),
        }
    }

    /// Makes the next catch-up ask the database, however old an answer may be: the writer plans again on its result.
    fn forget_freshness(&self, name: &RefName) {
        if let Some(known) = self.known.lock().get_mut(name) {
            known.asked_at = None;
        }
    }

    /// Does the same for all refs: another server has published on one of them.
    pub(super) fn forget_freshness_of_all(&self) {
        self.known.lock().values_mut().for_each(|known| known.asked_at = None);
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

/// Returns whether the shared tip is a commit of this clone on top of its ref: a publication of another thread,
/// which is about to move the ref.
fn is_next(repository: &Repository, here: Option<CommitId>, tip: CommitId) -> Result<bool, StoreError> {
    let Some(here) = here else { return Ok(false) };
    if !repository.has_commit_object(&tip)? {
        return Ok(false);
    }
    match repository.read_commit(&tip, u64::MAX) {
        // With files, the objects below the commit would have to be looked for too.
        Ok(commit) => Ok(commit.has_empty_tree && commit.parents == [here]),
        Err(ReadError::Git(error)) => Err(error.into()),
        Err(_) => Ok(false),
    }
}

/// Moves the clone's ref after the shared one. A lock that a killed server left on it is removed: nobody else would, since
/// a read takes no writers' lock.
pub(super) fn move_clone_ref(
    repository: &Repository,
    to: &RefMove<'_>,
    unsynced: Option<&UnsyncedWrites>,
) -> Result<(), MoveError> {
    let RefMove { name, from, to, reason, .. } = *to;
    let _following = repository.lock_followers()?;
    let move_ref = || match unsynced.filter(|_| *name == RefName::WORK) {
        Some(unsynced) => repository.move_log_unsynced(unsynced, from, to, reason),
        None => repository.move_ref(name, from, to, reason),
    };
    match move_ref() {
        Err(MoveError::Locked { .. }) => {
            repository.recover_killed_writer()?;
            move_ref()
        }
        moved => moved,
    }
}

fn read_object(repository: &Repository, id: &ObjectId, tip: CommitId) -> Result<StoredObject, ReadError> {
    repository.read_object(id).map(|object| stored_object(object, tip))
}

fn stored_object(object: RawObject, tip: CommitId) -> StoredObject {
    let kind = match object.kind {
        ObjectType::Commit => ObjectKind::Commit,
        ObjectType::Tree => ObjectKind::Tree,
        ObjectType::Blob => ObjectKind::Blob,
    };
    let is_tip = object.id == ObjectId::from(tip);
    StoredObject { kind, id: object.id.as_bytes().to_vec(), content: object.bytes, is_tip }
}

pub(super) fn raw_object(name: &RefName, object: StoredObject) -> Result<RawObject, StoreError> {
    let kind = match object.kind {
        ObjectKind::Commit => ObjectType::Commit,
        ObjectKind::Tree => ObjectType::Tree,
        ObjectKind::Blob => ObjectType::Blob,
    };
    let id = ObjectId::from_bytes(&object.id).map_err(|error| not_an_id(name, &error))?;
    Ok(RawObject { id, kind, bytes: object.content })
}

pub(super) fn commit_id(name: &RefName, bytes: &[u8]) -> Result<CommitId, StoreError> {
    CommitId::from_bytes(bytes).map_err(|error| not_an_id(name, &error).into())
}

fn not_an_id(name: &RefName, error: &impl std::fmt::Display) -> DatabaseError {
    DatabaseError::new(DatabaseErrorKind::Damaged, format!("invalid object id of `{name}` in the database: {error}"))
}
