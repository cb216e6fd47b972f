//! Bodies of update requests. Omitted fields stay unchanged.

use std::collections::BTreeMap;

use jiff::civil::Date;
use serde::Serialize;

use super::blocked::Blocked;
use super::change::Change;
use super::id::{IssueTypeId, ItemId, MilestoneId, PointsId, PriorityId, RoleId, SeverityId, StatusId, UserId};
use super::tag::Tag;

/// Updatable fields of all kinds.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Patch {
    /// New title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// New description in Markdown; empty clears it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// New status of this kind of item.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<StatusId>,
    /// New assignee, or none.
    #[serde(skip_serializing_if = "Change::is_keep")]
    pub assigned_to: Change<UserId>,
    /// The complete new list of tags.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<Tag>>,
    /// Whether it is blocked.
    #[serde(flatten)]
    pub blocked: Option<Blocked>,
    /// A comment, with or without other changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

/// An update of an epic.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct EpicPatch {
    /// The common fields.
    #[serde(flatten)]
    pub core: Patch,
    /// New color as `#rrggbb`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
}

/// An update of a story.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct StoryPatch {
    /// The common fields.
    #[serde(flatten)]
    pub core: Patch,
    /// The complete new list of assignees. Changing `assigned_to` alone leaves earlier assignees in this list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assigned_users: Option<Vec<UserId>>,
    /// New sprint, or the backlog.
    #[serde(skip_serializing_if = "Change::is_keep")]
    pub milestone: Change<MilestoneId>,
    /// New due date.
    #[serde(skip_serializing_if = "Change::is_keep")]
    pub due_date: Change<Date>,
    /// Points by role; omitted roles keep theirs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub points: Option<BTreeMap<RoleId, PointsId>>,
}

/// An update of a task.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct TaskPatch {
    /// The common fields.
    #[serde(flatten)]
    pub core: Patch,
    /// Another story of the same project, or none.
    #[serde(skip_serializing_if = "Change::is_keep")]
    pub user_story: Change<ItemId>,
    /// New sprint, or none. A task with a story keeps the sprint of its story.
    #[serde(skip_serializing_if = "Change::is_keep")]
    pub milestone: Change<MilestoneId>,
    /// New due date.
    #[serde(skip_serializing_if = "Change::is_keep")]
    pub due_date: Change<Date>,
}

/// An update of an issue.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct IssuePatch {
    /// The common fields.
    #[serde(flatten)]
    pub core: Patch,
    /// New priority.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<PriorityId>,
    /// New severity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub severity: Option<SeverityId>,
    /// New type.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub issue_type: Option<IssueTypeId>,
    /// New sprint, or none.
    #[serde(skip_serializing_if = "Change::is_keep")]
    pub milestone: Change<MilestoneId>,
    /// New due date.
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
