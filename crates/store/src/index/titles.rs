//! Items with title and description only, by number, for long lists.

use model::id::EntityId;
use model::item::ItemKind;
use rusqlite::params;

use super::checksum::damage;
use super::item_table::ITEM_COLUMNS;
use super::{Index, IndexError};

/// Characters of a description that are returned; hundreds of full ones could fill the memory.
const MAX_TITLES: u32 = 2_000;

/// An item's title and description.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TitledItem {
    /// Its number.
    pub number: u64,
    /// Title, one line.
    pub title: String,
    /// Markdown, truncated if it is very long; may be empty.
    pub description: String,
}

impl Index {
    /// Returns items of a kind with numbers above `above`, including closed ones, lowest first.
    pub fn titles(&self, kind: ItemKind, above: u64, limit: usize) -> Result<Vec<TitledItem>, IndexError> {
        // `INDEXED BY`, because without statistics SQLite chooses an index with the visibility, and sorts.
        let sql = format!(
            "SELECT item.number, item.title, substr(body.description, 1, ?4), sound(item.sum, {}),
             sound(body.sum, body.key, body.description) FROM item INDEXED BY item_kind LEFT JOIN body USING (key)
             WHERE item.number > ?1 AND item.kind = ?2 AND item.visibility <> 'deleted' ORDER BY item.number LIMIT ?3",
            *ITEM_COLUMNS
        );
        let above = i64::try_from(above).unwrap_or(i64::MAX);
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let query = || {
            let mut statement = self.connection.prepare_cached(&sql)?;
            let titled = |row: &rusqlite::Row<'_>| {
                Ok(TitledItem { number: row.get(0)?, title: row.get(1)?, description: row.get(2)? })
            };
            statement.query_map(params![above, kind.name(), limit, MAX_TITLES], titled)?.collect()
        };
        // A damaged index entry would hide an item, so compare with the maintained count, which is read again because
        // others may write in between.
        let total = if above == 0 { Some(self.total_of(kind)?) } else { None };
        let titles: Vec<TitledItem> = self.check(query())?;
        let is_whole = titles.len() >= usize::try_from(limit).unwrap_or(usize::MAX)
            || total.is_none_or(|total| total == titles.len());
        if !is_whole && total == Some(self.total_of(kind)?) {
            return self.check(Err(damage("a list has other items than were counted")));
        }
        Ok(titles)
    }

    fn total_of(&self, kind: ItemKind) -> Result<usize, IndexError> {
        let sql = "SELECT coalesce(sum(n), 0) FROM tally WHERE kind = ?1 AND visibility <> 'deleted'";
        let total = || self.connection.prepare_cached(sql)?.query_row([kind.name()], |row| row.get(0));
        self.check(total())
    }

    /// Returns the numbers of a kind's items on a board, including closed ones, lowest first.
    pub fn numbers_on(&self, board: EntityId, kind: ItemKind) -> Result<Vec<u64>, IndexError> {
        let sql = "SELECT number FROM item WHERE board = ?1 AND kind = ?2 AND visibility <> 'deleted' ORDER BY number";
        let query = || {
            let mut statement = self.connection.prepare_cached(sql)?;
            statement.query_map(params![board.to_string(), kind.name()], |row| row.get(0))?.collect()
        };
        self.check(query())
    }
}
