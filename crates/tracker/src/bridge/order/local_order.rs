//! The local card order in memory: many cards are moved before anything is written.

use std::collections::BTreeMap;

use model::id::EntityId;
use model::rank::{Neighbors, Rank, insertion};

/// Number of neighbors on each side that are re-ranked first when there is no free rank.
const WINDOW: usize = 16;

/// All work items in order, and the ranks that changed.
#[derive(Debug, Clone, Default)]
pub(in crate::bridge) struct LocalOrder {
    cards: Vec<(Rank, EntityId)>,
    changed: BTreeMap<EntityId, Rank>,
}

impl LocalOrder {
    pub(in crate::bridge) fn new(cards: impl IntoIterator<Item = (Rank, EntityId)>) -> Self {
        let mut cards: Vec<(Rank, EntityId)> = cards.into_iter().collect();
        cards.sort_unstable();
        Self { cards, changed: BTreeMap::new() }
    }

    pub(in crate::bridge) fn ids(&self) -> impl Iterator<Item = EntityId> {
        self.cards.iter().map(|(_, id)| *id)
    }

    pub(in crate::bridge) fn changed(&self) -> &BTreeMap<EntityId, Rank> {
        &self.changed
    }

    /// Moves cards behind `after`, or else before `before`; to the bottom without either.
    pub(in crate::bridge) fn put(&mut self, moved: &[EntityId], after: Option<EntityId>, before: Option<EntityId>) {
        self.cards.retain(|(_, id)| !moved.contains(id));
        let place = |id: EntityId| self.cards.iter().position(|(_, one)| *one == id);
        let at = after.and_then(place).map(|place| place + 1).or_else(|| before.and_then(place));
        let at = at.unwrap_or(self.cards.len());
        let windows = [WINDOW, self.cards.len()];
        let Some((first, made)) = windows.into_iter().find_map(|window| self.make_room(at, moved.len(), window)) else {
            return;
        };
        self.cards.splice(at..at, moved.iter().map(|id| (Rank::of_number(0), *id)));
        for ((rank, id), key) in self.cards[first..].iter_mut().zip(made) {
            self.changed.insert(*id, key.clone());
            *rank = key;
        }
    }

    /// Returns ranks for `n` cards at a position and for the neighbors that make room, and the position of the first of
    /// them.
    fn make_room(&self, at: usize, n: usize, window: usize) -> Option<(usize, Vec<Rank>)> {
        let (first, last) = (at.saturating_sub(window), (at + window).min(self.cards.len()));
        let keys = |cards: &[(Rank, EntityId)]| cards.iter().map(|(rank, _)| rank.clone()).collect::<Vec<Rank>>();
        let (before, after) = (keys(&self.cards[first..at]), keys(&self.cards[at..last]));
        let made = insertion(
            n,
            Neighbors { ranks: &before, is_all: first == 0 },
            Neighbors { ranks: &after, is_all: last == self.cards.len() },
        )?;
        Some((at - made.n_before, made.keys))
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn id(n: u128) -> EntityId {
        EntityId::new(Uuid::from_u128(n))
    }

    #[test]
    fn cards_are_put_between_others_and_no_other_key_changes() {
        let mut order = LocalOrder::new((1..=300).map(|n| (Rank::of_number(n), id(n.into()))));
        let run: Vec<EntityId> = (100..300).map(id).collect();
        order.put(&run, Some(id(1)), Some(id(2)));
        order.put(&[id(300)], None, Some(id(1)));
        let expect = [300, 1].into_iter().chain(100..300).chain(2..100).map(id);
        assert!(order.ids().eq(expect));
        assert_eq!(order.changed().len(), 201);
        assert!(order.cards.is_sorted());
        let longest = order.changed().values().map(|rank| rank.to_string().len()).max().unwrap();
        assert!(longest <= 8, "two hundred keys in one gap are short: {longest}");
    }
}
