//! The other files of a dry run. An import writes one file after the other, so each finds the items of those before it in
//! the project, and references to those after it are resolved at the end; a dry run writes nothing and looks here.

use std::collections::{BTreeSet, HashSet};

use model::id::EntityId;

/// What the files of a dry run have.
#[derive(Default)]
pub(crate) struct OtherFiles {
    /// The items of each file.
    files: Vec<HashSet<EntityId>>,
    /// How many files were planned.
    n_done: usize,
    /// Labels that they would have declared.
    pub(crate) labels: BTreeSet<String>,
}

impl OtherFiles {
    /// Adds the items of the next file.
    pub(crate) fn add(&mut self, items: HashSet<EntityId>) {
        self.files.push(items);
    }

    /// Notes that a file was planned, and which labels it would declare.
    pub(crate) fn finish_file(&mut self, labels: &[String]) {
        self.n_done += 1;
        self.labels.extend(labels.iter().cloned());
    }

    /// Returns whether any file has an item.
    pub(crate) fn has(&self, id: EntityId) -> bool {
        self.files.iter().any(|file| file.contains(&id))
    }

    /// Returns whether a file that was planned already has an item.
    pub(crate) fn has_earlier(&self, id: EntityId) -> bool {
        self.files.iter().take(self.n_done).any(|file| file.contains(&id))
    }
}
