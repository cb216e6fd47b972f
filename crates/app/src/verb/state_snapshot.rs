//! A cheap snapshot of all items, for polling: has something changed, and what?

use std::collections::HashMap;

use model::number::ItemNumber;

use crate::error::Error;
use crate::project::Project;

/// A snapshot of all items.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StateSnapshot {
    /// A name of the state of all work items.
    pub state: String,
    /// Number of operations per item. Operations are never removed.
    counts: HashMap<ItemNumber, u64>,
}

impl Project {
    /// Takes a snapshot.
    pub fn state_snapshot(&self) -> Result<StateSnapshot, Error> {
        Ok(StateSnapshot { state: self.state_name()?, counts: self.index().op_counts()? })
    }
}

impl StateSnapshot {
    /// Returns the items created or changed since an earlier snapshot, in order. A renumbered item is listed under both
    /// numbers.
    pub fn changed_since(&self, before: &Self) -> Vec<ItemNumber> {
        let differs = |(number, count): &(&ItemNumber, &u64)| before.counts.get(*number) != Some(*count);
        let changed = self.counts.iter().filter(differs).map(|(number, _)| *number);
        let gone = before.counts.keys().filter(|number| !self.counts.contains_key(number)).copied();
        let mut numbers: Vec<ItemNumber> = changed.chain(gone).collect();
        numbers.sort_unstable();
        numbers
    }
}
