//! Who relies on a piece of code. It is looked up, not searched for: the cost does not depend on how many notes there are.

use std::collections::HashSet;

use jiff::Timestamp;
use store::git::TreePath;
use store::index::Dependent;

use super::scope::Scope;
use super::score::{self, AnchorMatch};
use crate::error::Error;
use crate::project::Project;
use crate::view::{AsideView, DependentView, DepsQueryView, DepsStatsView, DepsView};

/// The most that are answered with.
const MOST: usize = 50;

impl Project {
    /// Answers who relies on a file, or on a function or type in it.
    pub fn dependents(&self, path: &str, anchor: Option<&str>) -> Result<DepsView, Error> {
        let here = self.here()?;
        let scope = self.scope(here.head, path, anchor, None)?;
        let mut found = self.dependents_of(&scope, anchor)?;
        let now = Timestamp::from_second(self.committed(&scope.head)?).unwrap_or_default();
        found.sort_by_key(|dependent| std::cmp::Reverse(dependent.region.timestamp));
        let mut seen = HashSet::new();
        found.retain(|one| seen.insert((one.region.file.clone(), one.region.anchor.clone(), one.nature.clone())));
        let mut dependents: Vec<DependentView> = found.iter().map(|one| dependent_view(now, one)).collect();
        dependents.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
        let dependencies_found = dependents.len();
        dependents.truncate(MOST);
        let cut = format!("{MOST} of {dependencies_found} dependents are shown; ask for a single anchor to see fewer");
        let note = scope.note.clone().or((dependencies_found > MOST).then_some(cut));
        Ok(DepsView {
            schema: "ultragit-deps/v1",
            query: DepsQueryView { file: scope.file.clone(), anchor: anchor.map(str::to_owned) },
            dependents,
            stats: DepsStatsView {
                commits_scanned: self.index().n_annotated()?,
                dependencies_found,
                scan_method: "reverse_index",
            },
            aside: AsideView { note, ..scope.aside(Vec::new()) },
        })
    }

    /// Finds what relies on a scope, also under names its file had before. Earlier names are asked for only when something
    /// relies on code of that name in a file that is gone.
    fn dependents_of(&self, scope: &Scope, anchor: Option<&str>) -> Result<Vec<Dependent>, Error> {
        let names: Vec<&str> = match scope.targets() {
            // A name that the file no longer has may still be relied on.
            [] => anchor.into_iter().collect(),
            targets => targets.iter().map(|symbol| symbol.name.as_str()).collect(),
        };
        let mut found = Vec::new();
        if scope.is_left_out {
            return Ok(found);
        }
        if names.is_empty() {
            return Ok(self.index().dependents(&scope.file, None)?);
        }
        for name in names {
            found.extend(self.index().dependents(&scope.file, Some(name))?);
            let elsewhere = self.index().dependents_elsewhere(&scope.file, name)?;
            if elsewhere.is_empty() {
                continue;
            }
            let former = self.store.former_names(&scope.head, &scope.path)?;
            let is_former = |file: &str| former.iter().any(|name: &TreePath| name.as_str() == Some(file));
            found.extend(elsewhere.into_iter().filter(|(file, _)| is_former(file)).map(|(_, dependent)| dependent));
        }
        Ok(found)
    }
}

fn dependent_view(now: Timestamp, dependent: &Dependent) -> DependentView {
    let region = &dependent.region;
    // The dependency names the code itself.
    let factors =
        score::factors(now, region.timestamp, &region.context_level, AnchorMatch::NameAndSignature, &region.operation);
    DependentView {
        file: region.file.clone(),
        anchor: region.anchor.clone(),
        nature: dependent.nature.clone(),
        commit: region.commit.to_string(),
        timestamp: region.timestamp.map(|at| at.to_string()),
        context_level: region.context_level.to_string(),
        confidence: score::confidence(&factors, region.n_flags),
    }
}
