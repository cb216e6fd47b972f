//! Projects: a row in a list, and everything about one.

use jiff::Timestamp;
use serde::Deserialize;

use super::id::{IssueTypeId, PointsId, PriorityId, ProjectId, SeverityId, StatusId};
use super::item::{Kind, UserInfo, none_as_empty};
use super::lookup::{CustomAttribute, IssueType, Points, Priority, Role, Severity, Status};
use super::member::Member;

/// A project in a list.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ProjectSummary {
    /// Which.
    pub id: ProjectId,
    /// Its name.
    pub name: String,
    /// Its name as addresses have it.
    pub slug: String,
    /// What it is for.
    #[serde(default, deserialize_with = "none_as_empty")]
    pub description: String,
    /// Whether only members see it.
    #[serde(default, deserialize_with = "none_as_empty")]
    pub is_private: bool,
    /// Whether the user is in it.
    #[serde(default, deserialize_with = "none_as_empty")]
    pub i_am_member: bool,
    /// When it was made.
    #[serde(default)]
    pub created_date: Option<Timestamp>,
    /// When it was changed last.
    #[serde(default)]
    pub modified_date: Option<Timestamp>,
    /// Who owns it.
    #[serde(default)]
    pub owner: Option<UserInfo>,
}

/// Everything about a project: what its items can be set to, who is in it, what the user may do.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Project {
    /// What lists show too.
    #[serde(flatten)]
    pub summary: ProjectSummary,
    /// Who is in it.
    #[serde(default, deserialize_with = "none_as_empty")]
    pub members: Vec<Member>,
    /// Statuses of epics.
    #[serde(default, deserialize_with = "none_as_empty")]
    pub epic_statuses: Vec<Status>,
    /// Statuses of stories.
    #[serde(rename = "us_statuses", default, deserialize_with = "none_as_empty")]
    pub story_statuses: Vec<Status>,
    /// Statuses of tasks.
    #[serde(default, deserialize_with = "none_as_empty")]
    pub task_statuses: Vec<Status>,
    /// Statuses of issues.
    #[serde(default, deserialize_with = "none_as_empty")]
    pub issue_statuses: Vec<Status>,
    /// Priorities of issues.
    #[serde(default, deserialize_with = "none_as_empty")]
    pub priorities: Vec<Priority>,
    /// Severities of issues.
    #[serde(default, deserialize_with = "none_as_empty")]
    pub severities: Vec<Severity>,
    /// Types of issues.
    #[serde(default, deserialize_with = "none_as_empty")]
    pub issue_types: Vec<IssueType>,
    /// The scale of points.
    #[serde(default, deserialize_with = "none_as_empty")]
    pub points: Vec<Points>,
    /// Roles; points are given by those that are counted.
    #[serde(default, deserialize_with = "none_as_empty")]
    pub roles: Vec<Role>,
    /// Custom fields of epics.
    #[serde(default, deserialize_with = "none_as_empty")]
    pub epic_custom_attributes: Vec<CustomAttribute>,
    /// Custom fields of stories.
    #[serde(rename = "userstory_custom_attributes", default, deserialize_with = "none_as_empty")]
    pub story_custom_attributes: Vec<CustomAttribute>,
    /// Custom fields of tasks.
    #[serde(default, deserialize_with = "none_as_empty")]
    pub task_custom_attributes: Vec<CustomAttribute>,
    /// Custom fields of issues.
    #[serde(default, deserialize_with = "none_as_empty")]
    pub issue_custom_attributes: Vec<CustomAttribute>,
    /// Whether it has a backlog and sprints.
    #[serde(default = "yes", deserialize_with = "none_as_yes")]
    pub is_backlog_activated: bool,
    /// Whether it has a kanban board.
    #[serde(default = "yes", deserialize_with = "none_as_yes")]
    pub is_kanban_activated: bool,
    /// What a new epic begins as.
    #[serde(default)]
    pub default_epic_status: Option<StatusId>,
    /// What a new story begins as.
    #[serde(rename = "default_us_status", default)]
    pub default_story_status: Option<StatusId>,
    /// What a new task begins as.
    #[serde(default)]
    pub default_task_status: Option<StatusId>,
    /// What a new issue begins as.
    #[serde(default)]
    pub default_issue_status: Option<StatusId>,
    /// The priority of a new issue.
    #[serde(default)]
    pub default_priority: Option<PriorityId>,
    /// The severity of a new issue.
    #[serde(default)]
    pub default_severity: Option<SeverityId>,
    /// The type of a new issue.
    #[serde(default)]
    pub default_issue_type: Option<IssueTypeId>,
    /// The points of a new story.
    #[serde(default)]
    pub default_points: Option<PointsId>,
    /// What the user may do, as `modify_us`.
    #[serde(default, deserialize_with = "none_as_empty")]
    pub my_permissions: Vec<String>,
    /// Why the staff blocked it, if they did.
    #[serde(default)]
    pub blocked_code: Option<String>,
    /// Why it is archived, if it is.
    #[serde(default)]
    pub archived_code: Option<String>,
}

// What an older server does not tell is there.
fn yes() -> bool {
    true
}

fn none_as_yes<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    Option::deserialize(deserializer).map(|told| told.unwrap_or_else(yes))
}

/// Returns the right that shows items of a kind.
pub fn view_right(kind: Kind) -> &'static str {
    match kind {
        Kind::Epic => "view_epics",
        Kind::Story => "view_us",
        Kind::Task => "view_tasks",
        Kind::Issue => "view_issues",
    }
}

impl Project {
    /// Tells whether the user has a right. A server that tells no rights is taken at its word elsewhere.
    pub fn may(&self, right: &str) -> bool {
        self.my_permissions.is_empty() || self.my_permissions.iter().any(|own| own == right)
    }

    /// Returns the custom fields of a kind.
    pub fn custom_attributes(&self, kind: Kind) -> &[CustomAttribute] {
        match kind {
            Kind::Epic => &self.epic_custom_attributes,
            Kind::Story => &self.story_custom_attributes,
            Kind::Task => &self.task_custom_attributes,
            Kind::Issue => &self.issue_custom_attributes,
        }
    }

    /// Returns the statuses of a kind.
    pub fn statuses(&self, kind: Kind) -> &[Status] {
        match kind {
            Kind::Epic => &self.epic_statuses,
            Kind::Story => &self.story_statuses,
            Kind::Task => &self.task_statuses,
            Kind::Issue => &self.issue_statuses,
        }
    }
}
