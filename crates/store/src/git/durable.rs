//! Writes that survive a power failure: the content is synced before the file gets its name, and the directory before
//! we return.
//!
//! Neither git nor gix does this by itself for loose objects and references.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use super::GitError;
use super::sharing::Sharing;

/// When a new file or directory entry is synced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SyncTime {
    /// Before the function returns.
    Now,
    /// Later: until then a record in the write-ahead log restores it, or the shared database.
    Later,
}

/// Creates a directory and its missing parents, and syncs their entries.
pub(super) fn create_directory(path: &Path, sharing: Sharing) -> Result<(), GitError> {
    create_directory_with(path, sharing, SyncTime::Now)
}

/// Does the same with another time of the syncs.
pub(super) fn create_directory_with(path: &Path, sharing: Sharing, sync: SyncTime) -> Result<(), GitError> {
    if path.is_dir() {
        return Ok(());
    }
    if let Some(above) = path.parent() {
        create_directory_with(above, sharing, sync)?;
    }
    match fs::create_dir(path) {
        Ok(()) => sharing.apply(path).map_err(|source| GitError::writing(path, source))?,
        // Another process created it first.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => {}
        Err(source) => return Err(GitError::writing(path, source)),
    }
    match path.parent() {
        Some(above) if sync == SyncTime::Now => sync_directory(above),
        _ => Ok(()),
    }
}

/// Syncs the entries of a directory.
pub(super) fn sync_directory(path: &Path) -> Result<(), GitError> {
    // Other systems cannot open a directory as a file, and order such writes themselves.
    if cfg!(unix) {
        File::open(path)
            .and_then(|directory| directory.sync_all())
            .map_err(|source| GitError::writing(path, source))?;
    }
    Ok(())
}

/// Syncs a file that another program wrote, and its directory entry; a missing file is not an error.
pub(super) fn sync_if_present(path: &Path) -> Result<(), GitError> {
    match File::open(path) {
        Ok(file) => file.sync_all().map_err(|source| GitError::writing(path, source))?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(source) => return Err(GitError::reading(path, source)),
    }
    match path.parent() {
        Some(directory) => sync_directory(directory),
        None => Ok(()),
    }
}

/// Syncs the content of a file; returns whether it exists.
pub(super) fn sync_file(path: &Path) -> Result<bool, GitError> {
    match File::open(path).and_then(|file| file.sync_all()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(source) => Err(GitError::writing(path, source)),
    }
}

/// Syncs the entries of a folder, unless it is gone: `git gc` removes folders whose last object it has packed.
pub(super) fn sync_folder(path: &Path) -> Result<(), GitError> {
    if path.is_dir() { sync_directory(path) } else { Ok(()) }
}
