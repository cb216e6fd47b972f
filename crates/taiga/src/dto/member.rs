//! Users, memberships in projects, and stories of epics.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::id::{ItemId, MembershipId, ProjectId, RoleId, UserId};
use super::item::none_as_empty;

/// A user of the server.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct User {
    /// Unique on the server.
    pub id: UserId,
    /// Login name.
    pub username: String,
    /// Display name; may be empty.
    #[serde(default, deserialize_with = "none_as_empty")]
    pub full_name: String,
    /// Display name, or the login name if it is empty.
    #[serde(default, deserialize_with = "none_as_empty")]
    pub full_name_display: String,
    /// Only in the user's own data.
    #[serde(default)]
    pub email: Option<String>,
}

/// A member of a project, as embedded in the project. Pending invitations are not included.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Member {
    /// The user.
    pub id: UserId,
    /// Login name.
    pub username: String,
    /// Display name; may be empty.
    #[serde(default)]
    pub full_name: Option<String>,
    /// Name of their role in the project.
    #[serde(default)]
    pub role_name: Option<String>,
    /// Their role in the project.
    #[serde(default)]
    pub role: Option<RoleId>,
    /// Whether the account is active.
    #[serde(default)]
    pub is_active: Option<bool>,
}

/// A membership in a project, or a pending invitation.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Membership {
    /// Id of the membership, not of the user.
    pub id: MembershipId,
    /// The user; `None` for an invitation.
    #[serde(default)]
    pub user: Option<UserId>,
    /// The project.
    pub project: ProjectId,
    /// The role.
    #[serde(default)]
    pub role: Option<RoleId>,
    /// Name of the role.
    #[serde(default)]
    pub role_name: Option<String>,
    /// Display name of the user.
    #[serde(default)]
    pub full_name: Option<String>,
    /// E-mail address; only for admins of the project.
    #[serde(default)]
    pub email: Option<String>,
    /// Whether they are an admin of the project.
    #[serde(default, deserialize_with = "none_as_empty")]
    pub is_admin: bool,
    /// Time of creation.
    #[serde(default)]
    pub created_at: Option<Timestamp>,
}

/// A story in an epic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
pub struct RelatedStory {
    /// The epic.
    pub epic: ItemId,
    /// The story.
    pub user_story: ItemId,
}
