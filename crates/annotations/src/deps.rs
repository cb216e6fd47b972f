//! The dependents of a piece of code. An index lookup: the cost does not depend on the number of notes.

use app::Error;
use jiff::Timestamp;

use super::dependents::{DependentNow, MAX_DEPENDENTS};
use super::score::{self, AnchorMatch};
use crate::Annotations;
use crate::view::{AsideView, DependentView, DepsQueryView, DepsStatsView, DepsView};

impl Annotations<'_> {
    /// Returns the dependents of a file, or of a function or type in it.
    pub fn dependents(&self, path: &str, anchor: Option<&str>) -> Result<DepsView, Error> {
        let here = self.query_commit()?;
        let scope = self.scope(here.head, path, anchor, None)?;
        let found = self.dependents_of(&scope, anchor)?;
        let now = Timestamp::from_second(self.committed(&scope.head)?).unwrap_or_default();
        let mut dependents: Vec<DependentView> = found.iter().map(|one| dependent_view(now, one)).collect();
        dependents.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
        let dependencies_found = dependents.len();
        dependents.truncate(MAX_DEPENDENTS);
        let cut = format!(
            "{MAX_DEPENDENTS} of {dependencies_found} dependents are shown; ask for a single anchor to see fewer"
        );
        let note = scope.note.clone().or((dependencies_found > MAX_DEPENDENTS).then_some(cut));
        Ok(DepsView {
            schema: "ultragit-deps/v1",
            query: DepsQueryView { file: scope.file.clone(), anchor: anchor.map(str::to_owned) },
            dependents,
            stats: DepsStatsView {
                commits_scanned: self.index().n_annotated()?,
                dependencies_found,
                scan_method: "reverse_index",
            },
            aside: AsideView { note, ..scope.additional_notes(self.warnings(&scope.head, &[])?) },
        })
    }
}

fn dependent_view(now: Timestamp, found: &DependentNow) -> DependentView {
    let region = &found.dependent.region;
    // The dependency refers to the code itself.
    let factors =
        score::factors(now, region.timestamp, &region.context_level, AnchorMatch::NameAndSignature, &region.operation);
    DependentView {
        file: found.file.clone(),
        anchor: found.anchor.clone(),
        nature: found.dependent.nature.clone(),
        commit: region.commit.to_string(),
        timestamp: region.timestamp.map(|at| at.to_string()),
        context_level: region.context_level.to_string(),
        confidence: score::confidence(&factors, region.n_flags),
        looks_like_instructions: found.is_suspicious(),
    }
}
