//! Parses text to a syntax tree, with limits on size and time.

use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use tree_sitter::{ParseOptions, Parser, Range, Tree};

use crate::grammar::Grammar;
use crate::{Language, ParseRefusal};

/// Maximum size of a text, in bytes. Larger files are generated, and nobody anchors to them.
pub const MAX_BYTES: usize = 4 << 20;

/// Time limit: a base, and more per byte. Code takes half a microsecond per byte. Text that is not code of its language
/// may take a thousand times as long, because each step then examines everything that is still open.
const MIN_TIME: Duration = Duration::from_secs(1);
const TIME_PER_BYTE: Duration = Duration::from_micros(2);
/// Maximum time that one step counts for. The parser reports after every hundred steps, so a longer pause is mostly
/// scheduling: the symbols of a file must not depend on the load of the machine.
const MAX_STEP: Duration = Duration::from_millis(5);
/// The wall-clock limit, as a multiple of the time limit.
const MAX_WAIT: u32 = 5;

thread_local! {
    // A parser keeps its buffers, which makes the next text cheaper.
    static PARSER: RefCell<Parser> = RefCell::new(Parser::new());
}

pub(crate) fn parse(language: Language, grammar: &Grammar, text: &str) -> Result<Tree, ParseRefusal> {
    if text.len() > MAX_BYTES {
        return Err(ParseRefusal::TooLarge { bytes: text.len() });
    }
    let per_byte = TIME_PER_BYTE * u32::try_from(text.len()).unwrap_or(u32::MAX);
    let text = &*scannable(grammar, text);
    PARSER.with_borrow_mut(|parser| {
        let unusable = |_| ParseRefusal::NotBuiltIn { language };
        parser.set_language(&grammar.language).map_err(unusable)?;
        parse_within(parser, text, MIN_TIME + per_byte).ok_or(ParseRefusal::TooMuchWork)
    })
}

/// Parses a part of a text as a whole file; positions are those in the full text.
pub(crate) fn parse_part(grammar: &Grammar, text: &str, part: Range) -> Option<Tree> {
    let text = &*scannable(grammar, text);
    PARSER.with_borrow_mut(|parser| {
        parser.set_language(&grammar.language).ok()?;
        parser.set_included_ranges(&[part]).ok()?;
        let tree = parse_within(parser, text, MIN_TIME);
        parser.set_included_ranges(&[]).ok()?;
        tree
    })
}

/// Returns a text that the grammar's scanner can read, with every byte in its place. The Bash scanner passes code
/// points to `isdigit` and similar functions, which read outside of their table above 255: `{` before an emoji can
/// crash the process. Each byte of such a character is replaced by a letter; names are taken from the original text.
fn scannable<'a>(grammar: &Grammar, text: &'a str) -> Cow<'a, str> {
    if text.is_ascii() || grammar.language.name() != Some("bash") {
        return Cow::Borrowed(text);
    }
    let ascii = text.bytes().map(|byte| if byte.is_ascii() { char::from(byte) } else { 'x' });
    Cow::Owned(ascii.collect())
}

/// A time limit and the time spent.
struct Budget {
    limit: Duration,
    spent: Duration,
    began: Instant,
    last: Instant,
}

impl Budget {
    fn new(limit: Duration, now: Instant) -> Self {
        Self { limit, spent: Duration::ZERO, began: now, last: now }
    }

    /// Counts the time until now; returns whether any is left.
    fn spend(&mut self, now: Instant) -> bool {
        self.spent += now.duration_since(self.last).min(MAX_STEP);
        self.last = now;
        self.spent < self.limit && now.duration_since(self.began) < self.limit * MAX_WAIT
    }
}

fn parse_within(parser: &mut Parser, text: &str, limit: Duration) -> Option<Tree> {
    let mut budget = Budget::new(limit, Instant::now());
    let mut progress =
        |_: &_| if budget.spend(Instant::now()) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let mut read = |byte: usize, _| text.as_bytes().get(byte..).unwrap_or_default();
    let tree = parser.parse_with_options(&mut read, None, Some(options));
    if tree.is_none() {
        // Otherwise the parser would treat the next text as the rest of this one.
        parser.reset();
    }
    tree
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parser_recovers_after_a_timeout() {
        let grammar = Language::named("rust").unwrap().grammar().unwrap();
        let mut parser = Parser::new();
        parser.set_language(&grammar.language).unwrap();
        let long = "fn a() {}\n".repeat(1_000);
        assert!(parse_within(&mut parser, &long, Duration::ZERO).is_none());
        let tree = parse_within(&mut parser, "fn b() {}", MIN_TIME).unwrap();
        assert_eq!(tree.root_node().to_sexp().matches("function_item").count(), 1);
    }

    #[test]
    fn bash_scanner_gets_no_character_beyond_ascii() {
        let language = Language::all().find(|language| language.name() == "bash").unwrap();
        let text = "größe() { echo {\u{cdd99},b}; }\n";
        assert_eq!(*scannable(language.grammar().unwrap(), text), *"grxxxxe() { echo {xxxx,b}; }\n");
        let found = crate::symbols(language, text).unwrap();
        let names: Vec<&str> = found.all().iter().map(crate::Symbol::own_name).collect();
        assert_eq!(names, ["größe"]);
    }

    #[test]
    fn turns_of_other_processes_hardly_count() {
        let began = Instant::now();
        let second = Duration::from_secs(1);
        let mut budget = Budget::new(second, began);
        assert!(budget.spend(began + second * 4), "a long silence does not count as work");
        assert!(!budget.spend(began + second * 5), "but it ends");
        let mut busy = Budget::new(second, began);
        let step = |n: u32| began + Duration::from_millis(4) * n;
        assert!((1..250).all(|n| busy.spend(step(n))) && !busy.spend(step(250)));
    }
}
