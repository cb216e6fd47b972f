//! Writes that survive a power failure: the content is synced before the file gets its name, and the directory before
//! we return.
//!
//! Neither git nor gix does this by itself for loose objects and references.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use super::GitError;
use super::sharing::Sharing;

/// Creates a directory and its missing parents, and syncs their entries.
pub(super) fn create_directory(path: &Path, sharing: Sharing) -> Result<(), GitError> {
    if path.is_dir() {
        return Ok(());
    }
    if let Some(above) = path.parent() {
        create_directory(above, sharing)?;
    }
    match fs::create_dir(path) {
        Ok(()) => sharing.apply(path).map_err(|source| GitError::writing(path, source))?,
        // Another process created it first.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => {}
        Err(source) => return Err(GitError::writing(path, source)),
    }
    match path.parent() {
        Some(above) => sync_directory(above),
        None => Ok(()),
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
