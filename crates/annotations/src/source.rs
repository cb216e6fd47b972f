//! One file at one commit: its text, symbols and tokens, each computed on first use.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use anchors::{Language, LineIndex, LineRange, NameIndex, Resolution, SpanIndex, Symbol, SymbolQuery, Symbols, Token};
use app::Error;
use model::annotation::Lines;
use store::git::{CommitId, ObjectId, TreePath};
use store::index::OutlineKey;

use super::line_owners::LineOwners;
use super::lines_of;
use super::paths::PathObject;
use super::solid_lines::{SolidLines, line_hash};
use crate::Annotations;
use crate::cache::cache;

/// Minimum size of a file whose symbols the index caches. A query may need a thousand small files: parsing one of 4 KiB
/// takes about a millisecond, and reading its symbols from the index much less.
const MIN_CACHED_BYTES: usize = 2 * 1024;

/// One file at a commit.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) text: String,
    /// The key of its symbols in the index.
    blob: Option<ObjectId>,
    language: Option<Language>,
    symbols: OnceLock<Symbols>,
    names: OnceLock<NameIndex>,
    by_line: OnceLock<LineIndex>,
    /// The first symbol with exactly these lines, by index.
    by_lines: OnceLock<HashMap<Lines, usize>>,
    spans: OnceLock<SpanIndex>,
    owners: OnceLock<LineOwners>,
    tokens: OnceLock<Option<Vec<Token>>>,
    /// The offset of each line.
    starts: OnceLock<Vec<usize>>,
}

impl Source {
    pub(super) fn new(path: &str, text: String) -> Self {
        Self {
            language: Language::detect(path, &text),
            text,
            blob: None,
            symbols: OnceLock::new(),
            names: OnceLock::new(),
            by_line: OnceLock::new(),
            by_lines: OnceLock::new(),
            spans: OnceLock::new(),
            owners: OnceLock::new(),
            tokens: OnceLock::new(),
            starts: OnceLock::new(),
        }
    }

    /// Returns its symbols; empty if its language is not supported. `Annotations::load_symbols` may have cached them.
    pub(super) fn symbols(&self) -> &Symbols {
        self.symbols.get_or_init(|| self.parse().unwrap_or_default())
    }

    fn parse(&self) -> Option<Symbols> {
        anchors::symbols(self.language?, &self.text).ok()
    }

    /// Returns the key of its symbols in the index; `None` if they are known already or not worth caching.
    fn outline_key(&self) -> Option<OutlineKey<'static>> {
        let is_wanted = self.text.len() >= MIN_CACHED_BYTES && self.symbols.get().is_none();
        let language = self.language.filter(|_| is_wanted)?;
        Some(OutlineKey { blob: self.blob?, language: language.name(), version: language.symbols_version() })
    }

    /// Returns the symbols with exactly this name, in text order.
    pub(super) fn named_exactly(&self, name: &str) -> Vec<&Symbol> {
        self.exactly(name).collect()
    }

    /// Returns the same one by one.
    pub(super) fn exactly<'s>(&'s self, name: &str) -> impl Iterator<Item = &'s Symbol> {
        self.names().exactly(self.symbols(), name).filter(move |symbol| symbol.name == name)
    }

    /// Finds a symbol by name; similar names do not count.
    pub(super) fn find(&self, wanted: SymbolQuery<'_>) -> Option<Resolution<'_>> {
        self.names().find(self.symbols(), wanted)
    }

    /// Resolves a name; a similar one counts if there is no equal one, as long as comparisons are left: a missing name is
    /// compared with every symbol.
    pub(super) fn resolve(&self, wanted: SymbolQuery<'_>, n_comparisons: &mut usize) -> Resolution<'_> {
        if let Some(found) = self.find(wanted) {
            return found;
        }
        let Some(left) = n_comparisons.checked_sub(self.symbols().all().len()) else {
            return Resolution::Lost { nearest: Vec::new() };
        };
        *n_comparisons = left;
        self.names().resolve(self.symbols(), wanted)
    }

    /// Returns the symbols that have a line in a range, in text order.
    pub(super) fn overlapping(&self, lines: Lines) -> Vec<&Symbol> {
        let index = self.spans.get_or_init(|| SpanIndex::new(self.symbols()));
        index.overlapping(self.symbols(), LineRange { start: lines.start as usize, end: lines.end as usize })
    }

    /// Returns the symbols by their lines.
    pub(super) fn owners(&self) -> &LineOwners {
        let solid = |symbol: &Symbol| self.solid_lines(lines_of(symbol));
        self.owners.get_or_init(|| LineOwners::new(self.symbols().all().iter().map(solid).collect()))
    }

    /// Returns the innermost symbol that contains this line.
    pub(super) fn symbol_at(&self, line: u32) -> Option<&Symbol> {
        let index = self.by_line.get_or_init(|| LineIndex::new(self.symbols()));
        index.at(self.symbols(), line as usize)
    }

    /// Returns the first symbol with exactly these lines.
    pub(super) fn symbol_of(&self, lines: Lines) -> Option<&Symbol> {
        let all = self.symbols().all();
        let index = self.by_lines.get_or_init(|| {
            let mut first = HashMap::new();
            for (place, symbol) in all.iter().enumerate() {
                first.entry(lines_of(symbol)).or_insert(place);
            }
            first
        });
        index.get(&lines).map(|place| &all[*place])
    }

    fn names(&self) -> &NameIndex {
        self.names.get_or_init(|| NameIndex::new(self.symbols()))
    }

    pub(super) fn n_lines(&self) -> u32 {
        let starts = self.starts();
        let has_last = starts.last().is_some_and(|start| *start < self.text.len());
        u32::try_from(starts.len() - usize::from(!has_last)).unwrap_or(u32::MAX)
    }

    fn starts(&self) -> &[usize] {
        self.starts.get_or_init(|| {
            let ends = self.text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
            std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect()
        })
    }

    /// Returns the text of lines without the last line end; shorter if there are fewer lines.
    pub(super) fn slice(&self, lines: Lines) -> &str {
        let starts = self.starts();
        let start = starts.get(lines.start.saturating_sub(1) as usize).copied().unwrap_or(self.text.len());
        let end = starts.get(lines.end as usize).copied().unwrap_or(self.text.len());
        self.text.get(start..end.max(start)).unwrap_or_default().trim_end_matches(['\n', '\r'])
    }

    /// Returns whether lines of two files are the same code, ignoring layout.
    pub(super) fn is_same_code(&self, lines: Lines, other: &Self, other_lines: Lines) -> bool {
        let (one, two) = (self.slice(lines), other.slice(other_lines));
        if one == two {
            return true;
        }
        // Tells most changes without parsing both files.
        if !significant(one).eq(significant(two)) {
            return false;
        }
        match (self.tokens(), other.tokens()) {
            (Some(ours), Some(theirs)) => within(ours, lines).eq(within(theirs, other_lines)),
            _ => one.split_whitespace().flat_map(str::chars).eq(two.split_whitespace().flat_map(str::chars)),
        }
    }

    /// Returns the non-trivial lines.
    pub(super) fn solid_lines(&self, lines: Lines) -> SolidLines {
        SolidLines::new(self.slice(lines).lines().map(line_hash))
    }

    /// Returns whether other code has any of the non-trivial lines.
    pub(super) fn shares_line(&self, lines: Lines, other: &SolidLines) -> bool {
        self.slice(lines).lines().filter_map(line_hash).any(|line| other.has(line))
    }

    /// Returns the share of words that also occur in the other lines, from 0 to 1.
    pub(super) fn word_share(&self, lines: Lines, other: &Self, other_lines: Lines) -> f64 {
        let mut left: HashMap<&str, usize> = HashMap::new();
        for word in words(other.slice(other_lines)) {
            *left.entry(word).or_default() += 1;
        }
        let (mut n_words, mut n_shared) = (0_u32, 0_u32);
        for word in words(self.slice(lines)) {
            n_words += 1;
            if let Some(n) = left.get_mut(word).filter(|n| **n > 0) {
                *n -= 1;
                n_shared += 1;
            }
        }
        f64::from(n_shared) / f64::from(n_words.max(1))
    }

    /// Counts the words of lines.
    pub(super) fn n_words(&self, lines: Lines) -> usize {
        words(self.slice(lines)).count()
    }

    fn tokens(&self) -> Option<&[Token]> {
        let read = || anchors::tokens(self.language?, &self.text).ok();
        self.tokens.get_or_init(read).as_deref()
    }
}

/// Returns the characters that no formatter changes: code with equal tokens has the same ones. Formatters change white
/// space, commas, quotes and the marks of comments.
fn significant(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|c| !c.is_whitespace() && !matches!(c, ',' | '\'' | '"' | '/' | '*' | '#' | '!'))
}

/// Returns the words of a text without single letters, which carry no information.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| word.len() > 1)
}

fn within(tokens: &[Token], lines: Lines) -> impl Iterator<Item = u64> {
    let (first, last) = (lines.start as usize, lines.end as usize);
    let from = tokens.partition_point(|token| token.line < first);
    tokens[from..].iter().take_while(move |token| token.line <= last).map(|token| token.hash)
}

impl Annotations<'_> {
    /// Returns a file at a commit; `None` if the commit does not have it.
    pub(super) fn source(&self, commit: &CommitId, file: &str) -> Result<Option<Arc<Source>>, Error> {
        let key = (*commit, file.to_owned());
        if let Some(known) = cache().sources.get(&key) {
            return Ok(known);
        }
        let found = match TreePath::from_bytes(file.as_bytes()) {
            Ok(path) => self.look_at(commit, &path)?,
            Err(_) => None,
        };
        let source = match found {
            Some(PathObject::File(blob, text)) => {
                Some(Arc::new(Source { blob: Some(blob), ..Source::new(file, text) }))
            }
            Some(PathObject::Folder) | None => None,
        };
        cache().keep_source(key, source.clone());
        Ok(source)
    }

    /// Reads the symbols of a large file from the index, or caches them there. Without this call they are parsed when
    /// they are needed, which gives the same result.
    pub(super) fn load_symbols(&self, source: &Source) {
        let Some(key) = source.outline_key() else { return };
        // The cache is only an optimization: if it cannot be read or written, the file is parsed.
        let known = self.index().known_outline(&key).ok().flatten();
        let symbols = known.and_then(|bytes| Symbols::from_bytes(&bytes)).or_else(|| {
            let symbols = source.parse()?;
            let _ = self.index().keep_outline(&key, &symbols.to_bytes());
            Some(symbols)
        });
        let _ = source.symbols.set(symbols.unwrap_or_default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Annotated as _;

    #[test]
    fn slices_are_whole_lines() {
        let source = Source::new("a.txt", "one\ntwo\r\n\nfour".to_owned());
        let slice = |start, end| source.slice(Lines { start, end });
        assert_eq!(
            (slice(1, 1), slice(2, 2), slice(2, 3), slice(4, 9), slice(8, 9)),
            ("one", "two", "two", "four", "")
        );
    }

    #[test]
    fn last_line_may_lack_its_end() {
        let n_lines = |text: &str| Source::new("a.txt", text.to_owned()).n_lines();
        for text in ["", "\n", "a", "a\n", "a\r\nb", "a\n\n", "a\n\nb\r"] {
            assert_eq!(n_lines(text) as usize, text.lines().count(), "{text:?}");
        }
    }

    #[test]
    fn similar_names_are_searched_for_until_the_comparisons_are_used_up() {
        let source = Source::new("a.rs", "fn connect() {}\nfn receive() {}\nfn publish() {}\n".to_owned());
        let mut n_comparisons = 7;
        let mut resolved = |name: &str| match source.resolve(name.into(), &mut n_comparisons) {
            Resolution::Found { symbol, .. } => symbol.name.clone(),
            Resolution::Lost { nearest } => nearest.len().to_string(),
            Resolution::Ambiguous { .. } => unreachable!("no name is twice in the file"),
        };
        assert_eq!(["conect", "missing", "recieve", "receive"].map(&mut resolved), ["connect", "3", "0", "receive"]);
        assert_eq!(n_comparisons, 1, "an equal name needs none");
    }

    #[test]
    fn code_without_a_grammar_is_compared_without_white_space() {
        let (one, two) = (Source::new("a.txt", "a  b\nc".to_owned()), Source::new("a.txt", "x\na\nb c".to_owned()));
        assert!(one.is_same_code(Lines { start: 1, end: 2 }, &two, Lines { start: 2, end: 3 }));
        assert!(!one.is_same_code(Lines { start: 1, end: 1 }, &two, Lines { start: 2, end: 3 }));
    }

    #[test]
    fn formatted_code_has_the_same_significant_characters() {
        let same = |one: &str, two: &str| significant(one).eq(significant(two));
        assert!(same("f(a, 'b') // one two", "f(\n    a,\n    \"b\",\n)\n// one\n// two"));
        assert!(!same("a + b", "a - b") && !same("a[0]", "a(0)"));
    }

    #[test]
    fn symbols_of_a_large_file_are_read_from_the_index() {
        let fixture = testkit::TestRepository::in_memory(testkit::Layout::PLAIN);
        let project = app::Project::open(fixture.path(), app::Env::default(), Arc::new(|_| ())).unwrap();
        let blob = Some("7".repeat(40).parse::<ObjectId>().unwrap());
        let names = |path: &str, text: String| {
            let source = Source { blob, ..Source::new(path, text) };
            project.annotations().load_symbols(&source);
            source.symbols().all().iter().map(|symbol| symbol.name.clone()).collect::<Vec<_>>()
        };
        let padded = |text: &str| format!("{text}\n// {}\n", "long ".repeat(MIN_CACHED_BYTES / 4));
        assert_eq!(names("a.rs", padded("fn first() {}")), ["first"]);
        // Another text under the same blob cannot be; it shows where the symbols come from.
        assert_eq!(names("a.rs", padded("fn second() {}")), ["first"]);
        assert_eq!(names("a.py", padded("def third(): pass").replace("//", "#")), ["third"], "of another language");
        assert_eq!(names("a.rs", "fn fourth() {}".to_owned()), ["fourth"], "too small to be cached");
    }
}
