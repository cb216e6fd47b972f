//! The history of a piece of code with its annotations: the commits that changed its lines, as in `git log -L`.

use std::collections::{HashMap, HashSet};

use app::Error;
use jiff::Timestamp;
use model::annotation::AnnotationKind;
use model::instructions::looks_like_instructions;
use store::git::{CommitId, LineChange};

use super::find::{Hit, Notes};
use super::knowledge::is_suspicious;
use super::read::related;
use super::scope::{Scope, Target};
use crate::view::{HistoryQueryView, HistoryStatsView, HistoryView, MomentView};
use crate::{Annotations, MAX_MESSAGE};

/// A history query.
#[derive(Debug, Clone)]
pub struct HistoryQuery {
    /// The file, relative to the repository root.
    pub path: String,
    /// The function or type.
    pub anchor: Option<String>,
    /// Maximum number of entries, the newest ones.
    pub limit: usize,
}

impl Annotations<'_> {
    /// Returns the history of a piece of code, oldest first.
    pub fn history(&self, query: &HistoryQuery) -> Result<HistoryView, Error> {
        let here = self.query_commit()?;
        let scope = self.scope(here.head, &query.path, query.anchor.as_deref(), None)?;
        let hits = self.hits_by_commit(&scope)?;
        let mut changes = self.changes(&scope)?;
        self.add_annotated(&mut changes, &hits)?;
        let mut notes = Notes::new(*self);
        let mut related_followed = 0;
        let mut timeline = Vec::new();
        for change in chosen(&changes, &hits, query.limit) {
            timeline.push(moment(&mut notes, change, hits.get(&change.commit), &mut related_followed)?);
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
            stats: HistoryStatsView { commits_found: changes.len(), annotations_found: hits.len(), related_followed },
            aside: scope.additional_notes(self.warnings(&scope.head, &commits)?),
        })
    }

    /// Returns the commits that changed the scope, without duplicates, newest first.
    fn changes(&self, scope: &Scope) -> Result<Vec<LineChange>, Error> {
        Ok(self.store().line_history(&scope.head, &scope.path, &scope.spans)?)
    }

    /// Returns the annotation of the scope at each commit.
    fn hits_by_commit<'s>(&self, scope: &'s Scope) -> Result<HashMap<CommitId, Hit<'s>>, Error> {
        if scope.is_left_out || self.index().last_note()? == 0 {
            return Ok(HashMap::new());
        }
        let mut hits: HashMap<CommitId, Hit<'_>> = HashMap::new();
        for hit in self.find_regions(scope, &[])? {
            // Reasons only; dead ends are reported by `read`.
            if hit.region().kind != AnnotationKind::Reason {
                continue;
            }
            let is_better = hits.get(&hit.commit).is_none_or(|known| known.anchor < hit.anchor);
            if is_better {
                hits.insert(hit.commit, hit);
            }
        }
        Ok(hits)
    }

    /// Adds the commits that annotate the code without having changed it.
    fn add_annotated(&self, changes: &mut Vec<LineChange>, hits: &HashMap<CommitId, Hit<'_>>) -> Result<(), Error> {
        let known: HashSet<CommitId> = changes.iter().map(|change| change.commit).collect();
        let n_known = changes.len();
        for commit in hits.keys().filter(|commit| !known.contains(commit)) {
            let read = self.store().repository().read_commit(commit, MAX_MESSAGE).map_err(store::StoreError::from)?;
            let message = String::from_utf8_lossy(&read.message).trim_end().to_owned();
            changes.push(LineChange { commit: *commit, seconds: read.committer_time, message });
        }
        if changes.len() > n_known {
            changes.sort_by_key(|change| (std::cmp::Reverse(change.seconds), change.commit));
        }
        Ok(())
    }
}

/// Returns the entries to report, newest first: annotated ones up to the limit, then others. Empty if there are no
/// annotations.
fn chosen<'a>(changes: &'a [LineChange], hits: &HashMap<CommitId, Hit<'_>>, limit: usize) -> Vec<&'a LineChange> {
    let n_annotated = hits.len().min(limit);
    let mut n_bare = if hits.is_empty() { 0 } else { limit - n_annotated };
    let mut n_told = n_annotated;
    let take = |left: &mut usize| left.checked_sub(1).map(|less| *left = less).is_some();
    let is_told = |change: &&LineChange| {
        if hits.contains_key(&change.commit) { take(&mut n_told) } else { take(&mut n_bare) }
    };
    changes.iter().filter(is_told).collect()
}

fn moment(
    notes: &mut Notes<'_>,
    change: &LineChange,
    hit: Option<&Hit<'_>>,
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
        looks_like_instructions: looks_like_instructions(&change.message)
            || region.is_some_and(is_suspicious)
            || related_context.iter().filter_map(|one| one.intent.as_deref()).any(looks_like_instructions),
        related_context,
    })
}
