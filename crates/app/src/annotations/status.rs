//! Whether an annotation still speaks of the code as it is: its lines then, beside its lines now.

use std::collections::{HashMap, HashSet};

use anchors::Symbol;
use model::annotation::{Lines, is_same_name};
use store::git::{BlameHunk, CommitId, TreePath};

use super::find::{Hit, lines_of_hunk};
use super::scope::Scope;
use super::{lines_of, overlap};
use crate::error::Error;
use crate::project::Project;
use crate::view::{ChangedView, NowView, StatusOfCodeView};

impl Project {
    /// Says what has become of the code of a region.
    pub(super) fn status(&self, scope: &Scope, hunks: &[BlameHunk], hit: &Hit) -> Result<StatusOfCodeView, Error> {
        let region = hit.region();
        let symbol = hit.symbol.clone().or_else(|| renamed(scope, hunks, hit));
        let Some(now) = symbol.as_ref().map(lines_of).or_else(|| surviving(hunks, hit)) else { return Ok(lost()) };
        let changed = match (TreePath::from_bytes(region.file.as_bytes()), region.lines) {
            (Ok(path), Some(was)) => {
                let then = self.text_at(&hit.commit, &path)?.unwrap_or_default();
                difference(&then, was, &scope.text, now)
            }
            _ => 0,
        };
        let anchor = symbol.map(|symbol| symbol.name);
        let has_moved = region.file != scope.file
            || (!region.anchor.name.is_empty()
                && !anchor.as_deref().is_some_and(|name| is_same_name(name, &region.anchor.name)));
        let status = match (changed, has_moved) {
            (0, false) => "current",
            (0, true) => "moved",
            _ => "changed",
        };
        let changed = match changed {
            0 => None,
            lines => Some(ChangedView { commits: self.commits_since(hunks, now, &hit.commit)?.max(1), lines }),
        };
        let now = NowView { file: scope.file.clone(), anchor, lines: now.into() };
        Ok(StatusOfCodeView { status, now: Some(now), changed })
    }

    /// Counts the commits that wrote lines of a range after a commit.
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

    /// Returns when a commit was made, in seconds since 1970.
    pub(super) fn committed(&self, commit: &CommitId) -> Result<i64, Error> {
        /// Longer than any honest message.
        const LIMIT: u64 = 16 * 1024 * 1024;
        let read = self.store.repository().read_commit(commit, LIMIT).map_err(store::StoreError::from)?;
        Ok(read.committer_time)
    }
}

/// Returns the function or type that most of the region's lines are in now, when its own name is gone.
fn renamed(scope: &Scope, hunks: &[BlameHunk], hit: &Hit) -> Option<Symbol> {
    if hit.region().anchor.name.is_empty() {
        return None;
    }
    let was = hit.region().lines?;
    let lines: Vec<u32> = from_region(hunks, hit).flat_map(|lines| lines.start..=lines.end).collect();
    let is_most = lines.len() * 2 >= (was.end - was.start + 1) as usize;
    let symbol = scope.symbols.at(*lines.first()? as usize)?;
    let covered = lines.iter().filter(|line| symbol.lines.contains(**line as usize)).count();
    (is_most && covered * 2 >= lines.len()).then(|| symbol.clone())
}

/// Returns the range of today that holds what is left of a region that has no name.
fn surviving(hunks: &[BlameHunk], hit: &Hit) -> Option<Lines> {
    if !hit.region().anchor.name.is_empty() {
        return None;
    }
    let left: Vec<Lines> = from_region(hunks, hit).collect();
    let start = left.iter().map(|lines| lines.start).min()?;
    let end = left.iter().map(|lines| lines.end).max()?;
    Some(Lines { start, end })
}

/// Returns the lines of today that the region's commit wrote as lines of the region.
fn from_region<'a>(hunks: &'a [BlameHunk], hit: &'a Hit) -> impl Iterator<Item = Lines> + 'a {
    let region = hit.region();
    let own = hunks.iter().filter(|hunk| hunk.commit == hit.commit && hunk.path.as_str() == Some(region.file.as_str()));
    own.filter_map(|hunk| {
        let was = region.lines?;
        let (first, last) = (hunk.source_start, hunk.source_start + hunk.n_lines - 1);
        let (first, last) = (first.max(was.start), last.min(was.end));
        let shift = |line: u32| hunk.start + (line - hunk.source_start);
        (first <= last).then(|| Lines { start: shift(first), end: shift(last) })
    })
}

fn lost() -> StatusOfCodeView {
    StatusOfCodeView { status: "lost", now: None, changed: None }
}

/// Counts the lines that are not as they were: those that came or those that went, whichever are more.
fn difference(then: &str, was: Lines, now: &str, is: Lines) -> usize {
    let (before, after) = (slice(then, was), slice(now, is));
    if before == after {
        return 0;
    }
    let shared = shared(&before, &after);
    // The same lines in another order were changed, too.
    before.len().max(after.len()).saturating_sub(shared).max(1)
}

/// Tells how alike two ranges are, from 0 to 1.
pub(super) fn likeness(then: &str, was: Lines, now: &str, is: Lines) -> f64 {
    let solid = |lines: Vec<&str>| -> Vec<String> {
        lines.into_iter().map(|line| line.trim().to_owned()).filter(|line| line.len() > 1).collect()
    };
    let (before, after) = (solid(slice(then, was)), solid(slice(now, is)));
    let most = before.len().max(after.len());
    let before: Vec<&str> = before.iter().map(String::as_str).collect();
    let after: Vec<&str> = after.iter().map(String::as_str).collect();
    let count = |n: usize| f64::from(u32::try_from(n).unwrap_or(u32::MAX));
    if most == 0 { 0.0 } else { count(shared(&before, &after)) / count(most) }
}

fn slice(text: &str, lines: Lines) -> Vec<&str> {
    let first = lines.start.saturating_sub(1) as usize;
    text.lines().skip(first).take((lines.end.saturating_sub(lines.start) + 1) as usize).collect()
}

/// Counts the lines that two texts have in common, each as often as both have it.
fn shared(before: &[&str], after: &[&str]) -> usize {
    let mut left: HashMap<&str, usize> = HashMap::new();
    for line in before {
        *left.entry(line).or_default() += 1;
    }
    let take = |line: &&&str| left.get_mut(**line).filter(|n| **n > 0).map(|n| *n -= 1).is_some();
    after.iter().filter(take).count()
}
