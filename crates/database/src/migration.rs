//! Versioned migrations of the tables.
//!
//! Each runs once, in a transaction that locks the table of versions, so two servers that start together do not collide.
//! A database of a newer version is refused: its tables may mean something else. Plain SQL without extensions,
//! superuser rights or advisory locks; a migration that was released is never changed.

use postgres::Client;
use postgres::error::SqlState;

use crate::{Database, DatabaseError, DatabaseErrorKind, access, audit, failures, messages, refs, turns};

/// The migrations with the version each leads to, in order. Add at the end, never change one.
const MIGRATIONS: &[(i32, &str)] = &[
    (1, refs::TABLES),
    (2, access::TABLES),
    (3, audit::TABLES),
    (4, failures::TABLES),
    (5, messages::TABLES),
    (6, turns::TABLES),
];

/// The version of the schema that this program makes and reads.
pub const LATEST: i32 = MIGRATIONS[MIGRATIONS.len() - 1].0;

const VERSIONS: &str = "CREATE TABLE IF NOT EXISTS cairn_schema (
    version integer PRIMARY KEY,
    applied_at timestamptz NOT NULL DEFAULT now()
)";

/// The state of the tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchemaState {
    /// There are no tables.
    Missing,
    /// The tables of an earlier version, which [`Database::migrate`] updates.
    Outdated(i32),
    /// The tables of this version.
    Current,
    /// The tables of a newer program.
    Newer(i32),
}

impl Database {
    /// Returns the state of the tables.
    pub fn schema(&self) -> Result<SchemaState, DatabaseError> {
        Ok(match self.read(version)? {
            None => SchemaState::Missing,
            Some(version) if version < LATEST => SchemaState::Outdated(version),
            Some(version) if version == LATEST => SchemaState::Current,
            Some(version) => SchemaState::Newer(version),
        })
    }

    /// Creates or updates the tables. A database that is current needs no right to create tables.
    pub fn migrate(&self) -> Result<(), DatabaseError> {
        match self.schema()? {
            SchemaState::Current => Ok(()),
            SchemaState::Newer(version) => Err(newer(version)),
            SchemaState::Missing | SchemaState::Outdated(_) => {
                self.create_versions()?;
                match self.run(apply)? {
                    version if version > LATEST => Err(newer(version)),
                    _ => Ok(()),
                }
            }
        }
    }

    // `IF NOT EXISTS` does not protect from another session that creates the same table at the same moment.
    fn create_versions(&self) -> Result<(), DatabaseError> {
        let create = || self.run(|client| client.batch_execute(VERSIONS));
        create().or_else(|error| if error.kind() == DatabaseErrorKind::Conflict { create() } else { Err(error) })
    }
}

fn version(client: &mut Client) -> Result<Option<i32>, postgres::Error> {
    match client.query_one("SELECT coalesce(max(version), 0) FROM cairn_schema", &[]) {
        Ok(row) => Ok(Some(row.get(0))),
        Err(error) if error.code() == Some(&SqlState::UNDEFINED_TABLE) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Applies the missing migrations and returns the version that was found.
fn apply(client: &mut Client) -> Result<i32, postgres::Error> {
    let mut transaction = client.transaction()?;
    // Readers go on; another migration waits here and then finds nothing to do.
    transaction.batch_execute("LOCK TABLE cairn_schema IN EXCLUSIVE MODE")?;
    let found: i32 = transaction.query_one("SELECT coalesce(max(version), 0) FROM cairn_schema", &[])?.get(0);
    for (version, tables) in MIGRATIONS.iter().filter(|(version, _)| *version > found) {
        transaction.batch_execute(tables)?;
        transaction.execute("INSERT INTO cairn_schema (version) VALUES ($1)", &[version])?;
    }
    transaction.commit()?;
    Ok(found)
}

fn newer(version: i32) -> DatabaseError {
    let message = format!("the database has tables of version {version}; this program knows version {LATEST}");
    DatabaseError::new(DatabaseErrorKind::Refused, message)
}
