//! Locates the code of a region in a commit that replaces the region's own: in the same file, a renamed one, another
//! file, or under another name. A merely similar name counts only if the code is similar.

use anchors::{NameMatch, Resolution, Symbol, Wanted};
use app::Error;
use model::annotation::{AnnotationKind, Lines, Region};
use model::relocate::{self, CurrentLocation};
use store::git::{CommitId, FilePair};

use super::lines_of;
use super::place::{Code, resolved, settle};
use super::source::Source;
use crate::Annotations;
use crate::view::{PlaceMatch, ResolvedView};

/// Minimum share of common code for the same code elsewhere, or under another name.
const ALIKE: f64 = 0.5;

/// The move from one commit to another.
pub(super) struct Move<'a> {
    project: Annotations<'a>,
    old: Code<'a>,
    new: Code<'a>,
    /// The differing files, computed on first use.
    differing: Option<Vec<FilePair>>,
}

/// The code of a region at the old commit.
struct Was<'a> {
    source: Option<&'a Source>,
    region: &'a Region,
}

impl<'a> Move<'a> {
    pub(super) fn new(project: Annotations<'a>, old: CommitId, new: CommitId) -> Self {
        Self { project, old: Code::at(project, old), new: Code::at(project, new), differing: None }
    }

    /// Returns the region at the new commit, and how it was found.
    pub(super) fn region(&mut self, region: &Region) -> Result<(Region, ResolvedView), Error> {
        let mut moved = region.clone();
        if region.kind == AnnotationKind::Convention {
            let view = resolved(&moved, String::new(), PlaceMatch::Folder, Vec::new());
            return Ok((moved, view));
        }
        let before = self.old.file(&region.file)?;
        let was = Was { source: before.as_deref(), region };
        let how = if region.anchor.name.is_empty() {
            self.lines(&was, &mut moved)?
        } else {
            self.function(&was, &mut moved)?
        };
        let view = resolved(&moved, region.anchor.name.clone(), how, Vec::new());
        Ok((moved, view))
    }

    fn function(&mut self, was: &Was<'_>, moved: &mut Region) -> Result<PlaceMatch, Error> {
        let home = self.home(&was.region.file)?;
        if let Some((file, source)) = self.source(home.as_deref())?
            && let Some((symbol, how)) = was.same_name(&source).or_else(|| was.same_code(&source))
        {
            file.clone_into(&mut moved.file);
            settle(moved, symbol);
            return Ok(how);
        }
        for file in self.others(&was.region.file)? {
            if let Some(source) = self.new.file(&file)?
                && let Some(symbol) = was.moved_to(&source)
            {
                moved.file = file;
                settle(moved, symbol);
                return Ok(PlaceMatch::Exact);
            }
        }
        moved.lines = None;
        Ok(PlaceMatch::Lost)
    }

    /// Locates lines without a name by content.
    fn lines(&mut self, was: &Was<'_>, moved: &mut Region) -> Result<PlaceMatch, Error> {
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

    /// Returns the other differing files.
    fn others(&mut self, file: &str) -> Result<Vec<String>, Error> {
        let names = self.differing()?.iter().filter_map(|pair| pair.after.as_str());
        Ok(names.filter(|name| *name != file).map(str::to_owned).collect())
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
        Ok(self.new.file(file)?.map(|source| (file, source)))
    }
}

impl Was<'_> {
    /// Finds the function of the same name.
    fn same_name<'s>(&self, source: &'s Source) -> Option<(&'s Symbol, PlaceMatch)> {
        let anchor = &self.region.anchor;
        let wanted = Wanted { name: &anchor.name, signature: anchor.signature.as_deref() };
        match anchors::resolve(source.symbols(), wanted) {
            Resolution::Found { symbol, how: NameMatch::Exact } => Some((symbol, PlaceMatch::Exact)),
            Resolution::Found { symbol, how: NameMatch::Unqualified } => Some((symbol, PlaceMatch::Unqualified)),
            Resolution::Found { .. } | Resolution::Lost { .. } => None,
            Resolution::Ambiguous { symbols, .. } => {
                self.most_alike(source, symbols).map(|symbol| (symbol, PlaceMatch::Exact))
            }
        }
    }

    /// Finds a renamed function: one with a new name and the same code.
    fn same_code<'s>(&self, source: &'s Source) -> Option<(&'s Symbol, PlaceMatch)> {
        let before = self.source?.symbols();
        let is_new = |symbol: &&Symbol| !before.all().iter().any(|known| known.name == symbol.name);
        let is_same_kind = |symbol: &&Symbol| symbol.kind.word() == self.region.anchor.kind;
        let candidates = source.symbols().all().iter().filter(is_new).filter(is_same_kind).collect();
        self.most_alike(source, candidates).map(|symbol| (symbol, PlaceMatch::Similar))
    }

    /// Finds the function in another file: the same name, and the same code.
    fn moved_to<'s>(&self, source: &'s Source) -> Option<&'s Symbol> {
        let named = source.symbols().all().iter().filter(|symbol| symbol.name == self.region.anchor.name).collect();
        self.most_alike(source, named)
    }

    fn most_alike<'s>(&self, source: &'s Source, symbols: Vec<&'s Symbol>) -> Option<&'s Symbol> {
        let was = self.source?.solid_lines(self.region.lines?);
        let measured = symbols.into_iter().map(|symbol| {
            let alike = was.likeness(&source.solid_lines(lines_of(symbol)));
            (alike, symbol)
        });
        let mut alike: Vec<(f64, &Symbol)> = measured.filter(|(alike, _)| *alike >= ALIKE).collect();
        alike.sort_by(|a, b| b.0.total_cmp(&a.0));
        match alike.as_slice() {
            [(first, _), (second, _), ..] if first.total_cmp(second).is_eq() => None,
            [(_, symbol), ..] => Some(symbol),
            [] => None,
        }
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
