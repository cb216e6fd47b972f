//! The order of cards. A move reads only the neighbors, however many items there are.

use model::id::EntityId;
use model::number::NumberSpace;
use model::rank::Rank;
use rusqlite::Connection;
use rusqlite::functions::FunctionFlags;
use rusqlite::types::Value;

use super::item_table::ITEM_COLUMNS;
use super::row::{RANK_KEY, parsed};
use super::{Index, IndexError};

/// A position in the order: the rank of an item, and its id as a tie-breaker.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RankedItem {
    /// The rank.
    pub rank: Rank,
    /// The item.
    pub id: EntityId,
}

/// The direction of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Towards the bottom.
    Down,
    /// Towards the top.
    Up,
}

/// Registers the SQL function `rank_key(rank, number)`: the rank of an item, derived from its number if it was never
/// moved.
pub(super) fn register(connection: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_INNOCUOUS;
    connection.create_scalar_function("rank_key", 2, flags, |context| {
        let rank: String = context.get(0)?;
        let number: i64 = context.get(1)?;
        Ok(if rank.is_empty() { Rank::of_number(number.try_into().unwrap_or(0)).to_string() } else { rank })
    })
}

impl Index {
    /// Returns up to `limit` items of a space after a position in a direction, nearest first; without a position, from
    /// the start of that direction. Includes closed items, but not deleted ones.
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
            // Written so that SQLite seeks to the position in its index; the unary plus prevents the use of another
            // index.
            condition = format!("{RANK_KEY} {beyond}= ?2 AND ({RANK_KEY} {beyond} ?2 OR item.id {beyond} ?3) AND");
        }
        let sql = format!(
            "SELECT {RANK_KEY}, item.id, sound(item.sum, {}) FROM item
             WHERE {condition} +item.visibility <> 'deleted' AND +item.kind IN ({}) ORDER BY {RANK_KEY}{order}, item.id{order} LIMIT ?1",
            *ITEM_COLUMNS,
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
