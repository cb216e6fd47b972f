//! A look at everything that costs little, so that it can be taken again and again: has something changed, and what?

use std::collections::HashMap;

use model::number::ItemNumber;

use crate::error::Error;
use crate::project::Project;

/// What a look saw.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StateSnapshot {
    /// A name of exactly the state of all the work.
    pub state: String,
    /// How many operations each item has. Operations are never taken away.
    counts: HashMap<ItemNumber, u64>,
}

impl Project {
    /// Looks at all the work.
    pub fn state_snapshot(&self) -> Result<StateSnapshot, Error> {
        Ok(StateSnapshot { state: self.state_name()?, counts: self.index().op_counts()? })
    }
}

impl StateSnapshot {
    /// Returns the items that were made or changed since an earlier look, in order. An item that took
    /// another number is there under both.
    pub fn changed_since(&self, before: &Self) -> Vec<ItemNumber> {
        let differs = |(number, count): &(&ItemNumber, &u64)| before.counts.get(*number) != Some(*count);
        let changed = self.counts.iter().filter(differs).map(|(number, _)| *number);
        let gone = before.counts.keys().filter(|number| !self.counts.contains_key(number)).copied();
        let mut numbers: Vec<ItemNumber> = changed.chain(gone).collect();
        numbers.sort_unstable();
        numbers
    }
}
