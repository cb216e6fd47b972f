//! Tags: a name, perhaps with a colour.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A tag. The server keeps names in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag {
    /// Its name.
    pub name: String,
    /// Its colour as `#rrggbb`.
    pub color: Option<String>,
}

impl Tag {
    /// A tag that keeps the colour it has in the project, if it has one.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), color: None }
    }
}

/// The server sends pairs; names alone are read too, as some parts of it send those.
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
