//! Tokens and passwords: never printed, wiped from memory when dropped.

use std::fmt;

use serde::{Deserialize, Deserializer};
use zeroize::Zeroizing;

/// A token or a password. `Debug` and `Display` hide it; [`Secret::expose`] is the one way to read it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// Takes a text as a secret.
    pub fn new(text: impl Into<String>) -> Self {
        Self(Zeroizing::new(text.into()))
    }

    /// Returns the text, for whoever stores or sends it.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Tells whether there is nothing in it.
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

/// Takes secrets out of a text that came from somewhere else, such as an error that quotes what was sent.
pub(crate) fn scrub(text: &str, secrets: &[&Secret]) -> String {
    // A secret of a few letters would hide half of every text, and protects nothing.
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
    fn quoted_secret_is_taken_out() {
        let secret = Secret::new("eyJ0eXAi");
        assert_eq!(scrub("bad token eyJ0eXAi, eyJ0eXAi", &[&secret]), "bad token [hidden], [hidden]");
        assert_eq!(scrub("a bad token", &[&Secret::new(""), &Secret::new("a")]), "a bad token");
    }
}
