//! How far the items of each epic and each milestone are, counted by category in one query.

use std::collections::HashMap;

use store::index::GroupField;

use crate::error::Error;
use crate::project::Project;

/// The number of work items by how far they are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CategoryCounts {
    /// Drafts and items that are not started.
    pub todo: u64,
    /// In progress.
    pub doing: u64,
    /// In review.
    pub review: u64,
    /// Finished.
    pub done: u64,
    /// Not to be done.
    pub dropped: u64,
}

impl CategoryCounts {
    /// Returns the number of items that are or were to be done.
    pub fn total(&self) -> u64 {
        self.todo + self.doing + self.review + self.done
    }

    /// Returns the number of items that are not finished.
    pub fn open(&self) -> u64 {
        self.todo + self.doing + self.review
    }

    fn add(&mut self, category: &str, n: u64) {
        match category {
            "doing" => self.doing += n,
            "review" => self.review += n,
            "done" => self.done += n,
            "dropped" => self.dropped += n,
            _ => self.todo += n,
        }
    }
}

/// The counts by the id of the epic or milestone; under the empty id those of items without one.
pub type SharesById = HashMap<String, CategoryCounts>;

impl Project {
    /// Returns how far the sub-items of every item are.
    pub fn shares_by_parent(&self) -> Result<SharesById, Error> {
        self.shares(GroupField::Parent)
    }

    /// Returns how far the items of every milestone are.
    pub fn shares_by_milestone(&self) -> Result<SharesById, Error> {
        self.shares(GroupField::Milestone)
    }

    fn shares(&self, field: GroupField) -> Result<SharesById, Error> {
        let mut shares = SharesById::new();
        for (id, category, n) in self.index().category_counts(field)? {
            shares.entry(id).or_default().add(&category, n);
        }
        Ok(shares)
    }
}
