//! Blame and line history. Git computes them; the index caches blame results, so that git is asked once per line.
//!
//! Only lines that are not cached are requested from git: blame of a whole file takes up to half as long again as blame
//! of the lines wanted.

use std::time::Duration;

use model::annotation::Lines;

use crate::git::{ANSWER_TIMEOUT, BlameHunk, CommitId, LineChange, TreePath};
use crate::open::{Store, StoreError};

/// Maximum number of ranges in one blame; more are merged into one range.
const MAX_RANGES: usize = 16;

impl Store {
    /// Returns the commits that lines of a file come from, in order; every line once, even if the ranges overlap.
    pub fn blame(&self, commit: &CommitId, path: &TreePath, ranges: &[Lines]) -> Result<Vec<BlameHunk>, StoreError> {
        self.blame_within(commit, path, ranges, ANSWER_TIMEOUT)
    }

    /// Does the same with another timeout.
    pub fn blame_within(
        &self,
        commit: &CommitId,
        path: &TreePath,
        ranges: &[Lines],
        patience: Duration,
    ) -> Result<Vec<BlameHunk>, StoreError> {
        let ranges = checked(ranges)?;
        let settings = self.repository.blame_settings()?;
        let (mut hunks, mut missing) = (Vec::new(), Vec::new());
        for range in &ranges {
            // The cache is only an optimization: if it cannot be read, git is asked.
            let known = self.index.known_blame(commit, path, settings, *range).unwrap_or_default();
            missing.extend(gaps(&known, *range));
            hunks.extend(known);
        }
        let missing = few(missing);
        if !missing.is_empty() {
            tracing::debug!(%commit, n_ranges = missing.len(), "blame not in the cache; asking git");
            let found = self.repository.blame(commit, path, &missing, patience)?;
            let _ = self.index.keep_blame(commit, path, settings, &found);
            hunks.retain(|hunk| !missing.iter().any(|(first, last)| hunk.start <= *last && hunk.end() >= *first));
            hunks.extend(ranges.iter().flat_map(|range| within(&found, *range)));
            hunks.sort_by_key(|hunk| hunk.start);
        }
        Ok(joined(hunks))
    }

    /// Returns the commits that changed lines of a file, newest first, like `git log -L`.
    pub fn line_history(
        &self,
        commit: &CommitId,
        path: &TreePath,
        ranges: &[Lines],
    ) -> Result<Vec<LineChange>, StoreError> {
        let ranges = checked(ranges)?;
        Ok(if ranges.is_empty() {
            Vec::new()
        } else {
            self.repository.line_history(commit, path, &ranges, ANSWER_TIMEOUT)?
        })
    }
}

/// Sorts the ranges and merges those that overlap or touch.
fn checked(ranges: &[Lines]) -> Result<Vec<(u32, u32)>, StoreError> {
    let is_range = |lines: &Lines| lines.start >= 1 && lines.start <= lines.end && lines.end < u32::MAX;
    if let Some(lines) = ranges.iter().find(|lines| !is_range(lines)) {
        return Err(StoreError::BadLines { lines: *lines });
    }
    let mut sorted: Vec<(u32, u32)> = ranges.iter().map(|lines| (lines.start, lines.end)).collect();
    sorted.sort_unstable();
    let mut separate: Vec<(u32, u32)> = Vec::with_capacity(sorted.len());
    for (first, last) in sorted {
        match separate.last_mut().filter(|before| first <= before.1 + 1) {
            Some(before) => before.1 = before.1.max(last),
            None => separate.push((first, last)),
        }
    }
    Ok(separate)
}

/// Returns the parts of hunks inside a range.
fn within(hunks: &[BlameHunk], (first, last): (u32, u32)) -> impl Iterator<Item = BlameHunk> {
    let inside = hunks.iter().filter(move |hunk| hunk.start <= last && hunk.end() >= first);
    inside.map(move |hunk| {
        let cut = first.saturating_sub(hunk.start);
        let n_lines = (hunk.n_lines - cut).min(last + 1 - (hunk.start + cut));
        BlameHunk { start: hunk.start + cut, source_start: hunk.source_start + cut, n_lines, ..hunk.clone() }
    })
}

fn gaps(known: &[BlameHunk], (first, last): (u32, u32)) -> Vec<(u32, u32)> {
    let mut gaps = Vec::new();
    let mut next = first;
    for hunk in known {
        if hunk.start > next {
            gaps.push((next, hunk.start - 1));
        }
        next = hunk.end() + 1;
    }
    if next <= last {
        gaps.push((next, last));
    }
    gaps
}

/// Merges the ranges into one if there are too many.
fn few(ranges: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    match (ranges.first(), ranges.last()) {
        (Some((first, _)), Some((_, last))) if ranges.len() > MAX_RANGES => vec![(*first, *last)],
        _ => ranges,
    }
}

// Merge adjacent hunks, so that the result does not depend on how the ranges were requested.
fn joined(hunks: Vec<BlameHunk>) -> Vec<BlameHunk> {
    let mut joined: Vec<BlameHunk> = Vec::with_capacity(hunks.len());
    for hunk in hunks {
        let follows = |before: &&mut BlameHunk| {
            before.commit == hunk.commit
                && before.path == hunk.path
                && before.start + before.n_lines == hunk.start
                && before.source_start + before.n_lines == hunk.source_start
        };
        match joined.last_mut().filter(follows) {
            Some(before) => before.n_lines += hunk.n_lines,
            None => joined.push(hunk),
        }
    }
    joined
}
