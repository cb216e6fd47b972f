//! Projects: the summary in lists, and the full details.

use jiff::Timestamp;
use serde::Deserialize;

use super::id::{IssueTypeId, PointsId, PriorityId, ProjectId, SeverityId, StatusId};
use super::item::{Kind, UserInfo, none_as_empty};
use super::lookup::{CustomAttribute, IssueType, Points, Priority, Role, Severity, Status};
use super::member::Member;

/// A project in a list.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ProjectSummary {
    /// Unique on the server.
    pub id: ProjectId,
    /// Display name.
    pub name: String,
    /// Name in URLs.
    pub slug: String,
    /// Description.
    #[serde(default, deserialize_with = "none_as_empty")]
    pub description: String,
    /// Whether only members can see it.
    #[serde(default, deserialize_with = "none_as_empty")]
    pub is_private: bool,
    /// Whether the user is a member.
    #[serde(default, deserialize_with = "none_as_empty")]
    pub i_am_member: bool,
    /// Time of creation.
    #[serde(default)]
    pub created_date: Option<Timestamp>,
    /// Time of the last change.
    #[serde(default)]
    pub modified_date: Option<Timestamp>,
    /// The owner.
    #[serde(default)]
    pub owner: Option<UserInfo>,
}

/// A project with its lookup tables, its members and the user's permissions.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Project {
    /// The fields of the summary.
    #[serde(flatten)]
    pub summary: ProjectSummary,
    /// Its members.
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
    /// The points scale.
    #[serde(default, deserialize_with = "none_as_empty")]
    pub points: Vec<Points>,
    /// Roles; stories have points for the computable ones.
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
    /// Whether backlog and sprints are enabled.
    #[serde(default = "yes", deserialize_with = "none_as_yes")]
    pub is_backlog_activated: bool,
    /// Whether the kanban board is enabled.
    #[serde(default = "yes", deserialize_with = "none_as_yes")]
    pub is_kanban_activated: bool,
    /// Initial status of epics.
    #[serde(default)]
    pub default_epic_status: Option<StatusId>,
    /// Initial status of stories.
    #[serde(rename = "default_us_status", default)]
    pub default_story_status: Option<StatusId>,
    /// Initial status of tasks.
    #[serde(default)]
    pub default_task_status: Option<StatusId>,
    /// Initial status of issues.
    #[serde(default)]
    pub default_issue_status: Option<StatusId>,
    /// Initial priority of issues.
    #[serde(default)]
    pub default_priority: Option<PriorityId>,
    /// Initial severity of issues.
    #[serde(default)]
    pub default_severity: Option<SeverityId>,
    /// Initial type of issues.
    #[serde(default)]
    pub default_issue_type: Option<IssueTypeId>,
    /// Initial points of stories.
    #[serde(default)]
    pub default_points: Option<PointsId>,
    /// The user's permissions, such as `modify_us`.
    #[serde(default, deserialize_with = "none_as_empty")]
    pub my_permissions: Vec<String>,
    /// Why the server's staff blocked it, if they did.
    #[serde(default)]
    pub blocked_code: Option<String>,
    /// Why it is archived, if it is.
    #[serde(default)]
    pub archived_code: Option<String>,
}

// An older server omits these flags; the features are then enabled.
fn yes() -> bool {
    true
}

fn none_as_yes<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    Option::deserialize(deserializer).map(|told| told.unwrap_or_else(yes))
}

/// Returns the permission to view items of a kind.
pub fn view_right(kind: Kind) -> &'static str {
    match kind {
        Kind::Epic => "view_epics",
        Kind::Story => "view_us",
        Kind::Task => "view_tasks",
        Kind::Issue => "view_issues",
    }
}

impl Project {
    /// Returns whether the user has a permission. If the server lists no permissions, this returns true and the server
    /// decides per request.
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
