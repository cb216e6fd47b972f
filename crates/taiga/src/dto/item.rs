//! Epics, stories, tasks and issues, as in lists and in detail responses.

use std::collections::BTreeMap;
use std::fmt::Debug;

use jiff::Timestamp;
use jiff::civil::Date;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::draft::{Draft, EpicDraft, IssueDraft, StoryDraft, TaskDraft};
use super::id::{
    IssueTypeId, ItemId, MilestoneId, PointsId, PriorityId, ProjectId, RoleId, SeverityId, StatusId, UserId,
};
use super::patch::{EpicPatch, IssuePatch, Patch, StoryPatch, TaskPatch};
use super::tag::Tag;
use crate::filter::{AsQuery, EpicFilter, IssueFilter, ItemFilter, StoryFilter, TaskFilter};

/// The four kinds of item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A group of stories.
    Epic,
    /// A user story.
    Story,
    /// A task of a story, or without one.
    Task,
    /// A bug, a question or an enhancement.
    Issue,
}

impl Kind {
    /// All kinds, parents before their children.
    pub const ALL: [Self; 4] = [Self::Epic, Self::Story, Self::Task, Self::Issue];

    /// Path of the collection.
    pub(crate) fn path(self) -> &'static str {
        match self {
            Self::Epic => "/epics",
            Self::Story => "/userstories",
            Self::Task => "/tasks",
            Self::Issue => "/issues",
        }
    }

    /// Name of the kind in other paths.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Epic => "epic",
            Self::Story => "userstory",
            Self::Task => "task",
            Self::Issue => "issue",
        }
    }
}

/// One of the four kinds, with its associated types.
pub trait Item: Clone + Debug + DeserializeOwned + Serialize {
    /// The kind.
    const KIND: Kind;
    /// Filters of its lists.
    type Filter: AsQuery + Clone + Debug + Default + From<ItemFilter>;
    /// Body of a create request.
    type Draft: Clone + Debug + From<Draft> + Serialize;
    /// Body of an update request.
    type Patch: Clone + Debug + Default + From<Patch> + Serialize;

    /// Returns the common fields.
    fn core(&self) -> &Core;
}

/// Fields that all four kinds have.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
pub struct Core {
    /// Unique on the server within its kind.
    pub id: ItemId,
    /// The number that people see: one sequence for all kinds of a project.
    #[serde(rename = "ref", default)]
    pub reference: Option<u64>,
    /// Incremented by every change; an update must send the version that it is based on.
    pub version: u64,
    /// The project of the item.
    pub project: ProjectId,
    /// Title.
    pub subject: String,
    /// Markdown; absent in lists.
    #[serde(default)]
    pub description: Option<String>,
    /// A status of this kind of item.
    #[serde(default)]
    pub status: Option<StatusId>,
    /// Name and color of the status.
    #[serde(default)]
    pub status_extra_info: Option<StatusInfo>,
    /// The assignee.
    #[serde(default)]
    pub assigned_to: Option<UserId>,
    /// Name of the assignee.
    #[serde(default)]
    pub assigned_to_extra_info: Option<UserInfo>,
    /// The user who created it.
    #[serde(default)]
    pub owner: Option<UserId>,
    /// Name of the user who created it.
    #[serde(default)]
    pub owner_extra_info: Option<UserInfo>,
    /// In lower case.
    #[serde(default, deserialize_with = "none_as_empty")]
    pub tags: Vec<Tag>,
    /// Whether it is blocked.
    #[serde(default, deserialize_with = "none_as_empty")]
    pub is_blocked: bool,
    /// Reason of the block.
    #[serde(default, deserialize_with = "none_as_empty")]
    pub blocked_note: String,
    /// Whether it is closed; for a story this also depends on its tasks.
    #[serde(default, deserialize_with = "none_as_empty")]
    pub is_closed: bool,
    /// Time of creation.
    pub created_date: Timestamp,
    /// Time of the last change.
    pub modified_date: Timestamp,
    /// Reference to another program: the program and its own id. Epics have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external_reference: Option<Vec<String>>,
    /// Number of comments; not in every response.
    #[serde(default)]
    pub total_comments: Option<u64>,
}

/// A status, embedded in items.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct StatusInfo {
    /// Display name.
    pub name: String,
    /// Color as `#rrggbb`.
    #[serde(default)]
    pub color: Option<String>,
    /// Whether it closes items.
    #[serde(default, deserialize_with = "none_as_empty")]
    pub is_closed: bool,
}

/// A user, embedded in items.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct UserInfo {
    /// Absent for a deleted account.
    #[serde(default)]
    pub id: Option<UserId>,
    /// Login name.
    pub username: String,
    /// Display name.
    #[serde(default)]
    pub full_name_display: Option<String>,
}

/// An epic.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
pub struct Epic {
    /// The common fields.
    #[serde(flatten)]
    pub core: Core,
    /// Any text; meant to be a color.
    #[serde(default)]
    pub color: Option<String>,
    /// Sort key among the epics; only the order is meaningful.
    #[serde(default)]
    pub epics_order: Option<i64>,
    /// Number of stories.
    #[serde(default)]
    pub user_stories_counts: Option<StoryCounts>,
}

/// Number of stories of an epic.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
pub struct StoryCounts {
    /// All stories.
    pub total: u64,
    /// Progress; `None` without stories.
    #[serde(default)]
    pub progress: Option<f64>,
}

/// A user story.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
pub struct Story {
    /// The common fields.
    #[serde(flatten)]
    pub core: Core,
    /// The epics it belongs to; may be several.
    #[serde(default, deserialize_with = "none_as_empty")]
    pub epics: Vec<EpicRef>,
    /// All assignees, including `assigned_to`.
    #[serde(default, deserialize_with = "none_as_empty")]
    pub assigned_users: Vec<UserId>,
    /// Sort key in the backlog; only the order is meaningful.
    #[serde(default)]
    pub backlog_order: Option<i64>,
    /// Sort key in its sprint.
    #[serde(default)]
    pub sprint_order: Option<i64>,
    /// Sort key on the kanban board.
    #[serde(default)]
    pub kanban_order: Option<i64>,
    /// Swimlane on the kanban board.
    #[serde(default)]
    pub swimlane: Option<u64>,
    /// The sprint; `None` means the backlog.
    #[serde(default)]
    pub milestone: Option<MilestoneId>,
    /// Due date.
    #[serde(default)]
    pub due_date: Option<Date>,
    /// Points by role.
    #[serde(default, deserialize_with = "points_by_role")]
    pub points: BTreeMap<RoleId, PointsId>,
    /// Sum of its points.
    #[serde(default)]
    pub total_points: Option<f64>,
    /// Time at which it was closed.
    #[serde(default)]
    pub finish_date: Option<Timestamp>,
}

/// An epic, embedded in stories.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct EpicRef {
    /// The epic.
    pub id: ItemId,
    /// The number that people see.
    #[serde(rename = "ref", default)]
    pub reference: Option<u64>,
    /// Title.
    #[serde(default, deserialize_with = "none_as_empty")]
    pub subject: String,
}

/// A task.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
pub struct Task {
    /// The common fields.
    #[serde(flatten)]
    pub core: Core,
    /// The story it belongs to, if any.
    #[serde(default)]
    pub user_story: Option<ItemId>,
    /// Number and title of that story.
    #[serde(default)]
    pub user_story_extra_info: Option<StoryRef>,
    /// Sort key in its story; only the order is meaningful.
    #[serde(default)]
    pub us_order: Option<i64>,
    /// The sprint of its story.
    #[serde(default)]
    pub milestone: Option<MilestoneId>,
    /// Due date.
    #[serde(default)]
    pub due_date: Option<Date>,
    /// Time at which it was closed.
    #[serde(default)]
    pub finished_date: Option<Timestamp>,
}

/// A story, embedded in tasks.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct StoryRef {
    /// The story.
    pub id: ItemId,
    /// The number that people see.
    #[serde(rename = "ref", default)]
    pub reference: Option<u64>,
    /// Title.
    #[serde(default, deserialize_with = "none_as_empty")]
    pub subject: String,
}

/// An issue.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
pub struct Issue {
    /// The common fields.
    #[serde(flatten)]
    pub core: Core,
    /// A priority of the project.
    #[serde(default)]
    pub priority: Option<PriorityId>,
    /// A severity of the project.
    #[serde(default)]
    pub severity: Option<SeverityId>,
    /// A type of the project.
    #[serde(rename = "type", default)]
    pub issue_type: Option<IssueTypeId>,
    /// The sprint.
    #[serde(default)]
    pub milestone: Option<MilestoneId>,
    /// Due date.
    #[serde(default)]
    pub due_date: Option<Date>,
    /// Time at which it was closed.
    #[serde(default)]
    pub finished_date: Option<Timestamp>,
}

macro_rules! item {
    ($($name:ident: $filter:ident, $draft:ident, $patch:ident);* $(;)?) => {$(
        impl Item for $name {
            const KIND: Kind = Kind::$name;
            type Filter = $filter;
            type Draft = $draft;
            type Patch = $patch;

            fn core(&self) -> &Core {
                &self.core
            }
        }
    )*};
}

item! {
    Epic: EpicFilter, EpicDraft, EpicPatch;
    Story: StoryFilter, StoryDraft, StoryPatch;
    Task: TaskFilter, TaskDraft, TaskPatch;
    Issue: IssueFilter, IssueDraft, IssuePatch;
}

/// Deserializes `null` as the default value.
pub(super) fn none_as_empty<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: serde::Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}

/// Deserializes a map with numeric keys written as strings, which `flatten` cannot convert by itself.
fn points_by_role<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<RoleId, PointsId>, D::Error> {
    let points: Option<BTreeMap<String, Option<PointsId>>> = Option::deserialize(deserializer)?;
    let read = |(role, points): (String, Option<PointsId>)| Some((RoleId(role.parse().ok()?), points?));
    Ok(points.unwrap_or_default().into_iter().filter_map(read).collect())
}
