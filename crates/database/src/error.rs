//! Errors of the database, by what a caller can do about them.

use std::error::Error as _;

use postgres::error::SqlState;
use postgres::types::WrongType;

use crate::{Address, tls};

/// The library's message for a server that does not offer TLS although the address requires it.
const NO_TLS: &str = "server does not support TLS";

/// The kind of an error, by the reaction of a caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DatabaseErrorKind {
    /// The database does not answer now: unreachable, starting, stopping, read-only after a failover, out of
    /// connections. A retry can help.
    Away,
    /// The database refuses: wrong credentials, missing rights, another project's tables. Somebody must act.
    Refused,
    /// TLS is not possible: the certificate is not trusted or not for this host, or the server offers no TLS. Somebody
    /// must act.
    Untrusted,
    /// Another client was first; look again and decide anew.
    Conflict,
    /// Stored data contradicts itself.
    Damaged,
    /// Anything else: a bug here or there.
    Internal,
}

/// A failed call.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct DatabaseError {
    kind: DatabaseErrorKind,
    message: String,
    #[source]
    source: Option<postgres::Error>,
}

impl DatabaseError {
    /// Creates an error from facts.
    pub fn new(kind: DatabaseErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), source: None }
    }

    /// Returns the kind.
    pub fn kind(&self) -> DatabaseErrorKind {
        self.kind
    }

    /// Returns whether the database does not answer now.
    pub fn is_away(&self) -> bool {
        self.kind == DatabaseErrorKind::Away
    }

    /// Returns whether a statement that failed with this may have been committed: the connection broke, or the server
    /// said that it stops. After any other answer of the server it was rolled back.
    pub(crate) fn may_follow_commit(&self) -> bool {
        match self.sql_state() {
            Some(state) => ["08", "57P"].iter().any(|class| state.code().starts_with(class)),
            None => self.is_away(),
        }
    }

    /// Returns whether the server rolled a statement back because it took too long, or because it accepts no writes any
    /// more.
    pub(crate) fn passes(&self) -> bool {
        self.sql_state().is_some_and(has_passing_cause)
    }

    fn sql_state(&self) -> Option<&SqlState> {
        self.source.as_ref().and_then(postgres::Error::code)
    }

    pub(crate) fn from_postgres(address: &Address, error: postgres::Error) -> Self {
        let kind = classify(&error);
        let what = match kind {
            DatabaseErrorKind::Away => "the database is not available",
            DatabaseErrorKind::Refused => "the database refused the connection or the statement",
            DatabaseErrorKind::Untrusted => "no trusted connection to the database",
            DatabaseErrorKind::Conflict => "the database reports a conflict",
            DatabaseErrorKind::Damaged => "the database holds other data than expected",
            DatabaseErrorKind::Internal => "the database reports an error",
        };
        Self { kind, message: format!("{what} (`{address}`)"), source: Some(error) }
    }

    /// Returns the message with its causes on one line, for an error that outlives them.
    pub(crate) fn with_causes(&self) -> String {
        let mut text = self.message.clone();
        let mut cause = self.source();
        while let Some(error) = cause {
            text = format!("{text}: {error}");
            cause = error.source();
        }
        text
    }
}

fn has_passing_cause(state: &SqlState) -> bool {
    *state == SqlState::QUERY_CANCELED || *state == SqlState::READ_ONLY_SQL_TRANSACTION
}

fn classify(error: &postgres::Error) -> DatabaseErrorKind {
    let Some(state) = error.code() else { return classify_without_answer(error) };
    if has_passing_cause(state) {
        return DatabaseErrorKind::Away;
    }
    if *state == SqlState::UNDEFINED_TABLE || *state == SqlState::UNDEFINED_COLUMN {
        return DatabaseErrorKind::Damaged;
    }
    // The first two characters are the class (PostgreSQL's manual, appendix A).
    match state.code().get(..2) {
        // Connection, resources, an operator's intervention (shutdown, start), the system.
        Some("08" | "53" | "57" | "58") => DatabaseErrorKind::Away,
        // Authorization, a database that does not exist, missing rights.
        Some("28" | "3D" | "3F" | "42") => DatabaseErrorKind::Refused,
        // Violated constraints, serialization failures, locks.
        Some("23" | "40" | "55") => DatabaseErrorKind::Conflict,
        Some("XX") => DatabaseErrorKind::Damaged,
        _ => DatabaseErrorKind::Internal,
    }
}

/// Without an answer of the server, it was the connection: broken, or refused by this side, which trying again does
/// not change. A failed conversion of a value is a bug.
fn classify_without_answer(error: &postgres::Error) -> DatabaseErrorKind {
    let causes = || std::iter::successors(error.source(), |&cause| cause.source());
    if causes().any(<dyn std::error::Error>::is::<WrongType>) {
        return DatabaseErrorKind::Internal;
    }
    if causes().any(|cause| tls::is_refusal(cause) || cause.to_string() == NO_TLS) {
        return DatabaseErrorKind::Untrusted;
    }
    // The library does not publish the kinds of its errors, only these texts.
    match error.to_string().as_str() {
        "authentication error" | "invalid configuration" => DatabaseErrorKind::Refused,
        _ => DatabaseErrorKind::Away,
    }
}
