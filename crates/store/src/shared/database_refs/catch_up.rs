//! Catching up: the clone gets the objects of a shared state, and its ref follows.

use std::panic::resume_unwind;
use std::thread::{self, ScopedJoinHandle};
use std::time::{Duration, Instant};

use database::refs::{ObjectKind, StoredObject};
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

    /// Writes the objects after a number, up to another one. Of a long history, one part is written while the next one is
    /// read and checked.
    fn fetch(&self, repository: &Repository, name: &RefName, after: i64, last: i64) -> Result<(), StoreError> {
        let unsynced = self.unsynced().filter(|_| *name == RefName::WORK);
        let write = |objects: &[RawObject]| match &unsynced {
            Some(unsynced) => repository.write_shared_objects(unsynced, objects),
            None => repository.write_objects(objects),
        };
        let (mut held, mut n_bytes) = (Vec::new(), 0);
        thread::scope(|scope| {
            let mut writing: Option<ScopedJoinHandle<'_, Result<(), GitError>>> = None;
            self.database.objects_between(name.as_str(), after, last, |_, object| {
                let object = raw_object(name, object)?;
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
