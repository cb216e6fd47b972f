//! Text to syntax tree, within limits of size and time.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use tree_sitter::{ParseOptions, Parser, Range, Tree};

use crate::grammar::Grammar;
use crate::{Language, Refused};

/// The longest text that is read, in bytes. Longer ones are made by machines, and nobody anchors to them.
pub const MAX_BYTES: usize = 4 << 20;

/// How long reading may take, and how much longer for each byte. Code takes half a microsecond a byte; what is no code of its
/// language may take a thousand times as much, since each step then looks at everything that is still open.
const MIN_TIME: Duration = Duration::from_secs(1);
const TIME_PER_BYTE: Duration = Duration::from_micros(2);

thread_local! {
    // A parser keeps its buffers, so the next text is cheaper.
    static PARSER: RefCell<Parser> = RefCell::new(Parser::new());
}

pub(crate) fn parse(language: Language, grammar: &Grammar, text: &str) -> Result<Tree, Refused> {
    if text.len() > MAX_BYTES {
        return Err(Refused::TooLarge { bytes: text.len() });
    }
    let per_byte = TIME_PER_BYTE * u32::try_from(text.len()).unwrap_or(u32::MAX);
    PARSER.with_borrow_mut(|parser| {
        let unusable = |_| Refused::NotBuiltIn { language };
        parser.set_language(&grammar.language).map_err(unusable)?;
        parse_until(parser, text, Instant::now() + MIN_TIME + per_byte).ok_or(Refused::TooMuchWork)
    })
}

/// Parses a part of a text as if it were all; places in it are those in the text.
pub(crate) fn parse_part(grammar: &Grammar, text: &str, part: Range) -> Option<Tree> {
    PARSER.with_borrow_mut(|parser| {
        parser.set_language(&grammar.language).ok()?;
        parser.set_included_ranges(&[part]).ok()?;
        let tree = parse_until(parser, text, Instant::now() + MIN_TIME);
        parser.set_included_ranges(&[]).ok()?;
        tree
    })
}

fn parse_until(parser: &mut Parser, text: &str, deadline: Instant) -> Option<Tree> {
    let mut progress =
        |_: &_| if Instant::now() < deadline { ControlFlow::Continue(()) } else { ControlFlow::Break(()) };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let mut read = |byte: usize, _| text.as_bytes().get(byte..).unwrap_or_default();
    let tree = parser.parse_with_options(&mut read, None, Some(options));
    if tree.is_none() {
        // Otherwise the next text would be taken for the rest of this one.
        parser.reset();
    }
    tree
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parser_that_ran_out_of_time_reads_the_next_text_anew() {
        let grammar = Language::named("rust").unwrap().grammar().unwrap();
        let mut parser = Parser::new();
        parser.set_language(&grammar.language).unwrap();
        let long = "fn a() {}\n".repeat(1_000);
        assert!(parse_until(&mut parser, &long, Instant::now()).is_none());
        let tree = parse_until(&mut parser, "fn b() {}", Instant::now() + MIN_TIME).unwrap();
        assert_eq!(tree.root_node().to_sexp().matches("function_item").count(), 1);
    }
}
