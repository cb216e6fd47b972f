//! A cursor over the tokens of a filter, with the helpers and errors of both parsers.

use std::ops::Range;

use jiff::Timestamp;

use super::BareWords;
use super::error::{FilterError, quote};
use super::field::Field;
use super::token::{Kind, Token};

/// Maximum nesting of groups and `not`.
///
/// The parsers and the evaluator recurse: this prevents a stack overflow on a hostile filter.
pub(super) const MAX_DEPTH: usize = 64;

/// A value as written.
#[derive(Clone, Debug)]
pub(super) struct Literal {
    pub(super) text: String,
    /// A bare word may be a keyword (`none`); a quoted text never is.
    pub(super) is_bare: bool,
    pub(super) span: Range<usize>,
}

/// The tokens of a filter and the position.
pub(super) struct Cursor<'s> {
    pub(super) source: &'s str,
    pub(super) now: Timestamp,
    tokens: &'s [Token],
    at: usize,
    depth: usize,
    bare_words: BareWords,
}

impl<'s> Cursor<'s> {
    /// Starts at the first token.
    pub(super) fn new(source: &'s str, now: Timestamp, tokens: &'s [Token], bare_words: BareWords) -> Self {
        Self { source, now, tokens, at: 0, depth: 0, bare_words }
    }

    /// Consumes a word to search for: one that no operator follows, and that is neither a keyword nor a field.
    pub(super) fn search_word(&mut self) -> Option<&'s str> {
        let word = match self.peek() {
            _ if self.bare_words == BareWords::Refuse || self.is_operator_next() => return None,
            Kind::Text(text) => text,
            Kind::Word(word) if !is_reserved(word) => word,
            _ => return None,
        };
        self.advance();
        Some(word)
    }

    fn is_operator_next(&self) -> bool {
        let next = self.tokens.get(self.at + 1).map_or(&Kind::End, |token| &token.kind);
        matches!(next, Kind::Relation(_)) || ["in", "contains"].iter().any(|word| is_keyword(next, word))
    }

    /// Returns the next token without consuming it.
    pub(super) fn peek(&self) -> &'s Kind {
        self.tokens.get(self.at).map_or(&Kind::End, |token| &token.kind)
    }

    /// Returns the byte range of the next token.
    pub(super) fn span(&self) -> Range<usize> {
        let end = self.source.len()..self.source.len();
        self.tokens.get(self.at).map_or(end, |token| token.span.clone())
    }

    /// Consumes the next token; at the end it stays there.
    pub(super) fn advance(&mut self) {
        self.at += 1;
    }

    /// Consumes the next token if it is this one.
    pub(super) fn take(&mut self, kind: &Kind) -> bool {
        let is_next = self.peek() == kind;
        if is_next {
            self.advance();
        }
        is_next
    }

    /// Consumes this token or fails with what was expected.
    pub(super) fn require(&mut self, kind: &Kind, name: &str) -> Result<(), FilterError> {
        if self.take(kind) { Ok(()) } else { Err(self.expected(name)) }
    }

    /// Returns whether the next token is this keyword.
    pub(super) fn at_keyword(&self, keyword: &str) -> bool {
        is_keyword(self.peek(), keyword)
    }

    /// Returns whether the next token is a connective, as a symbol or as a word.
    pub(super) fn at_connective(&self, symbol: &Kind, keyword: &str) -> bool {
        self.peek() == symbol || self.at_keyword(keyword)
    }

    /// Makes the error that something else was expected here.
    pub(super) fn expected(&self, what: &str) -> FilterError {
        FilterError::expected(self.source, self.span(), what)
    }

    /// Runs `read` one level deeper, or fails if that is too deep.
    pub(super) fn nested<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, FilterError>,
    ) -> Result<T, FilterError> {
        if self.depth == MAX_DEPTH {
            let what = format!("filter is nested more than {MAX_DEPTH} deep");
            return Err(FilterError::new(self.source, self.span(), &what, ""));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Consumes a field name.
    pub(super) fn field(&mut self) -> Result<Field, FilterError> {
        let Kind::Word(name) = self.peek() else {
            let error = self.expected("a field");
            return Err(match self.peek() {
                Kind::Text(_) => error.with_hint("field names are written without quotes"),
                _ => error,
            });
        };
        let field = Field::try_find(name).ok_or_else(|| self.unknown_field(name))?;
        self.advance();
        Ok(field)
    }

    /// Consumes a value: a bare word or a quoted text.
    pub(super) fn literal(&mut self) -> Result<Literal, FilterError> {
        let (text, is_bare) = match self.peek() {
            Kind::Word(word) => (word, true),
            Kind::Text(text) => (text, false),
            _ => return Err(self.expected("a value")),
        };
        let literal = Literal { text: text.clone(), is_bare, span: self.span() };
        self.advance();
        Ok(literal)
    }

    fn unknown_field(&self, name: &str) -> FilterError {
        // `status:open` is the syntax of several trackers.
        let colon = name.split_once(':').filter(|(field, _)| Field::try_find(field).is_some());
        let nearest = match colon {
            Some((field, _)) => Some(field),
            None => Field::nearest(name),
        };
        let rest = nearest.map_or_else(|| "expected a field".to_owned(), |near| format!("did you mean `{near}`?"));
        let error = FilterError::new(self.source, self.span(), &format!("unknown field {}", quote(name)), &rest);
        match colon {
            Some((field, value)) => error.with_hint(format!("write {}", quote(&format!("{field} == {value}")))),
            None => error.with_hint(format!("fields are {}", known_fields())),
        }
    }
}

/// Returns whether a token is this keyword, ignoring case.
pub(super) fn is_keyword(kind: &Kind, keyword: &str) -> bool {
    matches!(kind, Kind::Word(word) if word.eq_ignore_ascii_case(keyword))
}

/// A bare field is a comparison that someone has not finished; `status:open` is one in another syntax.
fn is_reserved(word: &str) -> bool {
    let name = word.split_once(':').map_or(word, |(name, _)| name);
    let is_keyword = ["and", "or", "not", "true"].iter().any(|keyword| word.eq_ignore_ascii_case(keyword));
    is_keyword || Field::try_find(name).is_some()
}

fn known_fields() -> String {
    Field::all().map(Field::name).collect::<Vec<_>>().join(", ")
}
