//! People: users, and their places in projects; and the places of stories in epics.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::id::{ItemId, MembershipId, ProjectId, RoleId, UserId};
use super::item::none_as_empty;

/// A user of the server.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct User {
    /// Which.
    pub id: UserId,
    /// The name they log in with.
    pub username: String,
    /// The name they are called by; may be empty.
    #[serde(default, deserialize_with = "none_as_empty")]
    pub full_name: String,
    /// The same, or the name they log in with.
    #[serde(default, deserialize_with = "none_as_empty")]
    pub full_name_display: String,
    /// Only for the user themselves.
    #[serde(default)]
    pub email: Option<String>,
}

/// A member of a project, as the project shows them. Invitations that nobody took are not among them.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Member {
    /// Which user.
    pub id: UserId,
    /// The name they log in with.
    pub username: String,
    /// The name they are called by; may be empty.
    #[serde(default)]
    pub full_name: Option<String>,
    /// What they are in the project.
    #[serde(default)]
    pub role_name: Option<String>,
    /// Which role that is.
    #[serde(default)]
    pub role: Option<RoleId>,
    /// Whether they can log in.
    #[serde(default)]
    pub is_active: Option<bool>,
}

/// A place in a project, perhaps not taken yet.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Membership {
    /// The place, not the user.
    pub id: MembershipId,
    /// Who has it; none for an invitation.
    #[serde(default)]
    pub user: Option<UserId>,
    /// In which project.
    pub project: ProjectId,
    /// Which role.
    #[serde(default)]
    pub role: Option<RoleId>,
    /// What the role is called.
    #[serde(default)]
    pub role_name: Option<String>,
    /// What the user is called.
    #[serde(default)]
    pub full_name: Option<String>,
    /// Their e-mail address; only for those who may change the project.
    #[serde(default)]
    pub email: Option<String>,
    /// Whether they may change the project.
    #[serde(default, deserialize_with = "none_as_empty")]
    pub is_admin: bool,
    /// Since when.
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
