//! Lines and where they come from: blame and the history of lines. Git answers; the index remembers what git said of
//! lines, so that it is asked once.
//!
//! Only lines nobody asked for yet are asked of git: a whole file costs up to half as much again as the lines wanted.

use std::time::Duration;

use model::annotation::Lines;

use crate::git::{ANSWER_TIMEOUT, BlameHunk, CommitId, LineChange, TreePath};
use crate::open::{Store, StoreError};

/// More gaps than this between what is known are asked for as one range.
const MOST_RANGES: usize = 16;

impl Store {
    /// Returns which commits the lines of a file at a commit come from, in order, every line once.
    pub fn blame(&self, commit: &CommitId, path: &TreePath, lines: Lines) -> Result<Vec<BlameHunk>, StoreError> {
        self.blame_within(commit, path, lines, ANSWER_TIMEOUT)
    }

    /// Does the same with another patience.
    pub fn blame_within(
        &self,
        commit: &CommitId,
        path: &TreePath,
        lines: Lines,
        patience: Duration,
    ) -> Result<Vec<BlameHunk>, StoreError> {
        let range = checked(lines)?;
        let settings = self.repository.blame_settings()?;
        // What is remembered only spares time: if it cannot be had, git is asked.
        let mut hunks = self.index.known_blame(commit, path, settings, range).unwrap_or_default();
        let missing = gaps(&hunks, range);
        if !missing.is_empty() {
            let found = self.repository.blame(commit, path, &missing, patience)?;
            let _ = self.index.keep_blame(commit, path, settings, &found);
            hunks.retain(|hunk| !missing.iter().any(|(first, last)| hunk.start <= *last && hunk.end() >= *first));
            hunks.extend(found);
            hunks.sort_by_key(|hunk| hunk.start);
        }
        Ok(joined(hunks))
    }

    /// Returns the commits that touched lines of a file at a commit through time, newest first, as `git log -L` does.
    pub fn line_history(
        &self,
        commit: &CommitId,
        path: &TreePath,
        lines: Lines,
    ) -> Result<Vec<LineChange>, StoreError> {
        Ok(self.repository.line_history(commit, path, checked(lines)?, ANSWER_TIMEOUT)?)
    }
}

fn checked(lines: Lines) -> Result<(u32, u32), StoreError> {
    let is_range = lines.start >= 1 && lines.start <= lines.end && lines.end < u32::MAX;
    if is_range { Ok((lines.start, lines.end)) } else { Err(StoreError::BadLines { lines }) }
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
    match (gaps.first(), gaps.last()) {
        (Some((first, _)), Some((_, last))) if gaps.len() > MOST_RANGES => vec![(*first, *last)],
        _ => gaps,
    }
}

// What was asked for in pieces reads as if it had been asked for at once.
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
