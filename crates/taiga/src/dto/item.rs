//! Epics, stories, tasks and issues, as lists and single answers have them.

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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A large piece of work.
    Epic,
    /// A user story.
    Story,
    /// A step of a story, or a step on its own.
    Task,
    /// A bug, a question or a wish.
    Issue,
}

impl Kind {
    /// Where the items of this kind are.
    pub(crate) fn path(self) -> &'static str {
        match self {
            Self::Epic => "/epics",
            Self::Story => "/userstories",
            Self::Task => "/tasks",
            Self::Issue => "/issues",
        }
    }

    /// What the kind is called in other paths.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Epic => "epic",
            Self::Story => "userstory",
            Self::Task => "task",
            Self::Issue => "issue",
        }
    }
}

/// One of the four kinds, with what belongs to it.
pub trait Item: Clone + Debug + DeserializeOwned + Serialize {
    /// Which kind.
    const KIND: Kind;
    /// What lists of it can be narrowed by.
    type Filter: AsQuery + Clone + Debug + Default + From<ItemFilter>;
    /// What makes a new one.
    type Draft: Clone + Debug + From<Draft> + Serialize;
    /// What changes one.
    type Patch: Clone + Debug + Default + From<Patch> + Serialize;

    /// Returns what all kinds have.
    fn core(&self) -> &Core;
}

/// What all four kinds have.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
pub struct Core {
    /// Unique on the server among items of its kind.
    pub id: ItemId,
    /// The number people see: one sequence for all kinds of a project.
    #[serde(rename = "ref", default)]
    pub reference: Option<u64>,
    /// Rises with every change; a change must name the one it was made from.
    pub version: u64,
    /// Whose it is.
    pub project: ProjectId,
    /// What it is called.
    pub subject: String,
    /// Markdown; absent in lists.
    #[serde(default)]
    pub description: Option<String>,
    /// Which status of its kind.
    #[serde(default)]
    pub status: Option<StatusId>,
    /// Name and colour of the status.
    #[serde(default)]
    pub status_extra_info: Option<StatusInfo>,
    /// Who does it.
    #[serde(default)]
    pub assigned_to: Option<UserId>,
    /// Name of who does it.
    #[serde(default)]
    pub assigned_to_extra_info: Option<UserInfo>,
    /// Who made it.
    #[serde(default)]
    pub owner: Option<UserId>,
    /// Name of who made it.
    #[serde(default)]
    pub owner_extra_info: Option<UserInfo>,
    /// In lower case.
    #[serde(default, deserialize_with = "none_as_empty")]
    pub tags: Vec<Tag>,
    /// Whether something is in the way.
    #[serde(default, deserialize_with = "none_as_empty")]
    pub is_blocked: bool,
    /// What is in the way.
    #[serde(default, deserialize_with = "none_as_empty")]
    pub blocked_note: String,
    /// Whether it is done; for a story that follows from its tasks too.
    #[serde(default, deserialize_with = "none_as_empty")]
    pub is_closed: bool,
    /// When it was made.
    pub created_date: Timestamp,
    /// When it was changed last.
    pub modified_date: Timestamp,
    /// What another program calls it: the program and its own name for it. Epics have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external_reference: Option<Vec<String>>,
    /// How many comments there are; not in every answer.
    #[serde(default)]
    pub total_comments: Option<u64>,
}

/// A status as items show it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct StatusInfo {
    /// Its name.
    pub name: String,
    /// Its colour.
    #[serde(default)]
    pub color: Option<String>,
    /// Whether items in it are done.
    #[serde(default, deserialize_with = "none_as_empty")]
    pub is_closed: bool,
}

/// A user as items show them.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct UserInfo {
    /// Which user.
    #[serde(default)]
    pub id: Option<UserId>,
    /// The name they log in with.
    pub username: String,
    /// The name they are called by.
    #[serde(default)]
    pub full_name_display: Option<String>,
}

/// An epic.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
pub struct Epic {
    /// What all kinds have.
    #[serde(flatten)]
    pub core: Core,
    /// Any text; meant to be a colour.
    #[serde(default)]
    pub color: Option<String>,
    /// Its place among the epics: only the order counts.
    #[serde(default)]
    pub epics_order: Option<i64>,
    /// How many stories it has.
    #[serde(default)]
    pub user_stories_counts: Option<StoryCounts>,
}

/// How many stories an epic has.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
pub struct StoryCounts {
    /// All of them.
    pub total: u64,
    /// How much of them is done; none without any.
    #[serde(default)]
    pub progress: Option<f64>,
}

/// A user story.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
pub struct Story {
    /// What all kinds have.
    #[serde(flatten)]
    pub core: Core,
    /// The epics it belongs to, perhaps several.
    #[serde(default, deserialize_with = "none_as_empty")]
    pub epics: Vec<EpicRef>,
    /// Everyone it is assigned to, `assigned_to` among them.
    #[serde(default, deserialize_with = "none_as_empty")]
    pub assigned_users: Vec<UserId>,
    /// Its place in the backlog: only the order counts.
    #[serde(default)]
    pub backlog_order: Option<i64>,
    /// Its place in its sprint.
    #[serde(default)]
    pub sprint_order: Option<i64>,
    /// Its place on the kanban board.
    #[serde(default)]
    pub kanban_order: Option<i64>,
    /// Its swimlane on the kanban board.
    #[serde(default)]
    pub swimlane: Option<u64>,
    /// Which sprint; none is the backlog.
    #[serde(default)]
    pub milestone: Option<MilestoneId>,
    /// When it should be done.
    #[serde(default)]
    pub due_date: Option<Date>,
    /// Points by role.
    #[serde(default, deserialize_with = "points_by_role")]
    pub points: BTreeMap<RoleId, PointsId>,
    /// The sum of its points.
    #[serde(default)]
    pub total_points: Option<f64>,
    /// When it was done.
    #[serde(default)]
    pub finish_date: Option<Timestamp>,
}

/// An epic as stories show it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct EpicRef {
    /// Which epic.
    pub id: ItemId,
    /// The number people see.
    #[serde(rename = "ref", default)]
    pub reference: Option<u64>,
    /// What it is called.
    #[serde(default, deserialize_with = "none_as_empty")]
    pub subject: String,
}

/// A task.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
pub struct Task {
    /// What all kinds have.
    #[serde(flatten)]
    pub core: Core,
    /// The story it belongs to, if it belongs to one.
    #[serde(default)]
    pub user_story: Option<ItemId>,
    /// The same story as people see it.
    #[serde(default)]
    pub user_story_extra_info: Option<StoryRef>,
    /// Its place in its story: only the order counts.
    #[serde(default)]
    pub us_order: Option<i64>,
    /// The sprint of its story.
    #[serde(default)]
    pub milestone: Option<MilestoneId>,
    /// When it should be done.
    #[serde(default)]
    pub due_date: Option<Date>,
    /// When it was done.
    #[serde(default)]
    pub finished_date: Option<Timestamp>,
}

/// A story as tasks show it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct StoryRef {
    /// Which story.
    pub id: ItemId,
    /// The number people see.
    #[serde(rename = "ref", default)]
    pub reference: Option<u64>,
    /// What it is called.
    #[serde(default, deserialize_with = "none_as_empty")]
    pub subject: String,
}

/// An issue.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
pub struct Issue {
    /// What all kinds have.
    #[serde(flatten)]
    pub core: Core,
    /// How pressing.
    #[serde(default)]
    pub priority: Option<PriorityId>,
    /// How bad.
    #[serde(default)]
    pub severity: Option<SeverityId>,
    /// What sort.
    #[serde(rename = "type", default)]
    pub issue_type: Option<IssueTypeId>,
    /// Which sprint.
    #[serde(default)]
    pub milestone: Option<MilestoneId>,
    /// When it should be done.
    #[serde(default)]
    pub due_date: Option<Date>,
    /// When it was done.
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

/// Reads `null` as nothing there.
pub(super) fn none_as_empty<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: serde::Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}

/// Reads a map whose keys are numbers written as texts, which `flatten` cannot turn back by itself.
fn points_by_role<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<RoleId, PointsId>, D::Error> {
    let points: Option<BTreeMap<String, Option<PointsId>>> = Option::deserialize(deserializer)?;
    let read = |(role, points): (String, Option<PointsId>)| Some((RoleId(role.parse().ok()?), points?));
    Ok(points.unwrap_or_default().into_iter().filter_map(read).collect())
}
