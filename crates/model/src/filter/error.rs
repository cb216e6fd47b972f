//! Parse errors of filters: what was expected, where, and what to write instead.
//!
//! User text is never quoted raw: control characters, and those that reorder or hide text in a terminal, are escaped.

use std::ops::Range;

/// Maximum length of quoted user text, in characters.
const MAX_QUOTE: usize = 40;

/// Characters of a long line that are shown on each side of the error.
const WINDOW: usize = 60;

/// A parse error of a filter.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct FilterError {
    /// What is wrong, including the column.
    pub message: String,
    /// Column, counted in characters from the start of the filter; the first is 1.
    pub column: usize,
    /// Byte range of the error in the source; empty at the end of the filter.
    pub span: Range<usize>,
    /// What to write instead, if known.
    pub hint: Option<String>,
}

impl FilterError {
    /// Makes "`what` at column N, `rest`".
    pub(super) fn new(source: &str, span: Range<usize>, what: &str, rest: &str) -> Self {
        let column = source[..span.start].chars().count() + 1;
        let separator = if rest.is_empty() { "" } else { ", " };
        Self { message: format!("{what} at column {column}{separator}{rest}"), column, span, hint: None }
    }

    /// Makes "expected `what` at column N, found …" from what the source has there.
    pub(super) fn expected(source: &str, span: Range<usize>, what: &str) -> Self {
        let found = match &source[span.clone()] {
            "" => "found end of filter".to_owned(),
            text => format!("found {}", quote(text)),
        };
        Self::new(source, span, &format!("expected {what}"), &found)
    }

    /// Adds what to write instead.
    pub(super) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Renders the line of `source` with the error, and a marker below it.
    ///
    /// `source` must be the text that was parsed. Of a long line only the part near the error is shown.
    pub fn pointer(&self, source: &str) -> String {
        let start = source.floor_char_boundary(self.span.start);
        let end = source.floor_char_boundary(self.span.end).max(start);
        let line_start = source[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = source[start..].find('\n').map_or(source.len(), |at| start + at);
        let end = end.min(line_end).max(start);

        let before = last_characters(&source[line_start..start], WINDOW);
        let marked = first_characters(&source[start..end], WINDOW);
        let after = first_characters(&source[end..line_end], WINDOW);
        let ellipsis = if line_start + before.len() < start { "…" } else { "" };
        let before = format!("{ellipsis}{}", visible(before));
        let marked = visible(marked);
        let after = visible(after);

        let indent = " ".repeat(before.chars().count());
        let tail = "~".repeat(marked.chars().count().saturating_sub(1));
        format!("{before}{marked}{after}\n{indent}^{tail}")
    }
}

/// Quotes user text in backticks, escaped and shortened.
pub(super) fn quote(text: &str) -> String {
    let short = first_characters(text, MAX_QUOTE);
    let ellipsis = if short.len() < text.len() { "…" } else { "" };
    format!("`{}{ellipsis}`", visible(short))
}

/// Escapes characters that a terminal would interpret, hide or reorder.
fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if is_hidden(character) {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown
}

/// Returns whether a character is invisible: control characters, bidirectional controls and zero-width characters.
pub(super) fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{AD}'
                | '\u{61C}'
                | '\u{200B}'..='\u{200F}'
                | '\u{2028}'..='\u{202E}'
                | '\u{2060}'..='\u{206F}'
                | '\u{FEFF}'
        )
}

fn first_characters(text: &str, count: usize) -> &str {
    let end = text.char_indices().nth(count).map_or(text.len(), |(at, _)| at);
    &text[..end]
}

fn last_characters(text: &str, count: usize) -> &str {
    let start = text.char_indices().rev().take(count).last().map_or(text.len(), |(at, _)| at);
    &text[start..]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, span: Range<usize>, expected: &str) {
        let error = FilterError::expected(source, span, "a value");
        assert_eq!(error.pointer(source), expected);
    }

    #[test]
    fn pointer_marks_the_whole_mistake() {
        check("a == bcd e", 5..8, "a == bcd e\n     ^~~");
        check("a ==", 4..4, "a ==\n    ^");
        check("", 0..0, "\n^");
    }

    #[test]
    fn pointer_shows_only_the_line_of_the_mistake() {
        check("one\ntwo three\nfour", 8..13, "two three\n    ^~~~~");
        check("one\ntwo", 2..5, "one\n  ^");
    }

    #[test]
    fn pointer_escapes_control_characters() {
        check("a\t\u{1b}[31m x", 8..9, "a\\t\\u{1b}[31m x\n              ^");
        check("é \u{202e}x", 3..6, "é \\u{202e}x\n  ^~~~~~~~");
    }

    #[test]
    fn pointer_cuts_a_long_line() {
        let source = "x".repeat(500);
        let shown = FilterError::expected(&source, 250..251, "a value").pointer(&source);
        assert_eq!(shown.lines().next().map(|line| line.chars().count()), Some(1 + 60 + 1 + 60));
        assert_eq!(shown.lines().nth(1).map(str::len), Some(1 + 60 + 1));
    }

    #[test]
    fn pointer_survives_another_source() {
        let error = FilterError::expected("a == bcd", 5..8, "a value");
        assert_eq!(error.pointer("é"), "é\n ^");
    }

    #[test]
    fn quoted_text_in_an_error_is_cut() {
        let source = "y".repeat(300);
        let error = FilterError::expected(&source, 0..300, "a value");
        assert_eq!(error.to_string(), format!("expected a value at column 1, found `{}…`", "y".repeat(40)));
    }
}
