//! Delivers messages: each to one reader only, and marked as delivered only after the reader's client has it.
//!
//! A reader holds a lock on its own file while it lives. Its messages are in `taken` under its name. When it dies, the
//! kernel releases the lock; the next reader finds its messages and delivers them again, marked, because nobody can
//! know whether the dead reader had passed them on.

use std::collections::HashSet;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use uuid::Uuid;

use super::name::{FileName, Mark};
use super::{FileSpool, MessageReader, NEW, READERS, SEEN, SpoolError, TAKEN, format};
use crate::git::GitError;
use crate::spool::{Claim, Delivery};

/// A reader of messages. It lives until it and all its deliveries are dropped.
#[derive(Debug)]
pub(super) struct FileReader {
    spool: FileSpool,
    name: Uuid,
    life: Arc<ReaderLife>,
}

/// A reader's file, locked while the reader lives.
#[derive(Debug)]
struct ReaderLife {
    path: PathBuf,
    _lock: File,
}

/// A message in `taken`.
#[derive(Debug)]
struct TakenFile {
    spool: FileSpool,
    name: FileName,
    path: PathBuf,
    _reader: Arc<ReaderLife>,
}

impl MessageReader for FileReader {
    fn take(&self) -> Result<Vec<Delivery>, SpoolError> {
        let _alone = self.spool.keep_readers_out()?;
        self.reclaim_messages_of_dead_readers()?;
        let taken = self.spool.folder(TAKEN)?;
        let mut deliveries = Vec::new();
        for (name, path) in self.settled()? {
            let name = name.taken(self.name);
            let place = taken.join(name.to_string());
            match fs::rename(&path, &place) {
                Ok(()) => deliveries.extend(self.delivery(name, place)?),
                // On a disk without locks, another reader may have been faster.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(source) => return Err(GitError::writing(&path, source).into()),
            }
        }
        Ok(deliveries)
    }
}

impl FileReader {
    pub(super) fn register(spool: &FileSpool, name: Uuid) -> Result<Self, SpoolError> {
        // Another reader would take the file for that of a dead one, and remove it, before it is locked.
        let _alone = spool.keep_readers_out()?;
        let path = spool.folder(READERS)?.join(name.to_string());
        let lock = File::options().create(true).truncate(false).write(true).open(&path);
        let lock = lock.map_err(|source| GitError::writing(&path, source))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {}
            Err(error) => return Err(GitError::writing(&path, error.into()).into()),
        }
        Ok(Self { spool: spool.clone(), name, life: Arc::new(ReaderLife { path, _lock: lock }) })
    }

    /// Returns the waiting messages in a consistent order. Reading a folder while files are added may return a later
    /// file but miss an earlier one; a second read returns everything that existed before the last file of the first
    /// read.
    fn settled(&self) -> Result<Vec<(FileName, PathBuf)>, SpoolError> {
        let first = self.spool.names(NEW)?;
        let Some(last) = first.last().map(|(name, _)| name.id) else { return Ok(first) };
        let mut second = self.spool.names(NEW)?;
        second.retain(|(name, _)| name.id <= last);
        Ok(second)
    }

    fn delivery(&self, name: FileName, path: PathBuf) -> Result<Option<Delivery>, SpoolError> {
        let bytes = fs::read(&path).map_err(|source| GitError::reading(&path, source))?;
        let Some(message) = format::read_message(&bytes) else {
            // Do not drop it: a newer version may be able to read it.
            let back = self.spool.folder(NEW)?.join(name.before_taken().to_string());
            fs::rename(&path, back).map_err(|source| GitError::writing(&path, source))?;
            return Ok(None);
        };
        let (spool, reader, is_again) = (self.spool.clone(), Arc::clone(&self.life), name.is_again());
        Ok(Some(Delivery::new(message, is_again, Box::new(TakenFile { spool, name, path, _reader: reader }))))
    }

    fn reclaim_messages_of_dead_readers(&self) -> Result<(), SpoolError> {
        let new = self.spool.folder(NEW)?;
        let mut living = HashSet::from([self.name]);
        for (name, path) in self.spool.names(TAKEN)? {
            let Mark::Taken { by, .. } = name.mark else { continue };
            if living.contains(&by) {
                continue;
            }
            if is_alive(&self.life.path.with_file_name(by.to_string()))? {
                living.insert(by);
                continue;
            }
            match fs::rename(&path, new.join(name.again().to_string())) {
                Err(source) if source.kind() != io::ErrorKind::NotFound => {
                    return Err(GitError::writing(&path, source).into());
                }
                _ => {}
            }
        }
        self.remove_dead_readers();
        Ok(())
    }

    /// Removes the files of dead readers that have no messages left.
    fn remove_dead_readers(&self) {
        let Some(folder) = self.life.path.parent() else { return };
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let is_reader = entry.file_name().to_str().is_some_and(|name| Uuid::try_parse(name).is_ok());
            if is_reader && path != self.life.path && matches!(is_alive(&path), Ok(false)) {
                // A file that cannot be removed is tried again next time.
                let _ = fs::remove_file(path);
            }
        }
    }
}

impl Drop for ReaderLife {
    fn drop(&mut self) {
        // If this fails, the next reader finds the file unlocked and removes it.
        let _ = fs::remove_file(&self.path);
    }
}

impl Claim for TakenFile {
    fn finish(self: Box<Self>, at: Timestamp) -> Result<(), SpoolError> {
        let seen = self.spool.folder(SEEN)?;
        let place = seen.join(self.name.seen(at).to_string());
        match fs::rename(&self.path, &place) {
            // Without lock support, another reader may have considered this one dead.
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                Err(GitError::writing(&self.path, source).into())
            }
            _ => Ok(()),
        }
    }

    fn put_back(self: Box<Self>) {
        // If the rename fails, the message is recovered after this reader has ended.
        let back = self.spool.root.join(NEW).join(self.name.before_taken().to_string());
        let _ = fs::rename(&self.path, back);
    }
}

/// Returns whether a reader lives. If that cannot be determined, it is assumed to live: otherwise its messages would be
/// delivered twice.
fn is_alive(path: &Path) -> Result<bool, SpoolError> {
    let failed = |source| GitError::reading(path, source);
    let file = match File::options().write(true).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(source) => return Err(failed(source).into()),
    };
    match file.try_lock() {
        Ok(()) => Ok(false),
        Err(TryLockError::WouldBlock) => Ok(true),
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => Ok(false),
        Err(TryLockError::Error(source)) => Err(failed(source).into()),
    }
}
