//! Keys, by example and by property.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::sample::Index;

use super::*;

fn rank(text: &str) -> Rank {
    text.parse().unwrap()
}

#[track_caller]
fn check(after: &str, before: &str, expect: &str) {
    let end = |text: &str| (!text.is_empty()).then(|| rank(text));
    let key = Rank::between(end(after).as_ref(), end(before).as_ref());
    assert_eq!(key.map(|key| key.to_string()).unwrap_or_default(), expect, "between {after:?} and {before:?}");
}

#[test]
fn keys_are_short_and_in_between() {
    check("", "", "a0");
    check("a1", "", "a2");
    check("az", "", "b10");
    check("", "a1", "a0");
    check("", "a0", "Zy");
    check("", "Z0", "Yyz");
    check("a1", "a2", "a1i");
    check("a1", "a1i", "a19");
    check("a1", "a11", "a10i");
    check("a1", "a9", "a5");
    check("a1z", "a2", "a1zi");
    check("a1", "a25", "a2");
    check("a2", "a1", "");
    check("a2", "a2", "");
}

#[test]
fn numbers_are_in_order() {
    let numbers = [0, 1, 9, 10, 35, 36, 37, 1295, 1296, 1_000_000, u64::MAX];
    let keys: Vec<String> = numbers.iter().map(|number| Rank::of_number(*number).to_string()).collect();
    assert!(keys.is_sorted(), "{keys:?}");
    assert_eq!(keys[..6], ["a0", "a1", "a9", "aa", "az", "b10"]);
}

#[test]
fn other_texts_are_refused() {
    let long = format!("a1{}", "1".repeat(MAX_LENGTH));
    for text in ["", "a", "1", "b1", "a10", "a1A", "b05", "Zz", "a1é", "m1111111111111", "-1", " a1", long.as_str()] {
        assert!(text.parse::<Rank>().is_err(), "{text}");
    }
}

/// Any valid key.
fn any_rank() -> impl Strategy<Value = Rank> {
    let whole = prop_oneof![-50..50_i64, -2000..2000_i64, Just(MAX_WHOLE), Just(-MAX_WHOLE)];
    (whole, "([0-9a-z]{0,6}[1-9a-z])?").prop_map(|(whole, fraction)| Rank { whole, fraction })
}

proptest! {
    #[test]
    fn bytes_sort_as_keys_do(a in any_rank(), b in any_rank()) {
        prop_assert_eq!(a.to_string().cmp(&b.to_string()), a.cmp(&b));
        prop_assert_eq!(rank(&a.to_string()), a);
    }

    #[test]
    fn any_text_is_refused_or_reads_back(text in "[a-zA-Z][0-9a-z]{0,8}|\\PC{0,8}") {
        if let Ok(rank) = text.parse::<Rank>() {
            prop_assert_eq!(rank.to_string(), text);
        }
    }

    #[test]
    fn a_key_between_two_lies_strictly_between_and_grows_by_one_digit(a in any_rank(), b in any_rank()) {
        prop_assume!(a != b);
        let (low, high) = if a < b { (a, b) } else { (b, a) };
        let key = Rank::between(Some(&low), Some(&high)).unwrap();
        prop_assert!(low < key && key < high, "{low} < {key} < {high}");
        let longest = low.to_string().len().max(high.to_string().len());
        prop_assert!(key.to_string().len() <= longest + 1, "{low} {key} {high}");
        prop_assert_eq!(rank(&key.to_string()), key);
        if let Some(key) = Rank::between(None, Some(&low)) {
            prop_assert!(key < low);
        }
        let key = Rank::between(Some(&high), None).unwrap();
        prop_assert!(key > high);
    }
}

/// A clone: the key of each card, with the stamp of the move that set it.
#[derive(Debug, Clone, PartialEq)]
struct Replica(BTreeMap<usize, (u64, usize, Rank)>);

impl Replica {
    fn new(n_cards: usize) -> Self {
        Self((0..n_cards).map(|card| (card, (0, 0, Rank::of_number(card as u64 / 2)))).collect())
    }

    fn order(&self) -> Vec<usize> {
        let mut order: Vec<(&Rank, usize)> = self.0.iter().map(|(card, (_, _, rank))| (rank, *card)).collect();
        order.sort_unstable();
        order.into_iter().map(|(_, card)| card).collect()
    }

    fn drag(&mut self, card: usize, place: usize, stamp: (u64, usize)) -> Vec<usize> {
        let mut order: Vec<usize> = self.order().into_iter().filter(|other| *other != card).collect();
        let place = place.min(order.len());
        let keys: Vec<Rank> = order.iter().map(|card| self.0[card].2.clone()).collect();
        let made = insertion(1, all(&keys[..place]), all(&keys[place..])).unwrap();
        order.insert(place, card);
        for (card, key) in order[place - made.n_before..].iter().zip(made.keys) {
            self.0.insert(*card, (stamp.0, stamp.1, key));
        }
        order
    }

    fn merge(&mut self, other: &Self) {
        for (card, theirs) in &other.0 {
            let own = self.0.get_mut(card).unwrap();
            *own = own.clone().max(theirs.clone());
        }
    }
}

proptest! {
    #[test]
    fn drags_in_two_clones_converge(
        drags in prop::collection::vec((any::<bool>(), any::<Index>(), any::<Index>(), any::<bool>()), 1..60),
    ) {
        const N: usize = 8;
        let mut clones = [Replica::new(N), Replica::new(N)];
        let mut clock = 0;
        for (which, card, place, is_sync) in drags {
            clock += 1;
            let which = usize::from(which);
            let order = clones[which].drag(card.index(N), place.index(N), (clock, which));
            prop_assert_eq!(clones[which].order(), order, "a drag puts one card at its place and moves no other");
            if is_sync {
                let other = clones[1 - which].clone();
                clones[which].merge(&other);
            }
        }
        let [mut a, mut b] = clones;
        let before = a.clone();
        a.merge(&b);
        b.merge(&before);
        prop_assert_eq!(a.order(), b.order());
        let mut all = a.order();
        all.sort_unstable();
        prop_assert_eq!(all, (0..N).collect::<Vec<_>>());
    }
}

#[test]
fn thousands_of_moves_to_one_place_stay_short() {
    let mut cards = Replica::new(5);
    for step in 0..3000 {
        // Always directly after the first card: the worst case for bisection.
        let last = *cards.order().last().unwrap();
        cards.drag(last, 1, (step, 0));
    }
    let longest = cards.0.values().map(|(_, _, rank)| rank.to_string().len()).max().unwrap();
    assert!(longest <= MAX_LENGTH, "{longest}");
}

fn all(ranks: &[Rank]) -> Neighbors<'_> {
    Neighbors { ranks, is_all: true }
}
