//! Where the refs live that several processes change: the log and the notes.
//!
//! Either in the clone alone, or in a database that several servers share. Then the clone is a copy: a ref is moved in
//! the database first, by compare-and-swap, and a write counts once it is committed there; before a read, the clone
//! catches up. Nothing above this module knows which it is.

mod clone_alone;
mod database_refs;
mod follow;
mod identity;
mod join;
mod open;
mod verify;

use std::sync::Arc;
use std::time::Duration;

use crate::git::{CommitId, MoveError, NewCommit, RefName, Repository};
use crate::open::StoreError;
pub(crate) use clone_alone::CloneAlone;
pub(crate) use open::shared_refs_of;
pub use open::{Shared, share};
pub use verify::{DatabaseCheck, RefCheck, verify_database};

/// What happens to reads while the database does not answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WhenAway {
    /// They fail: an answer could be older than what somebody was told.
    #[default]
    Fail,
    /// They are answered from the clone.
    ReadFromClone,
}

/// How a clone follows the database.
#[derive(Debug, Clone, Copy, Default)]
pub struct ShareOptions {
    /// How old the state of a read may be; zero asks the database before each read.
    pub max_staleness: Duration,
    /// What happens to reads while the database does not answer.
    pub when_away: WhenAway,
}

/// A move of a ref.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RefMove<'a> {
    /// The ref.
    pub(crate) name: &'a RefName,
    /// Its commit before the move, in the clone.
    pub(crate) from: Option<CommitId>,
    /// Its commit before the move where it is shared. It differs only while commits of the clone are joined.
    pub(crate) shared_from: Option<CommitId>,
    /// Its new commit. Invariant: everything that is reachable from `from` or `shared_from` is reachable from it, or
    /// is a merge without operations.
    pub(crate) to: CommitId,
    /// The message for the reflog.
    pub(crate) reason: &'a str,
}

impl<'a> RefMove<'a> {
    /// Creates a move of a ref that is the same in the clone and where it is shared.
    pub(crate) fn new(name: &'a RefName, from: Option<CommitId>, to: CommitId, reason: &'a str) -> Self {
        Self { name, from, shared_from: from, to, reason }
    }
}

/// How the clone compares with what is shared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    /// The clone has all of it, and nothing else.
    Current,
    /// The clone has commits that are not shared yet. It has all objects of the shared tip.
    Ahead {
        /// The tip that is shared.
        shared: Option<CommitId>,
    },
}

/// Where shared refs live.
pub(crate) trait SharedRefs: Send + Sync {
    /// Brings the clone up to what is shared.
    fn catch_up(&self, repository: &Repository, name: &RefName) -> Result<Standing, StoreError>;

    /// Moves a ref by compare-and-swap. When it returns, everybody who catches up has the move.
    fn publish(&self, repository: &Repository, to: &RefMove<'_>) -> Result<(), PublishRefError>;

    /// Writes a commit and moves the log to it. When it returns, everybody who catches up has both. The caller holds the
    /// writer lock.
    fn publish_commit(
        &self,
        repository: &Repository,
        commit: &NewCommit<'_>,
        from: Option<CommitId>,
        reason: &str,
    ) -> Result<CommitId, PublishRefError>;

    /// Returns whether others publish too, so that a write has to wait for its turn.
    fn is_contended(&self) -> bool;

    /// Waits until this server may plan its next write, if others publish too, until [`SharedRefs::end_turn`] or the next
    /// publication. Call it under the writers' lock, which makes it one turn at a time.
    fn take_turn(&self);

    /// Ends the turn, if there is one.
    fn end_turn(&self);

    /// Returns whether other clones have the tips of this one without a sync.
    fn has_other_clones(&self) -> bool;
}

/// Why a ref was not moved.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PublishRefError {
    /// The clone refused; the ref is unchanged.
    #[error(transparent)]
    Move(#[from] MoveError),
    /// Everything else, in the words of the store.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl PublishRefError {
    /// Returns whether somebody else moved the ref first.
    pub(crate) fn is_moved(&self) -> bool {
        matches!(self, Self::Move(MoveError::Moved { .. }))
    }
}

impl From<PublishRefError> for StoreError {
    fn from(error: PublishRefError) -> Self {
        match error {
            PublishRefError::Move(error) => error.into(),
            PublishRefError::Store(error) => error,
        }
    }
}

/// The refs of a store.
pub(crate) type SharedRefsHandle = Arc<dyn SharedRefs>;

/// The turn of a server among others, ended when dropped.
pub(crate) struct TurnGuard(SharedRefsHandle);

impl TurnGuard {
    /// Waits for the turn.
    pub(crate) fn take(shared: &SharedRefsHandle) -> Self {
        shared.take_turn();
        Self(Arc::clone(shared))
    }
}

impl Drop for TurnGuard {
    fn drop(&mut self) {
        self.0.end_turn();
    }
}
