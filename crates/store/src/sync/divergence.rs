//! What two histories of a ref have that the other lacks. A plain merge says nothing by itself, so whether one side has
//! something to tell depends on its other commits.

use std::collections::BTreeSet;

use crate::format;
use crate::git::{CommitId, ReadError, Repository};
use crate::open::StoreError;

/// The commits that only one of two histories has.
#[derive(Debug, Default)]
pub(super) struct Divergence {
    /// What only ours has.
    pub(super) ours: Side,
    /// What only theirs has.
    pub(super) theirs: Side,
}

/// The commits that one history has and the other lacks.
#[derive(Debug, Default)]
pub(super) struct Side {
    /// Whether there is none: the other history contains this one.
    pub(super) is_empty: bool,
    /// Whether the other history lacks an operation of this one.
    pub(super) adds_something: bool,
}

/// What becomes of two tips.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Choice {
    /// Theirs has all that is needed.
    Theirs,
    /// Ours has all that is needed.
    Ours,
    /// Both must be merged.
    Merge,
    /// Both say the same, and hubs have both.
    Equals,
}

impl Divergence {
    /// Compares two histories.
    pub(super) fn between(repository: &Repository, ours: CommitId, theirs: CommitId) -> Result<Self, StoreError> {
        Ok(Self { ours: side(repository, ours, theirs)?, theirs: side(repository, theirs, ours)? })
    }

    /// Decides between the tips. `is_private` tells whether no hub has ours.
    pub(super) fn choose(&self, is_private: impl FnOnce() -> Result<bool, StoreError>) -> Result<Choice, StoreError> {
        if self.ours.is_empty {
            return Ok(Choice::Theirs);
        }
        if self.ours.adds_something {
            return Ok(if self.theirs.is_empty { Choice::Ours } else { Choice::Merge });
        }
        if self.theirs.adds_something || is_private()? {
            return Ok(Choice::Theirs);
        }
        Ok(if self.theirs.is_empty { Choice::Ours } else { Choice::Equals })
    }
}

fn side(repository: &Repository, tip: CommitId, without: CommitId) -> Result<Side, StoreError> {
    let commits = repository.commits_between(tip, &[without])?;
    Ok(Side { is_empty: commits.is_empty(), adds_something: adds_something(repository, &commits)? })
}

/// Tells whether one of the commits, each with the number of its parents, is more than a plain merge.
pub(super) fn adds_something(repository: &Repository, commits: &[(CommitId, usize)]) -> Result<bool, StoreError> {
    for (id, n_parents) in commits {
        if *n_parents < 2 || !is_plain_merge(repository, *id)? {
            return Ok(true);
        }
    }
    Ok(false)
}

// One that cannot be read may hold operations.
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

/// Returns those of the tips that no other one contains, in order.
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
