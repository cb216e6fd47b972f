//! Bodies of requests that create items. Omitted fields get the project's defaults.

use std::collections::BTreeMap;

use jiff::civil::Date;
use serde::Serialize;

use super::blocked::Blocked;
use super::id::{
    IssueTypeId, ItemId, MilestoneId, PointsId, PriorityId, ProjectId, RoleId, SeverityId, StatusId, UserId,
};
use super::tag::Tag;

/// Fields that all kinds of items have.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Draft {
    /// The project of the item.
    pub project: ProjectId,
    /// Title.
    pub subject: String,
    /// Markdown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// A status of this kind of item.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<StatusId>,
    /// A member of the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assigned_to: Option<UserId>,
    /// The server returns them in lower case.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<Tag>,
    /// Blocked from the start.
    #[serde(flatten)]
    pub blocked: Option<Blocked>,
    /// Reference to another program: the program and its own id. Ignored for epics.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_reference: Option<[String; 2]>,
}

impl Draft {
    /// A draft with the required fields.
    pub fn new(project: ProjectId, subject: impl Into<String>) -> Self {
        let subject = subject.into();
        Self {
            project,
            subject,
            description: None,
            status: None,
            assigned_to: None,
            tags: Vec::new(),
            blocked: None,
            external_reference: None,
        }
    }
}

/// A new epic.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EpicDraft {
    /// The common fields.
    #[serde(flatten)]
    pub core: Draft,
    /// Color as `#rrggbb`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
}

/// A new story. [`crate::Client::link_story`] adds it to an epic, in a separate call.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StoryDraft {
    /// The common fields.
    #[serde(flatten)]
    pub core: Draft,
    /// All assignees.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub assigned_users: Vec<UserId>,
    /// A sprint of the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub milestone: Option<MilestoneId>,
    /// Due date.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due_date: Option<Date>,
    /// Points by role.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub points: BTreeMap<RoleId, PointsId>,
}

/// A new task.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TaskDraft {
    /// The common fields.
    #[serde(flatten)]
    pub core: Draft,
    /// A story of the same project; the task gets its sprint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_story: Option<ItemId>,
    /// A sprint of the project, for a task without a story.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub milestone: Option<MilestoneId>,
    /// Due date.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due_date: Option<Date>,
}

/// A new issue.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct IssueDraft {
    /// The common fields.
    #[serde(flatten)]
    pub core: Draft,
    /// A priority of the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<PriorityId>,
    /// A severity of the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub severity: Option<SeverityId>,
    /// A type of the project.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub issue_type: Option<IssueTypeId>,
    /// A sprint of the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub milestone: Option<MilestoneId>,
    /// Due date.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due_date: Option<Date>,
}

impl From<Draft> for EpicDraft {
    fn from(core: Draft) -> Self {
        Self { core, color: None }
    }
}

impl From<Draft> for StoryDraft {
    fn from(core: Draft) -> Self {
        Self { core, assigned_users: Vec::new(), milestone: None, due_date: None, points: BTreeMap::new() }
    }
}

impl From<Draft> for TaskDraft {
    fn from(core: Draft) -> Self {
        Self { core, user_story: None, milestone: None, due_date: None }
    }
}

impl From<Draft> for IssueDraft {
    fn from(core: Draft) -> Self {
        Self { core, priority: None, severity: None, issue_type: None, milestone: None, due_date: None }
    }
}
