//! The order of cards: who stands next to whom. A move reads its neighbours only, however many items there are.

use model::id::EntityId;
use model::number::NumberSpace;
use model::rank::Rank;
use rusqlite::functions::FunctionFlags;
use rusqlite::types::Value;
use rusqlite::{Connection, Error};

use super::row::{RANK_KEY, item_columns};
use super::{Index, IndexError};

/// A place in the order: the key of an item, and its id for items that have the same key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RankedItem {
    /// Its key.
    pub rank: Rank,
    /// Which item.
    pub id: EntityId,
}

/// In which direction to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Towards the bottom: what comes after.
    Down,
    /// Towards the top: what comes before.
    Up,
}

/// Gives SQL the function `rank_key(rank, number)`: the key of an item, also of one that was never moved.
pub(super) fn register(connection: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_INNOCUOUS;
    connection.create_scalar_function("rank_key", 2, flags, |context| {
        let rank: String = context.get(0)?;
        let number: i64 = context.get(1)?;
        Ok(if rank.is_empty() { Rank::of_number(number.try_into().unwrap_or(0)).to_string() } else { rank })
    })
}

impl Index {
    /// Returns up to `limit` items of a space that follow a place in a direction, the nearest first; without a place, those
    /// at the end where that direction begins. Closed items too, deleted ones not.
    pub fn ranked(
        &self,
        space: NumberSpace,
        from: Option<&RankedItem>,
        direction: Direction,
        limit: usize,
    ) -> Result<Vec<RankedItem>, IndexError> {
        let (beyond, order) = match direction {
            Direction::Down => (">", ""),
            Direction::Up => ("<", " DESC"),
        };
        let kinds: Vec<String> = space.kinds().iter().map(|kind| format!("'{}'", kind.name())).collect();
        let mut values = vec![Value::Integer(i64::try_from(limit).unwrap_or(i64::MAX))];
        let mut condition = String::new();
        if let Some(from) = from {
            values.extend([Value::Text(from.rank.to_string()), Value::Text(from.id.to_string())]);
            // In this form SQLite searches its index for the first place; the plus keeps it from another index.
            condition = format!("{RANK_KEY} {beyond}= ?2 AND ({RANK_KEY} {beyond} ?2 OR item.id {beyond} ?3) AND");
        }
        let sql = format!(
            "SELECT {RANK_KEY}, item.id, sound(item.sum, {}) FROM item
             WHERE {condition} +item.shelf > 0 AND +item.kind IN ({}) ORDER BY {RANK_KEY}{order}, item.id{order} LIMIT ?1",
            item_columns!("item"),
            kinds.join(", "),
        );
        let query = || {
            let mut statement = self.connection.prepare_cached(&sql)?;
            statement.query_map(rusqlite::params_from_iter(values.iter()), read)?.collect()
        };
        self.check(query())
    }
}

fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<RankedItem> {
    Ok(RankedItem { rank: parsed(row, 0)?, id: parsed(row, 1)? })
}

fn parsed<T: std::str::FromStr>(row: &rusqlite::Row<'_>, column: usize) -> rusqlite::Result<T> {
    let text: String = row.get(column)?;
    let wrong = || Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, format!("`{text}`").into());
    text.parse().map_err(|_| wrong())
}
