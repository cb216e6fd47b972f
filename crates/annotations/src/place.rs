//! Resolves a name to code at a commit: the full name, the lines, the kind and the signature. If it is not found it is
//! reported as lost, never guessed.

use std::sync::Arc;

use anchors::{NameMatch, Resolution, Symbol, SymbolKind, SymbolQuery};
use app::Error;
use model::annotation::{AnnotationKind, Lines, Region};
use model::text::counted;
use store::git::{CommitId, TreePath};

use super::source::Source;
use super::{lines_of, overlap};
use crate::Annotations;
use crate::view::{PlaceMatch, ResolvedView};

/// Maximum number of comparisons of a missing name with a symbol, in one document: about half a second. A document of
/// tens of thousands of missing names would otherwise compare each with every function of its file.
const MAX_COMPARISONS: usize = 1_000_000;

/// The code of one commit.
pub(super) struct Code<'a> {
    project: Annotations<'a>,
    pub(super) commit: CommitId,
    /// The comparisons that are left for missing names.
    n_comparisons: usize,
}

impl<'a> Code<'a> {
    pub(super) fn at(project: Annotations<'a>, commit: CommitId) -> Self {
        Self { project, commit, n_comparisons: MAX_COMPARISONS }
    }

    /// Returns a file; `None` if the commit does not have it.
    pub(super) fn file(&self, name: &str) -> Result<Option<Arc<Source>>, Error> {
        self.project.source(&self.commit, name)
    }

    /// Resolves a region at this commit and returns how; the error names the invalid field.
    pub(super) fn place(&mut self, region: &mut Region) -> Result<Result<ResolvedView, String>, Error> {
        if region.kind == AnnotationKind::Convention {
            return self.place_convention(region);
        }
        let name = region.file.trim_start_matches("./").to_owned();
        let Some(source) = self.file(&name)? else {
            let short = &self.commit.to_string()[..7];
            return Ok(Err(format!("file`: `{}` is not a file at commit {short}", region.file)));
        };
        if !region.anchor.name.is_empty() {
            self.project.load_symbols(&source);
        }
        region.file = name;
        let n_lines = source.n_lines();
        if let Some(lines) = region.lines.filter(|lines| lines.end > n_lines || lines.start > lines.end) {
            return Ok(Err(format!(
                "lines`: {lines} is not in `{}`, which has {}",
                region.file,
                counted(n_lines, "line")
            )));
        }
        Ok(Ok(source.place(region, &mut self.n_comparisons)))
    }

    /// Resolves a convention to its folder or file; the repository root is `.`.
    fn place_convention(&mut self, region: &mut Region) -> Result<Result<ResolvedView, String>, Error> {
        if !region.anchor.name.is_empty() || region.lines.is_some() {
            return Ok(Err("anchor`: a convention holds for a folder or a file, not for one function".to_owned()));
        }
        let given = region.file.clone();
        let name = given.trim_start_matches("./").trim_end_matches('/');
        let is_top = matches!(name, "" | ".");
        let path = TreePath::from_bytes(name.as_bytes()).ok();
        let is_there = match path.filter(|_| !is_top) {
            Some(path) => self.project.look_at(&self.commit, &path)?.is_some(),
            None => is_top,
        };
        if !is_there {
            let short = &self.commit.to_string()[..7];
            return Ok(Err(format!("file`: `{given}` is neither a folder nor a file at commit {short}")));
        }
        region.file = if is_top { ".".to_owned() } else { name.to_owned() };
        Ok(Ok(resolved(region, String::new(), PlaceMatch::Folder, Vec::new())))
    }
}

impl Source {
    fn place(&self, region: &mut Region, n_comparisons: &mut usize) -> ResolvedView {
        let given = region.anchor.name.clone();
        if given.is_empty() {
            let how = if region.lines.is_some() { PlaceMatch::Lines } else { PlaceMatch::File };
            return resolved(region, given, how, Vec::new());
        }
        let wanted = SymbolQuery { name: &given, signature: region.anchor.signature.as_deref() };
        let (how, candidates) = match self.resolve(wanted, n_comparisons) {
            Resolution::Found { symbol, how } => match self.meant_by_lines(symbol, region.lines) {
                NameAtLines::It => {
                    set_location(region, symbol);
                    (how.into(), Vec::new())
                }
                NameAtLines::Inner(inner) => {
                    set_location(region, inner);
                    (how.max(NameMatch::Unqualified).into(), Vec::new())
                }
                NameAtLines::Instead(other) if !matches!(how, NameMatch::Near(_)) => {
                    set_location(region, other);
                    (PlaceMatch::LinesDiffer, vec![with_line(symbol)])
                }
                _ => (PlaceMatch::Lost, vec![symbol.name.clone()]),
            },
            Resolution::Ambiguous { symbols, how } => match innermost_at(&symbols, region.lines) {
                Some(symbol) => {
                    set_location(region, symbol);
                    (how.into(), Vec::new())
                }
                None => (PlaceMatch::Ambiguous, symbols.iter().map(|symbol| with_line(symbol)).collect()),
            },
            Resolution::Lost { nearest } => (PlaceMatch::Lost, nearest.into_iter().map(str::to_owned).collect()),
        };
        resolved(region, given, how, candidates)
    }

    /// Decides between a name and lines: the name, unless the lines are elsewhere, or in an inner symbol of the same
    /// name, such as the constructor of a class.
    fn meant_by_lines<'a>(&'a self, named: &'a Symbol, lines: Option<Lines>) -> NameAtLines<'a> {
        let Some(lines) = lines else { return NameAtLines::It };
        let near = self.overlapping(lines);
        let same_name: Vec<&Symbol> = near.iter().copied().filter(|one| one.own_name() == named.own_name()).collect();
        let at_lines = innermost_at(&same_name, Some(lines));
        if overlap(lines, lines_of(named)) {
            let inner = at_lines.filter(|inner| *inner != named && named.lines.contain_all_of(inner.lines));
            return inner.map_or(NameAtLines::It, NameAtLines::Inner);
        }
        // Where a function is not read as one, the namespace around it is the innermost; that is not what the lines mean.
        let is_around =
            |one: &&Symbol| matches!(one.kind, SymbolKind::Module | SymbolKind::Impl) && one.kind != named.kind;
        let units: Vec<&Symbol> = near.into_iter().filter(|one| !is_around(one)).collect();
        at_lines.or_else(|| innermost_at(&units, Some(lines))).map_or(NameAtLines::Nothing, NameAtLines::Instead)
    }
}

/// The meaning of a name and lines together.
enum NameAtLines<'a> {
    /// The named symbol.
    It,
    /// An inner symbol of the same name.
    Inner(&'a Symbol),
    /// The symbol at the lines.
    Instead(&'a Symbol),
    /// No symbol is at the lines.
    Nothing,
}

/// Returns the innermost symbol that contains all lines of a range: a constructor, not its class. If none contains all,
/// the only one that contains some.
fn innermost_at<'a>(symbols: &[&'a Symbol], lines: Option<Lines>) -> Option<&'a Symbol> {
    let lines = lines?;
    let at: Vec<&Symbol> = symbols.iter().filter(|symbol| overlap(lines, lines_of(symbol))).copied().collect();
    let has_all = |symbol: &&Symbol| {
        let own = lines_of(symbol);
        own.start <= lines.start && lines.end <= own.end
    };
    let inner = at.iter().copied().filter(has_all).min_by_key(|symbol| symbol.lines.count());
    inner.or(match at.as_slice() {
        [only] => Some(only),
        _ => None,
    })
}

/// Copies name, kind, lines and signature of a symbol into a region.
pub(super) fn set_location(region: &mut Region, symbol: &Symbol) {
    region.anchor.name.clone_from(&symbol.name);
    symbol.kind.word().clone_into(&mut region.anchor.kind);
    region.anchor.signature = Some(symbol.signature.clone());
    region.lines = Some(lines_of(symbol));
}

impl From<NameMatch> for PlaceMatch {
    fn from(how: NameMatch) -> Self {
        match how {
            NameMatch::Exact => Self::Exact,
            NameMatch::Unqualified => Self::Unqualified,
            NameMatch::Near(_) => Self::Similar,
        }
    }
}

fn with_line(symbol: &Symbol) -> String {
    let name = symbol.precise.as_ref().unwrap_or(&symbol.name);
    format!("{name} (line {})", symbol.lines.start)
}

pub(super) fn resolved(
    region: &Region,
    given: String,
    resolution: PlaceMatch,
    candidates: Vec<String>,
) -> ResolvedView {
    ResolvedView {
        file: region.file.clone(),
        given,
        resolution,
        anchor: region.anchor.name.clone(),
        lines: region.lines.map(Into::into),
        candidates,
    }
}
