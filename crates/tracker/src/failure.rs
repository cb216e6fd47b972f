//! The error of a tracker: one of seven categories, with details.

use std::time::Duration;

use app::{Error, ErrorKind};

use super::entry::Id;
use crate::Kind;

/// The category of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureCategory {
    /// Not authenticated, or not permitted.
    Auth,
    /// The referenced object does not exist.
    NotFound,
    /// Invalid input, or a version conflict.
    Validation,
    /// Too many requests.
    RateLimit,
    /// The server did not respond.
    Network,
    /// The server failed.
    Server,
    /// Anything else.
    Unknown,
}

impl FailureCategory {
    /// Returns the name in tool results.
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

/// An error of a tracker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The category.
    pub category: FailureCategory,
    /// The message.
    pub message: String,
    /// The corresponding HTTP status.
    pub http_status: Option<u16>,
    /// Delay before a retry is worthwhile.
    pub retry_after: Option<Duration>,
    /// Errors by field, in the order of the fields.
    pub details: Vec<(String, String)>,
    /// Someone else changed the same object; nothing was overwritten.
    pub is_conflict: bool,
    /// What to do next, if known.
    pub hint: Option<String>,
    /// A more specific hint for the command line. Tools do not show it.
    pub advice: Option<String>,
}

impl Failure {
    /// Creates a failure with the default HTTP status of its category.
    pub fn new(category: FailureCategory, message: impl Into<String>) -> Self {
        let http_status = match category {
            FailureCategory::Auth => Some(401),
            FailureCategory::NotFound => Some(404),
            FailureCategory::Validation => Some(400),
            FailureCategory::RateLimit => Some(429),
            FailureCategory::Network | FailureCategory::Server | FailureCategory::Unknown => None,
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

    /// Creates a validation failure from field errors; the message lists them all.
    pub fn fields(details: Vec<(String, String)>) -> Self {
        let parts: Vec<String> = details.iter().map(|(field, reason)| format!("{field}: {reason}")).collect();
        Self { details, ..Self::new(FailureCategory::Validation, parts.join("; ")) }
    }

    /// Creates a validation failure for a reference that does not resolve: `Invalid statusId`.
    pub fn bad_reference(field: &str, reason: impl Into<String>) -> Self {
        let details = vec![(field.to_owned(), reason.into())];
        Self { details, ..Self::new(FailureCategory::Validation, format!("Invalid {field}")) }
    }

    /// Creates the failure for an unknown status id; the text is the same for both back ends.
    pub(super) fn no_status(field: &str, id: Id) -> Self {
        Self::bad_reference(field, format!("{id} is no status of this kind; get_statuses lists them"))
    }

    /// Creates the failure for an unknown member id.
    pub(super) fn no_member(field: &str, id: Id) -> Self {
        Self::bad_reference(field, format!("{id} is no member's id; get_members lists them"))
    }

    /// Creates the failure for an unknown epic or story id.
    pub(super) fn no_parent(of: Kind, id: Id) -> Self {
        let (field, what, tool) = match of {
            Kind::Story => ("epicId", "epic", "list_epics"),
            _ => ("userStoryId", "user story", "list_user_stories"),
        };
        Self::bad_reference(field, format!("{id} is no {what} of the active project; {tool} lists them"))
    }

    /// Creates the failure for an unknown sprint id.
    pub(super) fn no_sprint(id: Id) -> Self {
        Self::bad_reference(
            "milestoneId",
            format!("{id} is not a sprint of the active project; list_sprints lists them"),
        )
    }

    /// Creates the failure for a missing active project.
    pub fn no_project() -> Self {
        Self::new(FailureCategory::Validation, "Active project not set")
    }

    /// Creates the failure for an object that is not in the active project.
    pub fn not_found(what: &str) -> Self {
        Self::new(FailureCategory::NotFound, format!("{what} not found"))
    }

    /// Creates the failure for a version conflict; nothing was overwritten.
    pub fn conflict(message: impl Into<String>) -> Self {
        Self { is_conflict: true, ..Self::new(FailureCategory::Validation, message) }
    }
}

/// Returns the name of a kind in messages.
pub(super) fn title(kind: Kind) -> &'static str {
    match kind {
        Kind::Epic => "Epic",
        Kind::Story => "User story",
        Kind::Task => "Task",
        Kind::Issue => "Issue",
    }
}

/// The table from error kinds to categories.
impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let failure = match error.kind {
            ErrorKind::Invalid => Self::new(FailureCategory::Validation, error.message),
            ErrorKind::NotFound => Self::new(FailureCategory::NotFound, error.message),
            ErrorKind::Conflict => Self::conflict(error.message),
            ErrorKind::NotARepository | ErrorKind::Unavailable | ErrorKind::IndexDamaged => {
                Self::new(FailureCategory::Server, error.message)
            }
            ErrorKind::Internal => Self::new(FailureCategory::Unknown, error.message),
        };
        Self { hint: error.hint, ..failure }
    }
}

/// The table from categories to error kinds, for the command line.
impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        let is_new = |reason: &&String| !failure.message.contains(reason.as_str());
        let reasons: Vec<&str> =
            failure.details.iter().map(|(_, reason)| reason).filter(is_new).map(String::as_str).collect();
        let message = [&[failure.message.as_str()], reasons.as_slice()].concat().join(": ");
        let (kind, hint) = match failure.category {
            FailureCategory::Validation if failure.is_conflict => (ErrorKind::Conflict, None),
            FailureCategory::Validation => (ErrorKind::Invalid, None),
            FailureCategory::NotFound => (ErrorKind::NotFound, None),
            FailureCategory::Network => (ErrorKind::Unavailable, Some("check the address and the network")),
            FailureCategory::Auth | FailureCategory::RateLimit | FailureCategory::Server | FailureCategory::Unknown => {
                (ErrorKind::Unavailable, None)
            }
        };
        let hint = failure.advice.or(failure.hint).or_else(|| hint.map(str::to_owned));
        let error = Self::new(kind, message);
        match hint {
            Some(hint) => error.hint(hint),
            None => error,
        }
    }
}
