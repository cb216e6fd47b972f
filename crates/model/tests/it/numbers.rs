//! Numbers are unique in every state, and all clones with the same claims agree on them.

use std::collections::BTreeSet;

use model::id::{EntityId, OpId};
use model::number::{Claim, NumberSpace, assign, highest_plausible};
use model::op::Stamp;
use proptest::prelude::{Strategy, proptest};
use uuid::Uuid;

fn claim((entity, lamport, id, number): (u128, u64, u128, u64)) -> Claim {
    let stamp = Stamp { lamport, id: OpId::new(Uuid::from_u128(id)) };
    Claim { stamp, entity: EntityId::new(Uuid::from_u128(entity)), number }
}

fn entities(n: u128) -> Vec<(Stamp, EntityId)> {
    (0..n)
        .map(|n| {
            let stamp = Stamp { lamport: 1, id: OpId::new(Uuid::from_u128(n)) };
            (stamp, EntityId::new(Uuid::from_u128(n)))
        })
        .collect()
}

proptest! {
    #[test]
    fn every_entity_has_its_own_number(
        claims in proptest::collection::vec((0..8_u128, 0..6_u64, 0..50_u128, 0..10_u64).prop_map(claim), 0..30),
        seed in proptest::prelude::any::<proptest::sample::Index>(),
        is_people in proptest::prelude::any::<bool>(),
    ) {
        let space = if is_people { NumberSpace::Person } else { NumberSpace::Work };
        let numbers = assign(space, &claims, &entities(8));
        let unique: BTreeSet<u64> = numbers.held.values().copied().collect();
        assert_eq!((numbers.held.len(), unique.len()), (8, 8));
        assert!(!unique.contains(&0));
        let mut turned = claims.clone();
        if !turned.is_empty() {
            let by = seed.index(turned.len());
            turned.rotate_left(by);
        }
        turned.extend(claims.iter().take(3));
        assert_eq!(assign(space, &turned, &entities(8)), numbers);
    }
}

#[test]
fn the_earlier_claim_keeps_the_number_and_a_renumber_settles_the_other() {
    let first = claim((1, 1, 1, 5));
    let second = claim((2, 1, 2, 5));
    let [_, one, two]: [_; 3] = entities(3).try_into().unwrap();
    let numbers = assign(NumberSpace::Work, &[first, second], &[one, two]);
    assert_eq!((numbers.held[&one.1], numbers.held[&two.1]), (5, 6));
    assert_eq!(numbers.unsettled, [two.1]);
    let settled = assign(NumberSpace::Work, &[first, second, claim((2, 2, 3, 6))], &[one, two]);
    assert_eq!((settled.held[&two.1], settled.unsettled.len()), (6, 0));
}

#[test]
fn a_forged_number_does_not_advance_the_count() {
    assert_eq!(highest_plausible([3, u64::MAX, 4_000_000_000].into_iter(), 2), 3);
}

#[test]
fn person_without_a_claim_keeps_the_number_when_others_claim_theirs() {
    let people = entities(3);
    let before = assign(NumberSpace::Person, &[], &people);
    assert_eq!(before.held.values().copied().collect::<Vec<_>>(), [1, 2, 3]);
    let claims = [claim((3, 5, 9, 4)), claim((1, 6, 10, 2))];
    let after = assign(NumberSpace::Person, &claims, &entities(4));
    assert_eq!(after.held.values().copied().collect::<Vec<_>>(), [1, 2, 3, 4]);
}
