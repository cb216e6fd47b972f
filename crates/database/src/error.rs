//! Errors of the database, by what a caller can do about them.

use std::error::Error as _;

use postgres::error::SqlState;

use crate::Address;

/// What a caller can do about an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DatabaseErrorKind {
    /// The database does not answer now: unreachable, starting, stopping, read-only after a failover, out of
    /// connections. A retry can help.
    Away,
    /// The database refuses: wrong credentials, missing rights, another project's tables. Somebody must act.
    Refused,
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

    pub(crate) fn from_postgres(address: &Address, error: postgres::Error) -> Self {
        let kind = classify(&error);
        let what = match kind {
            DatabaseErrorKind::Away => "the database is not available",
            DatabaseErrorKind::Refused => "the database refused the connection or the statement",
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

fn classify(error: &postgres::Error) -> DatabaseErrorKind {
    let Some(state) = error.code() else {
        // Without an answer of the server, it was the connection; a failed conversion of a value is a bug.
        let is_conversion = error.source().is_some_and(<dyn std::error::Error>::is::<postgres::types::WrongType>);
        return if is_conversion { DatabaseErrorKind::Internal } else { DatabaseErrorKind::Away };
    };
    if *state == SqlState::QUERY_CANCELED || *state == SqlState::READ_ONLY_SQL_TRANSACTION {
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
