//! What a tracker shows.

use std::fmt;

use jiff::Timestamp;
use jiff::civil::Date;

use super::change::Blocking;
use super::priority::Priority;

/// The largest whole number that every reader of JSON keeps exact.
const MAX_ID: u64 = (1 << 53) - 1;

/// What something is called by: a whole number from 1 on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(u64);

impl Id {
    /// Takes a number that can be an id.
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

/// A kind of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A large thing made of stories.
    Epic,
    /// Something a user gets.
    Story,
    /// Something to do, for a story.
    Task,
    /// Something to look into.
    Issue,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 4] = [Self::Epic, Self::Story, Self::Task, Self::Issue];

    /// Returns what people call one of them at the beginning of a sentence.
    pub fn title(self) -> &'static str {
        match self {
            Self::Epic => "Epic",
            Self::Story => "User story",
            Self::Task => "Task",
            Self::Issue => "Issue",
        }
    }
}

/// A piece of work.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// What it is called by.
    pub id: Id,
    /// The number that people see.
    pub number: u64,
    /// What it is.
    pub kind: Kind,
    /// The project it belongs to.
    pub project: Id,
    /// One line.
    pub subject: String,
    /// Markdown; `None` where lists leave it out.
    pub description: Option<String>,
    /// The id of its status; a server's work may be without one.
    pub status: Option<Id>,
    /// The name of its status.
    pub status_name: String,
    /// Whether its status counts as closed.
    pub is_closed: bool,
    /// Who works on it.
    pub assignee: Option<Id>,
    /// Without the one that stands for a priority.
    pub tags: Vec<String>,
    /// How urgent it is; epics have none.
    pub priority: Option<Priority>,
    /// Whether something holds it up.
    pub blocking: Blocking,
    /// The epic of a story, or the story of a task.
    pub parent: Option<Id>,
    /// `#rrggbb`, of an epic.
    pub colour: Option<String>,
    /// How bad an issue is.
    pub severity: Option<String>,
    /// What sort of issue it is.
    pub type_: Option<String>,
    /// When, how much, by whom and where: what goes beyond the contract.
    pub planned: Planned,
    /// Counts its changes, where the back end counts them.
    pub version: Option<u64>,
    /// When it was made.
    pub created: Timestamp,
    /// When it last changed.
    pub modified: Timestamp,
}

/// What goes beyond the contract.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Planned {
    /// The sprint.
    pub sprint: Option<Id>,
    /// The day by which it must be done.
    pub due: Option<Date>,
    /// The points of a story.
    pub points: Option<f64>,
    /// Everyone it is assigned to.
    pub assignees: Vec<Id>,
    /// The places of a story in the backlog, in its sprint and on the kanban board: only their order counts.
    pub orders: Option<[i64; 3]>,
    /// The address of its page.
    pub url: Option<String>,
    /// Names the state it is in, where the back end does not count changes.
    pub version: Option<u64>,
}

/// A project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectCard {
    /// What it is called by.
    pub id: Id,
    /// What it is called in addresses.
    pub slug: String,
    /// What people call it.
    pub name: String,
    /// What it is; may be empty.
    pub description: String,
    /// Whether tools work on it.
    pub is_active: bool,
}

/// How a project is named by who asks for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProjectName {
    /// By its id.
    Id(Id),
    /// By its slug.
    Slug(String),
}

/// A status, as something that work goes through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stage {
    /// What it is called by.
    pub id: Id,
    /// What people call it.
    pub name: String,
    /// Its place among the others.
    pub order: i64,
    /// Whether work in it counts as closed.
    pub is_closed: bool,
    /// `draft`, `todo`, `doing`, `review`, `done` or `dropped`.
    pub category: String,
    /// `#rrggbb`.
    pub colour: String,
}

/// Someone who can be assigned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// What the person is called by.
    pub id: Id,
    /// A short name.
    pub username: String,
    /// The whole name.
    pub full_name: String,
    /// What the person does here; may be empty.
    pub role: String,
}

/// Which part of a list is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// How many to leave out at the beginning.
    pub offset: u64,
    /// How many at the most.
    pub limit: u64,
}

/// Part of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    /// What is in the window.
    pub items: Vec<T>,
    /// How many there are in all.
    pub total: u64,
}

impl<T> Page<T> {
    /// Cuts a window out of everything.
    pub fn cut(all: Vec<T>, window: Window) -> Self {
        let total = u64::try_from(all.len()).unwrap_or(u64::MAX);
        let count = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        let items = all.into_iter().skip(count(window.offset)).take(count(window.limit)).collect();
        Self { items, total }
    }
}
