//! A tri-state for nullable fields: keep, clear or set.

use serde::{Serialize, Serializer};

/// A change to a nullable field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Change<T> {
    /// Unchanged; the field is not sent.
    #[default]
    Keep,
    /// Set to null.
    Clear,
    /// Set to a value.
    Set(T),
}

impl<T> Change<T> {
    /// Returns whether the field is unchanged.
    pub fn is_keep(&self) -> bool {
        matches!(self, Self::Keep)
    }
}

impl<T> From<Option<T>> for Change<T> {
    /// Maps `None` to [`Change::Clear`].
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
