//! Temporary working folders, isolated from the settings of the user who runs this.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::report;

/// A folder that is removed when dropped.
pub struct Scratch {
    folder: PathBuf,
    keep: bool,
}

impl Scratch {
    /// Creates a folder for a purpose.
    pub fn new(purpose: &str) -> Result<Self, String> {
        let folder = std::env::temp_dir().join(format!("cairn-{purpose}-{}", std::process::id()));
        fs::create_dir_all(&folder).map_err(|error| format!("cannot make `{}`: {error}", folder.display()))?;
        Ok(Self { folder, keep: false })
    }

    /// Leaves the folder behind if `keep` is set.
    #[must_use]
    pub fn kept_if(mut self, keep: bool) -> Self {
        self.keep = keep;
        self
    }

    /// Returns a path in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if self.keep {
            report::note(&format!("kept: {}", self.folder.display()));
        } else if let Err(error) = fs::remove_dir_all(&self.folder) {
            report::note(&format!("warning: cannot remove `{}`: {error}", self.folder.display()));
        }
    }
}

/// Removes the user's git settings from the environment of a command.
pub fn isolated(command: &mut Command) -> &mut Command {
    for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR"] {
        command.env_remove(variable);
    }
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1")
}
