//! Maps lines of the work tree, including uncommitted changes, to the newest commit.

use std::collections::HashSet;

use app::Error;
use model::annotation::Lines;
use model::diff::{self, FileDiff};
use model::message::Side;

use super::scope::Scope;
use crate::Annotations;

/// A file with uncommitted changes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct EditedFile {
    /// For each line of the work tree, its line in the newest commit; `None` for new lines.
    committed: Vec<Option<u32>>,
}

impl EditedFile {
    fn new(n_lines: usize, diff: &str) -> Self {
        let changed: Vec<(Side, u32)> =
            diff::parse(diff).iter().flat_map(FileDiff::changed).map(|line| (line.side(), line.number)).collect();
        let numbers = |side: Side| -> HashSet<u32> {
            changed.iter().filter(|(other, _)| *other == side).map(|(_, number)| *number).collect()
        };
        let (added, removed) = (numbers(Side::New), numbers(Side::Old));
        let mut next = 1;
        let lines = (1..).take(n_lines);
        let committed = lines.map(|line: u32| {
            if added.contains(&line) {
                return None;
            }
            while removed.contains(&next) {
                next += 1;
            }
            next += 1;
            Some(next - 1)
        });
        Self { committed: committed.collect() }
    }

    pub(super) fn n_lines(&self) -> u32 {
        u32::try_from(self.committed.len()).unwrap_or(u32::MAX)
    }

    /// Maps lines of the work tree to the newest commit; `None` if all of them are new.
    pub(super) fn committed(&self, lines: Lines) -> Option<Lines> {
        let asked = self.committed.get(lines.start as usize - 1..lines.end as usize)?;
        let known: Vec<u32> = asked.iter().flatten().copied().collect();
        Some(Lines { start: *known.first()?, end: *known.last()? })
    }
}

impl Annotations<'_> {
    /// Returns the uncommitted changes of a scope's file; `None` if it is unchanged or missing.
    pub(super) fn edited(&self, scope: &Scope) -> Result<Option<EditedFile>, Error> {
        let repository = self.store().repository();
        let Some(bytes) = repository.work_tree_file(&scope.file)? else { return Ok(None) };
        let text = String::from_utf8_lossy(&bytes);
        if text == scope.source.text || repository.head()? != Some(scope.head) {
            return Ok(None);
        }
        let diff = repository.diff_of_file(&scope.file, None)?;
        Ok(Some(EditedFile::new(text.lines().count(), &diff)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_numbers_follow_insertions_and_deletions() {
        // Line 1 of the commit was removed, two were added at the top, one was added after line 3.
        let diff = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-old\n+new\n+new\n@@ -3,0 +5 @@\n+more\n";
        let edited = EditedFile::new(6, diff);
        assert_eq!(edited.committed, [None, None, Some(2), Some(3), None, Some(4)]);
        assert_eq!(edited.committed(Lines { start: 1, end: 2 }), None);
        assert_eq!(edited.committed(Lines { start: 2, end: 6 }), Some(Lines { start: 2, end: 4 }));
    }
}
