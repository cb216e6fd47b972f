//! The write-ahead log of reference moves: a small file in the common git directory whose sync makes a write durable.
//!
//! A write has four files and folders to sync: the object, its folder, the reference, its folder. Instead, one record with
//! both is written here and synced; object and reference follow without a sync. If the machine stops before the kernel
//! has written those, the next command restores them from the record (`recovery`). While the machine runs, the record is
//! never read: what the kernel has accepted, every process sees.
//!
//! Invariant: only the holder of the writer lock opens the log. Records stay until everything that they describe is synced.

mod boot;
mod record;
mod recovery;

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use super::{GitError, MoveError, Repository, durable};
pub(super) use boot::BootId;
pub(super) use record::LoggedMove;
use record::{FrameIter, Header};
pub use recovery::{RecoveredLog, RefRecovery};

/// Allocated once: a sync of a file whose size does not change needs no change of the file system's metadata.
const FILE_SIZE: usize = 128 * 1024;
/// Larger writes are synced the usual way: their own time is longer than that of the syncs.
const MAX_RECORD: usize = 16 * 1024;

pub(super) struct Wal {
    file: File,
    path: PathBuf,
    header: Header,
    /// The content of the file when it was opened, with records that were added since.
    content: Vec<u8>,
    /// Where the next record goes.
    end: usize,
}

impl Wal {
    /// Opens the log of a repository; `None` if it has none.
    fn open(path: PathBuf) -> Result<Option<Self>, GitError> {
        let mut file = match OpenOptions::new().read(true).write(true).open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(GitError::writing(&path, source)),
        };
        let mut content = Vec::with_capacity(FILE_SIZE);
        file.read_to_end(&mut content).map_err(|source| GitError::reading(&path, source))?;
        // A file that was never finished: no write relied on it.
        let Some(header) = Header::parse(&content).filter(|_| content.len() == FILE_SIZE) else { return Ok(None) };
        let end = FrameIter::new(&content, header.epoch).end();
        Ok(Some(Self { file, path, header, content, end }))
    }

    fn create(repository: &Repository, path: PathBuf, boot: BootId) -> Result<Self, GitError> {
        let opened = OpenOptions::new().read(true).write(true).create(true).truncate(true).open(&path);
        let file = opened.map_err(|source| GitError::writing(&path, source))?;
        let mut wal = Self { file, path, header: Header { boot, epoch: 1 }, content: vec![0; FILE_SIZE], end: 0 };
        wal.header.write_to(&mut wal.content);
        wal.end = record::FIRST_FRAME;
        wal.write_at(0, FILE_SIZE)?;
        wal.file.sync_all().map_err(|source| GitError::writing(&wal.path, source))?;
        // Only the owner may change the mode.
        let _ = repository.format.sharing.apply(&wal.path);
        durable::sync_directory(wal.path.parent().unwrap_or(&wal.path))?;
        Ok(wal)
    }

    /// Returns whether the records were written since the system was started.
    fn is_of_this_boot(&self) -> bool {
        BootId::of_this_system().is_some_and(|boot| boot == self.header.boot)
    }

    fn has_records(&self) -> bool {
        self.end > record::FIRST_FRAME
    }

    /// Returns whether a record of this size fits.
    fn has_room(&self, size: usize) -> bool {
        self.end + size <= FILE_SIZE
    }

    /// Adds a record, durably.
    pub(super) fn append(&mut self, repository: &Repository, logged: &LoggedMove<'_>) -> Result<(), GitError> {
        let frame = logged.frame(repository.format.hash, self.header.epoch)?;
        let start = self.end;
        self.content[start..start + frame.len()].copy_from_slice(&frame);
        self.end += frame.len();
        let synced = self.write_at(start, frame.len()).and_then(|()| self.sync());
        if synced.is_err() {
            self.end = start;
            self.retract();
        }
        synced
    }

    /// Removes the record at the end: its write failed.
    ///
    /// A failure is ignored: the record then describes a write that was reported as failed, and that could come back if the
    /// machine stopped before another write succeeds.
    pub(super) fn retract(&mut self) {
        if let Some(last) = FrameIter::new(&self.content, self.header.epoch).last() {
            self.end = last.start;
        }
        let end = (self.end + record::FRAME_HEADER).min(FILE_SIZE);
        self.content[self.end..end].fill(0);
        let _ = self.write_at(self.end, end - self.end).and_then(|()| self.sync());
    }

    /// Drops all records. The caller has synced what they describe.
    fn clear(&mut self, boot: BootId) -> Result<(), GitError> {
        self.header = Header { boot, epoch: self.header.epoch.wrapping_add(1) };
        self.header.write_to(&mut self.content);
        self.end = record::FIRST_FRAME;
        self.write_at(0, record::FIRST_FRAME)?;
        self.sync()
    }

    fn write_at(&mut self, start: usize, length: usize) -> Result<(), GitError> {
        let place = SeekFrom::Start(start as u64);
        let written = self.file.seek(place).and_then(|_| self.file.write_all(&self.content[start..start + length]));
        written.map_err(|source| GitError::writing(&self.path, source))
    }

    fn sync(&self) -> Result<(), GitError> {
        self.file.sync_data().map_err(|source| GitError::writing(&self.path, source))
    }
}

impl Repository {
    /// Returns the log with room for a record; `None` if the write has to be synced the usual way.
    pub(super) fn wal_for(&self, logged: &LoggedMove<'_>) -> Result<Option<Wal>, MoveError> {
        let size = logged.frame_size();
        // A system that does not say when it was started could not tell whether records are needed.
        let Some(boot) = BootId::of_this_system().filter(|_| size <= MAX_RECORD) else { return Ok(None) };
        let path = path_in(self);
        let Some(mut wal) = Wal::open(path.clone())? else {
            // A disk without room for the file may have room for the write.
            return Ok(Wal::create(self, path, boot).ok());
        };
        // Written by another machine that shares the disk, or before a restart that nobody noticed yet.
        if !wal.is_of_this_boot() {
            self.recover_from(&mut wal)?;
        } else if !wal.has_room(size) {
            self.checkpoint(&mut wal)?;
        }
        Ok(Some(wal))
    }
}

fn path_in(repository: &Repository) -> PathBuf {
    repository.common_dir().join("cairn").join("wal")
}

/// Reads the header of a log without opening it for writing; `None` if there is no log.
fn read_header(path: &Path) -> Result<Option<Header>, GitError> {
    let mut bytes = [0; record::FIRST_FRAME];
    match File::open(path).and_then(|mut file| file.read_exact(&mut bytes)) {
        Ok(()) => Ok(Header::parse(&bytes)),
        // A shorter file was never finished, so no write relied on it.
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::UnexpectedEof) => Ok(None),
        Err(source) => Err(GitError::reading(path, source)),
    }
}
