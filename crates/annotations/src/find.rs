//! Finds the annotations of code: all that were recorded for its file, under any name of the file, at any commit of
//! this history. `locate` decides where the recorded code is now; blame helps to decide and excludes nothing.

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
use super::locate::{CodePlace, Locator, RecordedCode};
use super::scope::{Scope, Target};
use super::score::AnchorMatch;
use super::{lines_of, overlap};
use crate::Annotations;
use crate::cache::cache;

/// A region about the requested code.
#[derive(Debug, Clone)]
pub(super) struct Hit<'s> {
    /// The commit of its note.
    pub(super) commit: CommitId,
    pub(super) note: Arc<Note>,
    /// The index of the region in the note.
    pub(super) place: usize,
    /// Its lines at the commit, if known.
    pub(super) lines: Option<Lines>,
    /// How it matches the code.
    pub(super) anchor: AnchorMatch,
    /// The current location of its code.
    pub(super) now: CodePlace<'s>,
}

impl Hit<'_> {
    pub(super) fn region(&self) -> &Region {
        &self.note.regions[self.place]
    }
}

/// Blame and the regions found.
#[derive(Debug, Default)]
pub(super) struct Finding<'s> {
    pub(super) hunks: Vec<BlameHunk>,
    /// The blamed commits, without duplicates.
    pub(super) commits: Vec<CommitId>,
    /// The regions about the code.
    pub(super) hits: Vec<Hit<'s>>,
}

impl Annotations<'_> {
    /// Finds the annotations of a scope.
    pub(super) fn find_annotations<'s>(&self, scope: &'s Scope) -> Result<Finding<'s>, Error> {
        let hunks = self.store().blame(&scope.head, &scope.path, &scope.spans)?;
        let commits = distinct(&hunks);
        let hits = if scope.is_left_out || self.index().last_note()? == 0 {
            Vec::new()
        } else {
            self.find_regions(scope, &hunks)?
        };
        Ok(Finding { hunks, commits, hits })
    }

    /// Finds the regions of a scope, with the blame of its lines as far as it is known.
    pub(super) fn find_regions<'s>(&self, scope: &'s Scope, hunks: &[BlameHunk]) -> Result<Vec<Hit<'s>>, Error> {
        Ok(self.find_regions_while(scope, hunks, |_| true)?.unwrap_or_default())
    }

    /// Finds the regions of a scope without blame; `None` if one of them is lost, which blame may find.
    pub(super) fn find_regions_without_blame<'s>(&self, scope: &'s Scope) -> Result<Option<Vec<Hit<'s>>>, Error> {
        self.find_regions_while(scope, &[], |now| !matches!(now, CodePlace::Lost | CodePlace::Namesake(_)))
    }

    /// Finds the regions of a scope; `None` as soon as one is in a place that is not accepted.
    fn find_regions_while<'s>(
        &self,
        scope: &'s Scope,
        hunks: &[BlameHunk],
        is_accepted: impl Fn(CodePlace<'_>) -> bool,
    ) -> Result<Option<Vec<Hit<'s>>>, Error> {
        let lineage = self.store().lineage(&scope.head, &scope.path)?;
        let locator = Locator::new(*self, &scope.file, &scope.source, hunks);
        let outside = self.store().unreachable_annotations(&scope.head)?;
        let rows = self.rows_of_file(&lineage, locator.blamed(), &outside)?;
        let mut notes = Notes::new(*self);
        // Most regions of a whole file are found; growing the list would copy tens of thousands of them several times.
        let capacity = if matches!(scope.target, Target::File) { rows.own.len() } else { 0 };
        let mut hits = Vec::with_capacity(capacity);
        for row in &rows.own {
            let now =
                if scope.may_be_about(row, &locator)? { locator.locate(&RecordedCode::from(row))? } else { continue };
            if let Some(anchor) = match_region(scope, locator.blamed(), row, now) {
                if !is_accepted(now) {
                    return Ok(None);
                }
                hits.extend(notes.hit(row, anchor, now)?);
            }
        }
        let moved = self.moved_here(scope, &lineage, &locator, rows.of_namesakes)?;
        for (row, symbol) in moved {
            hits.extend(notes.hit(&row, AnchorMatch::Name, CodePlace::Symbol(symbol))?);
        }
        Ok(Some(hits))
    }

    /// Returns the regions recorded for a file in this history, under any of its names.
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

/// Regions recorded under the names of a file.
#[derive(Debug, Default)]
pub(super) struct FileRows {
    /// For the file itself.
    pub(super) own: Vec<RegionRow>,
    /// For other files that had one of its names.
    pub(super) of_namesakes: Vec<RegionRow>,
}

impl Scope {
    /// A cheap check whether a region could be about the scope.
    fn may_be_about(&self, row: &RegionRow, locator: &Locator<'_, '_>) -> Result<bool, Error> {
        let recorded = RecordedCode::from(row);
        let Target::Symbols(targets) = &self.target else { return Ok(true) };
        if row.anchor.is_empty() || locator.blamed().is_any_alive(&recorded) {
            return Ok(true);
        }
        let meant = locator.named(&row.anchor);
        if !meant.is_empty() {
            return Ok(meant.iter().any(|symbol| self.is_target(symbol)));
        }
        let targets: Vec<&Symbol> = targets.iter().collect();
        Ok(is_named(&targets, row) || locator.may_have_become(&recorded, &targets)?)
    }
}

/// Returns how a located region matches the scope; `None` if it does not.
fn match_region(scope: &Scope, blamed: &BlamedLines<'_>, row: &RegionRow, now: CodePlace<'_>) -> Option<AnchorMatch> {
    let is_in_spans = |lines: Lines| scope.spans.iter().any(|span| overlap(*span, lines));
    let by_blame = || blamed.is_any_alive(&RecordedCode::from(row)).then_some(AnchorMatch::Overlap);
    match (&scope.target, now) {
        (Target::File, CodePlace::Symbol(_)) => Some(AnchorMatch::Name),
        (Target::File, _) | (_, CodePlace::File) => Some(AnchorMatch::Overlap),
        (Target::Symbols(_), CodePlace::Symbol(symbol) | CodePlace::Namesake(symbol)) if scope.is_target(symbol) => {
            Some(AnchorMatch::Name)
        }
        // An annotation of one of several symbols with the same name is not one of the others.
        (Target::Symbols(targets), CodePlace::Symbol(symbol)) if targets.iter().any(|one| one.name == symbol.name) => {
            None
        }
        // One of several symbols is meant, but it is unknown which.
        (Target::Symbols(targets), CodePlace::Lost) if is_named(&targets.iter().collect::<Vec<_>>(), row) => {
            (targets.len() > 1).then_some(AnchorMatch::Name)
        }
        (Target::Lines, CodePlace::Symbol(symbol)) if is_in_spans(lines_of(symbol)) => Some(AnchorMatch::Overlap),
        // Blame may attribute lines of one symbol to another of the same name.
        (Target::Lines, CodePlace::Symbol(symbol)) => {
            let twins = scope.source.named_exactly(&symbol.name);
            if twins.into_iter().any(|twin| is_in_spans(lines_of(twin))) { None } else { by_blame() }
        }
        (_, CodePlace::Lines(lines)) => is_in_spans(lines).then_some(AnchorMatch::Overlap),
        (Target::Symbols(_), CodePlace::Symbol(_)) | (_, CodePlace::Namesake(_) | CodePlace::Lost) => by_blame(),
    }
}

fn is_named(symbols: &[&Symbol], row: &RegionRow) -> bool {
    // `add(x)` in a note that could not tell which `add` was meant.
    let name = row.anchor.split('(').next().filter(|name| !name.is_empty()).unwrap_or(&row.anchor);
    symbols.iter().any(|symbol| model::annotation::is_same_name(&symbol.name, name))
}

/// Returns all names of a file from its lineage and blame, without duplicates.
fn names<'a>(lineage: &'a Lineage, blamed: &BlamedLines<'a>) -> Vec<&'a str> {
    let mut names: Vec<&str> = lineage.names().chain(blamed.files()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

pub(super) fn distinct(hunks: &[BlameHunk]) -> Vec<CommitId> {
    let mut seen = HashSet::new();
    hunks.iter().map(|hunk| hunk.commit).filter(|commit| seen.insert(*commit)).collect()
}

/// Reads notes, each once.
pub(super) struct Notes<'a> {
    project: Annotations<'a>,
    read: HashMap<ObjectId, Option<Arc<Note>>>,
}

impl<'a> Notes<'a> {
    pub(super) fn new(project: Annotations<'a>) -> Self {
        Self { project, read: HashMap::new() }
    }

    /// Reads a note; `None` if it cannot be parsed.
    pub(super) fn get(&mut self, blob: &ObjectId) -> Result<Option<Arc<Note>>, Error> {
        if let Some(note) = self.read.get(blob) {
            return Ok(note.clone());
        }
        let note = self.project.note(blob)?;
        self.read.insert(*blob, note.clone());
        Ok(note)
    }

    /// Reads the region of a row.
    pub(super) fn hit<'s>(
        &mut self,
        row: &RegionRow,
        anchor: AnchorMatch,
        now: CodePlace<'s>,
    ) -> Result<Option<Hit<'s>>, Error> {
        let Some(note) = self.get(&row.blob)?.filter(|note| note.regions.len() > row.place) else { return Ok(None) };
        let signature = note.regions[row.place].anchor.signature.as_deref();
        let has_signature = now.symbol().is_some_and(|symbol| Some(symbol.signature.as_str()) == signature);
        let anchor = if anchor == AnchorMatch::Name && has_signature { AnchorMatch::NameAndSignature } else { anchor };
        Ok(Some(Hit { commit: row.commit, note, place: row.place, lines: row.lines, anchor, now }))
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
    /// Reads a note through the cache: its key is its content hash, and each of its files needs it.
    fn note(&self, blob: &ObjectId) -> Result<Option<Arc<Note>>, Error> {
        if let Some(known) = cache().notes.get(blob) {
            return Ok(Some(known));
        }
        let note = self.store().read_note(blob)?.ok().map(corrected).map(Arc::new);
        // An unreadable note may come back with the next fetch, so that is not cached.
        if let Some(note) = &note {
            cache().keep_note(*blob, Arc::clone(note));
        }
        Ok(note)
    }
}

/// Applies the corrections; they are kept in the note.
fn corrected(mut note: Note) -> Note {
    for region in &mut note.regions {
        apply_corrections(region);
    }
    note
}
