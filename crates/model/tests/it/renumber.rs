//! Published numbers are stable under merges, and the renumberings suffice to keep them.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use model::id::{EntityId, OpId};
use model::number::{Claim, NumberSpace, assign};
use model::op::Stamp;
use model::renumber::{RenumberInput, Renumbering, renumberings};
use proptest::prelude::{Strategy, any, prop_assert, prop_assert_eq, proptest};
use uuid::Uuid;

/// A claim, and whether it is published.
#[derive(Debug, Clone, Copy)]
struct Made {
    claim: Claim,
    is_published: bool,
}

fn entity(n: u128) -> EntityId {
    EntityId::new(Uuid::from_u128(n))
}

fn stamp(lamport: u64, id: u128) -> Stamp {
    Stamp { lamport, id: OpId::new(Uuid::from_u128(id)) }
}

fn made(n: u128, lamport: u64, number: u64, is_published: bool) -> Made {
    let claim = Claim { stamp: stamp(lamport, u128::from(lamport) * 1000 + n), entity: entity(n), number };
    Made { claim, is_published }
}

struct World {
    claims: Vec<Claim>,
    numbered: Vec<(Stamp, EntityId)>,
    unpublished: HashSet<OpId>,
    before: BTreeMap<EntityId, u64>,
}

impl World {
    fn new(made: &[Made]) -> Self {
        let claims: Vec<Claim> = made.iter().map(|one| one.claim).collect();
        let entities: BTreeSet<EntityId> = claims.iter().map(|claim| claim.entity).collect();
        let numbered = entities.iter().enumerate().map(|(n, entity)| (stamp(1, n as u128), *entity)).collect();
        let unpublished = made.iter().filter(|one| !one.is_published).map(|one| one.claim.stamp.id).collect();
        let own = made.iter().filter(|one| !one.is_published).map(|one| (one.claim.entity, one.claim.number));
        Self { claims, numbered, unpublished, before: own.collect() }
    }

    fn renumber(&self) -> Vec<Renumbering> {
        let Self { claims, numbered, unpublished, before } = self;
        renumberings(&RenumberInput { space: NumberSpace::Work, claims, released: &[], numbered, unpublished, before })
    }

    /// Returns the numbers after the renumberings were written.
    fn after(&self, written: &[Renumbering]) -> model::number::Numbers {
        let mut claims = self.claims.clone();
        for (n, one) in written.iter().enumerate() {
            claims.retain(|claim| claim.entity != one.entity || !one.releases.contains(&claim.number));
            let stamp = stamp(1_000_000 + n as u64, n as u128);
            claims.push(Claim { stamp, entity: one.entity, number: one.number });
        }
        assign(NumberSpace::Work, &claims, &self.numbered)
    }
}

#[test]
fn the_unpublished_item_is_renumbered_even_if_claimed_first() {
    let world = World::new(&[made(1, 1, 6, false), made(2, 9, 6, true)]);
    let written = world.renumber();
    assert_eq!(written, [Renumbering { entity: entity(1), number: 7, releases: vec![6], is_published: false }]);
    assert_eq!(world.after(&written).held, BTreeMap::from([(entity(1), 7), (entity(2), 6)]));
}

#[test]
fn of_two_published_items_the_earlier_claim_keeps_the_number() {
    let world = World::new(&[made(1, 3, 6, true), made(2, 2, 6, true), made(3, 1, 8, false)]);
    assert_eq!(world.renumber(), [Renumbering { entity: entity(1), number: 9, releases: vec![6], is_published: true }]);
}

#[test]
fn nothing_is_written_when_no_number_is_claimed_twice() {
    let world = World::new(&[made(1, 1, 6, false), made(2, 2, 7, true), made(3, 3, 8, false)]);
    assert_eq!(world.renumber(), []);
}

#[test]
fn among_published_claims_the_earliest_wins_over_local_claims() {
    // Logs of earlier versions released nothing, so an item may claim two numbers.
    let made = [made(1, 1, 6, false), made(2, 2, 6, true), made(2, 5, 7, true), made(3, 4, 6, true)];
    let world = World { before: BTreeMap::from([(entity(1), 6), (entity(2), 7)]), ..World::new(&made) };
    let written = world.renumber();
    let after = world.after(&written);
    assert_eq!((after.held[&entity(2)], after.unsettled), (6, vec![]));
    assert_eq!(after.held.values().collect::<BTreeSet<_>>().len(), 3);
}

fn claims() -> impl Strategy<Value = Vec<Made>> {
    let one = (0..8_u128, 1..9_u64, 1..7_u64, any::<bool>());
    proptest::collection::vec(one, 1..24).prop_map(|all| {
        let all = all.into_iter().enumerate();
        // Every operation has its own id.
        all.map(|(id, (n, lamport, number, is_published))| {
            let one = made(n, lamport, number, is_published);
            Made { claim: Claim { stamp: stamp(lamport, id as u128), ..one.claim }, ..one }
        })
        .collect()
    })
}

proptest! {
    #[test]
    fn published_numbers_stay_and_everyone_holds_one_of_their_own(made in claims()) {
        let world = World::new(&made);
        let published: Vec<Claim> = made.iter().filter(|one| one.is_published).map(|one| one.claim).collect();
        let claimers: BTreeSet<EntityId> = published.iter().map(|claim| claim.entity).collect();
        let numbered: Vec<_> = world.numbered.iter().filter(|(_, one)| claimers.contains(one)).copied().collect();
        let seen = assign(NumberSpace::Work, &published, &numbered);
        let written = world.renumber();
        let after = world.after(&written);
        prop_assert!(after.unsettled.is_empty());
        for (entity, number) in &seen.held {
            if !seen.unsettled.contains(entity) {
                prop_assert_eq!(after.held.get(entity), Some(number), "{:?}", written);
            }
        }
        // An entity keeps its number if no published item has it.
        let taken: BTreeSet<u64> = seen.held.iter().filter(|(e, _)| !seen.unsettled.contains(e)).map(|(_, n)| *n).collect();
        let alone = world.before.iter().filter(|(entity, number)| {
            let is_shared = world.before.iter().any(|(other, own)| other != *entity && own == *number);
            !taken.contains(number) && !is_shared && (!seen.held.contains_key(entity) || seen.unsettled.contains(entity))
        });
        for (entity, number) in alone {
            prop_assert_eq!(after.held.get(entity), Some(number), "{:?}", written);
        }
    }

    #[test]
    fn renumbering_twice_changes_nothing(made in claims()) {
        let world = World::new(&made);
        let written = world.renumber();
        let mut again = World::new(&made);
        for (n, one) in written.iter().enumerate() {
            again.claims.retain(|claim| claim.entity != one.entity || !one.releases.contains(&claim.number));
            let stamp = stamp(1_000_000 + n as u64, n as u128);
            again.claims.push(Claim { stamp, entity: one.entity, number: one.number });
        }
        again.before = world.after(&written).held;
        prop_assert_eq!(again.renumber(), vec![]);
    }
}
