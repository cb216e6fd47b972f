//! The shapes of GitLab's JSON.

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use super::super::{Label, or_default};
use crate::item::{ImportedComment, ImportedPerson, SourceId};

/// An issue, a note, a discussion, a milestone, an epic, a label or a merge request: the keys tell which.
#[derive(Debug, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "GitLab has them")]
pub(super) struct Element {
    /// A number, of a discussion a text.
    pub(super) id: Option<Value>,
    // Only labels have these two.
    pub(super) name: Option<String>,
    pub(super) color: Option<String>,
    pub(super) iid: Option<u64>,
    pub(super) project_id: Option<u64>,
    pub(super) group_id: Option<u64>,
    pub(super) title: Option<String>,
    pub(super) description: Option<String>,
    pub(super) state: Option<String>,
    pub(super) web_url: Option<String>,
    pub(super) author: Option<User>,
    pub(super) closed_by: Option<User>,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) assignees: Vec<User>,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) labels: Vec<Label>,
    pub(super) milestone: Option<Milestone>,
    pub(super) created_at: Option<Timestamp>,
    pub(super) updated_at: Option<Timestamp>,
    pub(super) closed_at: Option<Timestamp>,
    pub(super) due_date: Option<String>,
    pub(super) start_date: Option<String>,
    pub(super) weight: Option<u64>,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) confidential: bool,
    pub(super) issue_type: Option<String>,
    pub(super) severity: Option<String>,
    pub(super) epic: Option<Epic>,
    pub(super) iteration: Option<Iteration>,
    pub(super) health_status: Option<String>,
    pub(super) time_stats: Option<TimeStats>,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) discussion_locked: bool,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) upvotes: u64,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) downvotes: u64,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) blocking_issues_count: u64,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) user_notes_count: u64,
    /// The notes of a discussion; some exports have the notes inside of their issue.
    #[serde(default, deserialize_with = "or_default")]
    pub(super) notes: Vec<Note>,
    // What only one of the others has.
    pub(super) expired: Option<bool>,
    pub(super) individual_note: Option<bool>,
    pub(super) source_branch: Option<Value>,
    pub(super) message: Option<Value>,
    // What only notes have.
    body: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    system: bool,
    #[serde(default, deserialize_with = "or_default")]
    internal: bool,
    pub(super) noteable_iid: Option<u64>,
    noteable_type: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct User {
    #[serde(default, deserialize_with = "or_default")]
    username: String,
    name: Option<String>,
    email: Option<String>,
    public_email: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Milestone {
    pub(super) id: u64,
    pub(super) iid: Option<u64>,
    pub(super) title: String,
    pub(super) description: Option<String>,
    pub(super) state: Option<String>,
    pub(super) due_date: Option<String>,
    pub(super) start_date: Option<String>,
    pub(super) web_url: Option<String>,
    pub(super) created_at: Option<Timestamp>,
    pub(super) updated_at: Option<Timestamp>,
}

/// The epic of an issue, which belongs to a group, not to the project.
#[derive(Debug, Deserialize)]
pub(super) struct Epic {
    pub(super) id: u64,
    pub(super) title: String,
    /// The path of its page.
    pub(super) url: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Iteration {
    pub(super) title: Option<String>,
    pub(super) iid: Option<u64>,
}

/// In seconds.
#[derive(Debug, Deserialize)]
pub(super) struct TimeStats {
    #[serde(default, deserialize_with = "or_default")]
    pub(super) time_estimate: u64,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) total_time_spent: u64,
}

#[derive(Debug, Deserialize)]
pub(super) struct Note {
    id: Option<u64>,
    #[serde(default, deserialize_with = "or_default")]
    body: String,
    author: Option<User>,
    created_at: Option<Timestamp>,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) system: bool,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) internal: bool,
    #[serde(default, deserialize_with = "or_default")]
    confidential: bool,
    noteable_type: Option<String>,
    pub(super) noteable_iid: Option<u64>,
    pub(super) project_id: Option<u64>,
}

impl Element {
    /// Returns the note that this element is.
    pub(super) fn into_note(self) -> Note {
        Note {
            id: self.id.and_then(|id| id.as_u64()),
            body: self.body.unwrap_or_default(),
            author: self.author,
            created_at: self.created_at,
            system: self.system,
            internal: self.internal,
            confidential: self.confidential,
            noteable_type: self.noteable_type,
            noteable_iid: self.noteable_iid,
            project_id: self.project_id,
        }
    }
}

impl Note {
    /// Returns whether only members of the project may read it.
    pub(super) fn is_internal(&self) -> bool {
        (self.internal || self.confidential) && !self.system
    }

    /// Returns what it is about, if that is not an issue: the word for it, and its name.
    pub(super) fn other_subject(&self) -> Option<(&'static str, String)> {
        let number = self.noteable_iid.map_or_else(String::new, |iid| iid.to_string());
        match self.noteable_type.as_deref() {
            Some("MergeRequest") => Some(("comment of a merge request", format!("!{number}"))),
            Some("Issue" | "WorkItem") | None => None,
            Some(other) => Some(("comment", format!("{other} {number}"))),
        }
    }

    pub(super) fn into_comment(self) -> Option<ImportedComment> {
        (!self.system).then(|| ImportedComment {
            id: self.id.map_or(SourceId::None, |id| SourceId::Of(id.to_string())),
            author: self.author.and_then(User::into_person),
            created: self.created_at,
            body: self.body,
        })
    }
}

impl User {
    pub(super) fn into_person(self) -> Option<ImportedPerson> {
        let email = self.email.or(self.public_email).unwrap_or_default();
        ImportedPerson { name: self.name.unwrap_or_default(), email, username: self.username }.known()
    }
}
