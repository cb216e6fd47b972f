//! A current file, indexed by names and by lines, so that each of many regions costs only its own code.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::ops::Deref;
use std::rc::Rc;

use anchors::{Resolution, Symbol};
use model::annotation::Lines;
use model::relocate::LineLookup;

use super::lines_of;
use super::solid_lines::SolidLines;
use super::source::Source;

/// Minimum share of common code for the same code elsewhere, or under another name.
const MIN_COMMON_SHARE: f64 = 0.5;

/// The symbols that a name may refer to; usually just one.
#[derive(Debug, Clone)]
pub(super) enum Candidates<'a> {
    One([&'a Symbol; 1]),
    Any(Rc<[&'a Symbol]>),
}

impl<'a> Deref for Candidates<'a> {
    type Target = [&'a Symbol];

    fn deref(&self) -> &[&'a Symbol] {
        match self {
            Self::One(one) => one,
            Self::Any(any) => any,
        }
    }
}

/// The index of one file.
pub(super) struct CodeIndex<'a> {
    source: &'a Source,
    /// Symbols by a name that is not the name of exactly one symbol.
    candidates: RefCell<HashMap<String, Rc<[&'a Symbol]>>>,
    /// The non-blank lines of each symbol, by its lines.
    solid: RefCell<HashMap<Lines, Rc<SolidLines>>>,
    lines: OnceCell<LineLookup<'a>>,
}

impl<'a> CodeIndex<'a> {
    pub(super) fn new(source: &'a Source) -> Self {
        Self { source, candidates: RefCell::default(), solid: RefCell::default(), lines: OnceCell::new() }
    }

    /// Returns all symbols that a name may refer to: equal names, in full or by suffix. Similar names do not count.
    pub(super) fn named(&self, name: &str) -> Candidates<'a> {
        let mut of_name = self.source.exactly(name);
        if let (Some(only), None) = (of_name.next(), of_name.next()) {
            return Candidates::One([only]);
        }
        if let Some(known) = self.candidates.borrow().get(name) {
            return Candidates::Any(Rc::clone(known));
        }
        let meant: Rc<[&'a Symbol]> = self.candidates_for(name).into();
        self.candidates.borrow_mut().insert(name.to_owned(), Rc::clone(&meant));
        Candidates::Any(meant)
    }

    fn candidates_for(&self, name: &str) -> Vec<&'a Symbol> {
        let of_name = self.source.named_exactly(name);
        if !of_name.is_empty() {
            return of_name;
        }
        match self.source.find(name.into()) {
            None | Some(Resolution::Lost { .. }) => Vec::new(),
            // Parameters or a precise name identify one of several symbols of the same name.
            Some(Resolution::Found { symbol, .. }) if name.contains(['(', '<']) => vec![symbol],
            Some(Resolution::Found { symbol, .. }) => self.source.named_exactly(&symbol.name),
            Some(Resolution::Ambiguous { symbols, .. }) => symbols,
        }
    }

    /// Returns the lookup of lines by their text.
    pub(super) fn lines(&self) -> &LineLookup<'a> {
        self.lines.get_or_init(|| LineLookup::new(&self.source.text))
    }

    pub(super) fn solid(&self, symbol: &Symbol) -> Rc<SolidLines> {
        let lines = lines_of(symbol);
        Rc::clone(self.solid.borrow_mut().entry(lines).or_insert_with(|| Rc::new(self.source.solid_lines(lines))))
    }

    /// Returns the given symbols with enough common code, with their similarity.
    pub(super) fn alike(&self, before: &SolidLines, symbols: &[&'a Symbol]) -> Vec<(f64, &'a Symbol)> {
        let score = |symbol: &Symbol| {
            let now = self.solid(symbol);
            alikeness(before, before.n_shared(&now), &now)
        };
        symbols.iter().filter_map(|symbol| Some((score(symbol)?, *symbol))).collect()
    }
}

/// Returns the similarity for a number of common lines; `None` if they are not enough. Of two symbols that contain all of
/// the code, the one with less other code is more similar.
pub(super) fn alikeness(before: &SolidLines, n_shared: usize, now: &SolidLines) -> Option<f64> {
    let share = before.share_of(n_shared, now);
    (share >= MIN_COMMON_SHARE).then(|| share + before.likeness_of(n_shared, now))
}
