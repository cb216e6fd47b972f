//! The values that a tracker returns.

use std::fmt;

use jiff::Timestamp;
use jiff::civil::Date;

use super::change::Blocking;
use super::priority::Priority;
use crate::Kind;

/// The largest integer that JSON readers with 64-bit floats keep exact (2^53 − 1).
const MAX_ID: u64 = (1 << 53) - 1;

/// An id: an integer from 1 on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(u64);

impl Id {
    /// Returns an id, or `None` if the number is out of range.
    pub fn new(number: u64) -> Option<Self> {
        (1..=MAX_ID).contains(&number).then_some(Self(number))
    }

    /// Returns the number.
    pub fn get(self) -> u64 {
        self.0
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A work item.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Its id.
    pub id: Id,
    /// The number that users see.
    pub number: u64,
    /// Its kind.
    pub kind: Kind,
    /// Its project.
    pub project: Id,
    /// The title, one line.
    pub subject: String,
    /// Markdown; `None` in lists.
    pub description: Option<String>,
    /// The id of its status; an item on a server may have none.
    pub status: Option<Id>,
    /// The name of its status.
    pub status_name: String,
    /// Whether its status is closed.
    pub is_closed: bool,
    /// The assignee.
    pub assignee: Option<Id>,
    /// Tags, without the one that stores the priority.
    pub tags: Vec<String>,
    /// The priority; epics have none.
    pub priority: Option<Priority>,
    /// Whether it is blocked.
    pub blocking: Blocking,
    /// The epic of a story, or the story of a task.
    pub parent: Option<Id>,
    /// `#rrggbb`, of an epic.
    pub color: Option<String>,
    /// The severity of an issue.
    pub severity: Option<String>,
    /// The type of an issue.
    pub type_: Option<String>,
    /// The fields beyond the contract.
    pub planned: PlannedFields,
    /// The version, if the back end counts changes.
    pub version: Option<u64>,
    /// When it was created.
    pub created: Timestamp,
    /// When it was last changed.
    pub modified: Timestamp,
}

/// The fields beyond the contract.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PlannedFields {
    /// The sprint.
    pub sprint: Option<Id>,
    /// The due date.
    pub due: Option<Date>,
    /// The points of a story.
    pub points: Option<f64>,
    /// All assignees.
    pub assignees: Vec<Id>,
    /// The order numbers of a story in the backlog, in its sprint and on the kanban board; only their relative order
    /// counts.
    pub orders: Option<[i64; 3]>,
    /// The URL of its page.
    pub url: Option<String>,
    /// A hash of the item's state, if the back end does not count changes.
    pub version: Option<u64>,
}

/// A project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectCard {
    /// Its id.
    pub id: Id,
    /// Its name in URLs.
    pub slug: String,
    /// Its display name.
    pub name: String,
    /// Its description; may be empty.
    pub description: String,
    /// Whether it is the active project.
    pub is_active: bool,
}

/// A reference to a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProjectName {
    /// By its id.
    Id(Id),
    /// By its slug.
    Slug(String),
}

/// A status of the workflow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stage {
    /// Its id.
    pub id: Id,
    /// Its name.
    pub name: String,
    /// Its position in the workflow.
    pub order: i64,
    /// Whether items with this status are closed.
    pub is_closed: bool,
    /// `draft`, `todo`, `doing`, `review`, `done` or `dropped`.
    pub category: String,
    /// `#rrggbb`.
    pub color: String,
}

/// A person who can be assigned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrackerPerson {
    /// Their id.
    pub id: Id,
    /// A short name.
    pub username: String,
    /// The full name.
    pub full_name: String,
    /// Their role in the project; may be empty.
    pub role: String,
}

/// A page of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// Number of entries to skip.
    pub offset: u64,
    /// Maximum number of entries.
    pub limit: u64,
}

/// One page of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryPage<T> {
    /// The entries of the page.
    pub items: Vec<T>,
    /// The total number of entries.
    pub total: u64,
}

impl<T> EntryPage<T> {
    /// Returns one page of the full list.
    pub fn cut(all: Vec<T>, window: Window) -> Self {
        let total = u64::try_from(all.len()).unwrap_or(u64::MAX);
        let count = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        let items = all.into_iter().skip(count(window.offset)).take(count(window.limit)).collect();
        Self { items, total }
    }
}
