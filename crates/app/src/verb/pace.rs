//! Completion dates of recently finished items, for charts of the pace.

use jiff::civil::Date;

use crate::error::Error;
use crate::project::Project;

/// A finished work item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinishedWork {
    /// The day of its completion.
    pub completed: Date,
    /// The day of its start, if it is known.
    pub started: Option<Date>,
    /// The id of its parent.
    pub parent: Option<String>,
}

impl Project {
    /// Returns the work items that were finished on or after a day, in the order of their completion.
    pub fn finished_since(&self, first: Date) -> Result<Vec<FinishedWork>, Error> {
        let found = self.index().finished_since(first)?.into_iter();
        Ok(found
            .map(|one| FinishedWork { completed: one.completed, started: one.started, parent: one.parent })
            .collect())
    }
}
