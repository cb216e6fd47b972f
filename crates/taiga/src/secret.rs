//! Tokens and passwords: never printed, wiped from memory when dropped.

use std::fmt;

use serde::{Deserialize, Deserializer};
use zeroize::Zeroizing;

/// A token or a password. `Debug` and `Display` hide it; only [`Secret::expose`] reads it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// Wraps a text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(Zeroizing::new(text.into()))
    }

    /// Returns the text, to store or send it.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Returns whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret(hidden)")
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("[hidden]")
    }
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::new)
    }
}

/// Removes secrets from a foreign text, such as an error that quotes the request.
pub(crate) fn scrub(text: &str, secrets: &[&Secret]) -> String {
    // Replacing a secret of a few letters would garble every text and protect nothing.
    let worth_hiding = secrets.iter().filter(|secret| secret.expose().len() >= 4);
    worth_hiding.fold(text.to_owned(), |text, secret| text.replace(secret.expose(), "[hidden]"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secret_is_never_shown() {
        let secret = Secret::new("eyJ0eXAi");
        assert_eq!(format!("{secret:?} {secret:#?} {secret}"), "Secret(hidden) Secret(hidden) [hidden]");
    }

    #[test]
    fn quoted_secret_is_redacted() {
        let secret = Secret::new("eyJ0eXAi");
        assert_eq!(scrub("bad token eyJ0eXAi, eyJ0eXAi", &[&secret]), "bad token [hidden], [hidden]");
        assert_eq!(scrub("a bad token", &[&Secret::new(""), &Secret::new("a")]), "a bad token");
    }
}
