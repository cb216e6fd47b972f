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

impl From<State> for Visibility {
    /// Returns the visibility of an item that is not deleted.
    fn from(state: State) -> Self {
        match state {
            State::Closed => Self::Closed,
            State::Open | State::Draft => Self::Open,
        }
    }
}

impl Visibility {
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
