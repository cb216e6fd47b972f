//! Who holds which number: a pure function of all claims, so that every clone agrees and no number is held twice.
//!
//! Claims are heard in (lamport, id) order. A claim succeeds when nobody holds the number yet and the claimer has none.
//! Whoever is left without one gets the next numbers above all claims, in order, until a renumber operation settles it.

use std::collections::{BTreeMap, BTreeSet};

use crate::id::EntityId;
use crate::op::Stamp;

/// One entity asking for one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Claim {
    /// When in the order it was made; earlier claims are heard first.
    pub stamp: Stamp,
    /// Who asks.
    pub entity: EntityId,
    /// For what.
    pub number: u64,
}

/// The largest number an item can have: beyond it JSON readers lose digits.
pub const LARGEST: u64 = 1 << 53;

/// The outcome of hearing all claims.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Numbers {
    /// The number of each entity.
    pub held: BTreeMap<EntityId, u64>,
    /// Entities whose number is not backed by a claim of theirs, oldest first: each wants a renumber operation.
    pub unsettled: Vec<EntityId>,
}

/// Hears all claims. `numbered` are the entities that must have a number, with the stamp of their creation.
pub fn assign(claims: &[Claim], numbered: &[(Stamp, EntityId)]) -> Numbers {
    let members: BTreeSet<EntityId> = numbered.iter().map(|(_, entity)| *entity).collect();
    let mut in_order: Vec<&Claim> = claims.iter().filter(|claim| members.contains(&claim.entity)).collect();
    in_order.sort_unstable();
    let mut numbers = Numbers::default();
    let mut taken = BTreeSet::new();
    for claim in in_order {
        let is_number = (1..=LARGEST).contains(&claim.number);
        if !is_number || numbers.held.contains_key(&claim.entity) || !taken.insert(claim.number) {
            continue;
        }
        numbers.held.insert(claim.entity, claim.number);
    }
    let mut waiting: Vec<&(Stamp, EntityId)> =
        numbered.iter().filter(|(_, entity)| !numbers.held.contains_key(entity)).collect();
    waiting.sort_unstable();
    let mut number = highest_plausible(claims.iter().map(|claim| claim.number), numbered.len());
    for (_, entity) in waiting {
        number = next_free(number, |candidate| taken.contains(&candidate));
        numbers.held.insert(*entity, number);
        numbers.unsettled.push(*entity);
    }
    numbers
}

/// Returns the first number above `above` that is not taken.
pub fn next_free(above: u64, is_taken: impl Fn(u64) -> bool) -> u64 {
    let mut number = above.saturating_add(1);
    while is_taken(number) {
        number += 1;
    }
    number
}

/// Returns the highest number that an honest project of this size can have reached.
///
/// A forged claim on number four billion holds that number and nothing else: counting goes on where it was.
pub fn highest_plausible(claimed: impl Iterator<Item = u64>, n_items: usize) -> u64 {
    let limit = plausible_limit(n_items);
    claimed.filter(|number| *number <= limit).max().unwrap_or(0)
}

/// Returns the bound that `highest_plausible` applies.
pub fn plausible_limit(n_items: usize) -> u64 {
    (n_items as u64).saturating_mul(16).saturating_add(100_000)
}
