//! The four kinds of item of a Taiga behind one type, and the calls that are made about them.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::civil::Date;
use serde_json::Value;
use taiga::dto::{
    Blocked, Change, Core, Draft, Epic, EpicDraft, EpicPatch, Issue, IssueDraft, IssuePatch, IssueTypeId, ItemId,
    MilestoneId, Patch, PriorityId, ProjectId, SeverityId, StatusId, Story, StoryDraft, StoryPatch, Tag, Task,
    TaskDraft, TaskPatch, UserId,
};
use taiga::{Client, EpicFilter, IssueFilter, ItemFilter, OrderBy, StoryFilter, TaskFilter};

use super::kind::Kind;
use super::shape::Key;
use crate::mapping::points::PointScale;
use crate::tracker::Priority;

/// An item there, of any kind.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Remote {
    Epic(Box<Epic>),
    Story(Box<Story>),
    Task(Box<Task>),
    Issue(Box<Issue>),
}

/// Does the same for whichever kind it is.
macro_rules! each {
    ($remote:expr, $one:ident => $result:expr) => {
        match $remote {
            Remote::Epic($one) => $result,
            Remote::Story($one) => $result,
            Remote::Task($one) => $result,
            Remote::Issue($one) => $result,
        }
    };
}

impl Remote {
    pub(super) fn kind(&self) -> Kind {
        match self {
            Self::Epic(_) => Kind::Epic,
            Self::Story(_) => Kind::Story,
            Self::Task(_) => Kind::Task,
            Self::Issue(_) => Kind::Issue,
        }
    }

    pub(super) fn core(&self) -> &Core {
        each!(self, one => &one.core)
    }

    pub(super) fn id(&self) -> u64 {
        self.core().id.0
    }

    pub(super) fn due(&self) -> Option<Date> {
        match self {
            Self::Epic(_) => None,
            Self::Story(story) => story.due_date,
            Self::Task(task) => task.due_date,
            Self::Issue(issue) => issue.due_date,
        }
    }

    pub(super) fn sprint(&self) -> Option<u64> {
        match self {
            Self::Story(story) => story.milestone.map(|id| id.0),
            Self::Issue(issue) => issue.milestone.map(|id| id.0),
            Self::Task(task) => task.milestone.map(|id| id.0),
            Self::Epic(_) => None,
        }
    }

    /// Returns what it can be a part of: the epics of a story, the story of a task.
    pub(super) fn parents(&self) -> Vec<u64> {
        match self {
            Self::Story(story) => story.epics.iter().map(|epic| epic.id.0).collect(),
            Self::Task(task) => task.user_story.iter().map(|id| id.0).collect(),
            Self::Epic(_) | Self::Issue(_) => Vec::new(),
        }
    }

    pub(super) fn finished(&self) -> Option<Timestamp> {
        match self {
            Self::Epic(_) => None,
            Self::Story(story) => story.finish_date,
            Self::Task(task) => task.finished_date,
            Self::Issue(issue) => issue.finished_date,
        }
    }
}

type Answer<T> = Result<T, taiga::Error>;

/// Lists everything of a kind in a project, oldest first where the server has an order by time.
pub(super) fn list(client: &Client, kind: Kind, project: u64) -> Answer<Vec<Remote>> {
    let project = ProjectId(project);
    let order = Some(OrderBy::OLDEST_FIRST);
    Ok(match kind {
        Kind::Epic => client
            .list_all(project, &EpicFilter::default())?
            .into_iter()
            .map(|one| Remote::Epic(Box::new(one)))
            .collect(),
        Kind::Story => {
            let filter = StoryFilter { order, ..StoryFilter::default() };
            client.list_all(project, &filter)?.into_iter().map(|one| Remote::Story(Box::new(one))).collect()
        }
        Kind::Task => {
            let filter = TaskFilter { order, ..TaskFilter::default() };
            client.list_all(project, &filter)?.into_iter().map(|one| Remote::Task(Box::new(one))).collect()
        }
        Kind::Issue => {
            let filter = IssueFilter { order, ..IssueFilter::default() };
            client.list_all(project, &filter)?.into_iter().map(|one| Remote::Issue(Box::new(one))).collect()
        }
        Kind::Sprint => Vec::new(),
    })
}

/// Lists the tasks of a story.
pub(super) fn tasks_of(client: &Client, project: u64, story: u64) -> Answer<Vec<Task>> {
    let filter =
        TaskFilter { stories: vec![Some(ItemId(story))], core: ItemFilter::default(), ..TaskFilter::default() };
    client.list_all(ProjectId(project), &filter)
}

/// Reads one item.
pub(super) fn get(client: &Client, kind: Kind, id: u64) -> Answer<Remote> {
    let id = ItemId(id);
    match kind {
        Kind::Epic => client.get(id).map(|one| Remote::Epic(Box::new(one))),
        Kind::Story => client.get(id).map(|one| Remote::Story(Box::new(one))),
        Kind::Task => client.get(id).map(|one| Remote::Task(Box::new(one))),
        Kind::Issue | Kind::Sprint => client.get(id).map(|one| Remote::Issue(Box::new(one))),
    }
}

/// Returns which project an item or a sprint is in.
pub(super) fn project_of(client: &Client, kind: Kind, id: u64) -> Answer<u64> {
    match kind {
        Kind::Sprint => client.milestone(MilestoneId(id)).map(|sprint| sprint.project.0),
        kind => get(client, kind, id).map(|one| one.core().project.0),
    }
}

pub(super) fn delete(client: &Client, kind: Kind, id: u64) -> Answer<()> {
    let id = ItemId(id);
    match kind {
        Kind::Epic => client.delete::<Epic>(id),
        Kind::Story => client.delete::<Story>(id),
        Kind::Task => client.delete::<Task>(id),
        Kind::Issue | Kind::Sprint => client.delete::<Issue>(id),
    }
}

/// Values to be sent, by what they are about. Parents of stories are not among what a change carries.
pub(super) type Values = BTreeMap<Key, Value>;

/// Changes an item that was just read; the server refuses if somebody else changed one of the same fields since.
pub(super) fn patch(client: &Client, scale: &PointScale, read: &Remote, values: &Values) -> Answer<Remote> {
    let (id, version) = (read.core().id, read.core().version);
    let core = core_patch(read, values);
    match read {
        Remote::Epic(_) => {
            let color = text(values.get(&Key::Colour));
            client.patch::<Epic>(id, version, &EpicPatch { core, color }).map(|one| Remote::Epic(Box::new(one)))
        }
        Remote::Story(story) => {
            let patch = StoryPatch {
                core,
                assigned_users: values.get(&Key::Assignee).map(|to| hand_over(story, to.as_u64().map(UserId))),
                milestone: change(values.get(&Key::Sprint), |value| value.as_u64().map(MilestoneId)),
                due_date: change(values.get(&Key::Due), date),
                points: values.get(&Key::Size).and_then(|size| scale.for_size(&story.points, size.as_str())),
            };
            client.patch::<Story>(id, version, &patch).map(|one| Remote::Story(Box::new(one)))
        }
        Remote::Task(_) => {
            let patch = TaskPatch {
                core,
                user_story: change(values.get(&Key::Parent), |value| value.as_u64().map(ItemId)),
                milestone: change(values.get(&Key::Sprint), |value| value.as_u64().map(MilestoneId)),
                due_date: change(values.get(&Key::Due), date),
            };
            client.patch::<Task>(id, version, &patch).map(|one| Remote::Task(Box::new(one)))
        }
        Remote::Issue(_) => {
            let id_of = |key: &Key| values.get(key).and_then(Value::as_u64);
            let patch = IssuePatch {
                core,
                priority: id_of(&Key::Priority).map(PriorityId),
                severity: id_of(&Key::Severity).map(SeverityId),
                issue_type: id_of(&Key::Type).map(IssueTypeId),
                milestone: change(values.get(&Key::Sprint), |value| value.as_u64().map(MilestoneId)),
                due_date: change(values.get(&Key::Due), date),
            };
            client.patch::<Issue>(id, version, &patch).map(|one| Remote::Issue(Box::new(one)))
        }
    }
}

/// Returns everyone a story will be assigned to: a server keeps the former assignee in the list unless told otherwise. Others whom
/// it was given to beside that one stay.
pub(crate) fn hand_over(story: &Story, to: Option<UserId>) -> Vec<UserId> {
    let others =
        story.assigned_users.iter().copied().filter(|user| Some(*user) != story.core.assigned_to && Some(*user) != to);
    to.into_iter().chain(others).collect()
}

fn core_patch(read: &Remote, values: &Values) -> Patch {
    let is_about_tags = |key: &Key| match key {
        Key::Tag(_) => true,
        Key::Priority => read.kind() != Kind::Issue,
        _ => false,
    };
    let tags = values.keys().any(is_about_tags).then(|| tags(read.kind(), &read.core().tags, values));
    Patch {
        subject: text(values.get(&Key::Subject)),
        description: text(values.get(&Key::Description)),
        status: values.get(&Key::Status).and_then(Value::as_u64).map(StatusId),
        assigned_to: change(values.get(&Key::Assignee), |value| value.as_u64().map(UserId)),
        tags,
        blocked: values.get(&Key::Blocked).map(blocked),
        comment: None,
    }
}

/// Makes an item.
pub(super) fn create(
    client: &Client,
    scale: &PointScale,
    kind: Kind,
    project: u64,
    values: &Values,
    name: Option<&str>,
) -> Answer<Remote> {
    let id_of = |key: &Key| values.get(key).and_then(Value::as_u64);
    let date_of = |key: &Key| values.get(key).and_then(date);
    let core = Draft {
        description: text(values.get(&Key::Description)).filter(|text| !text.is_empty()),
        status: id_of(&Key::Status).map(StatusId),
        assigned_to: id_of(&Key::Assignee).map(UserId),
        tags: tags(kind, &[], values),
        blocked: values.get(&Key::Blocked).filter(|value| !value.is_null()).map(blocked),
        external_reference: name.map(|name| ["cairn".to_owned(), name.to_owned()]),
        ..Draft::new(ProjectId(project), text(values.get(&Key::Subject)).unwrap_or_default())
    };
    match kind {
        Kind::Epic => client
            .create::<Epic>(&EpicDraft { core, color: text(values.get(&Key::Colour)) })
            .map(|one| Remote::Epic(Box::new(one))),
        Kind::Story => {
            let milestone = id_of(&Key::Sprint).map(MilestoneId);
            let size = values.get(&Key::Size).and_then(Value::as_str);
            let points = size.and_then(|size| scale.for_size(&BTreeMap::new(), Some(size))).unwrap_or_default();
            let draft = StoryDraft { milestone, due_date: date_of(&Key::Due), points, ..core.into() };
            client.create::<Story>(&draft).map(|one| Remote::Story(Box::new(one)))
        }
        Kind::Task => {
            let draft = TaskDraft {
                core,
                user_story: id_of(&Key::Parent).map(ItemId),
                milestone: id_of(&Key::Sprint).map(MilestoneId),
                due_date: date_of(&Key::Due),
            };
            client.create::<Task>(&draft).map(|one| Remote::Task(Box::new(one)))
        }
        Kind::Issue | Kind::Sprint => {
            let draft = IssueDraft {
                core,
                priority: id_of(&Key::Priority).map(PriorityId),
                severity: id_of(&Key::Severity).map(SeverityId),
                issue_type: id_of(&Key::Type).map(IssueTypeId),
                milestone: id_of(&Key::Sprint).map(MilestoneId),
                due_date: date_of(&Key::Due),
            };
            client.create::<Issue>(&draft).map(|one| Remote::Issue(Box::new(one)))
        }
    }
}

/// Changes only the tags that are to be changed: the others keep their colours, and the list replaces the old one.
fn tags(kind: Kind, now: &[Tag], values: &Values) -> Vec<Tag> {
    let priority = values.get(&Key::Priority).filter(|_| kind != Kind::Issue);
    let is_kept = |tag: &&Tag| {
        let key = Key::Tag(tag.name.to_lowercase());
        let is_replaced = priority.is_some() && Priority::is_tag(&tag.name);
        !is_replaced && values.get(&key).is_none_or(|value| !value.is_null())
    };
    let mut tags: Vec<Tag> = now.iter().filter(is_kept).cloned().collect();
    let added = values.iter().filter_map(|(key, value)| match key {
        Key::Tag(name) if !value.is_null() => Some(name.clone()),
        _ => None,
    });
    let urgent = priority.and_then(Value::as_str).and_then(Priority::try_parse).map(Priority::tag);
    for name in added.chain(urgent) {
        if !tags.iter().any(|tag| tag.name.to_lowercase() == name) {
            tags.push(Tag::new(name));
        }
    }
    tags
}

fn text(value: Option<&Value>) -> Option<String> {
    value.map(|value| value.as_str().unwrap_or_default().to_owned())
}

fn date(value: &Value) -> Option<Date> {
    value.as_str()?.parse().ok()
}

fn blocked(value: &Value) -> Blocked {
    value.as_str().map_or(Blocked::No, |reason| Blocked::Yes { reason: reason.to_owned() })
}

/// Not to be sent, to be emptied, or to be set.
fn change<T>(value: Option<&Value>, read: impl Fn(&Value) -> Option<T>) -> Change<T> {
    value.map_or(Change::Keep, |value| read(value).into())
}

/// Returns the highest id among items.
pub(super) fn newest(items: &[Remote]) -> u64 {
    items.iter().map(Remote::id).max().unwrap_or(0)
}

/// Returns which item of ours an item says it is.
pub(super) fn named_by_us(item: &Remote) -> Option<&str> {
    match item.core().external_reference.as_deref() {
        Some([program, name]) if program == "cairn" => Some(name),
        _ => None,
    }
}
