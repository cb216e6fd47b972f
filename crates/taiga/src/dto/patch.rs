//! What changes an item. What is left out stays as it is.

use std::collections::BTreeMap;

use jiff::civil::Date;
use serde::Serialize;

use super::blocked::Blocked;
use super::change::Change;
use super::id::{IssueTypeId, ItemId, MilestoneId, PointsId, PriorityId, RoleId, SeverityId, StatusId, UserId};
use super::tag::Tag;

/// What can be changed in all kinds.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Patch {
    /// Another name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// Another text in Markdown; empty for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Another status of the kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<StatusId>,
    /// Somebody else, or nobody.
    #[serde(skip_serializing_if = "Change::is_keep")]
    pub assigned_to: Change<UserId>,
    /// All tags it will have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<Tag>>,
    /// Whether something is in the way.
    #[serde(flatten)]
    pub blocked: Option<Blocked>,
    /// A comment beside the change, or without any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

/// A change of an epic.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct EpicPatch {
    /// What can be changed in all kinds.
    #[serde(flatten)]
    pub core: Patch,
    /// Another colour as `#rrggbb`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
}

/// A change of a story.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct StoryPatch {
    /// What can be changed in all kinds.
    #[serde(flatten)]
    pub core: Patch,
    /// Everyone it will be assigned to. A change of `assigned_to` alone leaves the former people in this list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assigned_users: Option<Vec<UserId>>,
    /// Another sprint, or the backlog.
    #[serde(skip_serializing_if = "Change::is_keep")]
    pub milestone: Change<MilestoneId>,
    /// Another day.
    #[serde(skip_serializing_if = "Change::is_keep")]
    pub due_date: Change<Date>,
    /// Points by role; roles that are left out keep theirs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub points: Option<BTreeMap<RoleId, PointsId>>,
}

/// A change of a task.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct TaskPatch {
    /// What can be changed in all kinds.
    #[serde(flatten)]
    pub core: Patch,
    /// Another story of the same project, or none.
    #[serde(skip_serializing_if = "Change::is_keep")]
    pub user_story: Change<ItemId>,
    /// Another sprint, or none. A task with a story keeps that of its story.
    #[serde(skip_serializing_if = "Change::is_keep")]
    pub milestone: Change<MilestoneId>,
    /// Another day.
    #[serde(skip_serializing_if = "Change::is_keep")]
    pub due_date: Change<Date>,
}

/// A change of an issue.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct IssuePatch {
    /// What can be changed in all kinds.
    #[serde(flatten)]
    pub core: Patch,
    /// Another priority of the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<PriorityId>,
    /// Another severity of the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub severity: Option<SeverityId>,
    /// Another type of the project.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub issue_type: Option<IssueTypeId>,
    /// Another sprint, or none.
    #[serde(skip_serializing_if = "Change::is_keep")]
    pub milestone: Change<MilestoneId>,
    /// Another day.
    #[serde(skip_serializing_if = "Change::is_keep")]
    pub due_date: Change<Date>,
}

impl From<Patch> for EpicPatch {
    fn from(core: Patch) -> Self {
        Self { core, ..Self::default() }
    }
}

impl From<Patch> for StoryPatch {
    fn from(core: Patch) -> Self {
        Self { core, ..Self::default() }
    }
}

impl From<Patch> for TaskPatch {
    fn from(core: Patch) -> Self {
        Self { core, ..Self::default() }
    }
}

impl From<Patch> for IssuePatch {
    fn from(core: Patch) -> Self {
        Self { core, ..Self::default() }
    }
}
