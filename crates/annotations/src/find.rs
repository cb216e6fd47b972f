//! From code to the annotations about it: whatever was recorded for its file, under any name the file had, at any commit of
//! this history. Where the recorded code is now is decided by `locate`; blame helps to decide and leaves nothing out.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use anchors::Symbol;
use app::Error;
use model::annotation::{Lines, Note, Region};
use store::Lineage;
use store::git::{BlameHunk, CommitId, ObjectId};
use store::index::RegionRow;

use super::blamed::BlamedLines;
use super::corrected::apply_corrections;
use super::locate::{CodePlace, Locator, Recorded};
use super::scope::{Scope, Target};
use super::score::AnchorMatch;
use super::{lines_of, overlap};
use crate::Annotations;
use crate::cache::cache;

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
    /// Where its code is now.
    pub(super) now: CodePlace,
}

impl Hit {
    pub(super) fn region(&self) -> &Region {
        &self.note.regions[self.place]
    }

    /// Returns its lines at the note's commit, where they are known.
    pub(super) fn lines(&self) -> Option<Lines> {
        self.note.lines_at(&self.commit.to_string(), self.region())
    }
}

/// What blame said, and what was found.
#[derive(Debug, Default)]
pub(super) struct Finding {
    /// Who wrote the lines.
    pub(super) hunks: Vec<BlameHunk>,
    /// Each commit once.
    pub(super) commits: Vec<CommitId>,
    /// The regions that are about the code.
    pub(super) hits: Vec<Hit>,
}

impl Annotations<'_> {
    /// Finds the annotations about a scope.
    pub(super) fn find_annotations(&self, scope: &Scope) -> Result<Finding, Error> {
        let hunks = self.store().blame(&scope.head, &scope.path, &scope.spans)?;
        let commits = distinct(&hunks);
        let hits = if scope.is_left_out || self.index().last_note()? == 0 {
            Vec::new()
        } else {
            self.find_regions(scope, &hunks)?
        };
        Ok(Finding { hunks, commits, hits })
    }

    /// Finds the regions about a scope, with what blame says of its lines, as far as anybody asked.
    pub(super) fn find_regions(&self, scope: &Scope, hunks: &[BlameHunk]) -> Result<Vec<Hit>, Error> {
        let lineage = self.store().lineage(&scope.head, &scope.path)?;
        let locator = Locator::new(*self, &scope.source, hunks);
        let outside = self.store().unreachable_annotations(&scope.head)?;
        let rows = self.rows_of_file(&lineage, locator.blamed(), &outside)?;
        let mut notes = Notes::new(*self);
        let mut hits = Vec::new();
        for row in &rows.own {
            let now = if scope.may_be_about(row, &locator) { locator.locate(&Recorded::from(row))? } else { continue };
            if let Some(anchor) = judge(scope, locator.blamed(), row, &now) {
                hits.extend(notes.hit(row, anchor, now)?);
            }
        }
        let moved = self.moved_here(scope, &lineage, &locator, rows.of_namesakes)?;
        for (row, symbol) in moved {
            hits.extend(notes.hit(&row, AnchorMatch::Name, CodePlace::Symbol(symbol))?);
        }
        Ok(hits)
    }

    /// Returns what any commit of this history recorded for a file, under whatever name it had then.
    pub(super) fn rows_of_file(
        &self,
        lineage: &Lineage,
        blamed: &BlamedLines<'_>,
        outside: &HashSet<CommitId>,
    ) -> Result<FileRows, Error> {
        let mut rows = FileRows::default();
        for name in names(lineage, blamed) {
            let mut is_own: HashMap<CommitId, bool> = HashMap::new();
            for row in self.index().regions_in(name)?.into_iter().filter(|row| !outside.contains(&row.commit)) {
                let is_own = match is_own.entry(row.commit) {
                    Entry::Occupied(known) => *known.get(),
                    Entry::Vacant(new) => *new.insert(
                        blamed.has_lines_of(&row.commit, name) || self.store().is_of(lineage, &row.commit, name)?,
                    ),
                };
                if is_own { rows.own.push(row) } else { rows.of_namesakes.push(row) }
            }
        }
        Ok(rows)
    }
}

/// What was recorded under the names of a file.
#[derive(Debug, Default)]
pub(super) struct FileRows {
    /// For the file itself.
    pub(super) own: Vec<RegionRow>,
    /// For other files that had one of its names.
    pub(super) of_namesakes: Vec<RegionRow>,
}

impl Scope {
    /// Tells whether a region could be about the scope at all, which costs less than finding out whether it is.
    fn may_be_about(&self, row: &RegionRow, locator: &Locator<'_>) -> bool {
        if row.anchor.is_empty() || !matches!(self.target, Target::Symbols(_)) {
            return true;
        }
        let meant = locator.named(&row.anchor);
        meant.is_empty()
            || meant.iter().any(|symbol| self.is_target(symbol))
            || locator.blamed().is_any_alive(&Recorded::from(row))
    }
}

/// Decides whether a region whose code is there now is about the scope, and how surely.
fn judge(scope: &Scope, blamed: &BlamedLines<'_>, row: &RegionRow, now: &CodePlace) -> Option<AnchorMatch> {
    let is_in_spans = |lines: Lines| scope.spans.iter().any(|span| overlap(*span, lines));
    let by_blame = || blamed.is_any_alive(&Recorded::from(row)).then_some(AnchorMatch::Overlap);
    match (&scope.target, now) {
        (Target::File, CodePlace::Symbol(_)) => Some(AnchorMatch::Name),
        (Target::File, _) | (_, CodePlace::File) => Some(AnchorMatch::Overlap),
        (Target::Symbols(_), CodePlace::Symbol(symbol) | CodePlace::Namesake(symbol)) if scope.is_target(symbol) => {
            Some(AnchorMatch::Name)
        }
        // What is said of one twin is not said of the other.
        (Target::Symbols(targets), CodePlace::Symbol(symbol)) if targets.iter().any(|one| one.name == symbol.name) => {
            None
        }
        // Of several, one is meant, and nobody knows which.
        (Target::Symbols(targets), CodePlace::Lost) if is_named(targets, row) => {
            (targets.len() > 1).then_some(AnchorMatch::Name)
        }
        (Target::Lines, CodePlace::Symbol(symbol)) if is_in_spans(lines_of(symbol)) => Some(AnchorMatch::Overlap),
        // Of lines of a twin, too, blame may say that they come from the other.
        (Target::Lines, CodePlace::Symbol(symbol)) => {
            let twins = scope.source.named_exactly(&symbol.name);
            if twins.into_iter().any(|twin| is_in_spans(lines_of(twin))) { None } else { by_blame() }
        }
        (_, CodePlace::Lines(lines)) => is_in_spans(*lines).then_some(AnchorMatch::Overlap),
        (Target::Symbols(_), CodePlace::Symbol(_)) | (_, CodePlace::Namesake(_) | CodePlace::Lost) => by_blame(),
    }
}

fn is_named(symbols: &[Symbol], row: &RegionRow) -> bool {
    // `add(x)` of a note that could not tell which `add` was meant.
    let name = row.anchor.split('(').next().filter(|name| !name.is_empty()).unwrap_or(&row.anchor);
    symbols.iter().any(|symbol| model::annotation::is_same_name(&symbol.name, name))
}

/// Returns the lines of a hunk in the file of today.
pub(super) fn lines_of_hunk(hunk: &BlameHunk) -> Lines {
    Lines { start: hunk.start, end: hunk.end() }
}

/// Returns every name of a file that its lineage or blame knows, each once.
fn names<'a>(lineage: &'a Lineage, blamed: &BlamedLines<'a>) -> Vec<&'a str> {
    let mut names: Vec<&str> = lineage.names().chain(blamed.files()).collect();
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
    project: Annotations<'a>,
    read: HashMap<ObjectId, Option<Arc<Note>>>,
}

impl<'a> Notes<'a> {
    pub(super) fn new(project: Annotations<'a>) -> Self {
        Self { project, read: HashMap::new() }
    }

    /// Reads a note; `None` when it cannot be read.
    pub(super) fn get(&mut self, blob: &ObjectId) -> Result<Option<Arc<Note>>, Error> {
        if let Some(note) = self.read.get(blob) {
            return Ok(note.clone());
        }
        let note = self.project.note(blob)?;
        self.read.insert(*blob, note.clone());
        Ok(note)
    }

    /// Reads the region of a row.
    pub(super) fn hit(&mut self, row: &RegionRow, anchor: AnchorMatch, now: CodePlace) -> Result<Option<Hit>, Error> {
        let Some(note) = self.get(&row.blob)?.filter(|note| note.regions.len() > row.place) else { return Ok(None) };
        let signature = note.regions[row.place].anchor.signature.as_deref();
        let has_signature = now.symbol().is_some_and(|symbol| Some(symbol.signature.as_str()) == signature);
        let anchor = if anchor == AnchorMatch::Name && has_signature { AnchorMatch::NameAndSignature } else { anchor };
        Ok(Some(Hit { commit: row.commit, note, place: row.place, anchor, now }))
    }

    /// Reads the note of a commit.
    pub(super) fn of_commit(&mut self, commit: &CommitId) -> Result<Option<Arc<Note>>, Error> {
        match self.project.index().note_blob(commit)? {
            Some(blob) => self.get(&blob),
            None => Ok(None),
        }
    }
}

impl Annotations<'_> {
    /// Reads a note, or takes it from the cache: its name is that of its bytes, and each file that it speaks of asks for it.
    fn note(&self, blob: &ObjectId) -> Result<Option<Arc<Note>>, Error> {
        if let Some(known) = cache().notes.get(blob) {
            return Ok(Some(known));
        }
        let note = self.store().read_note(blob)?.ok().map(corrected).map(Arc::new);
        // One that cannot be read may come back with the next fetch.
        if let Some(note) = &note {
            cache().keep_note(*blob, Arc::clone(note));
        }
        Ok(note)
    }
}

/// Puts what was corrected in the place of what was written; the corrections stay beside it.
fn corrected(mut note: Note) -> Note {
    for region in &mut note.regions {
        apply_corrections(region);
    }
    note
}
