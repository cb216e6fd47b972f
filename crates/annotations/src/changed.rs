//! The functions and types that a commit changed, from its diff and the symbols of its files.

use anchors::{Symbol, SymbolKind, Symbols};
use app::Error;
use model::annotation::{Lines, Region};
use store::git::{ChangedSpan, CommitId};

use super::place::{Code, set_location};
use super::source::Source;
use crate::Annotations;

/// A commit that changes more functions is described by files instead.
const MAX_CHANGED: usize = 100;
/// Maximum number of files per commit.
const MAX_FILES: usize = 1_000;

/// A piece of code that a commit changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ChangedCode {
    pub(super) file: String,
    /// The function or type; `None` for lines outside of any.
    pub(super) symbol: Option<Symbol>,
    /// Its lines; `None` for the whole file.
    pub(super) lines: Option<Lines>,
}

impl ChangedCode {
    /// Creates a region for it.
    pub(super) fn region(&self, intent: &str) -> Region {
        let mut region = Region::new(&self.file, "", intent);
        region.lines = self.lines;
        if let Some(symbol) = &self.symbol {
            set_location(&mut region, symbol);
        }
        region
    }
}

impl Annotations<'_> {
    /// Returns the functions and types that a commit changed; if none, the changed lines of each file; only the files
    /// if there are too many.
    pub(super) fn changed_code(&self, id: &CommitId) -> Result<Vec<ChangedCode>, Error> {
        let selection = self.selection()?;
        let code = Code::at(*self, *id);
        let mut functions = Vec::new();
        let mut lines = Vec::new();
        let mut files = Vec::new();
        for changed in self.store().repository().changed_lines(id)?.iter().take(MAX_FILES) {
            let Some(file) = changed.path.as_str().filter(|file| selection.includes(file)) else { continue };
            let Some(source) = code.file(file)? else { continue };
            let at = |symbol: Option<Symbol>, lines| ChangedCode { file: file.to_owned(), symbol, lines };
            if functions.len() <= MAX_CHANGED {
                let touched = touched(&source, &changed.spans);
                functions.extend(touched.into_iter().map(|symbol| at(Some(symbol.clone()), None)));
            }
            lines.extend(range(&changed.spans).map(|range| at(None, Some(range))));
            files.push(at(None, None));
        }
        Ok(match functions.len() {
            0 => lines,
            1..=MAX_CHANGED => functions,
            _ => files,
        })
    }
}

/// Returns the innermost functions and types with a changed line, in text order.
pub(super) fn touched<'a>(source: &'a Source, spans: &[ChangedSpan]) -> Vec<&'a Symbol> {
    let text: Vec<&str> = source.text.lines().collect();
    let is_blank = |line: u32| text.get(line as usize - 1).is_none_or(|text| text.trim().is_empty());
    let mut found: Vec<&Symbol> = Vec::new();
    for span in spans {
        if span.count == 0 {
            found.extend(around_gap(source.symbols(), span.start as usize));
        }
        for line in (span.start..span.start.saturating_add(span.count)).filter(|line| !is_blank(*line)) {
            found.extend(source.symbol_at(line));
        }
    }
    // A module or an `impl` contains code; annotations are about the functions and types in it.
    found.retain(|symbol| !matches!(symbol.kind, SymbolKind::Module | SymbolKind::Impl));
    found.sort_by_key(|symbol| (symbol.lines.start, symbol.lines.end));
    found.dedup();
    found
}

/// Returns the innermost symbol that contains both lines around a gap.
fn around_gap(symbols: &Symbols, before: usize) -> Option<&Symbol> {
    let has_both = |symbol: &&Symbol| symbol.lines.contains(before) && symbol.lines.contains(before + 1);
    symbols.all().iter().filter(has_both).min_by_key(|symbol| symbol.lines.count())
}

fn range(spans: &[ChangedSpan]) -> Option<Lines> {
    let with_lines = || spans.iter().filter(|span| span.count > 0);
    let start = with_lines().map(|span| span.start).min()?;
    let end = with_lines().map(|span| span.start + span.count - 1).max()?;
    Some(Lines { start, end })
}
