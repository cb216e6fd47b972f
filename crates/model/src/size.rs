//! The size of an item.

use crate::names::{names, parse_name, unknown};
use crate::value_error::ValueError;

/// How big an item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Size {
    Small,
    Medium,
    Large,
    Xlarge,
}

names!(Size: Small = "small", Medium = "medium", Large = "large", Xlarge = "xlarge");
parse_name!(Size, "size");

impl Size {
    /// Parses a size as people type it: `large`, `L`.
    pub fn parse(text: &str) -> Result<Self, ValueError> {
        let short = |size: &Self| if *size == Self::Xlarge { "xl" } else { &size.name()[..1] };
        let typed = text.trim().to_lowercase();
        let found = Self::ALL.into_iter().find(|size| size.name() == typed || short(size) == typed);
        found.ok_or_else(|| unknown("size", text, Self::ALL.map(Self::name)))
    }
}
