//! Locates the current code of a stored region. Every query uses this decision.
//!
//! A name alone is not enough: overloads, `impl`s of one trait and `cfg` variants share it, and a function may have
//! been renamed. The criteria are, in this order, the signature, the lines that git blames on the region's commit, and
//! the similarity of the code. If these do not decide, the region is lost: an annotation is never attached to another
//! function.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use anchors::{Resolution, Symbol, SymbolKind, SymbolQuery};
use app::Error;
use model::annotation::Lines;
use model::relocate::{CurrentLocation, LineLookup};
use store::git::{BlameHunk, CommitId};
use store::index::RegionRow;

use super::blamed::BlamedLines;
use super::code_index::{Candidates, CodeIndex, alikeness};
use super::solid_lines::SolidLines;
use super::source::Source;
use super::{lines_of, overlap};
use crate::Annotations;

/// Minimum share of a function that comes from the old one: a function that merely ingested the old code is another
/// one.
const MIN_OWN_SHARE: f64 = 0.25;

/// Minimum share of words that a rewritten function keeps; below it, it is another function of that name.
const MIN_WORDS: f64 = 0.25;
/// Minimum share of common words of two methods with the same name in different classes, for a renamed class.
const MIN_WORDS_OF_OWNER: f64 = 0.6;
/// Minimum share of common words of two functions with the same name in different files, for a moved and reformatted
/// function; and its minimum number of words, since short functions of one name are all similar.
const MIN_WORDS_OF_MOVED: f64 = 0.75;
const MIN_N_WORDS: usize = 20;

/// A search for a renamed function that compares it with at most so many others is not worth an entry in a cache.
const CHEAP_SEARCH: usize = 64;

/// A piece of code as recorded at a commit.
#[derive(Debug, Clone, Copy)]
pub(super) struct RecordedCode<'a> {
    pub(super) commit: CommitId,
    pub(super) file: &'a str,
    /// Empty if only lines were recorded.
    pub(super) name: &'a str,
    pub(super) kind: &'a str,
    pub(super) signature: Option<&'a str>,
    pub(super) lines: Option<Lines>,
}

impl<'a> From<&'a RegionRow> for RecordedCode<'a> {
    fn from(row: &'a RegionRow) -> Self {
        Self {
            commit: row.commit,
            file: &row.file,
            name: &row.anchor,
            kind: &row.kind,
            signature: row.signature.as_deref(),
            lines: row.lines.filter(|lines| is_range(*lines)),
        }
    }
}

impl RecordedCode<'_> {
    fn key(&self) -> RecordedKey {
        let texts = [self.file, self.name, self.kind, self.signature.unwrap_or("\0")];
        (self.commit, texts.join("\0"), self.lines)
    }
}

/// Returns whether lines are a valid range; foreign notes may contain 90 to 5.
pub(super) fn is_range(lines: Lines) -> bool {
    1 <= lines.start && lines.start <= lines.end
}

/// The location of recorded code in a current file. It refers to the symbols of that file, because a note may have tens
/// of thousands of regions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CodePlace<'s> {
    /// This function or type.
    Symbol(&'s Symbol),
    /// Only the name is there, on unrelated code.
    Namesake(&'s Symbol),
    Lines(Lines),
    /// The whole file.
    File,
    /// Not found.
    Lost,
}

impl<'s> CodePlace<'s> {
    /// Returns the function or type.
    pub(super) fn symbol(self) -> Option<&'s Symbol> {
        match self {
            Self::Symbol(symbol) => Some(symbol),
            _ => None,
        }
    }
}

/// Locates recorded code in one current file.
pub(super) struct Locator<'p, 's> {
    project: Annotations<'p>,
    /// The path of the current file.
    path: &'s str,
    now: &'s Source,
    code: CodeIndex<'s>,
    /// The blame of the file, as far as it is known.
    blamed: BlamedLines<'p>,
    /// Cache of locations, for code with several regions.
    located: RefCell<HashMap<RecordedKey, CodePlace<'s>>>,
    /// Cache of long searches for renamed functions: thousands of deleted ones may have the same lines in common with the
    /// current file.
    renamed: RefCell<HashMap<RenamedKey, Option<&'s Symbol>>>,
}

/// The key of recorded code in the cache: commit; file, name, kind and signature in one text; lines.
type RecordedKey = (CommitId, String, Option<Lines>);

/// The key of a renamed function: commit, file and kind; the lines that the current file has, and the number of lines.
type RenamedKey = (CommitId, [String; 2], Vec<(u64, usize)>, usize);

impl<'p, 's> Locator<'p, 's> {
    pub(super) fn new(project: Annotations<'p>, path: &'s str, now: &'s Source, hunks: &'p [BlameHunk]) -> Self {
        Self {
            project,
            path,
            now,
            code: CodeIndex::new(now),
            blamed: BlamedLines::new(hunks),
            located: RefCell::default(),
            renamed: RefCell::default(),
        }
    }

    pub(super) fn blamed(&self) -> &BlamedLines<'p> {
        &self.blamed
    }

    /// Locates recorded code. The current file must be the one the code was recorded in, under any name.
    pub(super) fn locate(&self, recorded: &RecordedCode<'_>) -> Result<CodePlace<'s>, Error> {
        let named = (!recorded.name.is_empty()).then(|| self.named(recorded.name));
        let meant = self.without_bystanders(recorded, named.as_deref().unwrap_or_default())?;
        if let [only] = meant.as_ref()
            && self.is_certain(recorded, only)
        {
            return Ok(CodePlace::Symbol(only));
        }
        let key = recorded.key();
        if let Some(known) = self.located.borrow().get(&key) {
            return Ok(*known);
        }
        let place = self.compare(recorded, &meant)?;
        self.located.borrow_mut().insert(key, place);
        Ok(place)
    }

    /// Removes symbols that only end with the name of the recorded code, if they are other code.
    fn without_bystanders<'m>(
        &self,
        recorded: &RecordedCode<'_>,
        meant: &'m [&'s Symbol],
    ) -> Result<Cow<'m, [&'s Symbol]>, Error> {
        if meant.iter().all(|symbol| symbol.name == recorded.name) {
            return Ok(Cow::Borrowed(meant));
        }
        let mut left = Vec::new();
        for symbol in meant {
            if !self.project.is_bystander(recorded, self.path, symbol)? {
                left.push(*symbol);
            }
        }
        Ok(Cow::Owned(left))
    }

    /// Returns whether the only symbol of the name is certain to match, without reading the old code.
    fn is_certain(&self, recorded: &RecordedCode<'_>, symbol: &Symbol) -> bool {
        recorded.signature.is_none_or(|signature| is_same_text(signature, &symbol.signature))
            || self.n_alive(recorded, lines_of(symbol)) > 0
    }

    /// Locates recorded code by its content.
    fn compare(&self, recorded: &RecordedCode<'_>, meant: &[&'s Symbol]) -> Result<CodePlace<'s>, Error> {
        if recorded.name.is_empty() {
            return self.locate_lines(recorded);
        }
        let found = match meant {
            [] => self.renamed(recorded)?,
            [only] => return self.match_only_symbol(recorded, only),
            twins => self.match_one_of_several(recorded, twins)?,
        };
        Ok(found.map_or(CodePlace::Lost, CodePlace::Symbol))
    }

    /// Finds the symbols with the most common code, in any file.
    pub(super) fn most_alike(
        &self,
        recorded: &RecordedCode<'_>,
        symbols: &[&'s Symbol],
    ) -> Result<Option<&'s Symbol>, Error> {
        let Some((then, was)) = self.then(recorded)? else { return Ok(None) };
        // The other file may have had a function of that name already.
        let there = if self.path == recorded.file { None } else { self.project.source(&recorded.commit, self.path)? };
        let is_new = |symbol: &&Symbol| there.as_ref().is_none_or(|there| there.exactly(&symbol.name).next().is_none());
        let symbols: Vec<&Symbol> = symbols.iter().copied().filter(is_new).collect();
        let by_lines = self.code.alike(&then.solid_lines(was), &symbols);
        if !by_lines.is_empty() || then.n_words(was) < MIN_N_WORDS {
            return Ok(unique_best(by_lines));
        }
        let by_words = symbols.iter().map(|symbol| (self.words_shared(&then, was, symbol), *symbol));
        Ok(unique_best(by_words.filter(|(share, _)| *share >= MIN_WORDS_OF_MOVED).collect()))
    }

    /// Returns all symbols that a name may refer to: equal names, in full or by suffix. Similar names do not count.
    pub(super) fn named(&self, name: &str) -> Candidates<'s> {
        self.code.named(name)
    }

    /// Decides about the only symbol of the name: it may be another one, if the original was deleted.
    fn match_only_symbol(&self, recorded: &RecordedCode<'_>, symbol: &'s Symbol) -> Result<CodePlace<'s>, Error> {
        let Some((then, was)) = self.then(recorded)? else { return Ok(CodePlace::Symbol(symbol)) };
        self.project.load_symbols(&then);
        let (before, now) = (then.solid_lines(was), self.code.solid(symbol));
        let share = before.share_in(&now);
        let is_other = |twin: &Symbol| {
            lines_of(twin) != was
                && is_same_text(&twin.signature, &symbol.signature)
                && then.solid_lines(lines_of(twin)).share_in(&now) > share
        };
        if same_named_symbols(&then, recorded, was).any(is_other) {
            return Ok(CodePlace::Lost);
        }
        let is_same_line = before.n_shared(&now) > 0;
        if before.is_significant() && !is_same_line && then.word_share(was, self.now, lines_of(symbol)) < MIN_WORDS {
            return Ok(CodePlace::Namesake(symbol));
        }
        Ok(CodePlace::Symbol(symbol))
    }

    /// Decides which of several symbols of one name is meant.
    fn match_one_of_several(
        &self,
        recorded: &RecordedCode<'_>,
        symbols: &[&'s Symbol],
    ) -> Result<Option<&'s Symbol>, Error> {
        let mut left = symbols.to_vec();
        if let Some(signature) = recorded.signature {
            let same: Vec<&Symbol> =
                left.iter().copied().filter(|symbol| is_same_text(signature, &symbol.signature)).collect();
            match same.as_slice() {
                [] => {}
                [only] => return Ok(Some(only)),
                _ => left = same,
            }
        }
        let alive = left.iter().map(|symbol| (self.n_alive(recorded, lines_of(symbol)), *symbol)).collect();
        if let Some(symbol) = unique_most(alive) {
            return Ok(Some(symbol));
        }
        let Some((then, was)) = self.then(recorded)? else { return Ok(None) };
        self.project.load_symbols(&then);
        Ok(Self::precise_twin(&then, was, &left).or_else(|| self.same_code(&then, recorded, was, &left)))
    }

    /// Finds the symbol with the precise name of the code, such as `<Point as Display>::fmt`.
    fn precise_twin(then: &Source, was: Lines, symbols: &[&'s Symbol]) -> Option<&'s Symbol> {
        let precise = then.symbol_of(was)?.precise.as_deref()?;
        let mut of_name = symbols.iter().filter(|symbol| symbol.precise.as_deref() == Some(precise));
        let first = of_name.next()?;
        of_name.next().is_none().then_some(*first)
    }

    /// Finds the symbol with the most similar code. If all are equally similar, the position among them decides.
    fn same_code(
        &self,
        then: &Source,
        recorded: &RecordedCode<'_>,
        was: Lines,
        symbols: &[&'s Symbol],
    ) -> Option<&'s Symbol> {
        let same: Vec<&Symbol> =
            symbols.iter().copied().filter(|symbol| then.is_same_code(was, self.now, lines_of(symbol))).collect();
        match same.as_slice() {
            [] => unique_best(self.code.alike(&then.solid_lines(was), symbols)),
            [only] => Some(only),
            _ => {
                let of_then: Vec<&Symbol> = same_named_symbols(then, recorded, was)
                    .filter(|twin| then.is_same_code(was, then, lines_of(twin)))
                    .collect();
                let place = of_then.iter().position(|twin| lines_of(twin) == was)?;
                same.get(place).filter(|_| of_then.len() == same.len()).copied()
            }
        }
    }

    /// Returns whether code whose name is gone may be one of these symbols now: it has the own name of one, or a line in
    /// common. Much cheaper than to locate it.
    pub(super) fn may_have_become(&self, recorded: &RecordedCode<'_>, symbols: &[&Symbol]) -> Result<bool, Error> {
        let own = recorded.name.rsplit("::").next();
        if symbols.iter().any(|symbol| Some(symbol.own_name()) == own) {
            return Ok(true);
        }
        let Some((then, was)) = self.then(recorded)? else { return Ok(false) };
        Ok(symbols.iter().any(|symbol| then.shares_line(was, &self.code.solid(symbol))))
    }

    /// Finds a renamed function. One that kept its last name must not have been there beside the recorded one.
    fn renamed(&self, recorded: &RecordedCode<'_>) -> Result<Option<&'s Symbol>, Error> {
        let Some(symbol) = self.most_likely_renamed(recorded)? else { return Ok(None) };
        let keeps_own_name = recorded.name.rsplit("::").next() == Some(symbol.own_name());
        let is_other = keeps_own_name && self.project.is_bystander(recorded, self.path, symbol)?;
        Ok((!is_other).then_some(symbol))
    }

    /// Finds a renamed function: it contains most of the lines, or its code is similar and its name is new.
    fn most_likely_renamed(&self, recorded: &RecordedCode<'_>) -> Result<Option<&'s Symbol>, Error> {
        if let Some(symbol) = recorded.lines.and_then(|was| self.renamed_by_blame(recorded, was)) {
            return Ok(Some(symbol));
        }
        let Some((then, was)) = self.then(recorded)? else { return Ok(None) };
        Ok(self.renamed_by_code(recorded, &then, was).or_else(|| self.owner_renamed(&then, recorded, was)))
    }

    /// Finds the function of the same kind and a new name with the most similar code.
    fn renamed_by_code(&self, recorded: &RecordedCode<'_>, then: &Source, was: Lines) -> Option<&'s Symbol> {
        let before = then.solid_lines(was);
        let owners = self.now.owners();
        let score = |n_shared: usize, now: &SolidLines| {
            alikeness(&before, n_shared, now).filter(|_| before.likeness_of(n_shared, now) >= MIN_OWN_SHARE)
        };
        let is_same_kind = |symbol: &Symbol| recorded.kind.is_empty() || symbol.kind.word() == recorded.kind;
        // The old file is parsed only here: most deleted functions have no similar code.
        let is_wanted = |symbol: &Symbol| is_same_kind(symbol) && self.is_new_name(then, &symbol.name);
        let all = self.now.symbols().all();
        if let Ok(found) = owners.most_alike_within(CHEAP_SEARCH, all, &before, score, is_wanted) {
            return found;
        }
        let place = [recorded.file, recorded.kind].map(str::to_owned);
        let key = (recorded.commit, place, owners.common_lines(&before), before.len());
        if let Some(known) = self.renamed.borrow().get(&key) {
            return *known;
        }
        let found = owners.most_alike(all, &before, score, is_wanted);
        self.renamed.borrow_mut().insert(key, found);
        found
    }

    /// Finds the only function with the same last name part if its class or module was renamed, by the words of its
    /// code.
    fn owner_renamed(&self, then: &Source, recorded: &RecordedCode<'_>, was: Lines) -> Option<&'s Symbol> {
        let own = recorded.name.rsplit("::").next().filter(|own| own.len() < recorded.name.len())?;
        let [only] = &*self.named(own) else { return None };
        let is_same = only.own_name() == own
            && only.kind.word() == recorded.kind
            && self.is_new_name(then, &only.name)
            && self.words_shared(then, was, only) >= MIN_WORDS_OF_OWNER;
        is_same.then_some(*only)
    }

    fn is_new_name(&self, then: &Source, name: &str) -> bool {
        self.project.load_symbols(then);
        then.named_exactly(name).is_empty()
    }

    /// Returns the share of common words of the old code and a current symbol, from 0 to 1, relative to the longer one.
    fn words_shared(&self, then: &Source, was: Lines, symbol: &Symbol) -> f64 {
        let is = lines_of(symbol);
        then.word_share(was, self.now, is).min(self.now.word_share(is, then, was))
    }

    fn renamed_by_blame(&self, recorded: &RecordedCode<'_>, was: Lines) -> Option<&'s Symbol> {
        let mut lines: Vec<u32> =
            self.blamed.current_lines_of(recorded).flat_map(|lines| lines.start..=lines.end).collect();
        lines.sort_unstable();
        let is_most = lines.len() * 2 >= (was.end - was.start + 1) as usize;
        let symbol = self.now.symbol_at(*lines.first()?)?;
        // Where a function is not read as one, the namespace around it is the innermost; that is not its new name.
        let is_around =
            matches!(symbol.kind, SymbolKind::Module | SymbolKind::Impl) && symbol.kind.word() != recorded.kind;
        let covered = lines.iter().filter(|line| symbol.lines.contains(**line as usize)).count();
        (is_most && !is_around && covered * 2 >= lines.len()).then_some(symbol)
    }

    /// Locates lines without a name by content, else by blame.
    fn locate_lines(&self, recorded: &RecordedCode<'_>) -> Result<CodePlace<'s>, Error> {
        let Some(was) = recorded.lines else { return Ok(CodePlace::File) };
        let then = self.project.source(&recorded.commit, recorded.file)?;
        if let Some(lines) = then.and_then(|then| find_lines(&then, was, self.code.lines())) {
            return Ok(CodePlace::Lines(lines));
        }
        let left: Vec<Lines> = self.blamed.current_lines_of(recorded).collect();
        let range = (left.iter().map(|lines| lines.start).min(), left.iter().map(|lines| lines.end).max());
        Ok(match range {
            (Some(start), Some(end)) => CodePlace::Lines(Lines { start, end }),
            _ => CodePlace::Lost,
        })
    }

    /// Counts the lines of a range that come from the recorded code.
    fn n_alive(&self, recorded: &RecordedCode<'_>, lines: Lines) -> usize {
        let inside = self.blamed.current_lines_of(recorded).filter(|left| overlap(*left, lines));
        inside.map(|left| (left.end.min(lines.end) + 1 - left.start.max(lines.start)) as usize).sum()
    }

    /// Returns the recorded file at its commit, and the lines of the code in it.
    fn then(&self, recorded: &RecordedCode<'_>) -> Result<Option<(Arc<Source>, Lines)>, Error> {
        recorded_code(self.project, recorded)
    }
}

/// Returns the recorded file at its commit, and the lines of the code in it: from the note, else by name.
pub(super) fn recorded_code(
    project: Annotations<'_>,
    recorded: &RecordedCode<'_>,
) -> Result<Option<(Arc<Source>, Lines)>, Error> {
    let Some(then) = project.source(&recorded.commit, recorded.file)? else { return Ok(None) };
    let lines = recorded.lines.or_else(|| {
        project.load_symbols(&then);
        let wanted = SymbolQuery { name: recorded.name, signature: recorded.signature };
        match then.find(wanted)? {
            Resolution::Found { symbol, .. } => Some(lines_of(symbol)),
            _ => None,
        }
    });
    Ok(lines.map(|lines| (then, lines)))
}

/// Returns the old symbols with the name of the recorded code, including itself.
fn same_named_symbols<'t>(
    then: &'t Source,
    recorded: &RecordedCode<'_>,
    was: Lines,
) -> impl Iterator<Item = &'t Symbol> {
    let own = then.symbol_of(was).map_or(recorded.name, |symbol| &symbol.name);
    then.named_exactly(own).into_iter()
}

/// Finds lines by their text: all of them together, else the lines that occur exactly once.
fn find_lines(then: &Source, was: Lines, now: &LineLookup<'_>) -> Option<Lines> {
    let excerpt: Vec<&str> = then.slice(was).lines().collect();
    let given = model::message::Lines::new(was.start, was.end)?;
    match now.find(&excerpt.join("\n"), given, None) {
        CurrentLocation::Here => return Some(was),
        CurrentLocation::Moved(lines) => return Some(Lines { start: lines.start(), end: lines.end() }),
        CurrentLocation::Changed(_) | CurrentLocation::Gone => {}
    }
    let solid: Vec<&str> = excerpt.iter().map(|line| line.trim()).filter(|line| line.len() > 1).collect();
    let once = solid.iter().filter_map(|line| match now.places(line) {
        [only] => Some(*only),
        _ => None,
    });
    let left: Vec<u32> = once.collect();
    let (start, end) = (*left.iter().min()?, *left.iter().max()?);
    let is_most = left.len() * 2 >= solid.len();
    // Lines scattered over the file are not a location.
    let is_together = (end - start) / 2 <= was.end - was.start;
    (is_most && is_together).then_some(Lines { start, end })
}

fn is_same_text(one: &str, other: &str) -> bool {
    one == other || one.split_whitespace().flat_map(str::chars).eq(other.split_whitespace().flat_map(str::chars))
}

/// Returns the symbol with the highest count; `None` on a tie, or if it is 0.
fn unique_most(mut counted: Vec<(usize, &Symbol)>) -> Option<&Symbol> {
    counted.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    match counted.as_slice() {
        [] | [(0, _), ..] => None,
        [(first, _), (second, _), ..] if first == second => None,
        [(_, symbol), ..] => Some(symbol),
    }
}

/// Returns the most similar symbol; `None` on a tie.
pub(super) fn unique_best(mut alike: Vec<(f64, &Symbol)>) -> Option<&Symbol> {
    alike.sort_by(|a, b| b.0.total_cmp(&a.0));
    match alike.as_slice() {
        [(first, _), (second, _), ..] if first.total_cmp(second).is_eq() => None,
        [(_, symbol), ..] => Some(symbol),
        [] => None,
    }
}
