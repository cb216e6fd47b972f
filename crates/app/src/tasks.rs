//! Tasks and the boards they lie on, named by whole numbers, for programs that keep a list of them in step. The same
//! items as everywhere: only tasks and boards are seen, and what is not seen stays as it is.
//!
//! A status is free text here and a name in a workflow everywhere else; `said` says how the two keep together. Refusals
//! name fields as the outside does: `board_id`, `owner_id`.

mod change;
mod read;
mod said;
mod take;
mod unknown;

use jiff::Timestamp;
use jiff::civil::Date;
use model::field::FieldChange;
use model::patch::Patch;
pub use store::index::Titled;

pub use read::TaskPage;
pub use take::{TaskQuery, Which};

/// An id as someone outside wrote it. It holds every whole number that JSON clients send, so that the refusal of one that
/// nothing can have names what exists, as every other refusal does.
pub type RequestedId = i128;

/// A task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// Its number.
    pub number: u64,
    /// One line.
    pub title: String,
    /// Markdown; may be empty.
    pub description: String,
    /// What was said of where it stands; nothing while nobody did and it was not begun.
    pub status: Option<String>,
    /// `small`, `medium`, `large` or `xlarge`.
    pub size: Option<String>,
    /// 0 to 10.
    pub priority: u8,
    /// The number of the board it lies on.
    pub board: Option<u64>,
    /// The number of the person who has it.
    pub owner: Option<u64>,
    /// Whether someone agreed that it should be done.
    pub approved: bool,
    /// When work began.
    pub started: Option<Date>,
    /// When it should be finished.
    pub expected: Option<Date>,
    /// When it was finished.
    pub completed: Option<Date>,
    /// When it was made.
    pub created: Timestamp,
    /// When it last changed.
    pub updated: Timestamp,
}

/// A board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Board {
    /// Its number.
    pub number: u64,
    /// Its name.
    pub name: String,
    /// The numbers of the tasks on it, the lowest first.
    pub tasks: Vec<u64>,
    /// When it was made.
    pub created: Timestamp,
    /// When it last changed.
    pub updated: Timestamp,
}

/// What to change about a task, or to make one with; what is not given stays, or is as for every new item.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TaskChange {
    /// Fields and their new values.
    pub fields: Vec<FieldChange>,
    /// The number of a board.
    pub board: Patch<RequestedId>,
    /// The number of a person.
    pub owner: Patch<RequestedId>,
    /// What to say of where it stands.
    pub status: Patch<String>,
}
