//! What makes a new item. What is left out, the project's defaults fill in.

use std::collections::BTreeMap;

use jiff::civil::Date;
use serde::Serialize;

use super::blocked::Blocked;
use super::id::{
    IssueTypeId, ItemId, MilestoneId, PointsId, PriorityId, ProjectId, RoleId, SeverityId, StatusId, UserId,
};
use super::tag::Tag;

/// What all kinds may begin with.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Draft {
    /// Whose it will be.
    pub project: ProjectId,
    /// What it will be called.
    pub subject: String,
    /// Markdown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// A status of the kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<StatusId>,
    /// A member of the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assigned_to: Option<UserId>,
    /// Come back in lower case.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<Tag>,
    /// Whether something is in the way from the start.
    #[serde(flatten)]
    pub blocked: Option<Blocked>,
    /// What another program calls it: the program and its own name for it. Epics pass it over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_reference: Option<[String; 2]>,
}

impl Draft {
    /// The least there must be.
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
    /// What all kinds may begin with.
    #[serde(flatten)]
    pub core: Draft,
    /// Its colour as `#rrggbb`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
}

/// A new story. It goes into an epic by a call of its own, [`crate::Client::link_story`].
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StoryDraft {
    /// What all kinds may begin with.
    #[serde(flatten)]
    pub core: Draft,
    /// Everyone it is assigned to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub assigned_users: Vec<UserId>,
    /// A sprint of the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub milestone: Option<MilestoneId>,
    /// When it should be done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due_date: Option<Date>,
    /// Points by role.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub points: BTreeMap<RoleId, PointsId>,
}

/// A new task.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TaskDraft {
    /// What all kinds may begin with.
    #[serde(flatten)]
    pub core: Draft,
    /// A story of the same project; its sprint is the task's too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_story: Option<ItemId>,
    /// A sprint of the project, for a task without a story.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub milestone: Option<MilestoneId>,
    /// When it should be done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due_date: Option<Date>,
}

/// A new issue.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct IssueDraft {
    /// What all kinds may begin with.
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
    /// When it should be done.
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
