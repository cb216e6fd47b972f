//! Finds the dependents of code, for `deps`, `read` and `context`. The code is matched under all of its names, and a
//! dependent is reported at its current location.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use anchors::Symbol;
use app::Error;
use model::instructions::looks_like_instructions;
use store::Lineage;
use store::git::CommitId;
use store::index::{Dependent, RegionRow};

use super::locate::{CodePlace, Locator, RecordedCode};
use super::scope::{Scope, Target};
use super::source::Source;
use super::{lines_of, overlap};
use crate::Annotations;

/// Maximum number of other files searched for moved code of the same name; popular names are in thousands.
const MAX_FILES: usize = 16;
/// Maximum number of removed names that are looked up individually; beyond it, all dependents of the file are read.
const MAX_LOOKUPS: usize = 32;
/// Maximum number of dependents that are located.
pub(super) const MAX_DEPENDENTS: usize = 50;

/// A dependent and its current location.
#[derive(Debug, Clone)]
pub(super) struct DependentNow {
    pub(super) dependent: Dependent,
    pub(super) file: String,
    pub(super) anchor: String,
}

impl DependentNow {
    /// Returns whether its text or a name looks like instructions to a model.
    pub(super) fn is_suspicious(&self) -> bool {
        [&self.dependent.nature, &self.file, &self.anchor].into_iter().any(|text| looks_like_instructions(text))
    }
}

impl Annotations<'_> {
    /// Returns the dependents of a scope, newest first, without duplicates. `anchor` is the requested name, which the
    /// file may no longer have.
    pub(super) fn dependents_of(&self, scope: &Scope, anchor: Option<&str>) -> Result<Vec<DependentNow>, Error> {
        if scope.is_left_out {
            return Ok(Vec::new());
        }
        let outside = self.store().unreachable_annotations(&scope.head)?;
        let lineage = self.store().lineage(&scope.head, &scope.path)?;
        let locator = Locator::new(*self, &scope.file, &scope.source, &[]);
        let wanted = DependencyTarget::of(scope, anchor);
        let mut found = Vec::new();
        for name in lineage.names() {
            for dependent in self.recorded_dependents(name, &wanted, &locator)? {
                let region = &dependent.region;
                if !outside.contains(&region.commit) && self.store().is_of(&lineage, &region.commit, name)? {
                    found.push(dependent);
                }
            }
        }
        if let DependencyTarget::Symbols(symbols) = &wanted {
            found.extend(self.dependents_on_moved(scope, &lineage, &locator, symbols, &outside)?);
        }
        found.sort_by_key(|dependent| std::cmp::Reverse(dependent.region.timestamp));
        self.where_dependents_are(&scope.head, found)
    }

    /// Returns the dependents recorded for a file under one of its names.
    fn recorded_dependents(
        &self,
        name: &str,
        wanted: &DependencyTarget<'_>,
        locator: &Locator<'_, '_>,
    ) -> Result<Vec<Dependent>, Error> {
        let symbols = match wanted {
            DependencyTarget::All => return Ok(self.index().dependents(name, None)?),
            DependencyTarget::Gone(anchor) => return Ok(self.index().dependents(name, Some(anchor))?),
            DependencyTarget::Symbols(symbols) => symbols,
        };
        let mut found = Vec::new();
        let mut gone = Vec::new();
        for anchor in self.index().dependency_anchors(name)? {
            let meant = locator.named(&anchor);
            if meant.iter().any(|symbol| symbols.contains(symbol)) {
                found.extend(self.index().dependents_on(name, &anchor)?);
            } else if meant.is_empty() && !anchor.is_empty() {
                gone.push(anchor);
            }
        }
        for dependent in self.dependents_on_removed(name, gone)? {
            let target = target(&dependent, name);
            if !locator.may_have_become(&target, symbols)? {
                continue;
            }
            if locator.locate(&target)?.symbol().is_some_and(|symbol| symbols.contains(&symbol)) {
                found.push(dependent);
            }
        }
        Ok(found)
    }

    /// Returns the dependents of names that a file no longer has.
    fn dependents_on_removed(&self, file: &str, gone: Vec<String>) -> Result<Vec<Dependent>, Error> {
        let mut found = Vec::new();
        if gone.len() > MAX_LOOKUPS {
            let gone: HashSet<String> = gone.into_iter().collect();
            found = self.index().dependents(file, None)?;
            found.retain(|dependent| gone.contains(&dependent.anchor));
        } else {
            for anchor in gone {
                found.extend(self.index().dependents_on(file, &anchor)?);
            }
        }
        Ok(found)
    }

    /// Returns the dependents of functions from when they were in another file.
    fn dependents_on_moved(
        &self,
        scope: &Scope,
        lineage: &Lineage,
        locator: &Locator<'_, '_>,
        symbols: &[&Symbol],
        outside: &HashSet<CommitId>,
    ) -> Result<Vec<Dependent>, Error> {
        let mut names: Vec<&str> = symbols.iter().map(|symbol| symbol.name.as_str()).collect();
        names.dedup();
        let mut found = Vec::new();
        for name in names {
            let mut elsewhere = self.index().dependents_elsewhere(&scope.file, name)?;
            elsewhere.retain(|(file, dependent)| {
                !outside.contains(&dependent.region.commit) && !lineage.names().any(|known| known == file)
            });
            let files: HashSet<&str> = elsewhere.iter().map(|(file, _)| file.as_str()).collect();
            if files.len() > MAX_FILES {
                continue;
            }
            let mut is_moved: HashMap<(CommitId, String, String), bool> = HashMap::new();
            for (file, dependent) in elsewhere {
                let recorded = target(&dependent, &file);
                let is_moved = match is_moved.entry((recorded.commit, file.clone(), dependent.anchor.clone())) {
                    Entry::Occupied(known) => *known.get(),
                    Entry::Vacant(new) => *new.insert(
                        self.is_gone(&scope.head, &recorded)?
                            && locator
                                .most_alike(&recorded, &locator.named(name))?
                                .is_some_and(|symbol| symbols.contains(&symbol)),
                    ),
                };
                if is_moved {
                    found.push(dependent);
                }
            }
        }
        Ok(found)
    }

    /// Returns whether the file of recorded code no longer has its name.
    fn is_gone(&self, head: &CommitId, recorded: &RecordedCode<'_>) -> Result<bool, Error> {
        let file = self.store().name_at_head(head, &recorded.commit, recorded.file)?;
        let Some(source) = self.source(head, &file)? else { return Ok(true) };
        self.load_symbols(&source);
        Ok(source.find(recorded.name.into()).is_none())
    }

    /// Locates dependents, and removes duplicates.
    fn where_dependents_are(&self, head: &CommitId, found: Vec<Dependent>) -> Result<Vec<DependentNow>, Error> {
        let mut files: HashMap<(CommitId, String), String> = HashMap::new();
        let mut sources: HashMap<String, Option<Arc<Source>>> = HashMap::new();
        for dependent in &found {
            let row = &dependent.region;
            if let Entry::Vacant(new) = files.entry((row.commit, row.file.clone())) {
                let file = new.insert(self.file_at_head(head, row)?).clone();
                // Of thousands of files only those are read whose code is located.
                if sources.len() < MAX_DEPENDENTS {
                    sources.insert(file.clone(), self.source(head, &file)?);
                }
            }
        }
        // One per file: indexing its code is the expensive part.
        let mut locators: HashMap<&str, Locator<'_, '_>> = HashMap::new();
        let mut seen = HashSet::new();
        let mut all = Vec::new();
        for dependent in found {
            let row = &dependent.region;
            let Some(file) = files.get(&(row.commit, row.file.clone())) else { continue };
            let source = sources.get(file).and_then(Option::as_deref).filter(|_| all.len() < MAX_DEPENDENTS);
            let anchor = match source {
                Some(source) => {
                    let locator = locators.entry(file).or_insert_with(|| Locator::new(*self, file, source, &[]));
                    self.name_now(row, source, locator)?
                }
                None => row.anchor.clone(),
            };
            if seen.insert((file.clone(), anchor.clone(), dependent.nature.clone())) {
                all.push(DependentNow { dependent, file: file.clone(), anchor });
            }
        }
        Ok(all)
    }

    /// Returns the current name of a region's code; the recorded one if it is gone.
    fn name_now(&self, row: &RegionRow, source: &Source, locator: &Locator<'_, '_>) -> Result<String, Error> {
        self.load_symbols(source);
        if row.anchor.is_empty() || !source.named_exactly(&row.anchor).is_empty() {
            return Ok(row.anchor.clone());
        }
        Ok(match locator.locate(&RecordedCode::from(row))? {
            CodePlace::Symbol(symbol) => symbol.name.clone(),
            _ => row.anchor.clone(),
        })
    }
}

/// The code of a file that a query is about.
enum DependencyTarget<'a> {
    /// The whole file.
    All,
    /// These functions and types.
    Symbols(Vec<&'a Symbol>),
    /// A name that the file no longer has; it may still have dependents.
    Gone(&'a str),
}

impl<'a> DependencyTarget<'a> {
    fn of(scope: &'a Scope, anchor: Option<&'a str>) -> Self {
        match (&scope.target, anchor) {
            (Target::Symbols(symbols), _) => {
                let constructors = symbols.iter().flat_map(|symbol| constructors(scope, symbol));
                Self::Symbols(symbols.iter().chain(constructors).collect())
            }
            (_, Some(anchor)) => Self::Gone(anchor),
            (Target::File, None) => Self::All,
            (Target::Lines, None) => {
                let is_in = |symbol: &&Symbol| scope.spans.iter().any(|span| overlap(*span, lines_of(symbol)));
                let inside: Vec<&Symbol> = scope.source.symbols().all().iter().filter(is_in).collect();
                // Lines outside of any function stand for the file; uncommitted lines for nothing.
                if inside.is_empty() && !scope.spans.is_empty() { Self::All } else { Self::Symbols(inside) }
            }
        }
    }
}

/// Returns the constructors with the name of their class: a query for the class name may mean them.
fn constructors<'a>(scope: &'a Scope, class: &Symbol) -> Vec<&'a Symbol> {
    let symbols = scope.source.symbols();
    let Some(place) = symbols.all().iter().position(|symbol| symbol == class) else { return Vec::new() };
    symbols.children(place).filter(|child| child.own_name() == class.own_name()).collect()
}

/// Returns the target of a dependency, as it was recorded.
fn target<'a>(dependent: &'a Dependent, file: &'a str) -> RecordedCode<'a> {
    RecordedCode {
        commit: dependent.region.commit,
        file,
        name: &dependent.anchor,
        kind: "",
        signature: None,
        lines: None,
    }
}
