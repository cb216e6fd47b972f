//! Functions that were moved into a file from another one: recorded there, no longer there, and similar here.
//!
//! Popular names (`new`, `main`) are recorded in thousands of files. So the regions that are no longer where they were
//! recorded are cached by name; after new commits only the changed files are checked again.

use std::collections::HashSet;

use anchors::Symbol;
use app::Error;
use store::Lineage;
use store::git::CommitId;
use store::index::{RegionRow, StrayRegions};

use super::locate::{Locator, RecordedCode};
use super::scope::{Scope, Target};
use super::{lines_of, overlap};
use crate::Annotations;

/// Minimum number of regions of one name for the cache.
const MIN_REMEMBERED: usize = 8;

impl Annotations<'_> {
    /// Returns the regions of other files whose code is now in the scope, each with its function. `of_namesakes` were
    /// recorded for other files that had a name of this one.
    pub(super) fn moved_here<'s>(
        &self,
        scope: &Scope,
        lineage: &Lineage,
        locator: &Locator<'_, 's>,
        of_namesakes: Vec<RegionRow>,
    ) -> Result<Vec<(RegionRow, &'s Symbol)>, Error> {
        let mut candidates = Vec::new();
        let mut seen = HashSet::new();
        let mut names: Vec<&str> = in_question(scope).into_iter().map(|symbol| symbol.name.as_str()).collect();
        names.retain(|name| seen.insert(*name));
        // One query for all: a file may have tens of thousands of functions, of which hardly any was recorded elsewhere.
        let elsewhere = self.index().named_elsewhere(&names, &scope.file)?;
        for name in names.into_iter().filter(|name| elsewhere.contains(*name)) {
            let strays = self.strays(&scope.head, name)?;
            candidates.extend(strays.into_iter().filter(|row| !lineage.names().any(|name| name == row.file)));
        }
        for row in of_namesakes {
            if seen.contains(row.anchor.as_str()) && !self.is_at_home(&scope.head, &row, Some(&scope.file))? {
                candidates.push(row);
            }
        }
        let mut moved = Vec::new();
        for row in candidates {
            if let Some(symbol) = locator.most_alike(&RecordedCode::from(&row), &locator.named(&row.anchor))?
                && (!matches!(scope.target, Target::Symbols(_)) || scope.is_target(symbol))
            {
                moved.push((row, symbol));
            }
        }
        Ok(moved)
    }

    /// Returns the regions of a name in this history whose code is no longer where it was recorded.
    fn strays(&self, head: &CommitId, name: &str) -> Result<Vec<RegionRow>, Error> {
        let last_note = self.index().last_note()?;
        let known = self.index().known_strays(name)?;
        if let Some(known) = known.as_ref().filter(|known| known.head == *head && known.last_note == last_note) {
            return Ok(self.index().regions_with_keys(&known.regions)?);
        }
        let mut rows = self.index().regions_named(name)?;
        let outside = self.store().unreachable_annotations(head)?;
        rows.retain(|row| !outside.contains(&row.commit));
        let n_rows = rows.len();
        let changed = match &known {
            Some(known) => self.store().repository().changed_paths(&known.head, head).ok(),
            None => None,
        };
        let mut strays = Vec::new();
        for row in rows {
            let judged = known.as_ref().zip(changed.as_ref()).filter(|(known, _)| known.covers(&row));
            let is_home = match judged {
                Some((known, changed)) if !changed.contains(&self.file_at_head(head, &row)?) => {
                    !known.regions.contains(&row.key)
                }
                _ => self.is_at_home(head, &row, None)?,
            };
            if !is_home {
                strays.push(row);
            }
        }
        if n_rows >= MIN_REMEMBERED {
            let found = StrayRegions { head: *head, last_note, regions: strays.iter().map(|row| row.key).collect() };
            // The cache is only an optimization, so an error is ignored.
            let _ = self.index().keep_strays(name, &found);
        }
        Ok(strays)
    }

    /// Returns whether the file of a region still has code of that name. `except` does not count.
    fn is_at_home(&self, head: &CommitId, row: &RegionRow, except: Option<&str>) -> Result<bool, Error> {
        let file = self.file_at_head(head, row)?;
        if except == Some(file.as_str()) {
            return Ok(false);
        }
        let Some(source) = self.source(head, &file)? else { return Ok(false) };
        self.load_symbols(&source);
        Ok(!source.named_exactly(&row.anchor).is_empty())
    }

    /// Returns the current name of a region's file.
    pub(super) fn file_at_head(&self, head: &CommitId, row: &RegionRow) -> Result<String, Error> {
        Ok(self.store().name_at_head(head, &row.commit, &row.file)?)
    }
}

/// Returns the functions and types of the query.
fn in_question(scope: &Scope) -> Vec<&Symbol> {
    let all = scope.source.symbols().all().iter();
    match &scope.target {
        Target::Symbols(symbols) => symbols.iter().collect(),
        Target::File => all.collect(),
        Target::Lines => all.filter(|symbol| scope.spans.iter().any(|span| overlap(*span, lines_of(symbol)))).collect(),
    }
}
