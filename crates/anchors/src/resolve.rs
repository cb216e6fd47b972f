//! Resolves a name that somebody wrote to the symbol that is meant.

use std::hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher};
use std::sync::OnceLock;

use crate::parameters::Parameters;
use crate::{Symbol, Symbols};

/// Maximum edit distance for a near match.
const MAX_DISTANCE: usize = 3;

/// Maximum number of suggestions when nothing was found.
const MAX_NEAREST: usize = 5;

/// The name of a symbol as somebody wrote it: `Client::connect`, `Client.connect(url)` or `Client#connect`.
#[derive(Debug, Clone, Copy)]
pub struct SymbolQuery<'a> {
    /// The name, with or without owners, with any separator.
    pub name: &'a str,
    /// The signature that the symbol had when the name was recorded; decides between symbols with the same name.
    pub signature: Option<&'a str>,
}

impl<'a> From<&'a str> for SymbolQuery<'a> {
    fn from(name: &'a str) -> Self {
        Self { name, signature: None }
    }
}

/// How a name was matched, most certain first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NameMatch {
    /// The whole name, literally.
    Exact,
    /// The own name and some of its owners, or with more owners than the text has.
    Unqualified,
    /// A name at this edit distance.
    Near(usize),
}

/// The result of resolving a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolution<'a> {
    /// One symbol.
    Found {
        /// The symbol.
        symbol: &'a Symbol,
        /// How it was matched.
        how: NameMatch,
    },
    /// Several equally good matches, in the order of the text.
    Ambiguous {
        /// Two or more symbols.
        symbols: Vec<&'a Symbol>,
        /// How they were matched.
        how: NameMatch,
    },
    /// No match.
    Lost {
        /// Suggestions, most similar first, without duplicates.
        nearest: Vec<&'a str>,
    },
}

/// Finds the symbol that a name refers to.
///
/// The first of these steps that finds anything decides: the name as written; with its separators normalized to `::`;
/// as a suffix of a longer name; with leading owners that the text does not have; within an edit distance of three, if
/// that is less than half of the name. Several matches are narrowed down by the signature or the written parameters,
/// then to functions, then to symbols with a body.
pub fn resolve<'a, 'w>(symbols: &'a Symbols, wanted: impl Into<SymbolQuery<'w>>) -> Resolution<'a> {
    let wanted = wanted.into();
    let written = WrittenName::new(wanted.name);
    let found = called(|| symbols.all().iter(), || symbols.all().iter(), &written, wanted);
    found.unwrap_or_else(|| near(symbols, &written, wanted))
}

/// Finds the symbol with a similar name.
fn near<'a>(symbols: &'a Symbols, written: &WrittenName<'_>, wanted: SymbolQuery<'_>) -> Resolution<'a> {
    match written.nearest_within_reach(symbols) {
        Some((distance, found)) => decide(found, NameMatch::Near(distance), written, wanted.signature),
        None => Resolution::Lost { nearest: written.nearest(symbols) },
    }
}

/// Finds the symbol with a name. `of_name` must include all symbols with this whole name, `of_own_name` all symbols
/// whose own name is its last segment.
fn called<'a, N, O>(
    of_name: impl Fn() -> N,
    of_own_name: impl Fn() -> O,
    written: &WrittenName<'_>,
    wanted: SymbolQuery<'_>,
) -> Option<Resolution<'a>>
where
    N: Iterator<Item = &'a Symbol>,
    O: Iterator<Item = &'a Symbol>,
{
    let by_name: Vec<&Symbol> = of_name().filter(|symbol| is_called(symbol, wanted.name.trim())).collect();
    if !by_name.is_empty() {
        return Some(decide(by_name, NameMatch::Exact, written, wanted.signature));
    }
    let steps: [&dyn Fn(&Symbol) -> bool; 3] =
        [&|symbol| written.is(symbol), &|symbol| written.ends(symbol), &|symbol| written.is_ended_by(symbol)];
    steps.into_iter().enumerate().find_map(|(step, fits)| {
        let found: Vec<&Symbol> = of_own_name().filter(|symbol| fits(symbol)).collect();
        let how = if step == 0 { NameMatch::Exact } else { NameMatch::Unqualified };
        (!found.is_empty()).then(|| decide(found, how, written, wanted.signature))
    })
}

/// Symbols by name, for many lookups in one text; the cost of a lookup depends only on the number of its results.
#[derive(Debug, Default)]
pub struct NameIndex {
    by_name: HashedNames,
    by_own_name: OnceLock<HashedNames>,
}

/// The positions of symbols by the hash of a name, sorted. Without copies of the names: a text may have tens of thousands.
#[derive(Debug, Default)]
struct HashedNames(Vec<(u64, usize)>);

impl HashedNames {
    fn new<'a>(names: impl Iterator<Item = (&'a str, usize)>) -> Self {
        let mut hashed: Vec<(u64, usize)> = names.map(|(name, place)| (hash(name), place)).collect();
        hashed.sort_unstable();
        Self(hashed)
    }

    /// Returns the positions of all symbols with a name, in the order of the text; rarely of others too.
    fn places(&self, name: &str) -> impl Iterator<Item = usize> {
        let wanted = hash(name);
        let from = self.0.partition_point(|(hash, _)| *hash < wanted);
        self.0[from..].iter().take_while(move |(hash, _)| *hash == wanted).map(|(_, place)| *place)
    }
}

fn hash(name: &str) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(name)
}

impl NameIndex {
    /// Indexes symbols.
    pub fn new(symbols: &Symbols) -> Self {
        let all = || symbols.all().iter().enumerate();
        let names = all().map(|(place, symbol)| (symbol.name.as_str(), place));
        let precise = all().filter_map(|(place, symbol)| {
            let precise = symbol.precise.as_deref().filter(|precise| *precise != symbol.name)?;
            Some((precise, place))
        });
        let by_name = HashedNames::new(names.chain(precise));
        Self { by_name, by_own_name: OnceLock::new() }
    }

    /// Returns the symbols with exactly this name or precise name, in the order of the text. `symbols` must be those
    /// that were indexed.
    pub fn exactly<'a>(&self, symbols: &'a Symbols, name: &str) -> impl Iterator<Item = &'a Symbol> {
        let of_name = self.by_name.places(name).filter_map(|place| symbols.all().get(place));
        of_name.filter(move |symbol| is_called(symbol, name))
    }

    fn of_own_name<'a>(&self, symbols: &'a Symbols, own: &str) -> Vec<&'a Symbol> {
        let names = || symbols.all().iter().enumerate().map(|(place, symbol)| (symbol.own_name(), place));
        let index = self.by_own_name.get_or_init(|| HashedNames::new(names()));
        index.places(own).filter_map(|place| symbols.all().get(place)).collect()
    }

    /// Resolves a name like [`resolve`]. Only a name that does not exist is compared with all symbols.
    pub fn resolve<'a>(&self, symbols: &'a Symbols, wanted: SymbolQuery<'_>) -> Resolution<'a> {
        self.find(symbols, wanted).unwrap_or_else(|| near(symbols, &WrittenName::new(wanted.name), wanted))
    }

    /// Resolves a name like [`resolve`], but without near matches.
    pub fn find<'a>(&self, symbols: &'a Symbols, wanted: SymbolQuery<'_>) -> Option<Resolution<'a>> {
        let written = WrittenName::new(wanted.name);
        let own = written.segments.last().copied().unwrap_or_default();
        let named: Vec<&Symbol> = self.exactly(symbols, wanted.name.trim()).collect();
        let owned = self.of_own_name(symbols, own);
        called(|| named.iter().copied(), || owned.iter().copied(), &written, wanted)
    }
}

fn is_called(symbol: &Symbol, name: &str) -> bool {
    symbol.name == name || symbol.precise.as_deref() == Some(name)
}

/// Narrows matches down: by signature, by written parameters, to functions over values, to symbols with a body.
fn decide<'a>(
    mut found: Vec<&'a Symbol>,
    how: NameMatch,
    written: &WrittenName<'_>,
    signature: Option<&str>,
) -> Resolution<'a> {
    if let Some(signature) = signature {
        keep(&mut found, |symbol| symbol.signature == signature);
    }
    if let Some(parameters) = &written.parameters
        && !keep(&mut found, |symbol| parameters.are_in(&symbol.signature))
    {
        keep(&mut found, |symbol| parameters.are_types_of(&symbol.signature, symbol.own_name()));
    }
    let of_one_name = found.iter().all(|symbol| symbol.name == found[0].name && symbol.precise == found[0].precise);
    if of_one_name {
        keep(&mut found, |symbol| !symbol.kind.is_value());
        keep(&mut found, |symbol| symbol.body.is_some());
    }
    match found.as_slice() {
        [symbol] => Resolution::Found { symbol, how },
        _ => Resolution::Ambiguous { symbols: found, how },
    }
}

/// Keeps the symbols with a property, unless none has it; returns whether any has.
fn keep(found: &mut Vec<&Symbol>, has: impl Fn(&Symbol) -> bool) -> bool {
    let is_any = found.iter().any(|symbol| has(symbol));
    if is_any {
        found.retain(|symbol| has(symbol));
    }
    is_any
}

/// Strips type arguments and punctuation: `Set` of `Set<T>` and of Go's `(*Set)`.
fn bare(segment: &str) -> &str {
    let segment = segment.trim_matches([' ', '(', ')', '*', '&']);
    match segment.find('<') {
        Some(at) if at > 0 => &segment[..at],
        _ => segment,
    }
}

/// A written name, split into segments.
struct WrittenName<'a> {
    segments: Vec<&'a str>,
    parameters: Option<Parameters>,
}

impl<'a> WrittenName<'a> {
    fn new(name: &'a str) -> Self {
        let name = name.trim();
        // A parenthesis at the start is not a call: `(*Set).Add(item)`.
        let call = name.char_indices().skip(1).find(|(_, c)| *c == '(');
        let (name, call) = name.split_at(call.map_or(name.len(), |(at, _)| at));
        let is_separator = |c| matches!(c, ':' | '.' | '#' | '/' | '\\');
        let segments = name.split(is_separator).map(bare).filter(|segment| !segment.is_empty()).collect();
        Self { segments, parameters: Parameters::new(call) }
    }

    /// Returns whether it is the symbol's whole name.
    fn is(&self, symbol: &Symbol) -> bool {
        symbol.segments().eq(self.segments.iter().rev().copied())
    }

    /// Returns whether it is a suffix of the symbol's name.
    fn ends(&self, symbol: &Symbol) -> bool {
        let mut theirs = symbol.segments();
        !self.segments.is_empty() && self.segments.iter().rev().all(|segment| theirs.next() == Some(segment))
    }

    /// Returns whether the symbol's whole name is a suffix of it: somebody wrote the module path in front. The extra
    /// segments must look like a module, or `Server::new` would match a plain `new`.
    fn is_ended_by(&self, symbol: &Symbol) -> bool {
        let mut ours = self.segments.iter().rev();
        let fits = symbol.segments().all(|segment| ours.next() == Some(&segment));
        let has_owner = symbol.own > 0;
        let is_type = |segment: &str| segment.starts_with(char::is_uppercase);
        fits && (has_owner || !ours.any(|segment| is_type(segment)))
    }

    /// Returns the symbols with the smallest edit distance, if it is small enough for a typo or a small rename.
    fn nearest_within_reach<'s>(&self, symbols: &'s Symbols) -> Option<(usize, Vec<&'s Symbol>)> {
        let near = symbols.all().iter().filter_map(|symbol| Some((self.slip(symbol)?, symbol)));
        let near: Vec<(usize, &Symbol)> = near.collect();
        let least = near.iter().map(|(distance, _)| *distance).min()?;
        let found = near.into_iter().filter(|(distance, _)| *distance == least).map(|(_, symbol)| symbol);
        Some((least, found.collect()))
    }

    /// Returns the edit distance to the end of the symbol's name, if each segment keeps more than half of its
    /// characters.
    fn slip(&self, symbol: &Symbol) -> Option<usize> {
        let mut theirs = symbol.segments();
        let mut total = 0;
        for ours in self.segments.iter().rev() {
            let theirs = theirs.next()?;
            let shorter = ours.chars().count().min(theirs.chars().count());
            let longer = ours.chars().count().max(theirs.chars().count());
            if longer - shorter > MAX_DISTANCE {
                return None;
            }
            let distance = strsim::levenshtein(ours, theirs);
            if distance * 2 >= shorter && distance > 0 {
                return None;
            }
            total += distance;
        }
        (1..=MAX_DISTANCE).contains(&total).then_some(total)
    }

    /// Returns the most similar names, without a limit on the distance.
    fn nearest<'s>(&self, symbols: &'s Symbols) -> Vec<&'s str> {
        let Some(own) = self.segments.last() else {
            return Vec::new();
        };
        let mut names: Vec<(f64, &str)> = Vec::new();
        for symbol in symbols.all() {
            let whole = strsim::jaro_winkler(&self.segments.join("::"), &symbol.name);
            let likeness = whole.max(strsim::jaro_winkler(own, symbol.own_name()));
            names.push((likeness, &symbol.name));
        }
        names.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut nearest: Vec<&str> = Vec::new();
        for (_, name) in names {
            if !nearest.contains(&name) && nearest.len() < MAX_NEAREST {
                nearest.push(name);
            }
        }
        nearest
    }
}
