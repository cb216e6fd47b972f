//! How a caller names an item, before it is looked up: parsed once, where the request comes in.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use crate::id::EntityId;
use crate::number::{ItemNumber, NumberSpace};

/// The shortest prefix of an id that names an item.
const MIN_PREFIX: usize = 4;

/// Tells whether a text can be the beginning of an id.
pub fn is_id_prefix(text: &str) -> bool {
    text.len() >= MIN_PREFIX && text.chars().all(|c| c.is_ascii_hexdigit() || c == '-')
}

/// The name of an item in a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ItemRef {
    /// A whole id.
    Id(EntityId),
    /// A number. Without a space it counts in the space that the request implies: `5` where a milestone is wanted is
    /// `milestone/5`.
    Number {
        /// The space that the caller wrote.
        space: Option<NumberSpace>,
        /// The number.
        number: u64,
    },
    /// What only the project can tell: the beginning of an id, the name that another tracker gives the item, a title.
    Text(String),
}

impl ItemRef {
    /// Parses what a person or a program wrote. Every text is a name; whether an item has it shows when it is looked up.
    pub fn parse(text: &str) -> Self {
        let text = text.trim();
        if let Ok(id) = text.parse() {
            return Self::Id(id);
        }
        // `0190` is the beginning of an id rather than the number 190.
        let number = ItemNumber::parse(text, NumberSpace::Work).filter(|_| !text.starts_with('0'));
        match number {
            Some(ItemNumber { space, number }) => Self::Number { space: text.contains('/').then_some(space), number },
            None => Self::Text(text.to_owned()),
        }
    }

    /// Returns the number it means where numbers of `implied` are meant by default.
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
