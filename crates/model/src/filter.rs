//! The filter language, which selects items.
//!
//! Two surface forms, infix and s-expressions, give one typed [`Expr`] with one meaning, which [`Expr::matches`]
//! evaluates and other crates may compile. Pure: no I/O and no clock, and no input can make it panic or overflow the
//! stack.

use jiff::Timestamp;

mod compare;
mod cursor;
mod display;
mod error;
mod evaluate;
mod expr;
mod field;
mod infix;
mod literal;
mod lower;
mod prefix;
mod text;
mod token;

#[cfg(test)]
mod tests;

pub use compare::{contains_folded, person_is, reference_is, title_is};
pub use error::FilterError;
pub use evaluate::{Facts, ReferenceFacts};
pub use expr::{Comparison, Expr, MatchTest, OptionalField, Order, TextTest};
pub use field::{DateField, Field, FlagField, InstantField, NumberField, PersonField, ReferenceField, TextField};

/// Maximum length of a filter, in bytes.
pub const MAX_LENGTH: usize = 16 * 1024;

/// A filter that has been read and checked.
///
/// ```
/// # fn main() -> Result<(), model::filter::FilterError> {
/// use model::filter::{Field, Filter};
///
/// let now = jiff::Timestamp::UNIX_EPOCH;
/// let infix = Filter::parse("status == open and labels ~ bug", now)?;
/// let prefix = Filter::parse("(and (= status open) (contains labels bug))", now)?;
/// assert_eq!(infix, prefix);
/// assert!(infix.names(Field::Status));
/// assert_eq!(infix.expr().to_string(), r#"status == "open" and labels ~ "bug""#);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    expr: Expr,
}

/// Whether words without a field and an operator are accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BareWords {
    /// An item must contain each of them in its title, description, comments or labels.
    #[default]
    Search,
    /// They are an error, as in the filter language of `git-mile`.
    Refuse,
}

impl Filter {
    /// Parses a filter in either form; relative dates count from `now`.
    ///
    /// An empty or blank filter matches everything.
    pub fn parse(source: &str, now: Timestamp) -> Result<Self, FilterError> {
        Self::parse_with(source, now, BareWords::Search)
    }

    /// Parses a filter as [`Filter::parse`], with or without bare words.
    pub fn parse_with(source: &str, now: Timestamp, bare_words: BareWords) -> Result<Self, FilterError> {
        if source.len() > MAX_LENGTH {
            let start = source.floor_char_boundary(MAX_LENGTH);
            let what = format!("filter is longer than {MAX_LENGTH} bytes");
            return Err(FilterError::new(source, start..source.len(), &what, ""));
        }
        let tokens = token::tokenize(source)?;
        let mut cursor = cursor::Cursor::new(source, now, &tokens, bare_words);
        let expr = if *cursor.peek() == token::Kind::End {
            Expr::True
        } else if prefix::is_prefix_form(&tokens) {
            prefix::parse(&mut cursor)?
        } else {
            infix::parse(&mut cursor)?
        };
        Ok(Self { expr })
    }

    /// Returns whether an item matches the filter.
    pub fn matches(&self, facts: &Facts<'_>) -> bool {
        self.expr.matches(facts)
    }

    /// Returns the parsed expression.
    pub fn expr(&self) -> &Expr {
        &self.expr
    }

    /// Returns whether the filter mentions a field.
    pub fn names(&self, field: Field) -> bool {
        self.expr.names(field)
    }
}
