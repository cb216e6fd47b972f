//! What was done to a piece of code, and why, through time: the commits that touched its lines, as `git log -L` has them.

use jiff::Timestamp;
use model::annotation::{Note, Region, is_same_name};
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
    /// The most entries, the newest ones.
    pub limit: usize,
}

impl Project {
    /// Answers what was done to a piece of code, oldest first.
    pub fn annotation_history(&self, query: &HistoryQuery) -> Result<HistoryView, Error> {
        let here = self.here()?;
        let scope = self.scope(here.head, &query.path, query.anchor.as_deref(), None)?;
        let changes = self.changes(&scope)?;
        let mut notes = Notes::new(self);
        let mut related_followed = 0;
        let mut timeline = Vec::new();
        let mut annotations_found = 0;
        for (n, change) in changes.iter().enumerate() {
            let hit = hit_at(&scope, change, &mut notes)?;
            annotations_found += usize::from(hit.is_some());
            if n < query.limit {
                timeline.push(moment(&mut notes, change, hit.as_ref(), &mut related_followed)?);
            }
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

/// Returns what a commit's note says about the scope. The commit touched these very lines, so a region of the note is
/// about them when it has the name, or when the whole file is asked about.
fn hit_at(scope: &Scope, change: &LineChange, notes: &mut Notes<'_>) -> Result<Option<Hit>, Error> {
    let Some(note) = notes.of_commit(&change.commit)? else { return Ok(None) };
    let place = best_region(scope, &note);
    Ok(place.map(|place| Hit { commit: change.commit, note, place, anchor: AnchorMatch::Name, symbol: None }))
}

fn best_region(scope: &Scope, note: &Note) -> Option<usize> {
    let is_wanted = |region: &Region| match scope.targets() {
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
