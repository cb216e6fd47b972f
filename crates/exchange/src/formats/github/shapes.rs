//! The shapes of GitHub's JSON. Names of keys are those of the REST interface; `gh` has the aliases.

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use super::super::{Given, Label, or_default};
use crate::item::{ImportedComment, ImportedPerson, SourceId};

/// An issue, a comment, a milestone or a label: the keys tell which. `gh` writes only the keys that it was asked for.
#[derive(Debug, Deserialize)]
pub(super) struct Element {
    pub(super) number: Option<u64>,
    // Only labels have these two.
    pub(super) name: Option<String>,
    pub(super) color: Option<String>,
    pub(super) title: Option<String>,
    #[serde(default)]
    pub(super) body: Given<String>,
    #[serde(default)]
    pub(super) description: Given<String>,
    pub(super) state: Option<String>,
    #[serde(alias = "stateReason")]
    pub(super) state_reason: Option<String>,
    pub(super) url: Option<String>,
    pub(super) html_url: Option<String>,
    pub(super) id: Option<Value>,
    #[serde(alias = "author", alias = "creator", default, deserialize_with = "user_or_ghost")]
    pub(super) user: Option<User>,
    #[serde(alias = "closedBy")]
    pub(super) closed_by: Option<User>,
    /// Servers that do not have the list yet.
    pub(super) assignee: Option<User>,
    #[serde(default)]
    pub(super) assignees: Given<Vec<User>>,
    #[serde(default)]
    pub(super) labels: Given<Vec<Label>>,
    #[serde(default)]
    pub(super) milestone: Given<Milestone>,
    #[serde(alias = "createdAt")]
    pub(super) created_at: Option<Timestamp>,
    #[serde(alias = "updatedAt")]
    pub(super) updated_at: Option<Timestamp>,
    #[serde(alias = "closedAt")]
    pub(super) closed_at: Option<Timestamp>,
    /// A number from the REST interface, the comments themselves from `gh`.
    pub(super) comments: Option<Comments>,
    pub(super) pull_request: Option<Value>,
    /// Only comments have it.
    pub(super) issue_url: Option<String>,
    /// Only milestones have it.
    pub(super) open_issues: Option<u64>,
    #[serde(alias = "dueOn", default)]
    pub(super) due_on: Given<String>,
    pub(super) parent_issue_url: Option<String>,
    /// The same from `gh`.
    #[serde(default)]
    pub(super) parent: Given<Parent>,
    #[serde(rename = "type", alias = "issueType", default)]
    pub(super) type_: Given<IssueType>,
    pub(super) reactions: Option<Reactions>,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) locked: bool,
    pub(super) issue_dependencies_summary: Option<Dependencies>,
    /// Only the answer of a failed request has it.
    pub(super) message: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct User {
    #[serde(default, deserialize_with = "or_default")]
    login: String,
    #[serde(alias = "full_name")]
    name: Option<String>,
    email: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Milestone {
    pub(super) number: Option<u64>,
    pub(super) title: String,
    #[serde(default)]
    pub(super) description: Given<String>,
    pub(super) state: Option<String>,
    #[serde(alias = "dueOn", default)]
    pub(super) due_on: Given<String>,
    pub(super) creator: Option<User>,
    #[serde(alias = "createdAt")]
    pub(super) created_at: Option<Timestamp>,
    #[serde(alias = "updatedAt")]
    pub(super) updated_at: Option<Timestamp>,
    #[serde(alias = "closedAt")]
    pub(super) closed_at: Option<Timestamp>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Comments {
    Count(u64),
    Whole(Vec<Comment>),
}

#[derive(Debug, Deserialize)]
pub(super) struct Comment {
    pub(super) id: Option<Value>,
    pub(super) url: Option<String>,
    #[serde(alias = "author", default, deserialize_with = "user_or_ghost")]
    pub(super) user: Option<User>,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) body: String,
    #[serde(alias = "createdAt")]
    pub(super) created_at: Option<Timestamp>,
}

#[derive(Debug, Deserialize)]
pub(super) struct IssueType {
    pub(super) name: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Parent {
    pub(super) url: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Reactions {
    #[serde(default, deserialize_with = "or_default")]
    pub(super) total_count: u64,
}

/// How many issues an issue waits for; which ones, only another request tells.
#[derive(Debug, Deserialize)]
pub(super) struct Dependencies {
    #[serde(default, deserialize_with = "or_default")]
    pub(super) total_blocked_by: u64,
}

// Who deleted their account is `null`, and shown as `ghost`. Without the key, nobody asked for the author.
fn user_or_ghost<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<User>, D::Error> {
    let ghost = || User { login: String::new(), name: None, email: None };
    Option::<User>::deserialize(deserializer).map(|user| Some(user.unwrap_or_else(ghost)))
}

impl User {
    pub(super) fn into_person(self) -> Option<ImportedPerson> {
        let Self { login, name, email } = self;
        let (name, email) = (name.unwrap_or_default(), email.unwrap_or_default());
        // `gh` writes no name for a deleted account, and `app/` before that of a bot, even if it has none.
        let username = match login.strip_prefix("app/").unwrap_or(&login) {
            "" if name.is_empty() && email.is_empty() => "ghost".to_owned(),
            bot if login.starts_with("app/") => format!("{bot}[bot]"),
            login => login.to_owned(),
        };
        ImportedPerson { name, email, username }.known()
    }
}

impl Comment {
    pub(super) fn into_imported(self) -> ImportedComment {
        // The REST interface and `gh` give different ids, but the same address.
        let in_url = self.url.as_deref().and_then(|url| url.rsplit_once("#issuecomment-")).map(|(_, id)| id.to_owned());
        let id = in_url.or_else(|| self.id.map(|id| id.to_string().trim_matches('"').to_owned()));
        ImportedComment {
            id: id.map_or(SourceId::None, SourceId::Of),
            author: self.user.and_then(User::into_person),
            created: self.created_at,
            body: self.body,
        }
    }
}
