//! The symbols of a file, in the order of the text, with their nesting.

use crate::SymbolKind;

/// A range of lines, both ends included; the first line of a text is 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub struct LineRange {
    pub start: usize,
    pub end: usize,
}

impl LineRange {
    /// Returns whether the line is in the range.
    pub fn contains(self, line: usize) -> bool {
        (self.start..=self.end).contains(&line)
    }

    /// Returns whether the other range is inside this one.
    pub fn contain_all_of(self, other: LineRange) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// Returns the number of lines; never 0.
    pub fn count(self) -> usize {
        self.end + 1 - self.start
    }

    pub(crate) fn with(self, other: LineRange) -> LineRange {
        LineRange { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A named declaration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// The kind of declaration.
    pub kind: SymbolKind,
    /// The name with the names of the enclosing symbols, joined by `::` in every language.
    pub name: String,
    /// A name that distinguishes symbols with the same [`name`](Self::name): `<Point as Display>::fmt`.
    pub precise: Option<String>,
    /// The declaration on one line, without body, attributes and comments.
    pub signature: String,
    /// Its lines, with attributes or decorators, without the comment above it.
    pub lines: LineRange,
    /// The lines of its body or value, if it has one.
    pub body: Option<LineRange>,
    /// The comment directly above it, or its docstring.
    pub doc: Option<LineRange>,
    /// The enclosing symbol, as a position in [`Symbols::all`].
    pub parent: Option<usize>,
    /// Byte offset of the own name in `name`.
    pub(crate) own: usize,
}

impl Symbol {
    /// Returns the name without those of the enclosing symbols.
    pub fn own_name(&self) -> &str {
        &self.name[self.own..]
    }

    /// Returns the segments of the name, its own first, then outwards.
    pub(crate) fn segments(&self) -> impl Iterator<Item = &str> {
        let owners = self.name[..self.own].rsplit("::").filter(|segment| !segment.is_empty());
        std::iter::once(self.own_name()).chain(owners)
    }

    /// Returns whether the line is in the symbol or in its doc comment.
    fn covers(&self, line: usize) -> bool {
        self.lines.contains(line) || self.doc.is_some_and(|doc| doc.contains(line))
    }
}

/// The symbols of one text, ordered by their first line; an enclosing symbol comes before those inside it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Symbols {
    pub(crate) all: Vec<Symbol>,
    pub(crate) broken: bool,
    /// Number of lines inside error nodes.
    pub(crate) n_unread: usize,
}

impl Symbols {
    /// Returns all symbols.
    pub fn all(&self) -> &[Symbol] {
        &self.all
    }

    /// Returns whether parts of the text are invalid code. The symbols around them are included.
    pub fn is_broken(&self) -> bool {
        self.broken
    }

    /// Returns the innermost symbol on this line, if any; its doc comment counts as part of it.
    pub fn at(&self, line: usize) -> Option<&Symbol> {
        // Of two symbols, the later is inside the earlier, or both are on this line: then the first one wins.
        let around = self.all.iter().filter(|symbol| symbol.covers(line));
        around.min_by_key(|symbol| symbol.lines.count())
    }

    /// Returns the enclosing symbols, innermost first.
    pub fn enclosing(&self, symbol: &Symbol) -> impl Iterator<Item = &Symbol> {
        let outer = |symbol: &Symbol| symbol.parent.and_then(|parent| self.all.get(parent));
        std::iter::successors(outer(symbol), move |symbol| outer(symbol))
    }

    /// Returns the symbols directly inside the one at this position of [`all`](Self::all).
    pub fn children(&self, parent: usize) -> impl Iterator<Item = &Symbol> {
        self.all.iter().skip(parent + 1).filter(move |symbol| symbol.parent == Some(parent))
    }
}
