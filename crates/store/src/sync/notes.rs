//! Joins the annotations of a remote with ours. As for the work, nothing is merged if one side contains the other.

use super::divergence::{Divergence, TipChoice, UniqueCommits};
use super::{MAX_TRIES, NotesOutcome, SyncReport};
use crate::git::{CommitId, ObjectId, RefName};
use crate::notes;
use crate::open::{Notice, Store, StoreError};
use crate::shared::RefMove;

impl Store {
    /// Updates our notes ref so that it contains the remote's, and returns the remote's tip.
    pub(super) fn merge_notes(
        &mut self,
        remote: &str,
        name: &RefName,
        report: &mut SyncReport,
    ) -> Result<Option<CommitId>, StoreError> {
        self.follow_shared_notes(name)?;
        let tracking = self.repository.tracking_ref(remote, name)?;
        let (ours, theirs) = (self.repository.read_ref(name)?, self.repository.read_ref(&tracking)?);
        let Some(new) = theirs.filter(|theirs| ours != Some(*theirs)) else {
            if ours.is_some() && theirs.is_none() {
                report.notes = NotesOutcome::Shared;
            }
            return Ok(theirs);
        };
        let _guard = self.lock()?;
        for _ in 0..MAX_TRIES {
            self.follow_shared_notes(name)?;
            let ours = self.repository.read_ref(name)?;
            let joined = match ours {
                None => new,
                Some(ours) => self.joined_notes(name, ours, new, report)?,
            };
            report.notes = report.notes.max(NotesOutcome::Shared);
            if ours == Some(joined) {
                return Ok(theirs);
            }
            match self.shared.publish(&self.repository, &RefMove::new(name, ours, joined, "sync")) {
                Ok(()) => return Ok(theirs),
                Err(error) if error.is_moved() => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(StoreError::Contended)
    }

    fn joined_notes(
        &self,
        name: &RefName,
        ours: CommitId,
        theirs: CommitId,
        report: &mut SyncReport,
    ) -> Result<CommitId, StoreError> {
        let repository = &self.repository;
        let is_ours_inside = repository.contains(Some(theirs), Some(ours))?;
        let is_theirs_inside = repository.contains(Some(ours), Some(theirs))?;
        let merged = match (is_ours_inside, is_theirs_inside) {
            (true, _) => return Ok(theirs),
            (_, true) => ours,
            _ => {
                let (merged, warnings) = notes::write_merge(repository, ours, theirs)?;
                for warning in warnings {
                    self.tell(Notice::Skipped(warning));
                }
                merged
            }
        };
        let tree = self.notes_tree(merged)?;
        let divergence = Divergence {
            ours: UniqueCommits { is_empty: is_ours_inside, adds_something: tree != self.notes_tree(theirs)? },
            theirs: UniqueCommits { is_empty: is_theirs_inside, adds_something: tree != self.notes_tree(ours)? },
        };
        match divergence.choose(|| self.is_private(name, ours))? {
            TipChoice::Theirs => Ok(theirs),
            TipChoice::Ours => Ok(ours),
            TipChoice::Merge => {
                report.notes = NotesOutcome::Merged;
                Ok(merged)
            }
            TipChoice::Equals => {
                let is_equal = |tip| Ok(self.notes_tree(tip)? == tree);
                match self.equal_tips(name, ours, theirs, is_equal)?.as_slice() {
                    [only] => Ok(*only),
                    tips => notes::write_equal_merge(repository, tips, tree),
                }
            }
        }
    }

    fn notes_tree(&self, tip: CommitId) -> Result<ObjectId, StoreError> {
        Ok(self.repository.read_commit(&tip, notes::MESSAGE_LIMIT)?.tree)
    }
}
