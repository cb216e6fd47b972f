//! A failed call as the contract has it: one of seven categories, a message, an HTTP status, and details by field.

use std::time::Duration;

use app::{Error, ErrorKind};

/// The contract's category of a failed call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Category {
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
    Server,
    /// Anything else.
    Unknown,
}

impl Category {
    pub(super) fn name(self) -> &'static str {
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

    /// Returns the contract's status where no server gave one.
    fn http_status(self) -> Option<u16> {
        match self {
            Self::Auth => Some(401),
            Self::NotFound => Some(404),
            Self::Validation => Some(400),
            Self::RateLimit => Some(429),
            Self::Network | Self::Server | Self::Unknown => None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) category: Category,
    pub(super) message: String,
    pub(super) http_status: Option<u16>,
    /// Delay before a retry is worthwhile.
    pub(super) retry_after: Option<Duration>,
    /// Errors by field, in the order of the fields.
    pub(super) details: Vec<(String, String)>,
    /// Someone else changed the same object; nothing was overwritten.
    pub(super) is_conflict: bool,
    /// What to do next, if known.
    pub(super) hint: Option<String>,
}

impl Refusal {
    /// Creates a refusal with the default status of its category.
    pub(super) fn new(category: Category, message: impl Into<String>) -> Self {
        Self {
            category,
            message: message.into(),
            http_status: category.http_status(),
            retry_after: None,
            details: Vec::new(),
            is_conflict: false,
            hint: None,
        }
    }

    /// Creates a validation error from field errors; the message lists them all.
    pub(super) fn fields(details: Vec<(String, String)>) -> Self {
        let parts: Vec<String> = details.iter().map(|(field, reason)| format!("{field}: {reason}")).collect();
        Self { details, ..Self::new(Category::Validation, parts.join("; ")) }
    }

    /// Creates a validation error of one field.
    pub(super) fn field(field: &str, reason: impl Into<String>) -> Self {
        Self::fields(vec![(field.to_owned(), reason.into())])
    }

    /// Creates a validation error for a reference that does not resolve: `Invalid statusId`.
    pub(super) fn bad_reference(field: &str, reason: impl Into<String>) -> Self {
        let details = vec![(field.to_owned(), reason.into())];
        Self { details, ..Self::new(Category::Validation, format!("Invalid {field}")) }
    }

    /// Creates the error for a version conflict.
    pub(super) fn conflict(message: impl Into<String>) -> Self {
        Self { is_conflict: true, ..Self::new(Category::Validation, message) }
    }
}

/// The table from error kinds to categories.
impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        let message = error.message;
        let refusal = match error.kind {
            ErrorKind::Invalid => Self::new(Category::Validation, message),
            ErrorKind::NotFound => Self::new(Category::NotFound, message),
            ErrorKind::Conflict => Self::conflict(message),
            ErrorKind::NotARepository | ErrorKind::Unavailable | ErrorKind::IndexDamaged => {
                Self::new(Category::Server, message)
            }
            ErrorKind::Internal => Self::new(Category::Unknown, message),
        };
        Self { hint: error.hint, ..refusal }
    }
}
