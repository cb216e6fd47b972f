//! Locates the code of a region in a commit that replaces the region's own: in the same file, a renamed one, another
//! file, or under another name. A merely similar name counts only if the code is similar.

use std::collections::{HashMap, HashSet};

use anchors::{NameMatch, Resolution, Symbol, SymbolQuery};
use app::Error;
use model::annotation::{AnnotationKind, Lines, Region};
use model::relocate::{self, CurrentLocation};
use store::git::{CommitId, FilePair};

use super::lines_of;
use super::locate::unique_best;
use super::place::{Code, resolved, set_location};
use super::solid_lines::SolidLines;
use super::source::Source;
use crate::Annotations;
use crate::view::{PlaceMatch, ResolvedView};

/// Minimum share of common code for the same code elsewhere, or under another name.
const MIN_COMMON_SHARE: f64 = 0.5;

/// The move from one commit to another.
pub(super) struct Move<'a> {
    project: Annotations<'a>,
    old: Code<'a>,
    new: Code<'a>,
    /// The differing files, computed on first use.
    differing: Option<Vec<FilePair>>,
    /// The differing files by the names of their symbols, computed on first use.
    by_name: Option<HashMap<String, Vec<String>>>,
    /// Renamed functions, by their names: thousands of deleted ones may have the same lines in common with the new file.
    renamed: HashMap<RenamedKey, Option<String>>,
}

/// The old file, the new file and the kind; the lines that the new file has, and the number of lines.
type RenamedKey = ([String; 3], Vec<(u64, usize)>, usize);

/// The code of a region at the old commit.
struct OldRegion<'a> {
    source: Option<&'a Source>,
    region: &'a Region,
}

impl<'a> Move<'a> {
    pub(super) fn new(project: Annotations<'a>, old: CommitId, new: CommitId) -> Self {
        Self {
            project,
            old: Code::at(project, old),
            new: Code::at(project, new),
            differing: None,
            by_name: None,
            renamed: HashMap::new(),
        }
    }

    /// Returns the region at the new commit, and how it was found.
    pub(super) fn region(&mut self, region: &Region) -> Result<(Region, ResolvedView), Error> {
        let mut moved = region.clone();
        if region.kind == AnnotationKind::Convention {
            let view = resolved(&moved, String::new(), PlaceMatch::Folder, Vec::new());
            return Ok((moved, view));
        }
        let before = self.old.file(&region.file)?;
        let was = OldRegion { source: before.as_deref(), region };
        let how = if region.anchor.name.is_empty() {
            self.lines(&was, &mut moved)?
        } else {
            self.function(&was, &mut moved)?
        };
        let view = resolved(&moved, region.anchor.name.clone(), how, Vec::new());
        Ok((moved, view))
    }

    fn function(&mut self, was: &OldRegion<'_>, moved: &mut Region) -> Result<PlaceMatch, Error> {
        let home = self.home(&was.region.file)?;
        if let Some((file, source)) = self.source(home.as_deref())?
            && let Some((symbol, how)) = was.same_name(&source).or_else(|| self.renamed(was, file, &source))
        {
            file.clone_into(&mut moved.file);
            set_location(moved, symbol);
            return Ok(how);
        }
        for file in self.others_with(&was.region.anchor.name)?.into_iter().filter(|file| *file != was.region.file) {
            let had_it = self.old.file(&file)?.is_some_and(|old| old.exactly(&was.region.anchor.name).next().is_some());
            if !had_it
                && let Some(source) = self.new.file(&file)?
                && let Some(symbol) = was.moved_to(&source)
            {
                moved.file = file;
                set_location(moved, symbol);
                return Ok(PlaceMatch::Exact);
            }
        }
        moved.lines = None;
        Ok(PlaceMatch::Lost)
    }

    /// Finds a renamed function, each combination of common lines once.
    fn renamed<'s>(&mut self, was: &OldRegion<'_>, file: &str, source: &'s Source) -> Option<(&'s Symbol, PlaceMatch)> {
        let before = was.source?.solid_lines(was.region.lines?);
        let place = [&was.region.file, file, &was.region.anchor.kind].map(str::to_owned);
        let key = (place, source.owners().common_lines(&before), before.len());
        let project = self.project;
        let search = || was.same_code(project, source).map(|symbol| symbol.name.clone());
        let name = self.renamed.entry(key).or_insert_with(search).as_deref()?;
        // A new name may occur twice; then it is searched again.
        let symbol = match source.named_exactly(name).as_slice() {
            [only] => only,
            _ => was.same_code(project, source)?,
        };
        Some((symbol, PlaceMatch::Similar))
    }

    /// Locates lines without a name by content.
    fn lines(&mut self, was: &OldRegion<'_>, moved: &mut Region) -> Result<PlaceMatch, Error> {
        let home = self.home(&was.region.file)?;
        let Some((file, source)) = self.source(home.as_deref())? else {
            moved.lines = None;
            return Ok(PlaceMatch::Lost);
        };
        file.clone_into(&mut moved.file);
        let Some(lines) = was.region.lines else { return Ok(PlaceMatch::File) };
        moved.lines = was.find_lines(lines, &source);
        Ok(if moved.lines.is_some() { PlaceMatch::Lines } else { PlaceMatch::File })
    }

    /// Returns the name of a file at the new commit.
    fn home(&mut self, file: &str) -> Result<Option<String>, Error> {
        if self.new.file(file)?.is_some() {
            return Ok(Some(file.to_owned()));
        }
        let pairs = self.differing()?;
        let renamed = pairs.iter().find(|pair| pair.before.as_str() == Some(file) && pair.after != pair.before);
        Ok(renamed.and_then(|pair| pair.after.as_str()).map(str::to_owned))
    }

    /// Returns the differing files that have a symbol of this name.
    fn others_with(&mut self, name: &str) -> Result<Vec<String>, Error> {
        if self.by_name.is_none() {
            self.by_name = Some(self.names_of_differing()?);
        }
        Ok(self.by_name.as_ref().and_then(|files| files.get(name)).cloned().unwrap_or_default())
    }

    fn names_of_differing(&mut self) -> Result<HashMap<String, Vec<String>>, Error> {
        let names = self.differing()?.iter().filter_map(|pair| pair.after.as_str().map(str::to_owned));
        let mut by_name: HashMap<String, Vec<String>> = HashMap::new();
        for file in names.collect::<Vec<_>>() {
            let Some(source) = self.new.file(&file)? else { continue };
            self.project.load_symbols(&source);
            let names: HashSet<&str> = source.symbols().all().iter().map(|symbol| symbol.name.as_str()).collect();
            for name in names {
                by_name.entry(name.to_owned()).or_default().push(file.clone());
            }
        }
        Ok(by_name)
    }

    fn differing(&mut self) -> Result<&[FilePair], Error> {
        if self.differing.is_none() {
            let repository = self.project.store().repository();
            self.differing = Some(repository.differing_files(&self.old.commit, &self.new.commit)?);
        }
        Ok(self.differing.as_deref().unwrap_or_default())
    }

    fn source<'f>(&mut self, file: Option<&'f str>) -> Result<Option<(&'f str, std::sync::Arc<Source>)>, Error> {
        let Some(file) = file else { return Ok(None) };
        let Some(source) = self.new.file(file)? else { return Ok(None) };
        self.project.load_symbols(&source);
        Ok(Some((file, source)))
    }
}

impl OldRegion<'_> {
    /// Finds the function of the same name.
    fn same_name<'s>(&self, source: &'s Source) -> Option<(&'s Symbol, PlaceMatch)> {
        let anchor = &self.region.anchor;
        let wanted = SymbolQuery { name: &anchor.name, signature: anchor.signature.as_deref() };
        match source.find(wanted)? {
            Resolution::Found { symbol, how: NameMatch::Exact } => Some((symbol, PlaceMatch::Exact)),
            // One that was there beside it is another function.
            Resolution::Found { symbol, .. } if self.had(&symbol.name) => None,
            Resolution::Found { symbol, .. } => Some((symbol, PlaceMatch::Unqualified)),
            Resolution::Lost { .. } => None,
            Resolution::Ambiguous { symbols, .. } => {
                self.most_alike(source, symbols).map(|symbol| (symbol, PlaceMatch::Exact))
            }
        }
    }

    /// Returns whether the old file had other code of this name.
    fn had(&self, name: &str) -> bool {
        let own = self.source.and_then(|before| before.symbol_of(self.region.lines?));
        self.source.zip(own).is_some_and(|(before, own)| own.name != name && before.exactly(name).next().is_some())
    }

    /// Finds a renamed function: one with a new name and the same code.
    fn same_code<'s>(&self, project: Annotations<'_>, source: &'s Source) -> Option<&'s Symbol> {
        let before = self.source?;
        project.load_symbols(before);
        let was = before.solid_lines(self.region.lines?);
        let score = |n_shared: usize, now: &SolidLines| {
            Some(was.likeness_of(n_shared, now)).filter(|it| *it >= MIN_COMMON_SHARE)
        };
        let is_same_kind = |symbol: &Symbol| symbol.kind.word() == self.region.anchor.kind;
        let is_wanted = |symbol: &Symbol| is_same_kind(symbol) && before.named_exactly(&symbol.name).is_empty();
        source.owners().most_alike(source.symbols().all(), &was, score, is_wanted)
    }

    /// Finds the function in another file: the same name, and the same code.
    fn moved_to<'s>(&self, source: &'s Source) -> Option<&'s Symbol> {
        self.most_alike(source, source.named_exactly(&self.region.anchor.name))
    }

    /// Finds the one of some symbols with the most similar code; `None` on a tie.
    fn most_alike<'s>(&self, source: &'s Source, symbols: Vec<&'s Symbol>) -> Option<&'s Symbol> {
        let was = self.source?.solid_lines(self.region.lines?);
        let alike = symbols.into_iter().map(|symbol| (was.likeness(&source.solid_lines(lines_of(symbol))), symbol));
        unique_best(alike.filter(|(alike, _)| *alike >= MIN_COMMON_SHARE).collect())
    }

    fn find_lines(&self, was: Lines, source: &Source) -> Option<Lines> {
        let then = &self.source?.text;
        let first = was.start.checked_sub(1)? as usize;
        let count = (was.end.checked_sub(was.start)? + 1) as usize;
        let excerpt = then.lines().skip(first).take(count).collect::<Vec<_>>().join("\n");
        let lines = model::message::Lines::new(was.start, was.end)?;
        match relocate::find(&excerpt, lines, None, &source.text) {
            CurrentLocation::Here => Some(was),
            CurrentLocation::Moved(lines) => Some(Lines { start: lines.start(), end: lines.end() }),
            CurrentLocation::Changed(_) | CurrentLocation::Gone => None,
        }
    }
}
