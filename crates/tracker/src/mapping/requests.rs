//! Requests about items of any kind.

use taiga::dto::{Comment, Epic, Issue, ItemId, Kind, MilestoneId, ProjectId, SeverityId, Story, Task};
use taiga::{Client, EpicFilter, IssueFilter, ItemFilter, OrderBy, StoryFilter, TaskFilter, Window};

use super::fields::Fields;
use super::item::RemoteItem;

/// The result of a request to the server.
pub(crate) type ServerResult<T> = Result<T, taiga::Error>;

/// A filter and an order for a list. Conditions that a kind does not have are ignored; epics have no order.
#[derive(Debug, Clone)]
pub(crate) struct ListFilter {
    pub(crate) core: ItemFilter,
    /// The epic of stories, or the story of tasks.
    pub(crate) parent: Option<ItemId>,
    /// `None` stands for the backlog.
    pub(crate) milestones: Vec<Option<MilestoneId>>,
    pub(crate) severities: Vec<SeverityId>,
    pub(crate) order: OrderBy,
}

impl Default for ListFilter {
    fn default() -> Self {
        Self {
            core: ItemFilter::default(),
            parent: None,
            milestones: Vec::new(),
            severities: Vec::new(),
            order: OrderBy::OLDEST_FIRST,
        }
    }
}

impl ListFilter {
    fn of_epics(&self) -> EpicFilter {
        EpicFilter { core: self.core.clone() }
    }

    fn of_stories(&self) -> StoryFilter {
        StoryFilter {
            core: self.core.clone(),
            epics: self.parent.map(Some).into_iter().collect(),
            milestones: self.milestones.clone(),
            order: Some(self.order),
            ..StoryFilter::default()
        }
    }

    fn of_tasks(&self) -> TaskFilter {
        TaskFilter {
            core: self.core.clone(),
            stories: self.parent.map(Some).into_iter().collect(),
            milestones: self.milestones.clone(),
            order: Some(self.order),
        }
    }

    fn of_issues(&self) -> IssueFilter {
        IssueFilter {
            core: self.core.clone(),
            milestones: self.milestones.clone(),
            severities: self.severities.clone(),
            order: Some(self.order),
            ..IssueFilter::default()
        }
    }
}

/// Reads all items of a kind in a project. Rows have no description.
pub(crate) fn list_all(
    client: &Client,
    kind: Kind,
    project: ProjectId,
    filter: &ListFilter,
) -> ServerResult<Vec<RemoteItem>> {
    match kind {
        Kind::Epic => client.list_all(project, &filter.of_epics()).map(each::<Epic>),
        Kind::Story => client.list_all(project, &filter.of_stories()).map(each::<Story>),
        Kind::Task => client.list_all(project, &filter.of_tasks()).map(each::<Task>),
        Kind::Issue => client.list_all(project, &filter.of_issues()).map(each::<Issue>),
    }
}

/// Reads one page of a list, and the total.
pub(crate) fn list(
    client: &Client,
    kind: Kind,
    project: ProjectId,
    filter: &ListFilter,
    window: Window,
) -> ServerResult<(Vec<RemoteItem>, u64)> {
    match kind {
        Kind::Epic => client.list(project, &filter.of_epics(), window).map(part::<Epic>),
        Kind::Story => client.list(project, &filter.of_stories(), window).map(part::<Story>),
        Kind::Task => client.list(project, &filter.of_tasks(), window).map(part::<Task>),
        Kind::Issue => client.list(project, &filter.of_issues(), window).map(part::<Issue>),
    }
}

pub(crate) fn get(client: &Client, kind: Kind, id: ItemId) -> ServerResult<RemoteItem> {
    match kind {
        Kind::Epic => client.get::<Epic>(id).map(RemoteItem::from),
        Kind::Story => client.get::<Story>(id).map(RemoteItem::from),
        Kind::Task => client.get::<Task>(id).map(RemoteItem::from),
        Kind::Issue => client.get::<Issue>(id).map(RemoteItem::from),
    }
}

pub(crate) fn create(
    client: &Client,
    kind: Kind,
    project: ProjectId,
    fields: &Fields,
    name: Option<&str>,
) -> ServerResult<RemoteItem> {
    match kind {
        Kind::Epic => client.create::<Epic>(&fields.epic_draft(project, name)).map(RemoteItem::from),
        Kind::Story => client.create::<Story>(&fields.story_draft(project, name)).map(RemoteItem::from),
        Kind::Task => client.create::<Task>(&fields.task_draft(project, name)).map(RemoteItem::from),
        Kind::Issue => client.create::<Issue>(&fields.issue_draft(project, name)).map(RemoteItem::from),
    }
}

/// Updates an item that was just read; fails with a conflict if one of the same fields was changed since.
pub(crate) fn patch(client: &Client, read: &RemoteItem, fields: &Fields) -> ServerResult<RemoteItem> {
    match read {
        RemoteItem::Epic(epic) => client.patch_from(&**epic, &fields.epic_patch()).map(RemoteItem::from),
        RemoteItem::Story(story) => client.patch_from(&**story, &fields.story_patch()).map(RemoteItem::from),
        RemoteItem::Task(task) => client.patch_from(&**task, &fields.task_patch()).map(RemoteItem::from),
        RemoteItem::Issue(issue) => client.patch_from(&**issue, &fields.issue_patch()).map(RemoteItem::from),
    }
}

/// Deletes an item; a story with its tasks.
pub(crate) fn delete(client: &Client, kind: Kind, id: ItemId) -> ServerResult<()> {
    match kind {
        Kind::Epic => client.delete::<Epic>(id),
        Kind::Story => client.delete::<Story>(id),
        Kind::Task => client.delete::<Task>(id),
        Kind::Issue => client.delete::<Issue>(id),
    }
}

/// Reads all comments of an item, oldest first, including deleted ones.
pub(crate) fn comments(client: &Client, kind: Kind, id: ItemId) -> ServerResult<Vec<Comment>> {
    let mut comments = Vec::new();
    loop {
        let window = Window::new(comments.len() as u64, Window::MAX_LIMIT)?;
        let page = client.comments(kind, id, window)?;
        let is_last = page.items.is_empty() || page.total <= comments.len() as u64 + page.items.len() as u64;
        comments.extend(page.items);
        if is_last {
            comments.reverse();
            return Ok(comments);
        }
    }
}

/// Adds a comment to an item.
pub(crate) fn add_comment(client: &Client, kind: Kind, id: ItemId, text: &str) -> ServerResult<()> {
    let add = || client.add_comment(kind, id, get(client, kind, id)?.core().version, text);
    match add() {
        // Taiga sometimes reports a false conflict; adding a comment cannot conflict, so retry once.
        Err(error) if error.is_conflict() => add(),
        other => other,
    }
}

fn each<I: Into<RemoteItem>>(rows: Vec<I>) -> Vec<RemoteItem> {
    rows.into_iter().map(Into::into).collect()
}

fn part<I: Into<RemoteItem>>(page: taiga::Page<I>) -> (Vec<RemoteItem>, u64) {
    (each(page.items), page.total)
}
