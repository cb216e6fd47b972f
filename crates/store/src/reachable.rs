//! Which annotated commits are part of a history. Git is asked only about new notes and new commits.

use std::collections::HashSet;

use crate::git::CommitId;
use crate::index::{Ancestry, UnreachedCommits};
use crate::open::{Store, StoreError};

impl Store {
    /// Returns the annotated commits that are not reachable from `head`: their notes are about other code.
    pub fn unreachable_annotations(&self, head: &CommitId) -> Result<HashSet<CommitId>, StoreError> {
        let last_note = self.index.last_note()?;
        // A shallow history can be deepened without a change of its tip.
        let known = if self.repository.is_shallow()? { None } else { self.index.known_unreached(head)? };
        let (since, mut commits, mut unsure) = match known {
            Some(known) if known.head == *head && known.last_note == last_note => {
                return Ok(known.commits.into_iter().collect());
            }
            Some(known) if known.head == *head => (known.last_note, known.commits, Vec::new()),
            // The history only grew: commits that were part of it still are.
            Some(known) if self.is_ancestor(&known.head, head)? => (known.last_note, Vec::new(), known.commits),
            _ => (0, Vec::new(), Vec::new()),
        };
        unsure.extend(self.index.annotated_since(since)?);
        commits.extend(self.repository.not_reached_from(head, &unsure)?);
        let found = UnreachedCommits { head: *head, last_note, commits };
        // The cache is only an optimization.
        let _ = self.index.keep_unreached(&found);
        Ok(found.commits.into_iter().collect())
    }

    /// Returns whether `old` is `new` or reachable from it.
    pub(crate) fn is_ancestor(&self, old: &CommitId, new: &CommitId) -> Result<bool, StoreError> {
        if old == new {
            return Ok(true);
        }
        if let Ok(Some(known)) = self.index.known_ancestry(old, new) {
            return Ok(known);
        }
        let is_ancestor = self.repository.contains(Some(*new), Some(*old))?;
        if !self.repository.is_shallow()? {
            let _ = self.index.keep_ancestry(&Ancestry { old: *old, new: *new, is_ancestor });
        }
        Ok(is_ancestor)
    }
}
