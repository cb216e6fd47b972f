//! Relative orders: which cards were moved between two orders, and the minimal moves from one to the other. Taiga
//! renumbers the neighbors of a dragged card, so the numbers cannot be compared; only relative positions can.

use std::collections::{BTreeMap, BTreeSet};

/// Cards that are moved together, to a place between two others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Run {
    /// The card before the run; `None` for the top.
    pub(crate) after: Option<u64>,
    /// The card after the run; `None` for the bottom.
    pub(crate) before: Option<u64>,
    /// The moved cards, in order.
    pub(crate) cards: Vec<u64>,
}

/// Returns a minimal set of cards that must be moved to get from one order to the other. Cards that only one of them
/// has are ignored.
pub(crate) fn moved(before: &[u64], now: &[u64]) -> BTreeSet<u64> {
    let places = places(before);
    let common: Vec<(u64, usize)> = now.iter().filter_map(|card| Some((*card, *places.get(card)?))).collect();
    let kept = increasing(&common);
    common.into_iter().map(|(card, _)| card).filter(|card| !kept.contains(card)).collect()
}

/// Returns `current` with the `movable` cards in the positions of `wanted`: each directly behind its nearest
/// predecessor there. Movable cards missing from `wanted` are left out.
pub(crate) fn arranged(current: &[u64], movable: &BTreeSet<u64>, wanted: &[u64]) -> Vec<u64> {
    let mut result: Vec<u64> = current.iter().copied().filter(|card| !movable.contains(card)).collect();
    let present: BTreeSet<u64> = current.iter().copied().collect();
    let mut fixed: BTreeSet<u64> = result.iter().copied().collect();
    let mut last = None;
    for card in wanted {
        if fixed.contains(card) {
            last = Some(*card);
        } else if movable.contains(card) && present.contains(card) {
            let place = last.and_then(|last| result.iter().position(|card| *card == last)).map_or(0, |place| place + 1);
            result.insert(place, *card);
            fixed.insert(*card);
            last = Some(*card);
        }
    }
    result
}

/// Returns the minimal moves of `movable` cards that turn `current` into `target`; both have the same cards.
pub(crate) fn runs(current: &[u64], target: &[u64], movable: &BTreeSet<u64>) -> Vec<Run> {
    let places = places(current);
    let is_staying = staying(&places, target, movable);
    let mut runs: Vec<Run> = Vec::new();
    let mut last = None;
    for card in target {
        if is_staying.contains(card) {
            if let Some(run) = runs.last_mut().filter(|run| run.before.is_none() && run.cards.last() == last.as_ref()) {
                run.before = Some(*card);
            }
        } else if let Some(run) = runs.last_mut().filter(|run| run.before.is_none()) {
            run.cards.push(*card);
        } else {
            runs.push(Run { after: last, before: None, cards: vec![*card] });
        }
        last = Some(*card);
    }
    runs
}

/// Returns the cards that stay: the immovable ones, and a longest subsequence of the movable ones that is already in
/// order.
fn staying(places: &BTreeMap<u64, usize>, target: &[u64], movable: &BTreeSet<u64>) -> BTreeSet<u64> {
    let place = |card: &u64| places.get(card).copied().unwrap_or_default();
    let mut staying = BTreeSet::new();
    let mut lower = None;
    for part in target.chunk_by(|left, right| movable.contains(left) && movable.contains(right)) {
        let fixed = part.first().filter(|card| !movable.contains(card));
        if let Some(fixed) = fixed {
            staying.insert(*fixed);
            lower = Some(place(fixed));
            continue;
        }
        let behind = part.last().and_then(|last| target.iter().skip_while(|card| *card != last).nth(1));
        let upper = behind.map(place);
        let inside = |at: usize| lower.is_none_or(|lower| lower < at) && upper.is_none_or(|upper| at < upper);
        let candidates: Vec<(u64, usize)> =
            part.iter().map(|card| (*card, place(card))).filter(|(_, at)| inside(*at)).collect();
        staying.extend(increasing(&candidates));
    }
    staying
}

fn places(order: &[u64]) -> BTreeMap<u64, usize> {
    order.iter().enumerate().map(|(place, card)| (*card, place)).collect()
}

/// Returns the cards of a longest increasing subsequence of positions.
fn increasing(cards: &[(u64, usize)]) -> BTreeSet<u64> {
    // Patience sorting: for each length, the card that ends the best subsequence so far; each card points to its
    // predecessor.
    let mut ends: Vec<usize> = Vec::new();
    let mut former: Vec<Option<usize>> = Vec::with_capacity(cards.len());
    for (n, (_, place)) in cards.iter().enumerate() {
        let length = ends.partition_point(|end| cards[*end].1 < *place);
        former.push(length.checked_sub(1).map(|length| ends[length]));
        if let Some(end) = ends.get_mut(length) { *end = n } else { ends.push(n) }
    }
    let mut kept = BTreeSet::new();
    let mut next = ends.last().copied();
    while let Some(n) = next {
        kept.insert(cards[n].0);
        next = former[n];
    }
    kept
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::sample::subsequence;

    use super::*;

    fn set(cards: &[u64]) -> BTreeSet<u64> {
        cards.iter().copied().collect()
    }

    #[test]
    fn one_drag_is_one_moved_card() {
        assert_eq!(moved(&[1, 2, 3, 4, 5], &[1, 4, 2, 3, 5]), set(&[4]));
        assert_eq!(moved(&[1, 2, 3, 4, 5], &[2, 3, 4, 5, 1]), set(&[1]));
        assert_eq!(moved(&[1, 2, 3], &[1, 9, 3]), set(&[]), "cards that came or went moved no other");
        assert_eq!(arranged(&[1, 2, 3, 4], &set(&[4]), &[4, 1, 2, 3]), [4, 1, 2, 3]);
        assert_eq!(arranged(&[1, 2, 3, 4], &set(&[4]), &[1, 9, 4, 2]), [1, 4, 2, 3]);
        assert_eq!(arranged(&[1, 2, 3], &set(&[2]), &[1, 3]), [1, 3]);
        let run = Run { after: Some(1), before: Some(2), cards: vec![4, 3] };
        assert_eq!(runs(&[1, 2, 3, 4], &[1, 4, 3, 2], &set(&[3, 4])), [run]);
    }

    fn orders() -> impl Strategy<Value = (Vec<u64>, Vec<u64>, BTreeSet<u64>)> {
        let all: Vec<u64> = (0..9).collect();
        (Just(all.clone()).prop_shuffle(), Just(all.clone()).prop_shuffle(), subsequence(all, 0..=9))
            .prop_map(|(current, wanted, movable)| (current, wanted, movable.into_iter().collect()))
    }

    proptest! {
        #[test]
        fn runs_lead_to_the_target((current, wanted, movable) in orders()) {
            let target = arranged(&current, &movable, &wanted);
            let is_fixed = |card: &&u64| !movable.contains(card);
            prop_assert!(target.iter().filter(is_fixed).eq(current.iter().filter(is_fixed)));
            let mut order = current.clone();
            for run in runs(&current, &target, &movable) {
                order.retain(|card| !run.cards.contains(card));
                let place = |card: u64| order.iter().position(|one| *one == card).unwrap();
                let at = run.after.map(|card| place(card) + 1).or(run.before.map(place)).unwrap_or(order.len());
                order.splice(at..at, run.cards);
            }
            prop_assert_eq!(order, target);
        }

        #[test]
        fn moved_items_produce_the_other_order((before, now, _) in orders()) {
            let moved = moved(&before, &now);
            prop_assert_eq!(arranged(&before, &moved, &now), now);
        }
    }
}
