//! Whether an annotation still matches its code: compares the code at its commit with the current code, ignoring
//! layout.

use std::collections::HashSet;

use app::Error;
use model::annotation::{Lines, is_same_name};
use store::git::{BlameHunk, CommitId};

use super::find::Hit;
use super::lines_of;
use super::locate::{CodePlace, Recorded, is_range, recorded_code};
use super::scope::Scope;
use super::source::Source;
use crate::Annotations;
use crate::cache::cache;
use crate::view::{AnnotationStatus, ChangedView, NowView, StatusOfCodeView};

impl Annotations<'_> {
    /// Returns the status of a region's code.
    pub(super) fn status(&self, scope: &Scope, hunks: &[BlameHunk], hit: &Hit) -> Result<StatusOfCodeView, Error> {
        let region = hit.region();
        let (now, anchor) = match &hit.now {
            CodePlace::Symbol(symbol) => (lines_of(symbol), Some(symbol.name.clone())),
            CodePlace::Lines(lines) => (*lines, None),
            CodePlace::File => (Lines { start: 1, end: scope.source.n_lines().max(1) }, None),
            CodePlace::Namesake(_) | CodePlace::Lost => return Ok(lost()),
        };
        let is_untouched = hit.lines.is_some_and(|was| is_blamed_whole(hunks, hit, was, now));
        let n_changed = if is_untouched { 0 } else { self.n_changed_lines(scope, hit, now)? };
        let has_moved = region.file != scope.file
            || (!region.anchor.name.is_empty()
                && !anchor.as_deref().is_some_and(|name| is_same_name(name, &region.anchor.name)));
        let status = match (n_changed, has_moved) {
            (0, false) => AnnotationStatus::Current,
            (0, true) => AnnotationStatus::Moved,
            _ => AnnotationStatus::Changed,
        };
        let changed = match n_changed {
            0 => None,
            lines => Some(ChangedView { commits: self.commits_since(hunks, now, &hit.commit)?.max(1), lines }),
        };
        let now = NowView { file: scope.file.clone(), anchor, lines: now.into() };
        Ok(StatusOfCodeView { status, now: Some(now), changed })
    }

    /// Counts the changed lines; 0 if only the layout differs.
    fn n_changed_lines(&self, scope: &Scope, hit: &Hit, now: Lines) -> Result<usize, Error> {
        let region = hit.region();
        let recorded = Recorded {
            commit: hit.commit,
            file: &region.file,
            name: &region.anchor.name,
            kind: &region.anchor.kind,
            signature: region.anchor.signature.as_deref(),
            lines: hit.lines.filter(|lines| is_range(*lines)),
        };
        let then = match hit.now {
            CodePlace::File => {
                let source = self.source(&hit.commit, &region.file)?;
                source.map(|source| {
                    let end = source.n_lines().max(1);
                    (source, Lines { start: 1, end })
                })
            }
            _ => recorded_code(*self, &recorded)?,
        };
        // Without the old code, no change is known.
        Ok(then.map_or(0, |(then, was)| n_differing(&then, was, &scope.source, now)))
    }

    /// Counts the commits that changed lines of a range after a commit.
    fn commits_since(&self, hunks: &[BlameHunk], lines: Lines, commit: &CommitId) -> Result<usize, Error> {
        let then = self.committed(commit)?;
        let mut since = HashSet::new();
        for hunk in hunks_in(hunks, lines) {
            if hunk.commit != *commit && self.committed(&hunk.commit)? >= then {
                since.insert(hunk.commit);
            }
        }
        Ok(since.len())
    }

    /// Returns the commit time, in seconds since 1970.
    pub(super) fn committed(&self, commit: &CommitId) -> Result<i64, Error> {
        /// Longer than any real message.
        const LIMIT: u64 = 16 * 1024 * 1024;
        if let Some(known) = cache().times.get(commit) {
            return Ok(known);
        }
        let read = self.store().repository().read_commit(commit, LIMIT).map_err(store::StoreError::from)?;
        cache().keep_time(*commit, read.committer_time);
        Ok(read.committer_time)
    }
}

fn lost() -> StatusOfCodeView {
    StatusOfCodeView { status: AnnotationStatus::Lost, now: None, changed: None }
}

/// Returns whether blame maps all current lines to exactly the recorded lines, in one hunk. They are then equal, and the old
/// file need not be read: its folder may have thousands of entries.
fn is_blamed_whole(hunks: &[BlameHunk], hit: &Hit, was: Lines, now: Lines) -> bool {
    let is_same_length = is_range(was) && was.end - was.start == now.end - now.start;
    let is_origin = |hunk: &BlameHunk| hunk.commit == hit.commit && hunk.path.as_str() == Some(&hit.region().file);
    let [hunk] = hunks_in(hunks, now) else { return false };
    let is_covered = hunk.start <= now.start && now.end <= hunk.end();
    is_same_length && is_covered && is_origin(hunk) && hunk.source_start + (now.start - hunk.start) == was.start
}

/// Returns the hunks with a line of a range; searched for, because a file may have tens of thousands of hunks and of
/// regions. Invariant: hunks are sorted and do not overlap.
fn hunks_in(hunks: &[BlameHunk], lines: Lines) -> &[BlameHunk] {
    let from = hunks.partition_point(|hunk| hunk.end() < lines.start);
    let n = hunks[from..].partition_point(|hunk| hunk.start <= lines.end);
    &hunks[from..from + n]
}

/// Counts the changed lines: the added or the removed ones, whichever are more.
fn n_differing(then: &Source, was: Lines, now: &Source, is: Lines) -> usize {
    if then.is_same_code(was, now, is) {
        return 0;
    }
    let (before, after) = (then.solid_lines(was), now.solid_lines(is));
    // The same lines in another order also count as a change.
    before.len().max(after.len()).saturating_sub(before.n_shared(&after)).max(1)
}

#[cfg(test)]
mod tests {
    use store::git::TreePath;

    use super::*;

    #[test]
    fn hunks_of_lines_are_those_with_one_of_them() {
        let hunk = |start: u32, n_lines: u32| BlameHunk {
            commit: "1".repeat(40).parse().unwrap(),
            path: TreePath::from_bytes(b"a.rs").unwrap(),
            start,
            n_lines,
            source_start: start,
        };
        // Lines 4 and 5 are not blamed.
        let hunks = [hunk(1, 2), hunk(3, 1), hunk(6, 4), hunk(10, 1)];
        let starts =
            |start, end| -> Vec<u32> { hunks_in(&hunks, Lines { start, end }).iter().map(|hunk| hunk.start).collect() };
        assert_eq!((starts(1, 1), starts(2, 3), starts(3, 6)), (vec![1], vec![1, 3], vec![3, 6]));
        assert_eq!((starts(4, 5), starts(9, 12), starts(11, 12)), (vec![], vec![6, 10], vec![]));
    }
}
