//! Decides which entities must claim another number when two histories are merged: never one with a published number,
//! unless two of those have the same.
//!
//! A pure function of the claims of one space. An entity that takes another number releases all its other claims, so
//! that no later merge can give it one of those again.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::id::{EntityId, OpId};
use crate::number::{Claim, NumberSpace, assign, highest_plausible, next_free};
use crate::op::Stamp;

/// The claims of one space when two histories are merged.
#[derive(Debug)]
pub struct RenumberInput<'a> {
    /// The space.
    pub space: NumberSpace,
    /// All claims of both histories that were not released.
    pub claims: &'a [Claim],
    /// Released numbers, which are not assigned again.
    pub released: &'a [u64],
    /// The entities of both histories that need a number, each with the stamp of its creation.
    pub numbered: &'a [(Stamp, EntityId)],
    /// Operations that no one else has: their claims give way.
    pub unpublished: &'a HashSet<OpId>,
    /// Numbers before the merge, as far as known.
    pub before: &'a BTreeMap<EntityId, u64>,
}

/// A renumbering of one entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Renumbering {
    /// The entity.
    pub entity: EntityId,
    /// Its new number.
    pub number: u64,
    /// The numbers it releases.
    pub releases: Vec<u64>,
    /// Whether others have seen a number of it.
    pub is_published: bool,
}

/// Live claims, each with its earliest stamp.
type Claims = BTreeMap<(EntityId, u64), Stamp>;

/// Returns the renumberings to write so that every entity holds the intended number by its own claim; empty if they
/// already do.
pub fn renumberings(input: &RenumberInput<'_>) -> Vec<Renumbering> {
    let wanted = intended_numbers(input);
    let mut claims = earliest(input.claims);
    let seen: BTreeSet<EntityId> = published_claims(input).map(|claim| claim.entity).collect();
    let mut found: BTreeMap<EntityId, Renumbering> = BTreeMap::new();
    // Termination: a renumbered entity has one claim left, on its intended number. If it still does not hold it, an
    // entity holds it that is not renumbered yet.
    loop {
        let wrong = misnumbered(input, &wanted, &claims);
        if wrong.is_empty() {
            break;
        }
        for entity in wrong {
            let (number, is_published) = (wanted[&entity], seen.contains(&entity));
            let new = Renumbering { entity, number, releases: Vec::new(), is_published };
            let one = found.entry(entity).or_insert(new);
            one.releases.extend(release_others(&mut claims, entity, number));
        }
    }
    in_order(input.numbered).filter_map(|entity| found.remove(&entity)).collect()
}

/// Returns the intended number of each entity: published entities keep what they hold among each other; others keep the
/// number they had or claim if it is free; the rest get the next free ones.
fn intended_numbers(input: &RenumberInput<'_>) -> BTreeMap<EntityId, u64> {
    let mut wanted = published(input);
    let mut taken: BTreeSet<u64> = wanted.values().copied().collect();
    let members: BTreeSet<EntityId> = in_order(input.numbered).collect();
    let had = in_order(input.numbered).filter_map(|entity| Some((entity, *input.before.get(&entity)?)));
    let mut claims: Vec<&Claim> = input.claims.iter().collect();
    claims.sort_unstable();
    let claimed = claims.into_iter().map(|claim| (claim.entity, claim.number));
    for (entity, number) in had.chain(claimed.filter(|(entity, _)| members.contains(entity))) {
        if !wanted.contains_key(&entity) && taken.insert(number) {
            wanted.insert(entity, number);
        }
    }
    taken.extend(input.claims.iter().map(|claim| claim.number));
    taken.extend(input.before.values().chain(input.released));
    let mut last = highest_plausible(taken.iter().copied(), input.numbered.len());
    for entity in in_order(input.numbered) {
        wanted.entry(entity).or_insert_with(|| {
            last = next_free(last, |number| taken.contains(&number));
            last
        });
    }
    wanted
}

/// Returns the numbers that published claims give if no other claims are evaluated.
fn published(input: &RenumberInput<'_>) -> BTreeMap<EntityId, u64> {
    let claims: Vec<Claim> = published_claims(input).copied().collect();
    let claimers: BTreeSet<EntityId> = claims.iter().map(|claim| claim.entity).collect();
    let numbered: Vec<_> = input.numbered.iter().filter(|(_, entity)| claimers.contains(entity)).copied().collect();
    let mut numbers = assign(input.space, &claims, &numbered);
    for entity in &numbers.unsettled {
        numbers.held.remove(entity);
    }
    numbers.held
}

fn published_claims<'a>(input: &'a RenumberInput<'_>) -> impl Iterator<Item = &'a Claim> {
    input.claims.iter().filter(|claim| !input.unpublished.contains(&claim.stamp.id))
}

fn earliest(claims: &[Claim]) -> Claims {
    let mut earliest = Claims::new();
    for claim in claims {
        let stamp = earliest.entry((claim.entity, claim.number)).or_insert(claim.stamp);
        *stamp = claim.stamp.min(*stamp);
    }
    earliest
}

/// Returns the entities that do not hold their intended number because of a conflicting or missing claim of their own.
fn misnumbered(input: &RenumberInput<'_>, wanted: &BTreeMap<EntityId, u64>, claims: &Claims) -> Vec<EntityId> {
    let to_claim = |((entity, number), stamp): (&(EntityId, u64), &Stamp)| Claim {
        stamp: *stamp,
        entity: *entity,
        number: *number,
    };
    let all: Vec<Claim> = claims.iter().map(to_claim).collect();
    let mut held = assign(input.space, &all, input.numbered);
    for entity in &held.unsettled {
        held.held.remove(entity);
    }
    let is_only_claim = |entity, number| numbers_of(claims, entity).eq([number]);
    let is_wrong = |(entity, number): &(&EntityId, &u64)| {
        held.held.get(*entity) != Some(*number) && !is_only_claim(**entity, **number)
    };
    wanted.iter().filter(is_wrong).map(|(entity, _)| *entity).collect()
}

/// Returns the numbers that an entity claims.
fn numbers_of(claims: &Claims, entity: EntityId) -> impl Iterator<Item = u64> {
    claims.range((entity, 0)..=(entity, u64::MAX)).map(|((_, number), _)| *number)
}

fn release_others(claims: &mut Claims, entity: EntityId, number: u64) -> Vec<u64> {
    let others: Vec<u64> = numbers_of(claims, entity).filter(|own| *own != number).collect();
    for other in &others {
        claims.remove(&(entity, *other));
    }
    // It is evaluated last. No other entity with its intended number claims it, so the order does not matter.
    claims.entry((entity, number)).or_insert(Stamp { lamport: u64::MAX, id: OpId::shared("renumber") });
    others
}

fn in_order(numbered: &[(Stamp, EntityId)]) -> impl Iterator<Item = EntityId> {
    // Sorted references: a hostile push may have hundreds of thousands of entities, and this runs several times.
    let mut sorted: Vec<&(Stamp, EntityId)> = numbered.iter().collect();
    sorted.sort_unstable();
    sorted.dedup();
    sorted.into_iter().map(|(_, entity)| *entity)
}
