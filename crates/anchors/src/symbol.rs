//! What a file declares: symbols, in the order of the text, and who encloses whom.

use crate::Kind;

/// Lines of a text, from the first to the last, both included; the first line of a text is 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Lines {
    pub start: usize,
    pub end: usize,
}

impl Lines {
    /// Whether the line is one of them.
    pub fn contains(self, line: usize) -> bool {
        (self.start..=self.end).contains(&line)
    }

    /// Whether all of the other's lines are among them.
    pub fn contain_all_of(self, other: Lines) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// Returns how many they are; never 0.
    pub fn count(self) -> usize {
        self.end + 1 - self.start
    }

    pub(crate) fn with(self, other: Lines) -> Lines {
        Lines { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A declaration that has a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// What it is.
    pub kind: Kind,
    /// The name with the names of what encloses it, joined by `::` in every language.
    pub name: String,
    /// A name that tells apart what [`name`](Self::name) cannot: `<Point as Display>::fmt`.
    pub precise: Option<String>,
    /// The declaration on one line, without body, attributes and comments.
    pub signature: String,
    /// Where it is, with its attributes or decorators, without the comment above it.
    pub lines: Lines,
    /// Where its body or value is, if it has one.
    pub body: Option<Lines>,
    /// The comment directly above it, or the docstring in it.
    pub doc: Option<Lines>,
    /// The symbol around it, by its place in [`Symbols::all`].
    pub parent: Option<usize>,
    /// Where in `name` the own name begins.
    pub(crate) own: usize,
}

impl Symbol {
    /// Returns the name without those of what encloses it.
    pub fn own_name(&self) -> &str {
        &self.name[self.own..]
    }

    /// Returns the parts of the name, its own first, then outwards.
    pub(crate) fn segments(&self) -> impl Iterator<Item = &str> {
        let owners = self.name[..self.own].rsplit("::").filter(|segment| !segment.is_empty());
        std::iter::once(self.own_name()).chain(owners)
    }

    /// Whether the line is its own or its comment's.
    fn covers(&self, line: usize) -> bool {
        self.lines.contains(line) || self.doc.is_some_and(|doc| doc.contains(line))
    }
}

/// The symbols of one text, in the order in which they begin; what encloses comes before what is enclosed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Symbols {
    pub(crate) all: Vec<Symbol>,
    pub(crate) broken: bool,
    /// How many lines of the text the parser could not read as what they are.
    pub(crate) n_unread: usize,
}

impl Symbols {
    /// Returns all of them.
    pub fn all(&self) -> &[Symbol] {
        &self.all
    }

    /// Whether parts of the text are no valid code of its language. What could be read around them is here all the same.
    pub fn is_broken(&self) -> bool {
        self.broken
    }

    /// Returns the innermost symbol that has this line, if any; its comment counts as its own.
    pub fn at(&self, line: usize) -> Option<&Symbol> {
        // The later of two is inside the earlier, or both are on this one line: then the first of the line wins.
        let around = self.all.iter().filter(|symbol| symbol.covers(line));
        around.min_by_key(|symbol| symbol.lines.count())
    }

    /// Returns the symbols around this one, the innermost first.
    pub fn enclosing(&self, symbol: &Symbol) -> impl Iterator<Item = &Symbol> {
        let outer = |symbol: &Symbol| symbol.parent.and_then(|parent| self.all.get(parent));
        std::iter::successors(outer(symbol), move |symbol| outer(symbol))
    }

    /// Returns the symbols directly inside the one at this place of [`all`](Self::all).
    pub fn children(&self, parent: usize) -> impl Iterator<Item = &Symbol> {
        self.all.iter().skip(parent + 1).filter(move |symbol| symbol.parent == Some(parent))
    }
}
