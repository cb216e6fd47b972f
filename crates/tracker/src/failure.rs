//! The error of a tracker, as facts. Each interface words them itself: a dialect in its contract's texts and names, the
//! command line in ours.

mod words;

use app::Error;
use taiga::{Error as ServerError, ErrorKind as ServerErrorKind};

pub use words::auth_hint;

use super::entry::Id;
use crate::Kind;

/// An error of a tracker.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    /// What went wrong.
    pub problem: Problem,
    /// The changes that were made nevertheless, or may have been.
    pub side_effect: Option<SideEffect>,
}

/// What went wrong.
#[derive(Debug, Clone, PartialEq)]
pub enum Problem {
    /// The call needs an active project.
    NoActiveProject,
    /// The object is not in the active project.
    NotFound(Subject),
    /// No status of this kind has the id.
    UnknownStatus(Id, IdPosition),
    /// No member has the id.
    UnknownMember(Id, IdPosition),
    /// No object that could be the parent has the id.
    UnknownParent {
        /// The kind of the child.
        of: Kind,
        /// The id.
        id: Id,
    },
    /// No sprint of the active project has the id.
    UnknownSprint(Id),
    /// The project has a scale of points without this value.
    UnknownPoints {
        /// The values of the scale.
        allowed: Vec<String>,
    },
    /// The project has no severity of this name.
    UnknownSeverity {
        /// The names, joined by commas.
        allowed: String,
    },
    /// The project has no issue type of this name.
    UnknownType {
        /// The names, joined by commas.
        allowed: String,
    },
    /// The project defines no priorities.
    NoPriorities,
    /// A sprint would end before it begins.
    FinishBeforeStart,
    /// The card to move next to does not exist.
    UnknownNeighbor(Neighbor),
    /// Tasks are ordered within a story, and this one has none.
    TaskWithoutStory,
    /// The server keeps no order of issues.
    UnorderedIssues,
    /// The caller claims to have read a version that does not exist yet.
    FutureVersion {
        /// The newest version.
        now: u64,
    },
    /// Someone else changed the same object; nothing was written.
    Conflict(Conflict),
    /// The user's role lacks a right, so that the server would return an empty list.
    MayNotView {
        /// The listed objects.
        what: ListedObjects,
        /// The server's name of the right.
        right: &'static str,
    },
    /// The milestone workflow of the repository has no status that closes a sprint.
    NoClosedStatus,
    /// The comment was added, but the list that was read afterwards does not have it.
    CommentNotListed,
    /// An object has a number that cannot be an id.
    InvalidId,
    /// The server, or the connection to it.
    Server(Box<ServerError>),
    /// The repository.
    Repository(Box<Error>),
}

/// An object that a call refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// A project of the tracker.
    Project,
    /// A sprint of the active project.
    Sprint,
    /// The status of a story.
    Status,
    /// A work item.
    Work(Kind),
}

/// Where in a request an id was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdPosition {
    /// In a field with one id.
    Single,
    /// In a list of ids.
    InList,
}

/// The side of a card on which another one is to be placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Neighbor {
    /// The moved card is placed before it.
    Before,
    /// The moved card is placed after it.
    After,
}

/// The objects of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListedObjects {
    /// Work items of a kind.
    Work,
    /// Sprints of a project.
    Sprints,
}

/// How a conflict was noticed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conflict {
    /// The caller read an older version than the server has.
    OldVersion {
        /// The newest version.
        now: u64,
        /// The version that the caller read.
        read: u64,
    },
    /// The item is not in the version that the caller read.
    OtherVersion,
    /// Every attempt met another change.
    KeptChanging,
}

/// The changes that a failed call made, or may have made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SideEffect {
    /// None: the active project can no longer be read, and the call does not name it.
    ActiveProjectLost,
    /// The object may have been created: no response came.
    MaybeCreated(NewObject),
    /// The change or deletion may have been made: no response came.
    MaybeDone,
    /// The comment was added.
    CommentAdded,
    /// The story was created, but is not in its epic.
    CreatedOutsideEpic(Id),
    /// All changes were made except the move to another epic.
    ChangedExceptEpic,
}

/// An object that a call creates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewObject {
    /// A work item.
    Work(Kind),
    /// A sprint of the active project.
    Sprint,
    /// A comment on a work item.
    Comment,
}

impl Failure {
    pub(super) fn not_found(what: Subject) -> Self {
        Problem::NotFound(what).into()
    }

    pub(super) fn is_not_found(&self) -> bool {
        match &self.problem {
            Problem::NotFound(_) => true,
            Problem::Server(error) => error.kind == ServerErrorKind::NotFound,
            _ => false,
        }
    }

    /// Returns whether the server refused access.
    pub(super) fn is_forbidden(&self) -> bool {
        match &self.problem {
            Problem::MayNotView { .. } => true,
            Problem::Server(error) => error.status == Some(403),
            _ => false,
        }
    }

    /// Adds the parts of the call that succeeded.
    pub(super) fn after(self, side_effect: SideEffect) -> Self {
        Self { side_effect: Some(side_effect), ..self }
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Self { problem, side_effect: None }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Problem::Repository(Box::new(error)).into()
    }
}

impl From<ServerError> for Failure {
    fn from(error: ServerError) -> Self {
        Problem::Server(Box::new(error)).into()
    }
}
