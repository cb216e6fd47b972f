//! Carries notes when commits are rewritten: amended, rebased, squashed or cherry-picked. Each region is located again
//! in the new commit; if its code is gone, it keeps its text and loses its lines.

use app::Error;
use model::annotation::{Note, Region, merge, squash};
use store::git::CommitId;
use store::notes::{NotePlan, Notes};

use super::moved::Move;
use super::write::headline;
use crate::view::{CarriedView, ResolvedView};
use crate::{Annotations, AnnotationsMut};

/// Commits and the one that replaces them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CommitReplacement {
    /// The old commits, oldest first.
    pub(crate) old: Vec<CommitId>,
    pub(crate) new: CommitId,
}

/// Groups pairs of old and new commits by the new one, in order.
pub(crate) fn commit_replacements(pairs: impl IntoIterator<Item = (CommitId, CommitId)>) -> Vec<CommitReplacement> {
    let mut all: Vec<CommitReplacement> = Vec::new();
    for (old, new) in pairs.into_iter().filter(|(old, new)| old != new) {
        match all.iter_mut().find(|one| one.new == new) {
            Some(one) if one.old.contains(&old) => {}
            Some(one) => one.old.push(old),
            None => all.push(CommitReplacement { old: vec![old], new }),
        }
    }
    all
}

impl Annotations<'_> {
    /// Builds the note of a new commit from those of the old ones; `None` if there is nothing to carry.
    fn prepare(&self, notes: &Notes<'_>, one: &CommitReplacement) -> Result<Option<PreparedNote>, Error> {
        let mut originals: Vec<Note> = Vec::new();
        let mut moved: Vec<Note> = Vec::new();
        let mut regions = Vec::new();
        let mut warnings = Vec::new();
        for old in &one.old {
            let documents = match notes.documents(old)? {
                Ok(documents) => documents,
                Err(why) => {
                    warnings.push(format!("skipped the note of commit {old}: {why}"));
                    continue;
                }
            };
            let mut code_move = Move::new(*self, *old, one.new);
            for document in documents {
                let mut note = document.clone();
                note.commit = old.to_string();
                note.regions = move_regions(&mut code_move, &document.regions, &mut regions)?;
                originals.push(document);
                moved.push(note);
            }
        }
        let Some(note) = squash(&moved, &one.new.to_string(), self.this_moment()) else { return Ok(None) };
        let from = one.old.iter().map(ToString::to_string).collect();
        let operation = note.provenance.operation.to_string();
        let view = CarriedView { commit: one.new.to_string(), from, operation, regions, warnings };
        Ok(Some(PreparedNote { new: one.new, note, originals, view }))
    }
}

impl AnnotationsMut<'_> {
    pub(crate) fn carry(
        &mut self,
        commit_replacements: &[CommitReplacement],
        noteref: Option<&str>,
    ) -> Result<Vec<CarriedView>, Error> {
        let reference = self.store().notes_ref(noteref)?;
        // The regions are located before the lock is taken, since that reads much code.
        let notes = self.store().notes(&reference)?;
        let mut prepared = Vec::new();
        for one in commit_replacements {
            prepared.extend(self.shared().prepare(&notes, one)?);
        }
        let subject = match prepared.as_slice() {
            [] => return Ok(Vec::new()),
            [one] => headline("carry to", &one.new, &one.note.summary),
            several => format!("carry to {} commits", several.len()),
        };
        // Merged again under the lock: another process may have written a note since.
        self.store_mut().write_notes(&reference, |notes| {
            let mut plan = NotePlan { subject: subject.clone(), notes: Vec::new() };
            for one in &prepared {
                plan.notes.push((one.new, one.joined_with(notes)?));
            }
            Ok::<_, Error>((plan, ()))
        })?;
        Ok(prepared.into_iter().map(|one| one.view).collect())
    }
}

fn move_regions(code_move: &mut Move<'_>, all: &[Region], views: &mut Vec<ResolvedView>) -> Result<Vec<Region>, Error> {
    let mut regions = Vec::new();
    for region in all {
        let (region, view) = code_move.region(region)?;
        regions.push(region);
        views.push(view);
    }
    Ok(regions)
}

/// A note to be carried.
struct PreparedNote {
    new: CommitId,
    note: Note,
    /// The original notes it was made from.
    originals: Vec<Note>,
    view: CarriedView,
}

impl PreparedNote {
    /// Merges it with the current note of the new commit. Copies that git made of the old notes (`notes.rewriteRef`)
    /// have the lines of the old commit: they are replaced.
    fn joined_with(&self, notes: &Notes<'_>) -> Result<Note, Error> {
        let documents = notes.documents(&self.new)?.map_err(|why| {
            Error::conflict(format!("the existing note of commit {} cannot be read: {why}", self.new))
        })?;
        let own = documents.iter().filter(|document| !self.originals.contains(document));
        let mut joined = self.note.clone();
        for document in own {
            let summary = document.summary.clone();
            joined = merge(&joined, document);
            // A summary written for the new commit itself is kept, unless it replaces several commits.
            if self.view.from.len() == 1 && !summary.is_empty() {
                joined.summary = summary;
            }
        }
        Ok(joined)
    }
}
