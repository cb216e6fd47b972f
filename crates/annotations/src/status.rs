//! Whether an annotation still matches its code: compares the code at its commit with the current code, ignoring
//! layout.

use std::collections::HashSet;
use std::sync::Arc;

use app::Error;
use model::annotation::{Lines, is_same_name};
use store::git::{BlameHunk, CommitId};

use super::find::Hit;
use super::lines_of;
use super::locate::{CodePlace, RecordedCode, is_range, recorded_code};
use super::scope::Scope;
use super::source::Source;
use crate::cache::cache;
use crate::view::{AnnotationStatus, ChangedView, NowView, StatusOfCodeView};
use crate::{Annotations, MAX_MESSAGE};

impl Annotations<'_> {
    /// Returns the status of a region's code, with its location and the extent of the change.
    pub(super) fn status(&self, scope: &Scope, hunks: &[BlameHunk], hit: &Hit<'_>) -> Result<StatusOfCodeView, Error> {
        let Some(code) = self.compared(scope, hunks, hit)? else {
            return Ok(StatusOfCodeView { status: AnnotationStatus::Lost, now: None, changed: None });
        };
        let changed = match &code.changed_from {
            None => None,
            Some((then, was)) => {
                let lines = n_differing(then, *was, &scope.source, code.now);
                Some(ChangedView { commits: self.commits_since(hunks, code.now, &hit.commit)?.max(1), lines })
            }
        };
        let anchor = hit.now.symbol().map(|symbol| symbol.name.clone());
        let now = NowView { file: scope.file.clone(), anchor, lines: code.now.into() };
        Ok(StatusOfCodeView { status: code.status(scope, hit), now: Some(now), changed })
    }

    /// Returns only the status, without blame.
    pub(super) fn bare_status(&self, scope: &Scope, hit: &Hit<'_>) -> Result<AnnotationStatus, Error> {
        let code = self.compared(scope, &[], hit)?;
        Ok(code.map_or(AnnotationStatus::Lost, |code| code.status(scope, hit)))
    }

    /// Compares the code of a region with the current code; `None` if that is lost.
    fn compared(&self, scope: &Scope, hunks: &[BlameHunk], hit: &Hit<'_>) -> Result<Option<CodeComparison>, Error> {
        let now = match hit.now {
            CodePlace::Symbol(symbol) => lines_of(symbol),
            CodePlace::Lines(lines) => lines,
            CodePlace::File => Lines { start: 1, end: scope.source.n_lines().max(1) },
            CodePlace::Namesake(_) | CodePlace::Lost => return Ok(None),
        };
        let is_untouched = hit.lines.is_some_and(|was| is_blamed_whole(hunks, hit, was, now));
        // Without the old code, no change is known.
        let then = if is_untouched { None } else { self.code_then(hit)? };
        let changed_from = then.filter(|(then, was)| !then.is_same_code(*was, &scope.source, now));
        Ok(Some(CodeComparison { now, changed_from }))
    }

    /// Returns the file of a region at its commit, and the lines of its code there.
    fn code_then(&self, hit: &Hit<'_>) -> Result<Option<(Arc<Source>, Lines)>, Error> {
        let region = hit.region();
        if hit.now == CodePlace::File {
            let source = self.source(&hit.commit, &region.file)?;
            return Ok(source.map(|source| {
                let end = source.n_lines().max(1);
                (source, Lines { start: 1, end })
            }));
        }
        let recorded = RecordedCode {
            commit: hit.commit,
            file: &region.file,
            name: &region.anchor.name,
            kind: &region.anchor.kind,
            signature: region.anchor.signature.as_deref(),
            lines: hit.lines.filter(|lines| is_range(*lines)),
        };
        recorded_code(*self, &recorded)
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
        if let Some(known) = cache().times.get(commit) {
            return Ok(known);
        }
        let read = self.store().repository().read_commit(commit, MAX_MESSAGE).map_err(store::StoreError::from)?;
        cache().keep_time(*commit, read.committer_time);
        Ok(read.committer_time)
    }
}

/// The current code of a region, compared with the recorded code.
struct CodeComparison {
    now: Lines,
    /// The old file and the lines in it, if the code changed; layout does not count.
    changed_from: Option<(Arc<Source>, Lines)>,
}

impl CodeComparison {
    fn status(&self, scope: &Scope, hit: &Hit<'_>) -> AnnotationStatus {
        let region = hit.region();
        let is_same_name = || {
            let name = &region.anchor.name;
            name.is_empty() || hit.now.symbol().is_some_and(|symbol| is_same_name(&symbol.name, name))
        };
        match &self.changed_from {
            Some(_) => AnnotationStatus::Changed,
            None if region.file == scope.file && is_same_name() => AnnotationStatus::Current,
            None => AnnotationStatus::Moved,
        }
    }
}

/// Returns whether blame maps all current lines to exactly the recorded lines, in one hunk. They are then equal, and the old
/// file need not be read: its folder may have thousands of entries.
fn is_blamed_whole(hunks: &[BlameHunk], hit: &Hit<'_>, was: Lines, now: Lines) -> bool {
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

/// Counts the changed lines of code that is not the same: the added or the removed ones, whichever are more.
fn n_differing(then: &Source, was: Lines, now: &Source, is: Lines) -> usize {
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
