//! Where a name is now: from what somebody wrote to the symbol that is meant.

use crate::{Symbol, Symbols};

/// How far a name may be from the written one, in characters put in, taken out or replaced.
const MAX_DISTANCE: usize = 3;

/// How many names are offered when none was found.
const MAX_NEAREST: usize = 5;

/// What somebody wrote to name a symbol, as in `Client::connect`, `Client.connect(url)` or `Client#connect`.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// The name, with or without owners, with any separator.
    pub name: &'a str,
    /// The signature it had when it was written down; decides between symbols of one name.
    pub signature: Option<&'a str>,
}

impl<'a> From<&'a str> for Wanted<'a> {
    fn from(name: &'a str) -> Self {
        Self { name, signature: None }
    }
}

/// How a name was found, from the surest to the least sure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Match {
    /// The whole name, to the letter.
    Exact,
    /// The own name and some of its owners, or with more owners than the text knows of.
    Unqualified,
    /// A name that differs in so many characters.
    Near(usize),
}

/// What a name resolves to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolution<'a> {
    /// One symbol.
    Found {
        /// The symbol.
        symbol: &'a Symbol,
        /// How it was found.
        how: Match,
    },
    /// Several that fit equally, in the order of the text.
    Ambiguous {
        /// The symbols; two or more.
        symbols: Vec<&'a Symbol>,
        /// How they were found.
        how: Match,
    },
    /// None.
    Lost {
        /// The names that come nearest, the nearest first; each once.
        nearest: Vec<&'a str>,
    },
}

/// Finds the symbol that is meant by a name.
///
/// Tried in this order, the first that finds anything decides: the name as it stands; with its separators made `::`; as the end of a
/// longer name; with owners in front that the text does not have; with up to three characters different, if these are fewer than half
/// of the name. Of several, those with the signature or the written parameters come first, then what can be called, then what has a body.
pub fn resolve<'a, 'w>(symbols: &'a Symbols, wanted: impl Into<Wanted<'w>>) -> Resolution<'a> {
    let wanted = wanted.into();
    let written = Written::new(wanted.name);
    let steps: [&dyn Fn(&Symbol) -> bool; 4] = [
        &|symbol| is_called(symbol, wanted.name.trim()),
        &|symbol| written.is(symbol),
        &|symbol| written.ends(symbol),
        &|symbol| written.is_ended_by(symbol),
    ];
    for (step, fits) in steps.into_iter().enumerate() {
        let found: Vec<&Symbol> = symbols.all().iter().filter(|symbol| fits(symbol)).collect();
        if !found.is_empty() {
            let how = if step < 2 { Match::Exact } else { Match::Unqualified };
            return decide(found, how, &written, wanted.signature);
        }
    }
    match written.nearest_within_reach(symbols) {
        Some((distance, found)) => decide(found, Match::Near(distance), &written, wanted.signature),
        None => Resolution::Lost { nearest: written.nearest(symbols) },
    }
}

fn is_called(symbol: &Symbol, name: &str) -> bool {
    symbol.name == name || symbol.precise.as_deref() == Some(name)
}

/// Narrows down what fits: to the signature, to the written parameters, to a function beside a value, to what has a body.
fn decide<'a>(
    mut found: Vec<&'a Symbol>,
    how: Match,
    written: &Written<'_>,
    signature: Option<&str>,
) -> Resolution<'a> {
    if let Some(signature) = signature {
        keep(&mut found, |symbol| symbol.signature == signature);
    }
    if let Some(parameters) = &written.parameters {
        keep(&mut found, |symbol| without_blanks(&symbol.signature).contains(parameters.as_str()));
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

/// Keeps those that have a property, unless none has it.
fn keep(found: &mut Vec<&Symbol>, has: impl Fn(&Symbol) -> bool) {
    if found.iter().any(|symbol| has(symbol)) {
        found.retain(|symbol| has(symbol));
    }
}

fn without_blanks(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// Takes off what is no part of a name: `Set` of `Set<T>` and of Go's `(*Set)`.
fn bare(segment: &str) -> &str {
    let segment = segment.trim_matches([' ', '(', ')', '*', '&']);
    match segment.find('<') {
        Some(at) if at > 0 => &segment[..at],
        _ => segment,
    }
}

/// A written name, taken apart.
struct Written<'a> {
    segments: Vec<&'a str>,
    /// `(int,String)` of `add(int, String)`, without blanks.
    parameters: Option<String>,
}

impl<'a> Written<'a> {
    fn new(name: &'a str) -> Self {
        let name = name.trim();
        // A bracket at the start is no call: `(*Set).Add(item)`.
        let call = name.char_indices().skip(1).find(|(_, c)| *c == '(');
        let (name, call) = name.split_at(call.map_or(name.len(), |(at, _)| at));
        let is_separator = |c| matches!(c, ':' | '.' | '#' | '/' | '\\');
        let segments = name.split(is_separator).map(bare).filter(|segment| !segment.is_empty()).collect();
        let parameters = Some(without_blanks(call)).filter(|call| call.len() > "()".len());
        Self { segments, parameters }
    }

    /// Whether it is the symbol's whole name.
    fn is(&self, symbol: &Symbol) -> bool {
        symbol.segments().eq(self.segments.iter().rev().copied())
    }

    /// Whether it is the end of the symbol's name.
    fn ends(&self, symbol: &Symbol) -> bool {
        let mut theirs = symbol.segments();
        !self.segments.is_empty() && self.segments.iter().rev().all(|segment| theirs.next() == Some(segment))
    }

    /// Whether the symbol's whole name is the end of it: somebody wrote the path of the module in front. What is left out must look
    /// like one, or `Server::new` would find a mere `new`.
    fn is_ended_by(&self, symbol: &Symbol) -> bool {
        let mut ours = self.segments.iter().rev();
        let fits = symbol.segments().all(|segment| ours.next() == Some(&segment));
        let has_owner = symbol.own > 0;
        let is_type = |segment: &str| segment.starts_with(char::is_uppercase);
        fits && (has_owner || !ours.any(|segment| is_type(segment)))
    }

    /// Returns the symbols that differ least, and in how much, if that is little enough to be a slip or a small renaming.
    fn nearest_within_reach<'s>(&self, symbols: &'s Symbols) -> Option<(usize, Vec<&'s Symbol>)> {
        let near = symbols.all().iter().filter_map(|symbol| Some((self.slip(symbol)?, symbol)));
        let near: Vec<(usize, &Symbol)> = near.collect();
        let least = near.iter().map(|(distance, _)| *distance).min()?;
        let found = near.into_iter().filter(|(distance, _)| *distance == least).map(|(_, symbol)| symbol);
        Some((least, found.collect()))
    }

    /// Returns in how many characters the end of the symbol's name differs, if each part keeps more than half of its own.
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

    /// Returns the names that come nearest, however far.
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
