//! What was done to a piece of code, and why, through time: the commits that touched its lines, as `git log -L` has them.

use jiff::Timestamp;
use model::annotation::{AnnotationKind, Note, Region, is_same_name};
use store::git::LineChange;

use super::find::{Hit, Notes};
use super::read::related;
use super::scope::{Scope, Target};
use super::score::AnchorMatch;
use crate::error::Error;
use crate::project::Project;
use crate::view::{HistoryQueryView, HistoryStatsView, HistoryView, MomentView};

/// A question about the past of a piece of code.
#[derive(Debug, Clone)]
pub struct HistoryQuery {
    /// The file, from the top of the repository.
    pub path: String,
    /// The function or type.
    pub anchor: Option<String>,
    /// The most entries: the newest annotated commits, then the newest others.
    pub limit: usize,
}

impl Project {
    /// Answers what was done to a piece of code, oldest first.
    pub fn annotation_history(&self, query: &HistoryQuery) -> Result<HistoryView, Error> {
        let here = self.here()?;
        let scope = self.scope(here.head, &query.path, query.anchor.as_deref(), None)?;
        let changes = self.changes(&scope)?;
        let mut notes = Notes::new(self);
        let mut entries = Vec::new();
        for change in &changes {
            entries.push((change, hit_at(&scope, change, &mut notes)?));
        }
        let annotations_found = entries.iter().filter(|(_, hit)| hit.is_some()).count();
        let mut related_followed = 0;
        let mut timeline = Vec::new();
        for (change, hit) in within_limit(&entries, query.limit) {
            timeline.push(moment(&mut notes, change, hit.as_ref(), &mut related_followed)?);
        }
        timeline.reverse();
        let commits: Vec<_> = changes.iter().map(|change| change.commit).collect();
        Ok(HistoryView {
            schema: "ultragit-history/v1",
            query: HistoryQueryView {
                file: scope.file.clone(),
                anchor: query.anchor.clone(),
                lines: scope.range().filter(|_| !matches!(scope.target, Target::File)).map(Into::into),
                limit: query.limit,
            },
            timeline,
            stats: HistoryStatsView { commits_found: changes.len(), annotations_found, related_followed },
            aside: scope.aside(self.warnings(&commits)?),
        })
    }

    /// Returns the commits that touched the scope, each once, newest first.
    fn changes(&self, scope: &Scope) -> Result<Vec<LineChange>, Error> {
        let mut changes: Vec<LineChange> = Vec::new();
        for span in &scope.spans {
            for change in self.store.line_history(&scope.head, &scope.path, *span)? {
                if !changes.iter().any(|known| known.commit == change.commit) {
                    changes.push(change);
                }
            }
        }
        if scope.spans.len() > 1 {
            changes.sort_by_key(|change| std::cmp::Reverse(change.seconds));
        }
        Ok(changes)
    }
}

/// Selects the entries of a timeline, given newest first. It is a timeline of annotations: annotated commits fill the
/// limit first, other commits only use what is left of it, and without an annotation the timeline is empty.
fn within_limit<C, H>(entries: &[(C, Option<H>)], limit: usize) -> impl Iterator<Item = &(C, Option<H>)> {
    let n_annotated = entries.iter().filter(|(_, hit)| hit.is_some()).count();
    let mut room_for_annotated = limit;
    let mut room_for_plain = if n_annotated == 0 { 0 } else { limit.saturating_sub(n_annotated) };
    entries.iter().filter(move |(_, hit)| {
        let room = if hit.is_some() { &mut room_for_annotated } else { &mut room_for_plain };
        let has_room = *room > 0;
        *room = room.saturating_sub(1);
        has_room
    })
}

/// Returns what a commit's note says about the scope. The commit touched these very lines, so a region of the note is
/// about them when it has the name, or when the whole file is asked about.
fn hit_at(scope: &Scope, change: &LineChange, notes: &mut Notes<'_>) -> Result<Option<Hit>, Error> {
    let Some(note) = notes.of_commit(&change.commit)? else { return Ok(None) };
    let place = best_region(scope, &note);
    Ok(place.map(|place| Hit { commit: change.commit, note, place, anchor: AnchorMatch::Name, symbol: None }))
}

fn best_region(scope: &Scope, note: &Note) -> Option<usize> {
    let is_reason = |region: &Region| region.kind == AnnotationKind::Reason;
    let is_wanted = |region: &Region| match scope.targets() {
        _ if !is_reason(region) => false,
        [] => region.file == scope.file,
        targets => targets.iter().any(|symbol| is_same_name(&symbol.name, &region.anchor.name)),
    };
    let own_file = |region: &&Region| region.file == scope.file;
    let named = || note.regions.iter().enumerate().filter(|(_, region)| is_wanted(region));
    // The file may have had another name then: the own file first, then any.
    named().find(|(_, region)| own_file(region)).or_else(|| named().next()).map(|(place, _)| place)
}

fn moment(
    notes: &mut Notes<'_>,
    change: &LineChange,
    hit: Option<&Hit>,
    related_followed: &mut usize,
) -> Result<MomentView, Error> {
    let related_context = match hit {
        Some(hit) => related(notes, hit, 1, related_followed)?,
        None => Vec::new(),
    };
    let region = hit.map(Hit::region);
    Ok(MomentView {
        commit: change.commit.to_string(),
        timestamp: Timestamp::from_second(change.seconds).unwrap_or_default().to_string(),
        commit_message: change.message.lines().next().unwrap_or_default().to_owned(),
        context_level: hit.map(|hit| hit.note.context_of(hit.region()).to_string()),
        provenance: hit.map(|hit| hit.note.provenance.operation.to_string()),
        intent: region.map(|region| region.intent.clone()),
        reasoning: region.and_then(|region| region.reasoning.clone()),
        constraints: region.iter().flat_map(|region| &region.constraints).map(|one| one.text.clone()).collect(),
        risk_notes: region.and_then(|region| region.risk_notes.clone()),
        related_context,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::within_limit;

    /// Returns which entries are selected; `true` stands for an annotated commit.
    fn selected(entries: &[bool], limit: usize) -> Vec<usize> {
        let entries: Vec<(usize, Option<()>)> =
            entries.iter().enumerate().map(|(n, is_annotated)| (n, is_annotated.then_some(()))).collect();
        within_limit(&entries, limit).map(|(n, _)| *n).collect()
    }

    #[test]
    fn annotated_commits_fill_the_limit_first() {
        assert_eq!(selected(&[false, false, false, true], 2), [0, 3]);
        assert_eq!(selected(&[false, true, false, true], 2), [1, 3]);
        assert_eq!(selected(&[true, true, true], 2), [0, 1]);
        assert_eq!(selected(&[false, false], 2), [] as [usize; 0]);
    }

    proptest! {
        #[test]
        fn no_commit_takes_the_place_of_an_annotated_one(entries: Vec<bool>, limit in 0usize..20) {
            let selected = selected(&entries, limit);
            let n_annotated = entries.iter().filter(|is_annotated| **is_annotated).count();
            let n_selected = selected.iter().filter(|n| entries[**n]).count();
            prop_assert_eq!(n_selected, n_annotated.min(limit));
            prop_assert!(selected.is_sorted());
            let expected = if n_annotated == 0 { 0 } else { entries.len().min(limit) };
            prop_assert_eq!(selected.len(), expected);
        }
    }
}
