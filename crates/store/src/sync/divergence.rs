//! The commits that only one of two histories has. A plain merge contains no operations, so whether one side adds
//! anything depends on its other commits.

use std::collections::BTreeSet;

use crate::format;
use crate::git::{CommitId, ReadError, Repository};
use crate::open::StoreError;

/// The commits that only one of two histories has.
#[derive(Debug, Default)]
pub(crate) struct Divergence {
    /// Commits that only ours has.
    pub(super) ours: UniqueCommits,
    /// Commits that only theirs has.
    pub(super) theirs: UniqueCommits,
}

/// The commits that one history has and the other lacks.
#[derive(Debug, Default)]
pub(super) struct UniqueCommits {
    /// There are none: the other history contains this one.
    pub(super) is_empty: bool,
    /// The other history lacks an operation of this one.
    pub(super) adds_something: bool,
}

/// The decision about two tips.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TipChoice {
    /// Theirs has everything.
    Theirs,
    /// Ours has everything.
    Ours,
    /// A merge is needed.
    Merge,
    /// Both have the same operations, and remotes have both tips.
    Equals,
}

impl Divergence {
    /// Compares two histories.
    pub(crate) fn between(repository: &Repository, ours: CommitId, theirs: CommitId) -> Result<Self, StoreError> {
        Ok(Self { ours: unique_commits(repository, ours, theirs)?, theirs: unique_commits(repository, theirs, ours)? })
    }

    /// Decides between the tips. `is_private` returns whether no hub has ours.
    pub(crate) fn choose(
        &self,
        is_private: impl FnOnce() -> Result<bool, StoreError>,
    ) -> Result<TipChoice, StoreError> {
        if self.ours.is_empty {
            return Ok(TipChoice::Theirs);
        }
        if self.ours.adds_something {
            return Ok(if self.theirs.is_empty { TipChoice::Ours } else { TipChoice::Merge });
        }
        if self.theirs.adds_something || is_private()? {
            return Ok(TipChoice::Theirs);
        }
        Ok(if self.theirs.is_empty { TipChoice::Ours } else { TipChoice::Equals })
    }
}

fn unique_commits(repository: &Repository, tip: CommitId, without: CommitId) -> Result<UniqueCommits, StoreError> {
    let commits = repository.commits_between(tip, &[without])?;
    Ok(UniqueCommits { is_empty: commits.is_empty(), adds_something: adds_something(repository, &commits)? })
}

/// Returns whether one of the commits, each with its number of parents, is more than a plain merge.
pub(super) fn adds_something(repository: &Repository, commits: &[(CommitId, usize)]) -> Result<bool, StoreError> {
    for (id, n_parents) in commits {
        if *n_parents < 2 || !is_plain_merge(repository, *id)? {
            return Ok(true);
        }
    }
    Ok(false)
}

// An unreadable commit may contain operations.
fn is_plain_merge(repository: &Repository, id: CommitId) -> Result<bool, StoreError> {
    match repository.read_commit(&id, format::MESSAGE_LIMIT) {
        Ok(commit) => {
            let body = format::read_message(&commit.message).body;
            Ok(commit.has_empty_tree && body.trim_ascii().is_empty())
        }
        Err(ReadError::Git(error)) => Err(error.into()),
        Err(_) => Ok(false),
    }
}

/// Returns those of the tips that are not contained in another one, in order.
pub(super) fn maximal(repository: &Repository, tips: &BTreeSet<CommitId>) -> Result<Vec<CommitId>, StoreError> {
    let mut found = Vec::new();
    for tip in tips {
        let mut is_inside = false;
        for other in tips.iter().filter(|other| *other != tip) {
            is_inside = is_inside || repository.contains(Some(*other), Some(*tip))?;
        }
        if !is_inside {
            found.push(*tip);
        }
    }
    Ok(found)
}
