//! Maintains the numbers that `model::number` assigns, without evaluating all claims of a space for every new item.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::BitOrAssign;

use model::id::{EntityId, OpId};
use model::item::ItemKind;
use model::number::{self, Claim, ItemNumber, NumberSpace, Numbers};
use model::op::Stamp;
use model::renumber::{self, RenumberInput, Renumbering};
use rusqlite::{Connection, OptionalExtension, params};
use uuid::Uuid;

use super::{Index, IndexError, row};

/// The spaces in which new claims may have changed numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Contested(BTreeSet<NumberSpace>);

impl Contested {
    pub(super) fn add(&mut self, space: NumberSpace) {
        self.0.insert(space);
    }

    pub(super) fn contains(&self, space: NumberSpace) -> bool {
        self.0.contains(&space)
    }
}

impl BitOrAssign for Contested {
    fn bitor_assign(&mut self, other: Self) {
        self.0.extend(other.0);
    }
}

/// Numbers by entity.
#[derive(Debug, Clone, Default)]
pub(crate) struct NumberMap(pub(crate) HashMap<EntityId, ItemNumber>);

impl NumberMap {
    fn of(&self, space: NumberSpace) -> BTreeMap<EntityId, u64> {
        let own = self.0.iter().filter(|(_, reference)| reference.space == space);
        own.map(|(entity, reference)| (*entity, reference.number)).collect()
    }
}

/// The spaces of items. Persons are left out: a person without a claim keeps the same number, whatever others claim.
const ITEM_SPACES: [NumberSpace; 3] = [NumberSpace::Work, NumberSpace::Milestone, NumberSpace::Board];

impl Index {
    /// Evaluates the claims of contested spaces again, inside the caller's transaction. A space is contested if a new
    /// claim is not simply the only one of its item and for its number.
    pub(super) fn settle_numbers(&self, contested: &Contested) -> Result<(), IndexError> {
        if contested.0.is_empty() && !self.check(has_unsettled(&self.connection))? {
            return Ok(());
        }
        for space in NumberSpace::ALL {
            // An item with a provisional number holds one above all claims, which a new claim may take, and its place
            // among the provisional ones may change with its creation.
            if contested.contains(space) || self.n_unsettled(space)? > 0 {
                self.check(settle(&self.connection, space))?;
            }
        }
        Ok(())
    }

    /// Returns the next free number of a space.
    pub fn next_number(&self, space: NumberSpace) -> Result<u64, IndexError> {
        self.check(match space {
            NumberSpace::Person => next_person_number(&self.connection),
            _ => next_item_number(&self.connection, space),
        })
    }

    /// Returns the items with a provisional number, oldest first, each with that number.
    pub fn unsettled(&self) -> Result<Vec<(EntityId, ItemNumber)>, IndexError> {
        let mut unsettled = Vec::new();
        for space in ITEM_SPACES {
            if self.n_unsettled(space)? == 0 {
                continue;
            }
            let numbers = self.check(assign_numbers(&self.connection, space))?.numbers;
            let reference = |entity| ItemNumber { space, number: numbers.held[entity] };
            unsettled.extend(numbers.unsettled.iter().map(|entity| (*entity, reference(entity))));
        }
        Ok(unsettled)
    }

    /// Returns the renumberings that must be written after two histories were merged, so that nobody loses a published
    /// number. `before` has the numbers before the merge.
    pub(crate) fn renumberings(
        &self,
        contested: &Contested,
        unpublished: &HashSet<OpId>,
        before: &NumberMap,
    ) -> Result<Vec<(NumberSpace, Renumbering)>, IndexError> {
        let mut all = Vec::new();
        for space in NumberSpace::ALL {
            if !contested.contains(space) && self.n_unsettled(space)? == 0 {
                continue;
            }
            let claims = self.check(live_claims(&self.connection, space))?;
            let mut numbered = self.check(numbered(&self.connection, space))?;
            if space == NumberSpace::Person {
                // A person without a claim keeps the number that follows from the order in which people were named.
                let claimers: HashSet<EntityId> = claims.iter().map(|claim| claim.entity).collect();
                numbered.retain(|(_, entity)| claimers.contains(entity));
            }
            let before = &before.of(space);
            let released = &self.check(released_numbers(&self.connection, space))?;
            let input = RenumberInput { space, claims: &claims, released, numbered: &numbered, unpublished, before };
            all.extend(renumber::renumberings(&input).into_iter().map(|one| (space, one)));
        }
        Ok(all)
    }

    /// Returns whether there is anything to settle after a catch-up with these contested spaces.
    pub(crate) fn has_contested(&self, contested: &Contested) -> Result<bool, IndexError> {
        for space in ITEM_SPACES {
            if self.n_unsettled(space)? > 0 {
                return Ok(true);
            }
        }
        Ok(!contested.0.is_empty())
    }

    /// Returns the numbers of all items and persons.
    pub(crate) fn numbers(&self) -> Result<NumberMap, IndexError> {
        self.check(numbers(&self.connection))
    }

    /// Visits the numbers of all items.
    pub(crate) fn for_each_number(&self, mut take: impl FnMut(EntityId, ItemNumber)) -> Result<(), IndexError> {
        self.check(each_item_number(&self.connection, &mut take))
    }

    /// Returns the last released number of each item that released one.
    pub(crate) fn released(&self) -> Result<HashMap<EntityId, ItemNumber>, IndexError> {
        self.check(released(&self.connection))
    }

    fn n_unsettled(&self, space: NumberSpace) -> Result<i64, IndexError> {
        let sql = "SELECT value FROM meta WHERE name = ?1";
        let read = || self.connection.prepare_cached(sql)?.query_row([meta(space)], |row| row.get(0)).optional();
        Ok(self.check(read())?.unwrap_or(0))
    }
}

fn meta(space: NumberSpace) -> &'static str {
    match space {
        NumberSpace::Work => "unsettled",
        NumberSpace::Milestone => "unsettled milestones",
        NumberSpace::Board => "unsettled boards",
        NumberSpace::Person => "unsettled people",
    }
}

/// Returns whether any space has items with provisional numbers: one query for all of them, since every write asks.
fn has_unsettled(connection: &Connection) -> rusqlite::Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM meta WHERE name IN (?1, ?2, ?3, ?4) AND value > 0)";
    connection.prepare_cached(sql)?.query_row(NumberSpace::ALL.map(meta), |row| row.get(0))
}

fn next_item_number(connection: &Connection, space: NumberSpace) -> rusqlite::Result<u64> {
    let limit = number::plausible_limit(usize::try_from(n_items(connection, space)?).unwrap_or(0));
    // Claims, released ones included, so that a released number is never assigned again. Each maximum is one look-up in an
    // index; together they are one statement.
    let of_kind = |kind: &ItemKind| {
        let name = kind.name();
        format!(", coalesce((SELECT max(number) FROM item WHERE kind = '{name}' AND number <= ?2), 0)")
    };
    let of_kinds: String = space.kinds().iter().map(of_kind).collect();
    let sql =
        format!("SELECT max(coalesce((SELECT max(number) FROM claim WHERE space = ?1 AND number <= ?2), 0){of_kinds})");
    let values = params![space.word(), limit.cast_signed()];
    let highest: u64 = connection.prepare_cached(&sql)?.query_row(values, |row| row.get(0))?;
    let mut candidate = highest + 1;
    // Up to the limit, no number above the highest is taken.
    while candidate > limit && is_taken(connection, space, candidate)? {
        candidate += 1;
    }
    Ok(candidate)
}

fn n_items(connection: &Connection, space: NumberSpace) -> rusqlite::Result<i64> {
    let mut counts = connection.prepare_cached("SELECT kind, n FROM tally")?;
    let mut rows = counts.query(())?;
    let mut n_items = 0;
    while let Some(row) = rows.next()? {
        if row::kind(row, 0)?.space() == space {
            n_items += row.get::<_, i64>(1)?;
        }
    }
    Ok(n_items)
}

fn is_taken(connection: &Connection, space: NumberSpace, number: u64) -> rusqlite::Result<bool> {
    let sql = "SELECT 1 FROM claim WHERE space = ?1 AND number = ?2";
    if connection.prepare_cached(sql)?.exists(params![space.word(), number.cast_signed()])? {
        return Ok(true);
    }
    let mut held = connection.prepare_cached("SELECT 1 FROM item WHERE kind = ?1 AND number = ?2")?;
    for kind in space.kinds() {
        if held.exists(params![kind.name(), number.cast_signed()])? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn next_person_number(connection: &Connection) -> rusqlite::Result<u64> {
    let sql = "SELECT number FROM person UNION SELECT number FROM claim WHERE space = ?1";
    let mut statement = connection.prepare_cached(sql)?;
    let taken = statement.query_map([NumberSpace::Person.word()], |row| row.get(0))?;
    let taken: BTreeSet<u64> = taken.collect::<Result<_, _>>()?;
    Ok(number::next_free(0, |candidate| taken.contains(&candidate)))
}

fn settle(connection: &Connection, space: NumberSpace) -> rusqlite::Result<()> {
    let assigned = assign_numbers(connection, space)?;
    if space == NumberSpace::Person {
        let mut update = connection.prepare("UPDATE person SET number = ?2 WHERE id = ?1 AND number <> ?2")?;
        for (entity, number) in &assigned.numbers.held {
            update.execute(params![entity.as_bytes(), number.cast_signed()])?;
        }
        return Ok(());
    }
    // Only changed rows: the update of each runs the checksum triggers.
    let mut update = connection.prepare("UPDATE item SET number = ?2 WHERE key = ?1 AND number <> ?2")?;
    for (entity, key) in assigned.keys {
        update.execute(params![key, assigned.numbers.held[&entity].cast_signed()])?;
    }
    let n_unsettled = assigned.numbers.unsettled.len();
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?1, ?2)", params![meta(space), n_unsettled])?;
    Ok(())
}

/// The result of evaluating the claims of a space.
struct AssignedNumbers {
    numbers: Numbers,
    /// The items of the space, with their keys.
    keys: Vec<(EntityId, i64)>,
}

fn assign_numbers(connection: &Connection, space: NumberSpace) -> rusqlite::Result<AssignedNumbers> {
    let begun = begun(connection, space)?;
    let claims = live_claims(connection, space)?;
    let numbered: Vec<(Stamp, EntityId)> = begun.iter().map(|(stamp, entity, _)| (*stamp, *entity)).collect();
    let keys = begun.into_iter().map(|(_, entity, key)| (entity, key)).collect();
    Ok(AssignedNumbers { numbers: number::assign(space, &claims, &numbered), keys })
}

/// Returns all entities that need a number, each with the stamp of its creation.
fn numbered(connection: &Connection, space: NumberSpace) -> rusqlite::Result<Vec<(Stamp, EntityId)>> {
    Ok(begun(connection, space)?.into_iter().map(|(stamp, entity, _)| (stamp, entity)).collect())
}

fn begun(connection: &Connection, space: NumberSpace) -> rusqlite::Result<Vec<(Stamp, EntityId, i64)>> {
    if space == NumberSpace::Person { people(connection) } else { items(connection, space) }
}

fn live_claims(connection: &Connection, space: NumberSpace) -> rusqlite::Result<Vec<Claim>> {
    let sql = "SELECT claim.number, claim.lamport, claim.op, entity.id FROM claim JOIN entity USING (key)
        WHERE claim.space = ?1 AND claim.released = 0";
    let mut statement = connection.prepare(sql)?;
    let claims = statement.query_map([space.word()], |row| {
        let stamp = Stamp { lamport: row.get::<_, i64>(1)?.cast_unsigned(), id: op_id(row.get(2)?) };
        Ok(Claim { stamp, entity: entity_id(row.get(3)?), number: row.get::<_, i64>(0)?.cast_unsigned() })
    })?;
    claims.collect()
}

fn released_numbers(connection: &Connection, space: NumberSpace) -> rusqlite::Result<Vec<u64>> {
    let mut statement = connection.prepare("SELECT number FROM claim WHERE space = ?1 AND released = 1")?;
    statement.query_map([space.word()], |row| row.get::<_, i64>(0).map(i64::cast_unsigned))?.collect()
}

fn each_item_number(connection: &Connection, take: &mut dyn FnMut(EntityId, ItemNumber)) -> rusqlite::Result<()> {
    let sql = "SELECT entity.id, item.kind, item.number FROM item JOIN entity USING (key)";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(())?;
    while let Some(row) = rows.next()? {
        let number = row.get::<_, i64>(2)?.cast_unsigned();
        take(entity_id(row.get(0)?), ItemNumber::of_kind(row::kind(row, 1)?, number));
    }
    Ok(())
}

fn numbers(connection: &Connection) -> rusqlite::Result<NumberMap> {
    let mut held = HashMap::new();
    each_item_number(connection, &mut |entity, reference| {
        held.insert(entity, reference);
    })?;
    let mut statement = connection.prepare_cached("SELECT id, number FROM person")?;
    let mut rows = statement.query(())?;
    while let Some(row) = rows.next()? {
        let number = row.get::<_, i64>(1)?.cast_unsigned();
        held.insert(entity_id(row.get(0)?), ItemNumber { space: NumberSpace::Person, number });
    }
    Ok(NumberMap(held))
}

fn released(connection: &Connection) -> rusqlite::Result<HashMap<EntityId, ItemNumber>> {
    let sql = "SELECT entity.id, item.kind, claim.number FROM claim JOIN entity USING (key) JOIN item USING (key)
        WHERE claim.released = 1 ORDER BY claim.lamport, claim.op";
    let mut statement = connection.prepare_cached(sql)?;
    let found = statement.query_map((), |row| {
        let number = row.get::<_, i64>(2)?.cast_unsigned();
        Ok((entity_id(row.get(0)?), ItemNumber::of_kind(row::kind(row, 1)?, number)))
    })?;
    found.collect()
}

fn items(connection: &Connection, space: NumberSpace) -> rusqlite::Result<Vec<(Stamp, EntityId, i64)>> {
    let sql = "SELECT entity.id, entity.key, entity.lamport, entity.op, item.kind FROM entity JOIN item USING (key)";
    let mut statement = connection.prepare(sql)?;
    let found = statement.query_map((), |row| {
        let stamp = Stamp { lamport: row.get::<_, i64>(2)?.cast_unsigned(), id: op_id(row.get(3)?) };
        let is_here = row::kind(row, 4)?.space() == space;
        Ok(is_here.then_some((stamp, entity_id(row.get(0)?), row.get::<_, i64>(1)?)))
    })?;
    found.filter_map(Result::transpose).collect()
}

fn people(connection: &Connection) -> rusqlite::Result<Vec<(Stamp, EntityId, i64)>> {
    let mut statement = connection.prepare("SELECT id, lamport, op FROM person")?;
    let found = statement.query_map((), |row| {
        let stamp = Stamp { lamport: row.get::<_, i64>(1)?.cast_unsigned(), id: op_id(row.get(2)?) };
        Ok((stamp, entity_id(row.get(0)?), 0))
    })?;
    found.collect()
}

fn op_id(bytes: [u8; 16]) -> OpId {
    OpId::new(Uuid::from_bytes(bytes))
}

fn entity_id(bytes: [u8; 16]) -> EntityId {
    EntityId::from_bytes(bytes)
}
