//! Restores writes whose objects and references were not on disk yet when the machine stopped.

use std::collections::BTreeSet;
use std::path::Path;

use gix::objs::Kind;

use super::boot::BootId;
use super::record::{LoggedMove, payloads};
use super::{Wal, path_in, read_header};
use crate::git::gix;
use crate::git::ref_lock::RefLock;
use crate::git::waiting::SystemClock;
use crate::git::{CommitId, GitError, MoveError, ObjectId, RefName, Repository, WriterGuard, durable};

/// What a recovery found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecoveredLog {
    /// Number of commits that were missing or damaged.
    pub n_restored: usize,
    /// What happened to the reference.
    pub reference: RefRecovery,
}

/// The result of the recovery of a reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RefRecovery {
    /// It had the last write.
    Kept,
    /// It was moved to the last write.
    Moved,
    /// Something else moved it after the last write, and it does not lead to that write: it was left as it is.
    Foreign {
        /// The commit of the last write.
        last: CommitId,
    },
}

impl Repository {
    /// Returns whether writes may have been lost because the machine stopped.
    pub(crate) fn may_have_lost_writes(&self) -> Result<bool, GitError> {
        let header = read_header(&path_in(self))?;
        Ok(header.is_some_and(|header| BootId::of_this_system() != Some(header.boot)))
    }

    /// Restores writes that were lost because the machine stopped; `None` if there were none to look at.
    pub(crate) fn recover_lost_writes(&self, _: &WriterGuard) -> Result<Option<RecoveredLog>, MoveError> {
        match Wal::open(path_in(self))? {
            Some(mut wal) if !wal.is_of_this_boot() => self.recover_from(&mut wal),
            _ => Ok(None),
        }
    }

    pub(super) fn recover_from(&self, wal: &mut Wal) -> Result<Option<RecoveredLog>, MoveError> {
        let content = std::mem::take(&mut wal.content);
        let found = payloads(&content, self.format.hash, wal.header.epoch);
        let moves: Vec<LoggedMove<'_>> = found.into_iter().filter_map(LoggedMove::parse).collect();
        let recovered = match moves.last() {
            None => None,
            Some(last) => {
                let n_restored = self.restore_objects(&moves)?;
                Some(RecoveredLog { n_restored, reference: self.restore_reference(&moves, last)? })
            }
        };
        drop(moves);
        wal.content = content;
        self.checkpoint(wal)?;
        Ok(recovered)
    }

    /// Restores the commits of the log's last writes if this one is among them and cannot be read; returns whether it was
    /// restored. `git gc --prune=now` beside a writer removes what it wrote and no reference names yet. The caller holds
    /// the writer lock.
    pub fn restore_logged(&self, commit: &CommitId) -> Result<bool, GitError> {
        let Some(wal) = Wal::open(path_in(self))?.filter(Wal::is_of_this_boot) else { return Ok(false) };
        let found = payloads(&wal.content, self.format.hash, wal.header.epoch);
        let moves: Vec<LoggedMove<'_>> = found.into_iter().filter_map(LoggedMove::parse).collect();
        Ok(moves.iter().any(|logged| logged.to == *commit) && self.restore_objects(&moves)? > 0)
    }

    fn restore_objects(&self, moves: &[LoggedMove<'_>]) -> Result<usize, GitError> {
        let mut n_restored = 0;
        for logged in moves {
            let id = ObjectId::from(logged.to);
            if self.has_come_back(&id)? {
                continue;
            }
            let written = self.write_object(Kind::Commit, logged.commit)?;
            debug_assert_eq!(written, id.0, "the log has the commit that it names");
            n_restored += 1;
        }
        Ok(n_restored)
    }

    fn restore_reference(&self, moves: &[LoggedMove<'_>], last: &LoggedMove<'_>) -> Result<RefRecovery, MoveError> {
        let current = match self.read_ref(&last.name) {
            Ok(current) => current,
            // An empty file, for example: its name was on disk, its content was not.
            Err(GitError::BrokenRef { .. }) => return self.restore_to(&last.name, last.to),
            Err(error) => return Err(error.into()),
        };
        if current == Some(last.to) {
            return Ok(RefRecovery::Kept);
        }
        let is_older = current.is_none() || moves.iter().any(|one| one.from == current || Some(one.to) == current);
        if is_older || self.contains(Some(last.to), current)? {
            return self.restore_to(&last.name, last.to);
        }
        let is_newer = self.contains(current, Some(last.to))?;
        Ok(if is_newer { RefRecovery::Kept } else { RefRecovery::Foreign { last: last.to } })
    }

    fn restore_to(&self, name: &RefName, to: CommitId) -> Result<RefRecovery, MoveError> {
        RefLock::acquire(&SystemClock, self.common_dir(), name, self.format.sharing)?.commit(&to)?;
        Ok(RefRecovery::Moved)
    }

    /// Syncs everything that the records describe, and drops them, if there are any.
    pub(in crate::git) fn empty_wal(&self, guard: &WriterGuard) -> Result<(), MoveError> {
        self.recover_lost_writes(guard)?;
        match Wal::open(path_in(self))? {
            Some(mut wal) if wal.has_records() => Ok(self.checkpoint(&mut wal)?),
            _ => Ok(()),
        }
    }

    /// Syncs everything that the records describe, and drops them.
    pub(super) fn checkpoint(&self, wal: &mut Wal) -> Result<(), GitError> {
        let (mut folders, mut references) = (BTreeSet::from([self.objects_dir()]), BTreeSet::new());
        for payload in payloads(&wal.content, self.format.hash, wal.header.epoch) {
            let Some(logged) = LoggedMove::parse(payload) else { continue };
            let path = self.loose_path(&logged.to.0);
            // A missing file is in a pack, which git has synced.
            if durable::sync_file(&path)? {
                folders.extend(path.parent().map(Path::to_owned));
            }
            references.insert(self.common_dir().join(logged.name.as_str()));
        }
        for path in references {
            if durable::sync_file(&path)? {
                folders.extend(path.parent().map(Path::to_owned));
            }
        }
        folders.into_iter().try_for_each(|folder| durable::sync_folder(&folder))?;
        wal.clear(BootId::of_this_system().unwrap_or(wal.header.boot))
    }
}
