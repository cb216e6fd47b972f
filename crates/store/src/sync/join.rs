//! Which tip a sync ends at, so that all clones and remotes converge on one.
//!
//! A merge is written only where our side has operations that theirs lacks and neither contains the other, or where two
//! remotes, which move by fast-forward alone, have different tips with the same operations. Merges that no remote has are
//! dropped when they are not needed. A decision that depends on other remotes is made after fetching them, so that the next
//! clone does not decide differently.
//! `docs/decisions/0019-sync-convergence.md` says why this ends.

use std::collections::BTreeSet;

use super::divergence::{Divergence, TipChoice, adds_something, maximal};
use crate::adopt::{machine, seconds};
use crate::format;
use crate::git::{CommitId, NewCommit, RefName};
use crate::open::{Store, StoreError};

/// Up to this many remotes, tips with the same operations are always merged: one commit joins them. With more, clones
/// that each merge another pair could go on forever.
const MAX_ALWAYS_MERGED: usize = 2;

/// The state of the other remotes, as the clone knows it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum OtherRemotes {
    /// Not fetched in this sync.
    #[default]
    NotFetched,
    /// All of them were just fetched.
    Fresh,
    /// Some were unreachable: their tracked tips may be outdated.
    Stale,
}

impl Store {
    /// Decides between our tip and theirs.
    fn choice(&self, ours: CommitId, theirs: CommitId) -> Result<TipChoice, StoreError> {
        Divergence::between(&self.repository, ours, theirs)?.choose(|| self.is_private(&RefName::WORK, ours))
    }

    /// Returns a tip with all operations of both histories; writes a merge if one is needed. `None` if that depends on
    /// other remotes.
    pub(super) fn joined_tip(
        &self,
        ours: CommitId,
        theirs: CommitId,
        other_remotes: OtherRemotes,
    ) -> Result<Option<CommitId>, StoreError> {
        if other_remotes != OtherRemotes::NotFetched {
            return self.tip_of_all(ours, theirs, other_remotes).map(Some);
        }
        match self.choice(ours, theirs)? {
            TipChoice::Theirs => Ok(Some(theirs)),
            TipChoice::Ours => Ok(Some(ours)),
            TipChoice::Merge => self.write_merge(&[ours, theirs]).map(Some),
            TipChoice::Equals => Ok(None),
        }
    }

    /// Returns a tip with all operations of ours and of every hub.
    fn tip_of_all(
        &self,
        ours: CommitId,
        theirs: CommitId,
        other_remotes: OtherRemotes,
    ) -> Result<CommitId, StoreError> {
        let tracked = self.repository.tracked(&RefName::WORK)?;
        let mut others: BTreeSet<CommitId> = tracked.iter().copied().collect();
        others.insert(theirs);
        let own = self.repository.commits_between(ours, &others.iter().copied().collect::<Vec<_>>())?;
        // Other servers have our tip: as on a remote, it cannot go back.
        let is_kept = self.shared.has_other_clones() || adds_something(&self.repository, &own)?;
        let is_needed = own.iter().any(|(id, _)| *id == ours) && is_kept;
        if is_needed {
            others.insert(ours);
        }
        let tips = maximal(&self.repository, &others)?;
        match tips.as_slice() {
            [only] => Ok(*only),
            [lowest, ..]
                if !is_needed
                    && *lowest == theirs
                    && other_remotes == OtherRemotes::Stale
                    && tracked.len() > MAX_ALWAYS_MERGED =>
            {
                Ok(theirs)
            }
            tips => self.write_merge(tips),
        }
    }

    /// Returns whether nobody else has this commit of a ref, as far as known.
    pub(super) fn is_private(&self, name: &RefName, commit: CommitId) -> Result<bool, StoreError> {
        if self.shared.has_other_clones() {
            return Ok(false);
        }
        let tracked = self.repository.tracked(name)?;
        let outside = self.repository.commits_between(commit, &tracked)?;
        Ok(outside.iter().any(|(id, _)| *id == commit))
    }

    /// Returns the tips of a ref on remotes that have the same content, none contains another, and must be merged.
    pub(super) fn equal_tips(
        &self,
        name: &RefName,
        ours: CommitId,
        theirs: CommitId,
        is_equal: impl Fn(CommitId) -> Result<bool, StoreError>,
    ) -> Result<Vec<CommitId>, StoreError> {
        let mut tips = BTreeSet::from([ours, theirs]);
        for tip in self.repository.tracked(name)? {
            if is_equal(tip)? {
                tips.insert(tip);
            }
        }
        maximal(&self.repository, &tips)
    }

    /// Writes the merge commit of tips; it is the same whoever writes it.
    pub(crate) fn write_merge(&self, tips: &[CommitId]) -> Result<CommitId, StoreError> {
        let mut parents = tips.to_vec();
        parents.sort_unstable();
        let mut newest = 0;
        for tip in &parents {
            newest = seconds(&self.repository, *tip)?.max(newest);
        }
        let message = format::write_message("merge", b"");
        let author = machine(newest);
        let commit = NewCommit { parents: &parents, message: &message, files: &[], author: Some(&author) };
        Ok(self.repository.write_commit(&commit)?)
    }
}
