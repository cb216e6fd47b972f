//! Blamed lines by origin, so that each of many regions costs only its own lines.

use std::collections::HashMap;

use model::annotation::Lines;
use store::git::{BlameHunk, CommitId};

use super::locate::RecordedCode;

/// The blame of a current file, by commit and file of origin.
#[derive(Debug, Default)]
pub(super) struct BlamedLines<'h> {
    origins: HashMap<CommitId, HashMap<&'h str, Origin<'h>>>,
}

/// The lines from one file of one commit.
#[derive(Debug, Default)]
struct Origin<'h> {
    /// Sorted by line number in the origin.
    hunks: Vec<&'h BlameHunk>,
    /// The length of the longest hunk.
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

    /// Returns the files of origin.
    pub(super) fn files(&self) -> impl Iterator<Item = &'h str> {
        self.origins.values().flat_map(HashMap::keys).copied()
    }

    /// Returns whether any line comes from a file of a commit.
    pub(super) fn has_lines_of(&self, commit: &CommitId, file: &str) -> bool {
        self.origin(commit, file).is_some()
    }

    fn origin(&self, commit: &CommitId, file: &str) -> Option<&Origin<'h>> {
        self.origins.get(commit)?.get(file)
    }

    /// Returns the current lines that come from the recorded code, in the order of the code.
    pub(super) fn current_lines_of<'s>(
        &'s self,
        recorded: &RecordedCode<'_>,
    ) -> impl Iterator<Item = Lines> + use<'s, 'h> {
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

    /// Returns whether any of the blamed lines comes from the recorded code.
    pub(super) fn is_any_alive(&self, recorded: &RecordedCode<'_>) -> bool {
        self.current_lines_of(recorded).next().is_some()
    }
}
