//! The note: which start of the system, and up to which commit the log is synced.
//!
//! ```text
//! cairn unsynced 1
//! <boot id>
//! <commit>
//! ```

use std::fs::{self, File};
use std::io::{self, Write as _};

use crate::git::wal::BootId;
use crate::git::{CommitId, GitError, Repository, durable};

const NAME: &str = "unsynced";
const MAGIC: &str = "cairn unsynced 1";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Note {
    pub(super) boot: BootId,
    /// The commit up to which the log is synced.
    pub(super) synced: CommitId,
}

impl Note {
    /// Reads the note of a repository; `None` if there is none.
    pub(super) fn read(repository: &Repository) -> Result<Option<Self>, GitError> {
        let path = repository.unsynced_path(NAME);
        match fs::read_to_string(&path) {
            // It gets its name after it is synced, so only somebody else can have changed it.
            Ok(text) => Self::parse(&text).map(Some).ok_or_else(|| GitError::broken(&path, "it is not a note of ours")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(GitError::reading(&path, source)),
        }
    }

    /// Replaces the note durably.
    pub(super) fn write(&self, repository: &Repository) -> Result<(), GitError> {
        let path = repository.unsynced_path(NAME);
        let temporary = repository.unsynced_path(&format!("{NAME}.{}.tmp", std::process::id()));
        let text = format!("{MAGIC}\n{}\n{}\n", self.boot, self.synced);
        let written = File::create(&temporary)
            .and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all()))
            .and_then(|()| repository.format.sharing.apply(&temporary))
            .and_then(|()| fs::rename(&temporary, &path));
        if let Err(source) = written {
            let _ = fs::remove_file(&temporary);
            return Err(GitError::writing(&path, source));
        }
        durable::sync_directory(path.parent().unwrap_or(&path))
    }

    /// Removes the note. If it comes back after a power failure, a check too much is made.
    pub(super) fn remove(repository: &Repository) -> Result<(), GitError> {
        let path = repository.unsynced_path(NAME);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(GitError::writing(&path, error)),
            _ => Ok(()),
        }
    }

    fn parse(text: &str) -> Option<Self> {
        let mut lines = text.strip_prefix(MAGIC)?.strip_prefix('\n')?.lines();
        let boot = BootId::parse(lines.next()?)?;
        Some(Self { boot, synced: lines.next()?.parse().ok()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_that_is_not_ours_is_refused() {
        let boot = "01234567-89ab-cdef-0123-456789abcdef";
        let commit = "1".repeat(40);
        let whole = format!("{MAGIC}\n{boot}\n{commit}\n");
        let note = Note::parse(&whole).expect("it is whole");
        assert_eq!((note.boot.to_string().as_str(), note.synced.to_string()), (boot, commit));
        for end in 0..whole.len() - 2 {
            assert_eq!(Note::parse(&whole[..end]), None, "{end}");
        }
    }
}
