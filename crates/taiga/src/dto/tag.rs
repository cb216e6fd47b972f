//! Tags: a name with an optional color.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A tag. The server stores names in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag {
    /// In lower case on the server.
    pub name: String,
    /// Color as `#rrggbb`.
    pub color: Option<String>,
}

impl Tag {
    /// A tag that keeps its color in the project, if it has one.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), color: None }
    }
}

/// The server sends pairs; some endpoints send names only.
#[derive(Deserialize)]
#[serde(untagged)]
enum Wire {
    Pair(String, Option<String>),
    Name(String),
}

impl<'de> Deserialize<'de> for Tag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match Wire::deserialize(deserializer)? {
            Wire::Pair(name, color) => Self { name, color },
            Wire::Name(name) => Self { name, color: None },
        })
    }
}

impl Serialize for Tag {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.color {
            Some(color) => (&self.name, color).serialize(serializer),
            None => self.name.serialize(serializer),
        }
    }
}
