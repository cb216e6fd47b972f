//! Joins commits that only the clone has with those that are shared, as `sync` does with a remote: on the first
//! contact, and after a command that wrote to the clone past the server.

use std::collections::HashSet;

use super::database_refs::move_clone_ref;
use super::{RefMove, Standing};
use crate::adopt::{Adoption, OnPublishedConflict, claiming_operations};
use crate::git::{CommitId, RefName};
use crate::notes;
use crate::open::{Notice, Store, StoreError};
use crate::sync::{Divergence, TipChoice};

/// How often joining is tried again because another server was first.
const MAX_TRIES: usize = 64;

impl Store {
    /// Brings the clone's log up to the shared one, and shares what only the clone has.
    pub(crate) fn follow_shared_log(&mut self) -> Result<(), StoreError> {
        for _ in 0..MAX_TRIES {
            let Standing::Ahead { shared } = self.shared.catch_up(&self.repository, &RefName::WORK)? else {
                return Ok(());
            };
            match self.join_log(shared) {
                Err(StoreError::Move(crate::git::MoveError::Moved { .. })) => {}
                joined => return joined,
            }
        }
        Err(StoreError::Contended)
    }

    /// Does the same for notes.
    pub(crate) fn follow_shared_notes(&self, name: &RefName) -> Result<(), StoreError> {
        for _ in 0..MAX_TRIES {
            let Standing::Ahead { shared } = self.shared.catch_up(&self.repository, name)? else { return Ok(()) };
            match self.join_notes(name, shared) {
                Err(StoreError::Move(crate::git::MoveError::Moved { .. })) => {}
                joined => return joined,
            }
        }
        Err(StoreError::Contended)
    }

    fn join_log(&mut self, shared: Option<CommitId>) -> Result<(), StoreError> {
        let Some(ours) = self.repository.read_ref(&RefName::WORK)? else { return Ok(()) };
        let Some(theirs) = shared else {
            tracing::info!(tip = %ours, "filling the database from the clone");
            return self.share_tip(&RefName::WORK, ours, None, ours);
        };
        let choice = Divergence::between(&self.repository, ours, theirs)?.choose(|| Ok(false))?;
        tracing::info!(%ours, %theirs, ?choice, "joining commits that only the clone has");
        match choice {
            TipChoice::Ours => self.share_tip(&RefName::WORK, ours, shared, ours),
            // What only the clone has are merges without operations.
            TipChoice::Theirs => {
                Ok(move_clone_ref(&self.repository, &RefMove::new(&RefName::WORK, Some(ours), theirs, "shared"), None)?)
            }
            TipChoice::Merge | TipChoice::Equals => self.merge_log(ours, theirs),
        }
    }

    fn merge_log(&mut self, ours: CommitId, theirs: CommitId) -> Result<(), StoreError> {
        // Numbers are compared from our state.
        self.refresh_index()?;
        let tip = self.write_merge(&[ours, theirs])?;
        let adoption = Adoption {
            from: Some(ours),
            shared_from: Some(theirs),
            tip,
            limit: u64::MAX,
            reason: "shared",
            on_published_conflict: OnPublishedConflict::Renumber,
        };
        self.adopt(&adoption, |repository| {
            let own = repository.commits_between(ours, &[theirs])?;
            let claims: HashSet<_> = claiming_operations(repository, own.into_iter().map(|(id, _)| id))?;
            Ok(claims)
        })?;
        Ok(())
    }

    fn join_notes(&self, name: &RefName, shared: Option<CommitId>) -> Result<(), StoreError> {
        let Some(ours) = self.repository.read_ref(name)? else { return Ok(()) };
        let Some(theirs) = shared else { return self.share_tip(name, ours, None, ours) };
        let repository = &self.repository;
        if repository.contains(Some(theirs), Some(ours))? {
            return Ok(move_clone_ref(repository, &RefMove::new(name, Some(ours), theirs, "shared"), None)?);
        }
        if repository.contains(Some(ours), Some(theirs))? {
            return self.share_tip(name, ours, shared, ours);
        }
        let (merged, warnings) = notes::write_merge(repository, ours, theirs)?;
        for warning in warnings {
            self.tell(Notice::Skipped(warning));
        }
        self.share_tip(name, ours, shared, merged)
    }

    fn share_tip(
        &self,
        name: &RefName,
        ours: CommitId,
        shared: Option<CommitId>,
        to: CommitId,
    ) -> Result<(), StoreError> {
        let to = RefMove { name, from: Some(ours), shared_from: shared, to, reason: "shared" };
        Ok(self.shared.publish(&self.repository, &to)?)
    }
}
