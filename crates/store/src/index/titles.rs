//! Items by name alone, in the order of their numbers: for lists that are long and say little about each.

use model::id::EntityId;
use model::item::ItemKind;
use rusqlite::params;

use super::{Index, IndexError};

/// How many characters of a description are given; hundreds of whole ones could fill the memory.
const LONGEST: u32 = 2_000;

/// An item's name and what it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Titled {
    /// Its number.
    pub number: u64,
    /// One line.
    pub title: String,
    /// Markdown, cut where it is very long; may be empty.
    pub description: String,
}

impl Index {
    /// Returns items of a kind, closed ones too, whose numbers lie above one; the lowest first.
    pub fn titles(&self, kind: ItemKind, above: u64, limit: usize) -> Result<Vec<Titled>, IndexError> {
        // The index has to be named: without statistics SQLite takes one that knows the shelf, and sorts.
        let sql = "SELECT item.number, item.title, substr(coalesce(body.description, ''), 1, ?4)
            FROM item INDEXED BY item_kind LEFT JOIN body USING (key)
            WHERE item.number > ?1 AND item.kind = ?2 AND item.shelf > 0 ORDER BY item.number LIMIT ?3";
        let above = i64::try_from(above).unwrap_or(i64::MAX);
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let query = || {
            let mut statement = self.connection.prepare_cached(sql)?;
            let titled = |row: &rusqlite::Row<'_>| {
                Ok(Titled { number: row.get(0)?, title: row.get(1)?, description: row.get(2)? })
            };
            statement.query_map(params![above, kind.name(), limit, LONGEST], titled)?.collect()
        };
        self.check(query())
    }

    /// Returns the numbers of a kind's items that lie on a board, closed ones too, the lowest first.
    pub fn numbers_on(&self, board: EntityId, kind: ItemKind) -> Result<Vec<u64>, IndexError> {
        let sql = "SELECT number FROM item WHERE board = ?1 AND kind = ?2 AND shelf > 0 ORDER BY number";
        let query = || {
            let mut statement = self.connection.prepare_cached(sql)?;
            statement.query_map(params![board.to_string(), kind.name()], |row| row.get(0))?.collect()
        };
        self.check(query())
    }
}
