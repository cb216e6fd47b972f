//! Tasks and boards, identified by integers, for programs that synchronize task lists. These are the same items as
//! everywhere; only tasks and boards are visible, and other fields are kept.
//!
//! A status is free text here and a name in a workflow everywhere else; `free_text_status` maps between the two.

mod change;
mod free_text_status;
mod read;
mod take;
mod unknown;

use jiff::Timestamp;
use jiff::civil::Date;
use model::field::FieldChange;
use model::patch::Patch;
use model::size::Size;
pub use store::index::TitledItem;

pub use read::TaskPage;
pub use take::{TaskQuery, TaskSelection};

/// An id as given by a client. It holds every integer that JSON clients send, so that an impossible id gets the same
/// error with existing ids as any other.
pub type RequestedId = i128;

/// A task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// Its number.
    pub number: u64,
    /// The title, one line.
    pub title: String,
    /// Markdown; may be empty.
    pub description: String,
    /// The free-text status; `None` if none was set and the task is not started.
    pub status: Option<String>,
    /// Its size.
    pub size: Option<Size>,
    /// 0 to 10.
    pub priority: u8,
    /// The number of its board.
    pub board: Option<u64>,
    /// The number of its assignee.
    pub owner: Option<u64>,
    /// Whether it was approved.
    pub approved: bool,
    /// The start date.
    pub started: Option<Date>,
    /// The due date.
    pub expected: Option<Date>,
    /// The completion date.
    pub completed: Option<Date>,
    /// When it was created.
    pub created: Timestamp,
    /// When it was last changed.
    pub updated: Timestamp,
}

/// A board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Board {
    /// Its number.
    pub number: u64,
    /// Its name.
    pub name: String,
    /// The numbers of its tasks, ascending.
    pub tasks: Vec<u64>,
    /// When it was created.
    pub created: Timestamp,
    /// When it was last changed.
    pub updated: Timestamp,
}

/// Changes to a task, or the fields of a new one; absent fields are kept, or get the defaults of new items.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TaskChange {
    /// Fields and their new values.
    pub fields: Vec<FieldChange>,
    /// The number of a board.
    pub board: Patch<RequestedId>,
    /// The number of a person.
    pub owner: Patch<RequestedId>,
    /// The free-text status.
    pub status: Patch<String>,
}
