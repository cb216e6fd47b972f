//! What a tracker is asked to find, to make and to change.

use jiff::Timestamp;
use jiff::civil::Date;
use model::patch::Patch;

use super::entry::Id;
use super::priority::Priority;

/// Whether something holds a piece of work up.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Blocking {
    /// Whether it does.
    pub is_blocked: bool,
    /// What it is, when someone said so.
    pub reason: Option<String>,
}

/// When work is to be done, how much it is and by whom: what goes beyond the contract.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Planning {
    /// The sprint.
    pub sprint: Patch<Id>,
    /// The day by which it must be done.
    pub due: Patch<Date>,
    /// The points of a story.
    pub points: Patch<f64>,
    /// Everyone a story is assigned to, the first one first.
    pub assignees: Option<Vec<Id>>,
}

/// The order of a list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Order {
    /// As they were made.
    #[default]
    Created,
    /// The order of the backlog, as people dragged it.
    Backlog,
    /// The order in the sprint.
    Sprint,
    /// The order on the kanban board.
    Kanban,
}

/// Where a card is put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CardTarget {
    /// Before all others of its list.
    Top,
    /// Directly before this one.
    Before(Id),
    /// Directly after this one.
    After(Id),
}

/// How a card is moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CardMove {
    /// Where to.
    pub target: CardTarget,
    /// On the kanban board, rather than in the backlog or the sprint. A repository has one order for both.
    pub on_kanban: bool,
}

/// A piece of work to be made. What a kind does not have is ignored.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Draft {
    /// One line.
    pub subject: String,
    /// Markdown.
    pub description: Option<String>,
    /// Who works on it.
    pub assignee: Option<Id>,
    /// Tags.
    pub tags: Vec<String>,
    /// How urgent it is.
    pub priority: Option<Priority>,
    /// The epic of a story, or the story of a task.
    pub parent: Option<Id>,
    /// `#rrggbb`, of an epic.
    pub colour: Option<String>,
    /// How bad an issue is.
    pub severity: Option<String>,
    /// What sort of issue it is.
    pub type_: Option<String>,
    /// When, how much and by whom.
    pub planning: Planning,
}

/// What to change about a piece of work; what is absent stays.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Change {
    /// One line.
    pub subject: Option<String>,
    /// Markdown.
    pub description: Option<String>,
    /// Who works on it.
    pub assignee: Patch<Id>,
    /// A status of its kind.
    pub status: Option<Id>,
    /// All of its tags.
    pub tags: Option<Vec<String>>,
    /// How urgent it is.
    pub priority: Option<Priority>,
    /// Whether something holds it up. Without a reason, one that is there stays.
    pub blocking: Option<Blocking>,
    /// The epic of a story.
    pub epic: Patch<Id>,
    /// `#rrggbb`, of an epic.
    pub colour: Option<String>,
    /// How bad an issue is.
    pub severity: Option<String>,
    /// What sort of issue it is.
    pub type_: Option<String>,
    /// When, how much and by whom.
    pub planning: Planning,
    /// The version that who asks has read: a later one is a conflict.
    pub version: Option<u64>,
}

/// Which work is wanted; everything unless said.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    /// All of these words, in any of its texts.
    pub words: Option<String>,
    /// Tags, in lower or upper case as they were given.
    pub tags: Vec<String>,
    /// Whether one of the tags is enough.
    pub matching: Match,
    /// One of these statuses.
    pub statuses: Vec<Id>,
    /// Assigned to one of these.
    pub assignees: Vec<Id>,
    /// Assigned to nobody.
    pub unassigned: bool,
    /// Changed then or later.
    pub modified_since: Option<Timestamp>,
    /// The epic of stories, or the story of tasks.
    pub parent: Option<Id>,
    /// How bad issues are.
    pub severity: Option<String>,
    /// A sprint, or none of them.
    pub sprint: Patch<Id>,
    /// In which order.
    pub order: Order,
}

/// How many of several tags are needed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Match {
    /// One.
    #[default]
    Any,
    /// Each.
    All,
}
