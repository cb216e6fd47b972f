//! Files of ours in the common git directory, with the modes and the durability of git's own.

use std::io;
use std::path::Path;

use super::{GitError, Repository, durable};

impl Repository {
    /// Makes a folder and those above it that are missing.
    pub(crate) fn make_own_folder(&self, path: &Path) -> Result<(), GitError> {
        durable::create_directory(path, self.format.sharing)
    }

    /// Gives a file we just made the mode that `core.sharedRepository` asks for.
    pub(crate) fn share_own_file(&self, path: &Path) -> io::Result<()> {
        self.format.sharing.apply(path)
    }

    /// Puts the names in a folder on disk.
    pub(crate) fn sync_own_folder(&self, path: &Path) -> Result<(), GitError> {
        let _ = self;
        durable::sync_directory(path)
    }
}
