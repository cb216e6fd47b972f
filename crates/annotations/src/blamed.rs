//! Blamed lines by where they come from, so that each of many regions costs only its own lines.

use std::collections::HashMap;

use model::annotation::Lines;
use store::git::{BlameHunk, CommitId};

use super::locate::Recorded;

/// What blame said of a file of today, by commit and file of origin.
#[derive(Debug, Default)]
pub(super) struct BlamedLines<'h> {
    origins: HashMap<CommitId, HashMap<&'h str, Origin<'h>>>,
}

/// The lines that come from one file of one commit.
#[derive(Debug, Default)]
struct Origin<'h> {
    /// In the order of the lines there.
    hunks: Vec<&'h BlameHunk>,
    /// The length of the longest.
    longest: u32,
}

impl<'h> BlamedLines<'h> {
    pub(super) fn new(hunks: &'h [BlameHunk]) -> Self {
        let mut origins: HashMap<CommitId, HashMap<&str, Origin<'_>>> = HashMap::new();
        for hunk in hunks {
            let Some(file) = hunk.path.as_str() else { continue };
            let origin = origins.entry(hunk.commit).or_default().entry(file).or_default();
            origin.hunks.push(hunk);
            origin.longest = origin.longest.max(hunk.n_lines);
        }
        for origin in origins.values_mut().flat_map(HashMap::values_mut) {
            origin.hunks.sort_by_key(|hunk| hunk.source_start);
        }
        Self { origins }
    }

    /// Returns the files that lines come from.
    pub(super) fn files(&self) -> impl Iterator<Item = &'h str> {
        self.origins.values().flat_map(HashMap::keys).copied()
    }

    /// Tells whether any line comes from a file of a commit.
    pub(super) fn has_lines_of(&self, commit: &CommitId, file: &str) -> bool {
        self.origin(commit, file).is_some()
    }

    fn origin(&self, commit: &CommitId, file: &str) -> Option<&Origin<'h>> {
        self.origins.get(commit)?.get(file)
    }

    /// Returns the lines of today that the recorded commit wrote as lines of the recorded code, in the order of the code.
    pub(super) fn alive<'s>(&'s self, recorded: &Recorded<'_>) -> impl Iterator<Item = Lines> + use<'s, 'h> {
        recorded.lines.zip(self.origin(&recorded.commit, recorded.file)).into_iter().flat_map(|(was, origin)| {
            let is_before = |hunk: &&BlameHunk| hunk.source_start.saturating_add(origin.longest) <= was.start;
            let from = origin.hunks.partition_point(is_before);
            let near = origin.hunks[from..].iter().take_while(move |hunk| hunk.source_start <= was.end);
            near.filter_map(move |hunk| {
                let last = hunk.source_start + hunk.n_lines - 1;
                let (first, last) = (hunk.source_start.max(was.start), last.min(was.end));
                let shift = |line: u32| hunk.start + (line - hunk.source_start);
                (first <= last).then(|| Lines { start: shift(first), end: shift(last) })
            })
        })
    }

    /// Tells whether any of the blamed lines is one of the recorded code's.
    pub(super) fn is_any_alive(&self, recorded: &Recorded<'_>) -> bool {
        self.alive(recorded).next().is_some()
    }
}
