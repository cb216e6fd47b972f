//! Why a tracker did not do what it was asked: one of seven categories, and what is known beside it.

use std::time::Duration;

use app::{Error, ErrorKind};

use super::entry::{Id, Kind};

/// What sort of thing went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Category {
    /// Who asks is not known there, or may not do this.
    Auth,
    /// What was named does not exist.
    NotFound,
    /// What was asked for makes no sense, or would overwrite what someone else did.
    Validation,
    /// Too much was asked in a short time.
    RateLimit,
    /// No answer came.
    Network,
    /// The other side failed.
    Server,
    /// Anything else.
    Unknown,
}

impl Category {
    /// Returns the name front doors show.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auth => "auth",
            Self::NotFound => "not_found",
            Self::Validation => "validation",
            Self::RateLimit => "rate_limit",
            Self::Network => "network",
            Self::Server => "server",
            Self::Unknown => "unknown",
        }
    }
}

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What sort.
    pub category: Category,
    /// What happened.
    pub message: String,
    /// What HTTP calls it.
    pub http_status: Option<u16>,
    /// When it is worth trying again.
    pub retry_after: Option<Duration>,
    /// What is wrong with which field, in the order of the fields.
    pub details: Vec<(String, String)>,
    /// Someone else changed the same thing meanwhile; nothing was overwritten.
    pub is_conflict: bool,
    /// What to do next, when there is something.
    pub hint: Option<String>,
    /// The same for a person at the command line, where that can say more. No tool shows it.
    pub advice: Option<String>,
}

impl Failure {
    /// Says something that needs no more.
    pub fn new(category: Category, message: impl Into<String>) -> Self {
        let http_status = match category {
            Category::Auth => Some(401),
            Category::NotFound => Some(404),
            Category::Validation => Some(400),
            Category::RateLimit => Some(429),
            Category::Network | Category::Server | Category::Unknown => None,
        };
        Self {
            category,
            message: message.into(),
            http_status,
            retry_after: None,
            details: Vec::new(),
            is_conflict: false,
            hint: None,
            advice: None,
        }
    }

    /// Refuses fields, each for its reason; the message names them all.
    pub fn fields(details: Vec<(String, String)>) -> Self {
        let parts: Vec<String> = details.iter().map(|(field, reason)| format!("{field}: {reason}")).collect();
        Self { details, ..Self::new(Category::Validation, parts.join("; ")) }
    }

    /// Refuses an id, or another value, that names nothing where it should: `Invalid statusId`.
    pub fn bad_reference(field: &str, reason: impl Into<String>) -> Self {
        let details = vec![(field.to_owned(), reason.into())];
        Self { details, ..Self::new(Category::Validation, format!("Invalid {field}")) }
    }

    /// Refuses the id of a status, in the same words whoever looked for it.
    pub(super) fn no_status(field: &str, id: Id) -> Self {
        Self::bad_reference(field, format!("{id} is no status of this kind; get_statuses lists them"))
    }

    /// Refuses the id of a person.
    pub(super) fn no_member(field: &str, id: Id) -> Self {
        Self::bad_reference(field, format!("{id} is no member's id; get_members lists them"))
    }

    /// Refuses the id of what a story or a task is to be a part of.
    pub(super) fn no_parent(of: Kind, id: Id) -> Self {
        let (field, what, tool) = match of {
            Kind::Story => ("epicId", "epic", "list_epics"),
            _ => ("userStoryId", "user story", "list_user_stories"),
        };
        Self::bad_reference(field, format!("{id} is no {what} of the active project; {tool} lists them"))
    }

    /// Refuses the id of a sprint.
    pub(super) fn no_sprint(id: Id) -> Self {
        Self::bad_reference(
            "milestoneId",
            format!("{id} is not a sprint of the active project; list_sprints lists them"),
        )
    }

    /// Says that a project has to be chosen first.
    pub fn no_project() -> Self {
        Self::new(Category::Validation, "Active project not set")
    }

    /// Says that there is no such thing in the active project.
    pub fn not_found(what: &str) -> Self {
        Self::new(Category::NotFound, format!("{what} not found"))
    }

    /// Says that someone else was faster; nothing was overwritten.
    pub fn conflict(message: impl Into<String>) -> Self {
        Self { is_conflict: true, ..Self::new(Category::Validation, message) }
    }
}

/// The one table from kinds of error to categories.
impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let failure = match error.kind {
            ErrorKind::Invalid => Self::new(Category::Validation, error.message),
            ErrorKind::NotFound => Self::new(Category::NotFound, error.message),
            ErrorKind::Conflict => Self::conflict(error.message),
            ErrorKind::NotARepository | ErrorKind::Unavailable | ErrorKind::IndexDamaged => {
                Self::new(Category::Server, error.message)
            }
            ErrorKind::Internal => Self::new(Category::Unknown, error.message),
        };
        Self { hint: error.hint, ..failure }
    }
}

/// The one table from categories to kinds of error, for front doors without envelopes.
impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        let is_new = |reason: &&String| !failure.message.contains(reason.as_str());
        let reasons: Vec<&str> =
            failure.details.iter().map(|(_, reason)| reason).filter(is_new).map(String::as_str).collect();
        let message = [&[failure.message.as_str()], reasons.as_slice()].concat().join(": ");
        let (kind, hint) = match failure.category {
            Category::Validation if failure.is_conflict => (ErrorKind::Conflict, None),
            Category::Validation => (ErrorKind::Invalid, None),
            Category::NotFound => (ErrorKind::NotFound, None),
            Category::Network => (ErrorKind::Unavailable, Some("check the address and the network")),
            Category::Auth | Category::RateLimit | Category::Server | Category::Unknown => {
                (ErrorKind::Unavailable, None)
            }
        };
        let hint = failure.advice.or(failure.hint).or_else(|| hint.map(str::to_owned));
        Self { kind, message, hint, detail: None }
    }
}
