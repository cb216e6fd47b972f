//! Numbers of imported items: the source's if it is free here, so that `fixes #12` in a commit stays true, else the next
//! one.

use std::collections::{BTreeMap, HashSet};

use app::Error;
use app::plan::NumberAllocator;
use model::number::{ItemNumber, NumberSpace};
use store::index::Index;

/// Allocates numbers for the new items of one import.
pub(crate) struct Numbers<'a> {
    index: &'a Index,
    taken: HashSet<(NumberSpace, u64)>,
    /// The highest number that the source has in each space: items without one get numbers above it.
    highest: BTreeMap<NumberSpace, u64>,
    /// No number is taken here.
    is_empty: bool,
    next: NumberAllocator<'a>,
}

impl<'a> Numbers<'a> {
    pub(crate) fn new(index: &'a Index, highest: BTreeMap<NumberSpace, u64>) -> Result<Self, Error> {
        let is_empty = index.n_ops()? == 0;
        Ok(Self { index, taken: HashSet::new(), highest, is_empty, next: NumberAllocator::new(index) })
    }

    pub(crate) fn take(&mut self, space: NumberSpace, wanted: Option<u64>) -> Result<u64, Error> {
        if let Some(number) = wanted.filter(|number| is_plausible(*number))
            && (self.is_empty || self.is_free(ItemNumber { space, number })?)
            && self.taken.insert((space, number))
        {
            return Ok(number);
        }
        self.next.next_above(space, self.highest.get(&space).copied().unwrap_or(0))
    }

    fn is_free(&self, number: ItemNumber) -> Result<bool, Error> {
        Ok(self.index.item_by_number(number)?.is_none() && self.index.items_formerly(number)?.is_empty())
    }
}

/// Returns whether a number is kept: a huge one, such as the id of a database row, would push all later numbers up.
pub(crate) fn is_plausible(number: u64) -> bool {
    (1..=100_000_000).contains(&number)
}
