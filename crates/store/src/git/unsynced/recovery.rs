//! Checks a shared log whose last commits may not have been on disk when the machine stopped.

use std::fs;
use std::io;

use super::note::Note;
use crate::git::ref_lock::RefLock;
use crate::git::waiting::SystemClock;
use crate::git::wal::BootId;
use crate::git::{CommitId, GitError, MoveError, ObjectId, ReadError, RefName, Repository, WriterGuard};

impl Repository {
    /// Returns whether the last commits of a shared log may be missing because the machine stopped.
    pub fn may_lack_shared_commits(&self) -> Result<bool, GitError> {
        Ok(Note::read(self)?.is_some_and(|note| is_of_another_boot(&note)))
    }

    /// Moves the log back to the last commit that is known to be on disk, if a later one is missing or damaged; returns
    /// that commit then.
    pub fn recover_unsynced(&self, _: &WriterGuard) -> Result<Option<CommitId>, MoveError> {
        let Some(note) = Note::read(self)?.filter(is_of_another_boot) else { return Ok(None) };
        // Git, which fetches into packs, does not replace a damaged object.
        self.set_aside(&self.loose_objects()?)?;
        let moved = if self.is_intact_from(note.synced)? { None } else { Some(note.synced) };
        if let Some(synced) = moved {
            RefLock::acquire(&SystemClock, self.common_dir(), &RefName::WORK, self.format.sharing)?.commit(&synced)?;
        }
        // A log that is intact now may still be in memory only, of this or another program.
        self.sync_log()?;
        Ok(moved)
    }

    /// Returns whether every commit of the log that `synced` does not reach can be read.
    fn is_intact_from(&self, synced: CommitId) -> Result<bool, GitError> {
        let tip = match self.read_ref(&RefName::WORK) {
            Ok(Some(tip)) => tip,
            // An empty file, for example: its name was on disk, its content was not.
            Ok(None) | Err(GitError::BrokenRef { .. }) => return Ok(false),
            Err(error) => return Err(error),
        };
        if !self.has_come_back(&tip.into())? {
            return Ok(false);
        }
        // Git refuses a history with a missing commit.
        let Ok(commits) = self.commits_between(tip, &[synced]) else { return Ok(false) };
        for (commit, _) in commits {
            match self.read_commit(&commit, u64::MAX) {
                Err(ReadError::Git(error)) => return Err(error),
                Err(error) if !error.is_final() => return Ok(false),
                _ => {}
            }
        }
        Ok(true)
    }

    /// Returns the ids of all loose objects.
    fn loose_objects(&self) -> Result<Vec<ObjectId>, GitError> {
        let mut found = Vec::new();
        for folder in (0..=u8::MAX).map(|first| format!("{first:02x}")) {
            let path = self.objects_dir().join(&folder);
            let entries = match fs::read_dir(&path) {
                Ok(entries) => entries,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(source) => return Err(GitError::reading(&path, source)),
            };
            for entry in entries {
                let name = entry.map_err(|source| GitError::reading(&path, source))?.file_name();
                found.extend(format!("{folder}{}", name.to_string_lossy()).parse::<ObjectId>().ok());
            }
        }
        Ok(found)
    }
}

fn is_of_another_boot(note: &Note) -> bool {
    BootId::of_this_system() != Some(note.boot)
}
