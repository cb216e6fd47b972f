//! Enums whose values have one name each: the same in the log, in JSON and for people.

/// Implements `ALL`, `name`, `from_name` and `Display` for an enum.
macro_rules! names {
    ($type:ident: $($variant:ident = $name:literal),+ $(,)?) => {
        impl $type {
            /// All values, in order.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$variant),+];

            /// Returns the name.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name),+
                }
            }

            /// Returns the value with exactly this name.
            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}

/// Implements `FromStr` for an enum with names: exactly one of them, and what it is called in errors.
macro_rules! parse_name {
    ($type:ident, $what:literal) => {
        impl std::str::FromStr for $type {
            type Err = $crate::value_error::ValueError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Self::from_name(text).ok_or_else(|| $crate::names::unknown($what, text, Self::ALL.map(Self::name)))
            }
        }
    };
}

pub(crate) use {names, parse_name};

use crate::value_error::ValueError;

/// Returns the error for a text that is none of the names.
pub(crate) fn unknown<const N: usize>(what: &'static str, text: &str, names: [&str; N]) -> ValueError {
    ValueError::UnknownName { what, text: text.to_owned(), expected: names.join(", ") }
}
