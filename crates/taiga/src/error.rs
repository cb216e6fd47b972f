//! What can go wrong, in one type: which of seven categories, what to tell people, and the status of the answer.

use std::collections::BTreeMap;
use std::time::Duration;

/// A call that failed. Its text holds no secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// What sort of failure.
    pub kind: ErrorKind,
    /// What happened, for people.
    pub message: String,
    /// The status of the answer, when the server gave one.
    pub status: Option<u16>,
    /// Whether a write may have been carried out all the same: it was sent, and no answer of the server's came back.
    pub may_be_done: bool,
}

/// What sort of failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ErrorKind {
    /// The server does not let this user do it.
    Auth(AuthProblem),
    /// There is no such thing, or none this user may know of.
    NotFound,
    /// What was sent makes no sense to the server, or to the client before it was sent.
    Validation {
        /// Which field is wrong and why; `non_field_errors` stands for the whole.
        fields: BTreeMap<String, String>,
        /// Somebody else changed the same fields since they were read.
        conflict: bool,
    },
    /// The server asks for a pause; nothing was done.
    RateLimit {
        /// How much of the pause is left.
        wait: Duration,
    },
    /// No answer came: no connection, too slow, cut off, or a certificate that proves nothing.
    Network,
    /// The server failed.
    Server,
    /// An answer that no Taiga gives, or something on this side, such as a place for tokens that cannot be written.
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

/// Why the server does not let a user do something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuthProblem {
    /// There is no token to send.
    NoToken,
    /// The user name, the password or the token is not accepted.
    Refused,
    /// The tokens have run out and could not be renewed: somebody has to log in.
    SessionEnded,
    /// The user may not do this.
    Forbidden,
    /// The project is archived: reading still works.
    Archived,
    /// The project is blocked by the server's staff: reading still works.
    Blocked,
}

impl Error {
    /// Tells whether somebody else changed the same fields in between.
    pub fn is_conflict(&self) -> bool {
        matches!(self.kind, ErrorKind::Validation { conflict: true, .. })
    }

    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), status: None, may_be_done: false }
    }

    /// Something that is refused before it is sent.
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
        // Rounded up: whoever waits as long as the text says must not be too early.
        let seconds = wait.as_millis().div_ceil(1000);
        Self::new(ErrorKind::RateLimit { wait }, format!("the server asks to wait {seconds} seconds"))
    }

    pub(crate) fn with_status(mut self, status: u16) -> Self {
        self.status = Some(status);
        self
    }
}
