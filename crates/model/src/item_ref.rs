//! A reference to an item in a request, parsed once where the request is decoded, and resolved later.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use crate::id::EntityId;
use crate::number::{ItemNumber, NumberSpace};

/// Minimum length of an id prefix.
const MIN_PREFIX: usize = 4;

/// Returns whether a text can be an id prefix.
pub fn is_id_prefix(text: &str) -> bool {
    text.len() >= MIN_PREFIX && text.chars().all(|c| c.is_ascii_hexdigit() || c == '-')
}

/// A reference to an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ItemRef {
    /// A full id.
    Id(EntityId),
    /// A number. Without a space it belongs to the space that the request implies: `5` where a milestone is expected is
    /// `milestone/5`.
    Number {
        /// The given space.
        space: Option<NumberSpace>,
        /// The number.
        number: u64,
    },
    /// A text that needs the project to resolve: an id prefix, the name in another tracker, a title.
    Text(String),
}

impl ItemRef {
    /// Parses a reference. Every text is valid; whether an item has it is decided when it is resolved.
    pub fn parse(text: &str) -> Self {
        let text = text.trim();
        if let Ok(id) = text.parse() {
            return Self::Id(id);
        }
        // `0190` is an id prefix rather than the number 190.
        let number = ItemNumber::parse(text, NumberSpace::Work).filter(|_| !text.starts_with('0'));
        match number {
            Some(ItemNumber { space, number }) => Self::Number { space: text.contains('/').then_some(space), number },
            None => Self::Text(text.to_owned()),
        }
    }

    /// Returns the number, in the space `implied` if none was given.
    pub fn number_in(&self, implied: NumberSpace) -> Option<ItemNumber> {
        match self {
            Self::Id(_) => None,
            Self::Number { space, number } => Some(ItemNumber { space: space.unwrap_or(implied), number: *number }),
            Self::Text(text) => ItemNumber::parse(text, implied),
        }
    }
}

impl fmt::Display for ItemRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Id(id) => write!(f, "{id}"),
            Self::Number { space: Some(space), number } => write!(f, "{}/{number}", space.word()),
            Self::Number { space: None, number } => write!(f, "{number}"),
            Self::Text(text) => f.write_str(text),
        }
    }
}

impl FromStr for ItemRef {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self::parse(text))
    }
}

impl From<&str> for ItemRef {
    fn from(text: &str) -> Self {
        Self::parse(text)
    }
}

impl From<EntityId> for ItemRef {
    fn from(id: EntityId) -> Self {
        Self::Id(id)
    }
}

impl From<ItemNumber> for ItemRef {
    fn from(number: ItemNumber) -> Self {
        Self::Number { space: Some(number.space), number: number.number }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &ItemRef) {
        assert_eq!(ItemRef::parse(text), *expected, "{text}");
        assert_eq!(ItemRef::parse(&expected.to_string()), *expected, "{text} written and read again");
    }

    #[test]
    fn names_are_parsed_as_people_write_them() {
        let id = "01890a5d-ac96-774b-bcce-b302099a8057";
        check(id, &ItemRef::Id(id.parse().unwrap()));
        check("5", &ItemRef::Number { space: None, number: 5 });
        check(" #5 ", &ItemRef::Number { space: None, number: 5 });
        check("board/5", &ItemRef::Number { space: Some(NumberSpace::Board), number: 5 });
        check("item/5", &ItemRef::Number { space: Some(NumberSpace::Work), number: 5 });
        for text in ["0190", "0190abcd", "TG-27", "Release 1.0", "", "-1"] {
            check(text, &ItemRef::Text(text.to_owned()));
        }
    }

    #[test]
    fn bare_number_counts_in_the_implied_space() {
        let number = |text: &str| ItemRef::parse(text).number_in(NumberSpace::Milestone);
        assert_eq!(number("5"), Some(ItemNumber { space: NumberSpace::Milestone, number: 5 }));
        assert_eq!(number("board/5"), Some(ItemNumber { space: NumberSpace::Board, number: 5 }));
        assert_eq!(number("007"), Some(ItemNumber { space: NumberSpace::Milestone, number: 7 }));
        assert_eq!(number("TG-27"), None);
    }
}
