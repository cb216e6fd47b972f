//! Commits of a shared log that the clone has without a sync: the database has them durably.
//!
//! A note in the common git directory names the start of the system, and a commit up to which the log is synced. If the
//! system was started again since, the next command checks the log from that commit on (`recovery`), and moves it back to
//! it if anything is missing. The server then brings the rest from the database again.
//!
//! Invariant: whoever moves the log of the clone alone syncs those commits first, because no database has what is on top of
//! them.

mod note;
mod recovery;

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};

use gix::objs::Kind;

use super::durable::{self, SyncTime};
use super::gix;
use super::wal::BootId;
use super::{CommitId, GitError, MoveError, ObjectType, RawObject, RefName, RefStorage, Repository, WriterGuard};
use note::Note;

/// Held shared by every server whose clone may have such commits, until it ends in any way.
const LOCK: &str = "unsynced.lock";

/// The right to write commits without a sync, until dropped.
#[derive(Debug)]
pub struct UnsyncedWrites {
    // Held for its lock.
    _lock: File,
}

impl Repository {
    /// Begins to write commits of the log without syncs; `None` if this repository cannot, or has no log yet.
    ///
    /// Everything that the log has so far is durable afterwards, without the write-ahead log.
    pub fn begin_unsynced(&self, guard: &WriterGuard) -> Result<Option<UnsyncedWrites>, MoveError> {
        // A system that does not say when it was started could not tell whether a check is needed.
        let Some(boot) = BootId::of_this_system().filter(|_| self.ref_storage() == RefStorage::Files) else {
            return Ok(None);
        };
        self.recover_unsynced(guard)?;
        let lock = self.open_unsynced_lock()?;
        lock.lock_shared().map_err(|source| GitError::writing(&self.unsynced_path(LOCK), source))?;
        if Note::read(self)?.is_none() {
            self.empty_wal(guard)?;
            let Some(synced) = self.read_ref(&RefName::WORK)? else { return Ok(None) };
            Note { boot, synced }.write(self)?;
        }
        Ok(Some(UnsyncedWrites { _lock: lock }))
    }

    /// Writes objects for a commit that the database has: without a sync if they are few commits without files.
    pub fn write_shared_objects(&self, _: &UnsyncedWrites, objects: &[RawObject]) -> Result<(), GitError> {
        let is_plain = |object: &RawObject| object.kind == ObjectType::Commit && self.has_no_files(object);
        if objects.len() > super::transfer::MAX_LOOSE || !objects.iter().all(is_plain) {
            return self.write_objects(objects);
        }
        let write =
            |object: &RawObject| self.write_object_of(&object.id.0, Kind::Commit, &object.bytes, SyncTime::Later);
        objects.iter().try_for_each(write)
    }

    fn has_no_files(&self, commit: &RawObject) -> bool {
        let tree = format!("tree {}\n", gix::ObjectId::empty_tree(self.format.hash).to_hex());
        commit.bytes.starts_with(tree.as_bytes())
    }

    /// Moves the log as [`Repository::move_ref`] does, without a sync.
    pub fn move_log_unsynced(
        &self,
        _: &UnsyncedWrites,
        from: Option<CommitId>,
        to: CommitId,
        reason: &str,
    ) -> Result<(), MoveError> {
        let lock = self.lock_ref_at(&RefName::WORK, from)?;
        self.append_reflog(&RefName::WORK, from, to, reason)?;
        Ok(lock.commit_unsynced(&to)?)
    }

    /// Syncs the log up to a commit, and notes that.
    pub fn sync_log_up_to(&self, _: &UnsyncedWrites, tip: CommitId) -> Result<(), GitError> {
        match Note::read(self)? {
            Some(note) if note.synced != tip => self.sync_from(note, tip),
            _ => Ok(()),
        }
    }

    /// Syncs all of the log, and removes the note if no server writes commits without a sync any more. Call it before the
    /// log of the clone alone is moved.
    pub fn sync_log(&self) -> Result<(), GitError> {
        let Some(note) = Note::read(self)? else { return Ok(()) };
        let lock = self.open_unsynced_lock()?;
        // If it fails, a server goes on, and needs the note.
        let is_last = lock.try_lock().is_ok();
        match self.read_ref(&RefName::WORK)? {
            Some(tip) if tip != note.synced => self.sync_from(note, tip)?,
            _ => {}
        }
        if is_last { Note::remove(self) } else { Ok(()) }
    }

    fn sync_from(&self, note: Note, tip: CommitId) -> Result<(), GitError> {
        let reference = self.common_dir().join(RefName::WORK.as_str());
        let mut folders = BTreeSet::from([self.objects_dir()]);
        let commits = self.commits_between(tip, &[note.synced])?;
        let files = commits.iter().map(|(id, _)| self.loose_path(&id.0)).chain([reference]);
        for path in files {
            // A missing file is in a pack or in `packed-refs`, which git has synced.
            if durable::sync_file(&path)? {
                folders.extend(path.parent().map(Path::to_owned));
            }
        }
        folders.into_iter().try_for_each(|folder| durable::sync_folder(&folder))?;
        tracing::debug!(n_commits = commits.len(), %tip, "synced the log of the clone");
        Note { synced: tip, ..note }.write(self)
    }

    fn open_unsynced_lock(&self) -> Result<File, GitError> {
        let path = self.unsynced_path(LOCK);
        durable::create_directory(&self.common_dir().join("cairn"), self.format.sharing)?;
        let opened = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
        let file = opened.map_err(|source| GitError::writing(&path, source))?;
        // Only the owner may change the mode; it did so when it created the file.
        let _ = self.format.sharing.apply(&path);
        Ok(file)
    }

    fn unsynced_path(&self, name: &str) -> PathBuf {
        self.common_dir().join("cairn").join(name)
    }
}
