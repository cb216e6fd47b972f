//! A field that can be left alone, emptied or set.

use serde::{Serialize, Serializer};

/// What happens to a field that may be empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Change<T> {
    /// Nothing; the field is not sent.
    #[default]
    Keep,
    /// It is emptied.
    Clear,
    /// It gets a value.
    Set(T),
}

impl<T> Change<T> {
    /// Tells whether nothing happens.
    pub fn is_keep(&self) -> bool {
        matches!(self, Self::Keep)
    }
}

impl<T> From<Option<T>> for Change<T> {
    /// Reads "no value" as "empty it".
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Clear, Self::Set)
    }
}

impl<T: Serialize> Serialize for Change<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Set(value) => serializer.serialize_some(value),
            Self::Keep | Self::Clear => serializer.serialize_none(),
        }
    }
}
