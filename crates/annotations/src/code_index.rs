//! A current file, indexed by names and by lines, so that each of many regions costs only its own code.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use anchors::{Resolution, Symbol};
use model::annotation::Lines;
use model::relocate::LineLookup;

use super::lines_of;
use super::source::{SolidLines, Source};

/// Minimum share of common code for the same code elsewhere, or under another name.
const ALIKE: f64 = 0.5;

/// The symbols that a name may refer to.
pub(super) type Candidates<'a> = Rc<[&'a Symbol]>;

/// The index of one file.
pub(super) struct CodeIndex<'a> {
    source: &'a Source,
    /// Symbols by name.
    candidates: RefCell<HashMap<String, Candidates<'a>>>,
    /// The non-blank lines of each symbol, by its lines.
    solid: RefCell<HashMap<Lines, Rc<SolidLines<'a>>>>,
    /// The symbols that contain a line, by index, with the count.
    owners: OnceCell<HashMap<&'a str, Vec<(usize, usize)>>>,
    lines: OnceCell<LineLookup<'a>>,
}

impl<'a> CodeIndex<'a> {
    pub(super) fn new(source: &'a Source) -> Self {
        Self {
            source,
            candidates: RefCell::default(),
            solid: RefCell::default(),
            owners: OnceCell::new(),
            lines: OnceCell::new(),
        }
    }

    /// Returns all symbols that a name may refer to: equal names, in full or by suffix. Similar names do not count.
    pub(super) fn named(&self, name: &str) -> Candidates<'a> {
        if let Some(known) = self.candidates.borrow().get(name) {
            return Rc::clone(known);
        }
        let meant: Candidates<'a> = self.candidates_for(name).into();
        self.candidates.borrow_mut().insert(name.to_owned(), Rc::clone(&meant));
        meant
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

    /// Returns the lines of the text by what they say.
    pub(super) fn lines(&self) -> &LineLookup<'a> {
        self.lines.get_or_init(|| LineLookup::new(&self.source.text))
    }

    pub(super) fn solid(&self, symbol: &Symbol) -> Rc<SolidLines<'a>> {
        let lines = lines_of(symbol);
        Rc::clone(self.solid.borrow_mut().entry(lines).or_insert_with(|| Rc::new(self.source.solid_lines(lines))))
    }

    /// Returns the given symbols with enough common code, with their similarity.
    pub(super) fn alike(&self, before: &SolidLines<'_>, symbols: &[&'a Symbol]) -> Vec<(f64, &'a Symbol)> {
        let measured = symbols.iter().map(|symbol| (before.n_shared(&self.solid(symbol)), *symbol));
        self.enough_alike(before, measured)
    }

    /// Returns all symbols with enough common code, with their similarity.
    pub(super) fn alike_anywhere(&self, before: &SolidLines<'_>) -> Vec<(f64, &'a Symbol)> {
        let mut shared: HashMap<usize, usize> = HashMap::new();
        for (line, n) in before.counts() {
            for (place, m) in self.owners().get(line).map_or(&[][..], Vec::as_slice) {
                *shared.entry(*place).or_default() += n.min(*m);
            }
        }
        let mut shared: Vec<(usize, usize)> = shared.into_iter().collect();
        shared.sort_unstable();
        let all = self.source.symbols().all();
        self.enough_alike(before, shared.into_iter().map(|(place, n_shared)| (n_shared, &all[place])))
    }

    fn enough_alike(
        &self,
        before: &SolidLines<'_>,
        shared: impl Iterator<Item = (usize, &'a Symbol)>,
    ) -> Vec<(f64, &'a Symbol)> {
        let measured = shared.filter_map(|(n_shared, symbol)| {
            let now = self.solid(symbol);
            let share = before.share_of(n_shared, &now);
            // Of two symbols that contain all of the code, prefers the one with less other code.
            (share >= ALIKE).then(|| (share + before.likeness_of(n_shared, &now), symbol))
        });
        measured.collect()
    }

    fn owners(&self) -> &HashMap<&'a str, Vec<(usize, usize)>> {
        self.owners.get_or_init(|| {
            let mut owners: HashMap<&str, Vec<(usize, usize)>> = HashMap::new();
            for (place, symbol) in self.source.symbols().all().iter().enumerate() {
                for (line, n) in self.source.solid_lines(lines_of(symbol)).counts() {
                    owners.entry(line).or_default().push((place, n));
                }
            }
            owners
        })
    }
}
