//! The statements that a batch runs for every entity. Each is prepared on first use and kept until the batch ends: even
//! finding a statement in rusqlite's cache costs more than some of these inserts.

use std::borrow::Cow;

use rusqlite::{CachedStatement, Connection};

use super::super::item_table;

/// A statement, by what it writes.
#[derive(Debug, Clone, Copy)]
pub(super) enum RowStatement {
    InsertOp,
    InsertEntity,
    ReplaceEntity,
    InsertItem,
    ReplaceItem,
    InsertClaim,
    MergeClaim,
    AddLabel,
    AddLink,
    InsertBody,
    ReplaceBody,
}

/// Number of statements.
const N_STATEMENTS: usize = RowStatement::ReplaceBody as usize + 1;

impl RowStatement {
    // Without a possible conflict, plain INSERT: REPLACE makes SQLite keep a statement journal for every row.
    fn sql(self) -> Cow<'static, str> {
        match self {
            Self::InsertOp => "INSERT INTO op VALUES (?1, ?2, ?3)".into(),
            Self::InsertEntity => "INSERT INTO entity VALUES (?1, ?2, ?3, ?4, ?5, ?6)".into(),
            Self::ReplaceEntity => "INSERT OR REPLACE INTO entity VALUES (?1, ?2, ?3, ?4, ?5, ?6)".into(),
            Self::InsertItem => format!("INSERT INTO {}", *item_table::INSERT).into(),
            Self::ReplaceItem => format!("INSERT OR REPLACE INTO {}", *item_table::INSERT).into(),
            Self::InsertClaim => "INSERT INTO claim VALUES (?1, ?2, ?3, ?4, ?5, ?6)".into(),
            Self::MergeClaim => "INSERT INTO claim VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                ON CONFLICT DO UPDATE SET released = excluded.released WHERE released <> excluded.released"
                .into(),
            Self::AddLabel => "INSERT OR IGNORE INTO label VALUES (?1, ?2)".into(),
            Self::AddLink => "INSERT OR IGNORE INTO link VALUES (?1, ?2, ?3)".into(),
            Self::InsertBody => "INSERT INTO body VALUES (?1, ?2, ?3, ?4)".into(),
            Self::ReplaceBody => "INSERT OR REPLACE INTO body VALUES (?1, ?2, ?3, ?4)".into(),
        }
    }
}

/// The statements of a batch.
pub(super) struct RowStatements<'a> {
    connection: &'a Connection,
    prepared: [Option<CachedStatement<'a>>; N_STATEMENTS],
}

impl<'a> RowStatements<'a> {
    pub(super) fn new(connection: &'a Connection) -> Self {
        Self { connection, prepared: [const { None }; N_STATEMENTS] }
    }

    /// Returns a statement, prepared at the first call.
    pub(super) fn get(&mut self, which: RowStatement) -> rusqlite::Result<&mut CachedStatement<'a>> {
        let place = &mut self.prepared[which as usize];
        match place {
            Some(statement) => Ok(statement),
            None => Ok(place.insert(self.connection.prepare_cached(&which.sql())?)),
        }
    }
}
