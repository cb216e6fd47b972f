//! Errors in one type: one of seven categories, a message, and the HTTP status.

use std::collections::BTreeMap;
use std::time::Duration;

/// A failed call. Its text contains no secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// Category of the failure.
    pub kind: ErrorKind,
    /// What went wrong, for people.
    pub message: String,
    /// HTTP status, if the server responded.
    pub status: Option<u16>,
    /// Whether a write may have been carried out nevertheless: it was sent, and no response came back.
    pub may_be_done: bool,
}

/// Category of a failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ErrorKind {
    /// The user is not authenticated or lacks the permission.
    Auth(AuthProblem),
    /// The object does not exist, or the user may not know of it.
    NotFound,
    /// The server rejected the request, or the client did before sending it.
    Validation {
        /// Invalid fields with the reason; `non_field_errors` is for the whole request.
        fields: BTreeMap<String, String>,
        /// Somebody else changed the same fields since they were read.
        conflict: bool,
    },
    /// The server asks for a pause; nothing was done.
    RateLimit {
        /// The rest of the pause.
        wait: Duration,
    },
    /// No response: no connection, timeout, connection lost, or an invalid certificate.
    Network,
    /// The server failed (5xx).
    Server,
    /// A response that is not from a Taiga, or a local failure, such as a token store that cannot be written.
    Unknown,
}

impl ErrorKind {
    /// Returns the name of the category.
    pub fn category(&self) -> &'static str {
        match self {
            Self::Auth(_) => "auth",
            Self::NotFound => "not_found",
            Self::Validation { .. } => "validation",
            Self::RateLimit { .. } => "rate_limit",
            Self::Network => "network",
            Self::Server => "server",
            Self::Unknown => "unknown",
        }
    }
}

/// Why authentication or authorization failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuthProblem {
    /// There is no token to send.
    NoToken,
    /// User name, password or token was not accepted.
    Refused,
    /// The tokens have expired and cannot be renewed: the user must log in again.
    SessionEnded,
    /// The user lacks the permission.
    Forbidden,
    /// The project is archived: it is read-only.
    Archived,
    /// The project is blocked by the server's staff: it is read-only.
    Blocked,
}

impl Error {
    /// Returns whether somebody else changed the same fields in between.
    pub fn is_conflict(&self) -> bool {
        matches!(self.kind, ErrorKind::Validation { conflict: true, .. })
    }

    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), status: None, may_be_done: false }
    }

    /// An error for a request that is rejected before it is sent.
    pub(crate) fn invalid(field: &str, why: impl Into<String>) -> Self {
        let why = why.into();
        let fields = BTreeMap::from([(field.to_owned(), why.clone())]);
        Self::new(ErrorKind::Validation { fields, conflict: false }, why)
    }

    pub(crate) fn network(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Network, message)
    }

    pub(crate) fn unknown(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Unknown, message)
    }

    pub(crate) fn auth(problem: AuthProblem, message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Auth(problem), message)
    }

    pub(crate) fn rate_limit(wait: Duration) -> Self {
        // Rounded up, so that a retry after the displayed time is not too early.
        let seconds = wait.as_millis().div_ceil(1000);
        Self::new(ErrorKind::RateLimit { wait }, format!("the server asks to wait {seconds} seconds"))
    }

    pub(crate) fn with_status(mut self, status: u16) -> Self {
        self.status = Some(status);
        self
    }
}
