//! The visibility of an item, which most queries filter by.

use model::workflow::State;
use rusqlite::ToSql;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef};

/// Which lists show an item. Stored by name, so that queries can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Visibility {
    Deleted,
    Closed,
    /// Open or draft.
    Open,
}

impl Visibility {
    pub(super) fn of(deleted: bool, state: State) -> Self {
        match (deleted, state) {
            (true, _) => Self::Deleted,
            (false, State::Closed) => Self::Closed,
            (false, State::Open | State::Draft) => Self::Open,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Deleted => "deleted",
            Self::Closed => "closed",
            Self::Open => "open",
        }
    }
}

impl ToSql for Visibility {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.name().into())
    }
}

impl FromSql for Visibility {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        match value.as_str()? {
            "deleted" => Ok(Self::Deleted),
            "closed" => Ok(Self::Closed),
            "open" => Ok(Self::Open),
            other => Err(FromSqlError::Other(format!("unknown visibility `{other}`").into())),
        }
    }
}
