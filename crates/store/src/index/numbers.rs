//! Keeps every item's number what `model::number` says it is, without hearing all claims again for every new item.

use model::id::{EntityId, OpId};
use model::number::{self, Claim, Numbers};
use model::op::Stamp;
use rusqlite::{Connection, OptionalExtension, params};
use uuid::Uuid;

use super::{Index, IndexError};

impl Index {
    /// Hears the claims again, inside the caller's transaction, when new ones could have changed the outcome:
    /// `contested` when one of them is not simply the only claim of its item and on its number.
    pub(super) fn settle_numbers(&self, contested: bool) -> Result<(), IndexError> {
        // An item that waits for its renumbering holds a number above all claims, which a new claim may take, and its
        // place among those that wait may change with its creation.
        let is_stable = !contested && self.n_unsettled()? == 0;
        if is_stable { Ok(()) } else { self.check(settle(&self.connection)) }
    }

    /// Returns the number the next item takes.
    pub fn next_number(&self) -> Result<u64, IndexError> {
        self.check(next_number(&self.connection))
    }

    /// Returns the items whose number no operation backs yet, oldest first, each with the number it answers to.
    pub fn unsettled(&self) -> Result<Vec<(EntityId, u64)>, IndexError> {
        if self.n_unsettled()? == 0 {
            return Ok(Vec::new());
        }
        let (numbers, _) = self.check(hear(&self.connection))?;
        Ok(numbers.unsettled.iter().map(|entity| (*entity, numbers.held[entity])).collect())
    }

    fn n_unsettled(&self) -> Result<i64, IndexError> {
        let sql = "SELECT value FROM meta WHERE name = 'unsettled'";
        let read = || self.connection.prepare_cached(sql)?.query_row((), |row| row.get(0)).optional();
        Ok(self.check(read())?.unwrap_or(0))
    }
}

fn next_number(connection: &Connection) -> rusqlite::Result<u64> {
    let mut sum = connection.prepare_cached("SELECT coalesce(sum(n), 0) FROM tally")?;
    let n_items: i64 = sum.query_row((), |row| row.get(0))?;
    let limit = number::plausible_limit(usize::try_from(n_items).unwrap_or(0));
    let highest = |table: &str| -> rusqlite::Result<u64> {
        let sql = format!("SELECT coalesce(max(number), 0) FROM {table} WHERE number <= ?1");
        connection.prepare_cached(&sql)?.query_row([limit.cast_signed()], |row| row.get(0))
    };
    let mut candidate = highest("claim")?.max(highest("item")?) + 1;
    let sql = "SELECT 1 FROM claim WHERE number = ?1 UNION ALL SELECT 1 FROM item WHERE number = ?1";
    // Up to the limit, nothing above the highest is taken.
    while candidate > limit && connection.prepare_cached(sql)?.exists([candidate.cast_signed()])? {
        candidate += 1;
    }
    Ok(candidate)
}

fn settle(connection: &Connection) -> rusqlite::Result<()> {
    let (numbers, keys) = hear(connection)?;
    let mut update = connection.prepare("UPDATE item SET number = ?2 WHERE key = ?1 AND number <> ?2")?;
    for (entity, key) in keys {
        update.execute(params![key, numbers.held[&entity].cast_signed()])?;
    }
    connection.execute("INSERT OR REPLACE INTO meta VALUES ('unsettled', ?1)", [numbers.unsettled.len()])?;
    Ok(())
}

fn hear(connection: &Connection) -> rusqlite::Result<(Numbers, Vec<(EntityId, i64)>)> {
    let sql = "SELECT entity.id, entity.key, entity.lamport, entity.op FROM entity JOIN item USING (key)";
    let mut statement = connection.prepare(sql)?;
    let born = statement.query_map((), |row| {
        let stamp = Stamp { lamport: row.get::<_, i64>(2)?.cast_unsigned(), id: op_id(row.get(3)?) };
        Ok((stamp, entity_id(row.get(0)?), row.get::<_, i64>(1)?))
    })?;
    let born: Vec<(Stamp, EntityId, i64)> = born.collect::<Result<_, _>>()?;
    let sql = "SELECT claim.number, claim.lamport, claim.op, entity.id FROM claim JOIN entity USING (key)";
    let mut statement = connection.prepare(sql)?;
    let claims = statement.query_map((), |row| {
        let stamp = Stamp { lamport: row.get::<_, i64>(1)?.cast_unsigned(), id: op_id(row.get(2)?) };
        Ok(Claim { stamp, entity: entity_id(row.get(3)?), number: row.get::<_, i64>(0)?.cast_unsigned() })
    })?;
    let claims: Vec<Claim> = claims.collect::<Result<_, _>>()?;
    let numbered: Vec<(Stamp, EntityId)> = born.iter().map(|(stamp, entity, _)| (*stamp, *entity)).collect();
    let keys = born.into_iter().map(|(_, entity, key)| (entity, key)).collect();
    Ok((number::assign(&claims, &numbered), keys))
}

fn op_id(bytes: [u8; 16]) -> OpId {
    OpId::new(Uuid::from_bytes(bytes))
}

fn entity_id(bytes: [u8; 16]) -> EntityId {
    EntityId::from_bytes(bytes)
}
