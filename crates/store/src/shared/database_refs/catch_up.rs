//! Catching up: the clone gets the objects of a shared state, and its ref follows.

use std::panic::resume_unwind;
use std::thread::{self, ScopedJoinHandle};
use std::time::{Duration, Instant};

use database::refs::{ObjectKind, RefState, StoredObject};
use database::{DatabaseError, DatabaseErrorKind};

use super::{DatabaseRefs, KnownRef};
use crate::git::{
    CommitId, GitError, MoveError, ObjectId, ObjectType, RawObject, ReadError, RefName, Repository, UnsyncedWrites,
};
use crate::open::StoreError;
use crate::shared::{RefMove, Standing};

/// Objects and bytes that a catch-up holds in memory before it writes them; as many again are being written.
const MAX_HELD_OBJECTS: usize = 25_000;
const MAX_HELD_BYTES: usize = 32 * 1024 * 1024;

/// How long a read waits for a publication of its own server before it fetches the objects itself.
const OWN_PUBLICATION_TIME: Duration = Duration::from_millis(20);

impl DatabaseRefs {
    /// Asks the database for a shared ref, and brings the clone to its state.
    pub(super) fn try_catch_up(&self, repository: &Repository, name: &RefName) -> Result<Standing, StoreError> {
        let state = self.ask(name)?;
        if self.is_known(name, &state, repository.read_ref(name)?) {
            return Ok(Standing::Current);
        }
        // Most often another thread has just published it, and is about to move the ref: no need to fetch it.
        drop(self.publishing.try_lock_for(OWN_PUBLICATION_TIME));
        if self.is_known(name, &state, repository.read_ref(name)?) {
            return Ok(Standing::Current);
        }
        let (_catching_up, state) = if let Some(guard) = self.catching_up.try_lock() {
            (guard, state)
        } else {
            // Asked again: another thread brings all of it, or more.
            let guard = self.catching_up.lock();
            (guard, self.ask(name)?)
        };
        let here = repository.read_ref(name)?;
        if self.is_known(name, &state, here) {
            return Ok(Standing::Current);
        }
        let standing = if let Some(standing) = self.follow(repository, name, here, &state)? {
            standing
        } else {
            self.forget(name);
            self.follow(repository, name, here, &state)?.ok_or(StoreError::Contended)?
        };
        self.learn(name, state);
        Ok(standing)
    }

    fn ask(&self, name: &RefName) -> Result<KnownRef, StoreError> {
        let asked_at = Instant::now();
        let RefState { tip, seq } = self.database.ref_state(name.as_str())?;
        let tip = tip.as_deref().map(|tip| commit_id(name, tip)).transpose()?;
        Ok(KnownRef::new(seq, tip, asked_at))
    }

    /// Brings a shared state to the clone, whose ref is at `here`. `None` if what is known of the ref is of another
    /// history than the database's.
    fn follow(
        &self,
        repository: &Repository,
        name: &RefName,
        here: Option<CommitId>,
        shared: &KnownRef,
    ) -> Result<Option<Standing>, StoreError> {
        if here == shared.tip {
            return Ok(Some(Standing::Current));
        }
        let Some(tip) = shared.tip else { return Ok(Some(Standing::Ahead { shared: None })) };
        if is_next(repository, here, tip)? {
            return self.move_clone(repository, name, here, tip).map(Some);
        }
        // A read may be faster than the thread that has published this, and is about to write it to the clone.
        if *self.own_tip.lock() != Some(tip) {
            self.note_other_publisher();
        }
        // A clone whose tip was shared once lacks only what came after. Anything else may lack everything, but for what
        // this process has brought.
        let shared_until = match here {
            None => Some(0),
            Some(here) => self.seq_of(name, here)?,
        };
        // This process published something after the database was asked.
        if shared_until.is_some_and(|seq| seq >= shared.seq) {
            return Ok(Some(Standing::Current));
        }
        let has_all =
            shared_until.is_none() && repository.has_commit_object(&tip)? && repository.contains(here, Some(tip))?;
        let from = match shared_until {
            Some(seq) => (seq, here),
            None => self.known.lock().get(name).map_or((0, None), |known| (known.seq, known.tip)),
        };
        if !has_all && !self.fetch(repository, name, from, shared.seq)? {
            return Ok(None);
        }
        match shared_until {
            Some(_) => self.move_clone(repository, name, here, tip).map(Some),
            None if repository.has_commit_object(&tip)? => Ok(Some(Standing::Ahead { shared: Some(tip) })),
            // A publication of this process that could not be written to the clone.
            None => Ok(None),
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

    /// Writes the objects after a number, up to another one. Of a long history, one part is written while the next one is
    /// read and checked.
    ///
    /// `from` is the number with the commit that has it. Returns false, and writes nothing, if it is another object in the
    /// database: the objects after it belong to a history that the clone does not have.
    fn fetch(
        &self,
        repository: &Repository,
        name: &RefName,
        from: (i64, Option<CommitId>),
        last: i64,
    ) -> Result<bool, StoreError> {
        let (after, base) = from;
        // Read with the others: asking for it alone would be another round trip.
        let base = base.map(ObjectId::from).filter(|_| after > 0);
        let first = if base.is_some() { after - 1 } else { after };
        let mut is_other = false;
        let unsynced = self.unsynced().filter(|_| *name == RefName::WORK);
        let write = |objects: &[RawObject]| match &unsynced {
            Some(unsynced) => repository.write_shared_objects(unsynced, objects),
            None => repository.write_objects(objects),
        };
        let (mut held, mut n_bytes) = (Vec::new(), 0);
        thread::scope(|scope| {
            let mut writing: Option<ScopedJoinHandle<'_, Result<(), GitError>>> = None;
            self.database.objects_between(name.as_str(), first, last, |seq, object| {
                let object = raw_object(name, object)?;
                if let Some(base) = base.filter(|_| seq == after) {
                    is_other = object.id != base;
                    // An error ends the walk; `is_other` distinguishes it from a real one.
                    return if is_other { Err(StoreError::Contended) } else { Ok(()) };
                }
                repository.verify_object(&object)?;
                n_bytes += object.bytes.len();
                held.push(object);
                if held.len() >= MAX_HELD_OBJECTS || n_bytes >= MAX_HELD_BYTES {
                    finish(writing.take())?;
                    let part = std::mem::take(&mut held);
                    n_bytes = 0;
                    let write = &write;
                    writing = Some(scope.spawn(move || write(&part)));
                }
                Ok::<_, StoreError>(())
            })?;
            finish(writing)
        })
        .or_else(|error| if is_other { Ok(()) } else { Err(error) })?;
        if is_other {
            tracing::warn!(%name, after, "the database has another history than this server knew");
            return Ok(false);
        }
        write(&held)?;
        tracing::debug!(%name, n_objects = last - after, "fetched objects from the database");
        Ok(true)
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
}

/// Waits for the thread that writes a part.
fn finish(writing: Option<ScopedJoinHandle<'_, Result<(), GitError>>>) -> Result<(), StoreError> {
    match writing.map(ScopedJoinHandle::join) {
        Some(Ok(written)) => Ok(written?),
        Some(Err(panic)) => resume_unwind(panic),
        None => Ok(()),
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
pub(in crate::shared) fn move_clone_ref(
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

pub(in crate::shared) fn raw_object(name: &RefName, object: StoredObject) -> Result<RawObject, StoreError> {
    let kind = match object.kind {
        ObjectKind::Commit => ObjectType::Commit,
        ObjectKind::Tree => ObjectType::Tree,
        ObjectKind::Blob => ObjectType::Blob,
    };
    let id = ObjectId::from_bytes(&object.id).map_err(|error| not_an_id(name, &error))?;
    Ok(RawObject { id, kind, bytes: object.content })
}

pub(in crate::shared) fn commit_id(name: &RefName, bytes: &[u8]) -> Result<CommitId, StoreError> {
    CommitId::from_bytes(bytes).map_err(|error| not_an_id(name, &error).into())
}

fn not_an_id(name: &RefName, error: &impl std::fmt::Display) -> DatabaseError {
    DatabaseError::new(DatabaseErrorKind::Damaged, format!("invalid object id of `{name}` in the database: {error}"))
}
