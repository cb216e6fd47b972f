//! From lines to the annotations that are about them: by name where there is one, else by the very lines.
//!
//! A name that is merely similar counts only when the annotated one no longer exists: `get_a` is not `get_b`.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use anchors::{Match, Resolution, Symbol, Symbols};
use model::annotation::{Lines, Note, Region};
use store::git::{BlameHunk, CommitId, ObjectId, TreePath};
use store::index::RegionRow;

use super::scope::{Scope, Target};
use super::score::AnchorMatch;
use super::{lines_of, overlap};
use crate::error::Error;
use crate::project::Project;

/// A region that is about the code that was asked about.
#[derive(Debug, Clone)]
pub(super) struct Hit {
    /// The commit whose note it is in.
    pub(super) commit: CommitId,
    /// The note.
    pub(super) note: Arc<Note>,
    /// Which of its regions.
    pub(super) place: usize,
    /// How it was found to be about this code.
    pub(super) anchor: AnchorMatch,
    /// The function or type it is about now, when it still exists.
    pub(super) symbol: Option<Symbol>,
}

impl Hit {
    pub(super) fn region(&self) -> &Region {
        &self.note.regions[self.place]
    }
}

/// What blame said, and what was found by it.
#[derive(Debug, Default)]
pub(super) struct Finding {
    /// Who wrote the lines.
    pub(super) hunks: Vec<BlameHunk>,
    /// Each commit once.
    pub(super) commits: Vec<CommitId>,
    /// The regions that are about the code.
    pub(super) hits: Vec<Hit>,
}

impl Project {
    /// Finds the annotations about a scope.
    pub(super) fn find_annotations(&self, scope: &Scope) -> Result<Finding, Error> {
        let mut hunks = Vec::new();
        for span in &scope.spans {
            hunks.extend(self.store.blame(&scope.head, &scope.path, *span)?);
        }
        let commits = distinct(&hunks);
        let mut notes = Notes::new(self);
        let mut hits = Vec::new();
        for row in self.index().regions_of(&commits, &names(scope, &hunks))? {
            if let Some((anchor, symbol)) = judge(scope, &hunks, &row)
                && let Some(hit) = notes.hit(&row, anchor, symbol)?
            {
                hits.push(hit);
            }
        }
        self.find_beyond_blame(scope, &commits, &mut notes, &mut hits)?;
        Ok(Finding { hunks, commits, hits })
    }

    /// Finds annotations of the very same function whose lines were all rewritten since, or that lived in another file.
    fn find_beyond_blame(
        &self,
        scope: &Scope,
        blamed: &[CommitId],
        notes: &mut Notes<'_>,
        hits: &mut Vec<Hit>,
    ) -> Result<(), Error> {
        let Some(symbol) = scope.symbol() else { return Ok(()) };
        let mut rows = self.index().regions_named(&symbol.name)?;
        rows.retain(|row| !blamed.contains(&row.commit) && !hits.iter().any(|hit| hit.commit == row.commit));
        let commits: Vec<CommitId> = rows.iter().map(|row| row.commit).collect();
        if rows.is_empty() {
            return Ok(());
        }
        let foreign = self.store.repository().not_reached_from(&scope.head, &commits)?;
        rows.retain(|row| !foreign.contains(&row.commit));
        for row in rows {
            if row.file != scope.file && !self.has_moved_here(scope, symbol, &row)? {
                continue;
            }
            let anchor = AnchorMatch::Name;
            hits.extend(notes.hit(&row, anchor, Some(symbol.clone()))?);
        }
        Ok(())
    }

    /// Tells whether the function of a region is the one asked about, now in another file: it is no longer where it was, and
    /// at least half of its lines are here.
    fn has_moved_here(&self, scope: &Scope, symbol: &Symbol, row: &RegionRow) -> Result<bool, Error> {
        let (Ok(path), Some(was)) = (TreePath::from_bytes(row.file.as_bytes()), row.lines) else { return Ok(false) };
        let today = self.text_at(&scope.head, &path)?;
        let is_still_there = today.is_some_and(|text| {
            super::scope::symbols(&row.file, &text).all().iter().any(|other| other.name == row.anchor)
        });
        if is_still_there {
            return Ok(false);
        }
        let Some(then) = self.text_at(&row.commit, &path)? else { return Ok(false) };
        Ok(super::status::likeness(&then, was, &scope.text, lines_of(symbol)) >= 0.5)
    }
}

/// Decides whether a region is about the code, and how surely.
fn judge(scope: &Scope, hunks: &[BlameHunk], row: &RegionRow) -> Option<(AnchorMatch, Option<Symbol>)> {
    let by_name = where_now(&scope.symbols, hunks, row).cloned();
    match &scope.target {
        Target::Symbols(targets) => {
            if let Some(symbol) = by_name.as_ref().filter(|symbol| targets.contains(symbol)) {
                return Some((AnchorMatch::Name, Some(symbol.clone())));
            }
        }
        Target::File => {
            let anchor = if by_name.is_some() { AnchorMatch::Name } else { AnchorMatch::Overlap };
            return Some((anchor, by_name));
        }
        Target::Lines => {}
    }
    is_among(hunks, row).then_some((AnchorMatch::Overlap, by_name))
}

/// Returns what the region's name means in the file today. A name that is merely similar means it only when lines of the
/// region are in there: then it was renamed.
fn where_now<'a>(symbols: &'a Symbols, hunks: &[BlameHunk], row: &RegionRow) -> Option<&'a Symbol> {
    if row.anchor.is_empty() {
        return None;
    }
    match anchors::resolve(symbols, row.anchor.as_str()) {
        Resolution::Found { symbol, how: Match::Near(_) } => {
            let inside = hunks.iter().filter(|hunk| overlap(lines_of_hunk(hunk), lines_of(symbol)));
            is_among(inside, row).then_some(symbol)
        }
        Resolution::Found { symbol, .. } => Some(symbol),
        _ => None,
    }
}

/// Tells whether any of the blamed lines is one of the region's, at the region's own commit.
fn is_among<'h>(hunks: impl IntoIterator<Item = &'h BlameHunk>, row: &RegionRow) -> bool {
    let Some(lines) = row.lines else { return row.anchor.is_empty() };
    hunks.into_iter().any(|hunk| {
        let source = Lines { start: hunk.source_start, end: hunk.source_start + hunk.n_lines - 1 };
        hunk.commit == row.commit && hunk.path.as_str() == Some(row.file.as_str()) && overlap(source, lines)
    })
}

/// Returns the lines of a hunk in the file of today.
pub(super) fn lines_of_hunk(hunk: &BlameHunk) -> Lines {
    Lines { start: hunk.start, end: hunk.end() }
}

fn names<'a>(scope: &'a Scope, hunks: &'a [BlameHunk]) -> Vec<&'a str> {
    let mut names: Vec<&str> = hunks.iter().filter_map(|hunk| hunk.path.as_str()).collect();
    names.push(&scope.file);
    names.sort_unstable();
    names.dedup();
    names
}

fn distinct(hunks: &[BlameHunk]) -> Vec<CommitId> {
    let mut seen = HashSet::new();
    hunks.iter().map(|hunk| hunk.commit).filter(|commit| seen.insert(*commit)).collect()
}

/// Notes that were read, each once.
pub(super) struct Notes<'a> {
    project: &'a Project,
    read: HashMap<ObjectId, Option<Arc<Note>>>,
}

impl<'a> Notes<'a> {
    pub(super) fn new(project: &'a Project) -> Self {
        Self { project, read: HashMap::new() }
    }

    /// Reads a note; `None` when it cannot be read.
    pub(super) fn get(&mut self, blob: &ObjectId) -> Result<Option<Arc<Note>>, Error> {
        if let Some(note) = self.read.get(blob) {
            return Ok(note.clone());
        }
        let note = self.project.store.read_note(blob)?.ok().map(Arc::new);
        self.read.insert(*blob, note.clone());
        Ok(note)
    }

    /// Reads the region of a row.
    pub(super) fn hit(
        &mut self,
        row: &RegionRow,
        anchor: AnchorMatch,
        symbol: Option<Symbol>,
    ) -> Result<Option<Hit>, Error> {
        let Some(note) = self.get(&row.blob)?.filter(|note| note.regions.len() > row.place) else { return Ok(None) };
        let signature = note.regions[row.place].anchor.signature.as_deref();
        let has_signature = symbol.as_ref().is_some_and(|symbol| Some(symbol.signature.as_str()) == signature);
        let anchor = if anchor == AnchorMatch::Name && has_signature { AnchorMatch::NameAndSignature } else { anchor };
        Ok(Some(Hit { commit: row.commit, note, place: row.place, anchor, symbol }))
    }

    /// Reads the note of a commit.
    pub(super) fn of_commit(&mut self, commit: &CommitId) -> Result<Option<Arc<Note>>, Error> {
        match self.project.index().note_blob(commit)? {
            Some(blob) => self.get(&blob),
            None => Ok(None),
        }
    }
}
