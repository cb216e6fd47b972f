//! Serialization of the model's enums by name; the model itself knows no serialization.

use std::fmt::Display;

use serde::Serializer;

/// Serializes a value as its name.
pub fn name<T: Display, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

/// Serializes a value as its name, or `null`.
#[expect(clippy::ref_option, reason = "serde passes a reference to the field")]
pub(super) fn name_or_null<T: Display, S: Serializer>(value: &Option<T>, serializer: S) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) => serializer.collect_str(value),
        None => serializer.serialize_none(),
    }
}

/// Serializes a value as its name, or an empty text.
#[expect(clippy::ref_option, reason = "serde passes a reference to the field")]
pub(super) fn name_or_empty<T: Display, S: Serializer>(value: &Option<T>, serializer: S) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) => serializer.collect_str(value),
        None => serializer.serialize_str(""),
    }
}

/// Implements `Display` for enums of the views: the name that they have in JSON.
#[macro_export]
macro_rules! display_as_json {
    ($($type:ident),+) => {
        $(impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                // A formatter is a serializer of unit variants: it writes their renamed names.
                serde::Serialize::serialize(self, f)
            }
        })+
    };
}
