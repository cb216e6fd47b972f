//! Requests to a tracker: queries, new work items and changes.

use jiff::Timestamp;
use jiff::civil::Date;
use model::patch::Patch;

use super::entry::Id;
use super::priority::Priority;

/// Whether a work item is blocked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Blocking {
    /// Not blocked.
    No,
    /// Blocked; without a reason, an existing one is kept.
    Yes {
        /// The reason, if one is given.
        reason: Option<String>,
    },
}

impl Blocking {
    /// Makes one from a text of other interfaces; an empty reason is none.
    pub fn from_reason(reason: &str) -> Self {
        Self::Yes { reason: Some(reason).filter(|reason| !reason.is_empty()).map(str::to_owned) }
    }
}

/// Sprint, due date, points and assignees: the fields beyond the contract.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PlannedChanges {
    /// The sprint.
    pub sprint: Patch<Id>,
    /// The due date.
    pub due: Patch<Date>,
    /// The points of a story.
    pub points: Patch<f64>,
    /// All assignees of a story, the main one first.
    pub assignees: Option<Vec<Id>>,
}

/// The order of a list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum EntryOrder {
    /// By creation.
    #[default]
    Created,
    /// The order of the backlog.
    Backlog,
    /// The order in the sprint.
    Sprint,
    /// The order on the kanban board.
    Kanban,
}

/// The target of a card move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CardTarget {
    /// The top of its list.
    Top,
    /// Directly before this card.
    Before(Id),
    /// Directly after this card.
    After(Id),
}

/// A card move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CardMove {
    /// The target.
    pub target: CardTarget,
    /// On the kanban board instead of the backlog or sprint. A repository has one order for both.
    pub on_kanban: bool,
}

/// A new work item. Fields that the kind does not have are ignored.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Draft {
    /// The title, one line.
    pub subject: String,
    /// Markdown.
    pub description: Option<String>,
    /// The assignee.
    pub assignee: Option<Id>,
    /// Tags.
    pub tags: Vec<String>,
    /// The priority.
    pub priority: Option<Priority>,
    /// The epic of a story, or the story of a task.
    pub parent: Option<Id>,
    /// `#rrggbb`, of an epic.
    pub color: Option<String>,
    /// The severity of an issue.
    pub severity: Option<String>,
    /// The type of an issue.
    pub type_: Option<String>,
    /// The planning fields.
    pub planning: PlannedChanges,
}

/// Changes to a work item; absent fields are kept.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EntryChange {
    /// The title, one line.
    pub subject: Option<String>,
    /// Markdown.
    pub description: Option<String>,
    /// The assignee.
    pub assignee: Patch<Id>,
    /// A status of its kind.
    pub status: Option<Id>,
    /// Replaces all tags.
    pub tags: Option<Vec<String>>,
    /// The priority.
    pub priority: Option<Priority>,
    /// Whether it is blocked. Without a reason, an existing reason is kept.
    pub blocking: Option<Blocking>,
    /// The epic of a story.
    pub epic: Patch<Id>,
    /// `#rrggbb`, of an epic.
    pub color: Option<String>,
    /// The severity of an issue.
    pub severity: Option<String>,
    /// The type of an issue.
    pub type_: Option<String>,
    /// The planning fields.
    pub planning: PlannedChanges,
    /// The version that the caller has read; a later one is a conflict.
    pub version: Option<u64>,
}

/// A filter for work items; the default matches all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EntryQuery {
    /// Words that must all occur in the item's texts.
    pub words: Option<String>,
    /// Tags, case-insensitive.
    pub tags: Vec<String>,
    /// Whether one or all of the tags must match.
    pub matching: TagMatch,
    /// Allowed statuses; empty for all.
    pub statuses: Vec<Id>,
    /// Allowed assignees; empty for all.
    pub assignees: Vec<Id>,
    /// Only items without an assignee.
    pub unassigned: bool,
    /// Only items changed at or after this time.
    pub modified_since: Option<Timestamp>,
    /// The epic of stories, or the story of tasks.
    pub parent: Option<Id>,
    /// The severity of issues.
    pub severity: Option<String>,
    /// A sprint; `Clear` for items without one.
    pub sprint: Patch<Id>,
    /// The order of the list.
    pub order: EntryOrder,
}

/// Whether one or all of several tags must match.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TagMatch {
    /// At least one.
    #[default]
    Any,
    /// All of them.
    All,
}
