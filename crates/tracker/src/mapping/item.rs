//! One type for the four kinds of Taiga items.

use jiff::Timestamp;
use jiff::civil::Date;
use taiga::dto::{Core, Epic, Issue, Kind, Story, Task, UserId};

/// A Taiga item of any kind.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum RemoteItem {
    Epic(Box<Epic>),
    Story(Box<Story>),
    Task(Box<Task>),
    Issue(Box<Issue>),
}

impl RemoteItem {
    pub(crate) fn kind(&self) -> Kind {
        match self {
            Self::Epic(_) => Kind::Epic,
            Self::Story(_) => Kind::Story,
            Self::Task(_) => Kind::Task,
            Self::Issue(_) => Kind::Issue,
        }
    }

    pub(crate) fn core(&self) -> &Core {
        match self {
            Self::Epic(epic) => &epic.core,
            Self::Story(story) => &story.core,
            Self::Task(task) => &task.core,
            Self::Issue(issue) => &issue.core,
        }
    }

    pub(crate) fn id(&self) -> u64 {
        self.core().id.0
    }

    pub(crate) fn due(&self) -> Option<Date> {
        match self {
            Self::Epic(_) => None,
            Self::Story(story) => story.due_date,
            Self::Task(task) => task.due_date,
            Self::Issue(issue) => issue.due_date,
        }
    }

    pub(crate) fn sprint(&self) -> Option<u64> {
        match self {
            Self::Story(story) => story.milestone.map(|id| id.0),
            Self::Issue(issue) => issue.milestone.map(|id| id.0),
            Self::Task(task) => task.milestone.map(|id| id.0),
            Self::Epic(_) => None,
        }
    }

    /// Returns the parents: the epics of a story, the story of a task.
    pub(crate) fn parents(&self) -> Vec<u64> {
        match self {
            Self::Story(story) => story.epics.iter().map(|epic| epic.id.0).collect(),
            Self::Task(task) => task.user_story.iter().map(|id| id.0).collect(),
            Self::Epic(_) | Self::Issue(_) => Vec::new(),
        }
    }

    pub(crate) fn finished(&self) -> Option<Timestamp> {
        match self {
            Self::Epic(_) => None,
            Self::Story(story) => story.finish_date,
            Self::Task(task) => task.finished_date,
            Self::Issue(issue) => issue.finished_date,
        }
    }

    /// Returns all assignees, the main one first.
    pub(crate) fn assignees(&self) -> Vec<UserId> {
        let main = self.core().assigned_to;
        let others = match self {
            Self::Story(story) => story.assigned_users.as_slice(),
            _ => &[],
        };
        main.into_iter().chain(others.iter().copied().filter(|user| Some(*user) != main)).collect()
    }

    /// Returns all assignees of a story after its main assignee changes; `None` for other kinds, which have one
    /// assignee. Taiga keeps a former assignee in the list unless it is replaced; further assignees stay.
    pub(crate) fn assignees_after(&self, to: Option<UserId>) -> Option<Vec<UserId>> {
        let Self::Story(story) = self else { return None };
        let is_other = |user: &UserId| Some(*user) != story.core.assigned_to && Some(*user) != to;
        Some(to.into_iter().chain(story.assigned_users.iter().copied().filter(is_other)).collect())
    }
}

impl From<Epic> for RemoteItem {
    fn from(epic: Epic) -> Self {
        Self::Epic(Box::new(epic))
    }
}

impl From<Story> for RemoteItem {
    fn from(story: Story) -> Self {
        Self::Story(Box::new(story))
    }
}

impl From<Task> for RemoteItem {
    fn from(task: Task) -> Self {
        Self::Task(Box::new(task))
    }
}

impl From<Issue> for RemoteItem {
    fn from(issue: Issue) -> Self {
        Self::Issue(Box::new(issue))
    }
}
