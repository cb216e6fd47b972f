//! A place in the tokens of a filter, with what both parsers need to move on and to complain.

use std::ops::Range;

use jiff::Timestamp;

use super::error::{FilterError, quote};
use super::field::Field;
use super::token::{Kind, Token};

/// How deep groups and `not` may be nested.
///
/// The parsers and the evaluator recurse: this keeps a hostile filter from using up the stack.
pub(super) const MAX_DEPTH: usize = 64;

/// A value as it was written.
#[derive(Clone, Debug)]
pub(super) struct Literal {
    pub(super) text: String,
    /// A bare word may have a meaning of its own (`none`); a text in quotes is always itself.
    pub(super) is_bare: bool,
    pub(super) span: Range<usize>,
}

/// The tokens of a filter and how far they have been read.
pub(super) struct Cursor<'s> {
    pub(super) source: &'s str,
    pub(super) now: Timestamp,
    tokens: &'s [Token],
    at: usize,
    depth: usize,
}

impl<'s> Cursor<'s> {
    /// Starts at the first token.
    pub(super) fn new(source: &'s str, now: Timestamp, tokens: &'s [Token]) -> Self {
        Self { source, now, tokens, at: 0, depth: 0 }
    }

    /// Returns the next token without taking it.
    pub(super) fn peek(&self) -> &'s Kind {
        self.tokens.get(self.at).map_or(&Kind::End, |token| &token.kind)
    }

    /// Returns the bytes of the next token.
    pub(super) fn span(&self) -> Range<usize> {
        let end = self.source.len()..self.source.len();
        self.tokens.get(self.at).map_or(end, |token| token.span.clone())
    }

    /// Takes the next token; at the end it stays there.
    pub(super) fn advance(&mut self) {
        self.at += 1;
    }

    /// Takes the next token if it is this one.
    pub(super) fn take(&mut self, kind: &Kind) -> bool {
        let is_next = self.peek() == kind;
        if is_next {
            self.advance();
        }
        is_next
    }

    /// Takes this token or fails, naming what was expected.
    pub(super) fn require(&mut self, kind: &Kind, name: &str) -> Result<(), FilterError> {
        if self.take(kind) { Ok(()) } else { Err(self.expected(name)) }
    }

    /// Says whether the next token is this keyword.
    pub(super) fn at_keyword(&self, keyword: &str) -> bool {
        is_keyword(self.peek(), keyword)
    }

    /// Says whether the next token is a connective, as a symbol or as a word.
    pub(super) fn at_connective(&self, symbol: &Kind, keyword: &str) -> bool {
        self.peek() == symbol || self.at_keyword(keyword)
    }

    /// Makes the error that something else was expected where we are.
    pub(super) fn expected(&self, what: &str) -> FilterError {
        FilterError::expected(self.source, self.span(), what)
    }

    /// Runs `read` one level deeper, or fails when that is too deep.
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

    /// Takes a field name.
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

    /// Takes a value: a bare word or a text in quotes.
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
        // `status:open` is how several trackers write it.
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

/// Says whether a token is this keyword, in any case.
pub(super) fn is_keyword(kind: &Kind, keyword: &str) -> bool {
    matches!(kind, Kind::Word(word) if word.eq_ignore_ascii_case(keyword))
}

fn known_fields() -> String {
    Field::all().map(Field::name).collect::<Vec<_>>().join(", ")
}
