//! Whether an annotation still matches its code: compares the code at its commit with the current code, ignoring
//! layout.

use std::collections::HashSet;

use app::Error;
use model::annotation::{Lines, is_same_name};
use store::git::{BlameHunk, CommitId};

use super::find::{Hit, lines_of_hunk};
use super::locate::{CodePlace, Recorded, is_range, recorded_code};
use super::scope::Scope;
use super::source::Source;
use super::{lines_of, overlap};
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
        for hunk in hunks.iter().filter(|hunk| overlap(lines_of_hunk(hunk), lines)) {
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
    let covers = |hunk: &&BlameHunk| hunk.start <= now.start && now.end <= hunk.end();
    let hunk = hunks.iter().find(covers);
    is_same_length
        && hunk.is_some_and(|hunk| is_origin(hunk) && hunk.source_start + (now.start - hunk.start) == was.start)
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
