//! Our files in the common git directory, with the modes and the durability of git's own.

use std::io;
use std::path::Path;

use super::{GitError, Repository, durable};

impl Repository {
    /// Creates a folder and its missing parents.
    pub(crate) fn make_own_folder(&self, path: &Path) -> Result<(), GitError> {
        durable::create_directory(path, self.format.sharing)
    }

    /// Applies the mode that `core.sharedRepository` asks for to a new file.
    pub(crate) fn share_own_file(&self, path: &Path) -> io::Result<()> {
        self.format.sharing.apply(path)
    }

    /// Syncs the entries of a folder.
    pub(crate) fn sync_own_folder(&self, path: &Path) -> Result<(), GitError> {
        let _ = self;
        durable::sync_directory(path)
    }
}
