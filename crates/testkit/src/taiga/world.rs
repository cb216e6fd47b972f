//! All data of the fake Taiga, in memory.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value, json};

use super::token::TokenBook;

/// The four kinds of item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ItemKind {
    /// An epic.
    Epic,
    /// A user story.
    Story,
    /// A task.
    Task,
    /// An issue.
    Issue,
}

impl ItemKind {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::Epic, Self::Story, Self::Task, Self::Issue];

    /// Returns the name of the list, as in `/userstories`.
    pub fn list_name(self) -> &'static str {
        ["epics", "userstories", "tasks", "issues"][self as usize]
    }

    /// The name of the kind in other paths, as in `/history/userstory/1`.
    pub(super) fn word(self) -> &'static str {
        ["epic", "userstory", "task", "issue"][self as usize]
    }

    /// The name of the kind in messages.
    pub(super) fn spoken(self) -> &'static str {
        ["epic", "user story", "task", "issue"][self as usize]
    }

    pub(super) fn model(self) -> &'static str {
        ["Epic", "UserStory", "Task", "Issue"][self as usize]
    }

    /// The field of a project with the statuses of this kind, and the field with the default.
    pub(super) fn statuses(self) -> (&'static str, &'static str) {
        [
            ("epic_statuses", "default_epic_status"),
            ("us_statuses", "default_us_status"),
            ("task_statuses", "default_task_status"),
            ("issue_statuses", "default_issue_status"),
        ][self as usize]
    }

    /// The permission to view items of this kind.
    pub(super) fn view_permission(self) -> &'static str {
        ["view_epics", "view_us", "view_tasks", "view_issues"][self as usize]
    }

    pub(super) fn permission(self, verb: &str) -> String {
        format!("{verb}_{}", ["epic", "us", "task", "issue"][self as usize])
    }

    pub(super) fn of_list(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.list_name() == name)
    }

    pub(super) fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }
}

#[derive(Debug)]
pub(super) struct World {
    pub(super) tokens: TokenBook,
    pub(super) users: Vec<Value>,
    pub(super) projects: BTreeMap<u64, Project>,
    pub(super) items: BTreeMap<(ItemKind, u64), Item>,
    /// Epic and story.
    pub(super) links: Vec<(u64, u64)>,
    pub(super) milestones: Vec<Value>,
    pub(super) next_milestone: u64,
    pub(super) attachments: BTreeMap<(ItemKind, u64), Vec<Value>>,
    /// Values of custom fields, by item and field id.
    pub(super) custom_values: BTreeMap<(ItemKind, u64), Map<String, Value>>,
    pub(super) next_ids: BTreeMap<ItemKind, u64>,
    pub(super) next_history: u64,
    pub(super) largest_page: usize,
    pub(super) now: Timestamp,
}

#[derive(Debug)]
pub(super) struct Project {
    /// As in the detail, without what depends on the user.
    pub(super) fields: Map<String, Value>,
    pub(super) owner: u64,
    /// Members and invitations.
    pub(super) memberships: Vec<Value>,
    pub(super) next_reference: u64,
    pub(super) is_blocked: bool,
    pub(super) is_archived: bool,
}

#[derive(Debug)]
pub(super) struct Item {
    /// Stored fields; names and counts are derived.
    pub(super) fields: Map<String, Value>,
    /// Oldest first.
    pub(super) history: Vec<Entry>,
}

/// An entry of the history of an item.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) id: String,
    pub(super) user: u64,
    pub(super) at: String,
    /// The changed fields, with old and new values.
    pub(super) diff: Map<String, Value>,
    pub(super) comment: String,
    pub(super) edited_at: Option<String>,
    pub(super) deleted_at: Option<String>,
    pub(super) deleted_by: Option<u64>,
}

impl World {
    /// Returns the time of the next change. It advances by half a second, so that every other time has no fraction,
    /// which a Taiga leaves out.
    pub(super) fn tick(&mut self) -> String {
        self.now += SignedDuration::from_millis(500);
        self.now.to_string()
    }

    pub(super) fn user(&self, id: u64) -> Option<&Value> {
        self.users.iter().find(|user| user["id"] == id)
    }

    pub(super) fn is_superuser(user: Option<u64>) -> bool {
        user == Some(super::seed::ADMIN)
    }

    /// A user, as embedded in items and projects.
    pub(super) fn user_info(&self, id: &Value) -> Value {
        let Some(user) = id.as_u64().and_then(|id| self.user(id)) else {
            return Value::Null;
        };
        json!({
            "username": user["username"], "full_name_display": user["full_name_display"], "photo": null,
            "big_photo": null, "gravatar_id": user["gravatar_id"], "is_active": true, "id": user["id"],
        })
    }

    pub(super) fn project_of_slug(&self, slug: &str) -> Option<u64> {
        self.projects.iter().find(|(_, project)| project.fields["slug"] == slug).map(|(id, _)| *id)
    }

    pub(super) fn sees(&self, user: Option<u64>, project: u64) -> bool {
        self.projects.get(&project).is_some_and(|project| {
            project.fields["is_private"] == false || Self::is_superuser(user) || project.membership(user).is_some()
        })
    }

    /// Returns whether a list shows something to a user: without the permission it is hidden, not refused.
    pub(super) fn may_view(&self, user: Option<u64>, project: u64, permission: &str) -> bool {
        let is_member = self.projects.get(&project).is_some_and(|project| project.membership(user).is_some());
        !is_member || self.may(user, project, permission)
    }

    pub(super) fn may(&self, user: Option<u64>, project: u64, permission: &str) -> bool {
        let Some(project) = self.projects.get(&project) else { return false };
        if Self::is_superuser(user) {
            return true;
        }
        let Some(membership) = project.membership(user) else { return false };
        let has =
            |role: &Value| role["permissions"].as_array().is_some_and(|all| all.iter().any(|one| one == permission));
        membership["is_admin"] == true || project.role(&membership["role"]).is_some_and(has)
    }
}

impl Project {
    pub(super) fn membership(&self, user: Option<u64>) -> Option<&Value> {
        let user = user?;
        self.memberships.iter().find(|membership| membership["user"] == user)
    }

    pub(super) fn role(&self, id: &Value) -> Option<&Value> {
        self.find("roles", id)
    }

    /// Finds a row of one of the project's lists by its id.
    pub(super) fn find(&self, list: &str, id: &Value) -> Option<&Value> {
        self.fields.get(list)?.as_array()?.iter().find(|row| row["id"] == *id)
    }
}
