//! The clone alone: its refs are the shared ones, for all processes on this machine.

use super::{PublishRefError, RefMove, SharedRefs, Standing};
use crate::git::{CommitId, MoveError, NewCommit, RefName, Repository};
use crate::open::StoreError;

/// The refs of a clone that shares them with no database.
pub(crate) struct CloneAlone;

impl SharedRefs for CloneAlone {
    fn catch_up(&self, _: &Repository, _: &RefName) -> Result<Standing, StoreError> {
        Ok(Standing::Current)
    }

    fn publish(&self, repository: &Repository, to: &RefMove<'_>) -> Result<(), PublishRefError> {
        repository.sync_log().map_err(MoveError::from)?;
        Ok(repository.move_ref(to.name, to.from, to.to, to.reason)?)
    }

    fn publish_commit(
        &self,
        repository: &Repository,
        commit: &NewCommit<'_>,
        from: Option<CommitId>,
        reason: &str,
    ) -> Result<CommitId, PublishRefError> {
        repository.sync_log().map_err(MoveError::from)?;
        Ok(repository.commit_to(commit, &RefName::WORK, from, reason)?)
    }

    fn is_contended(&self) -> bool {
        false
    }

    // The writers' lock is the turn.
    fn take_turn(&self) {}

    fn end_turn(&self) {}

    fn has_other_clones(&self) -> bool {
        false
    }
}
