//! Secrets and their hashes.
//!
//! A secret is shown once, to its owner. Nothing else may print it: `Debug` hides it, and only its hash is stored and
//! compared.

use std::fmt;

use app::Error;
use model::hex;
use sha2::{Digest, Sha256};
use subtle::{Choice, ConstantTimeEq};

/// Prefix of generated tokens, by which people and secret scanners recognize a leaked one.
const PREFIX: &str = "cairn_";

/// Minimum length of a chosen secret: random letters and digits of this length cannot be guessed over the network.
const MIN_LENGTH: usize = 16;

/// Maximum length of a chosen secret.
const MAX_LENGTH: usize = 1024;

/// A bearer token.
#[derive(Clone, PartialEq, Eq)]
pub struct TokenSecret(String);

impl TokenSecret {
    /// Generates a secret of 256 random bits.
    pub fn random() -> Result<Self, Error> {
        let mut bits = [0; 32];
        let filled = getrandom::fill(&mut bits);
        filled.map_err(|error| Error::unavailable(format!("the system has no random numbers: {error}")))?;
        Ok(Self(format!("{PREFIX}{}", hex::encode(&bits))))
    }

    /// Checks a secret that a person chose; it must be valid in a header.
    pub fn chosen(text: &str) -> Result<Self, Error> {
        let text = text.trim();
        let is_sendable = text.bytes().all(|byte| byte.is_ascii_graphic());
        if !(MIN_LENGTH..=MAX_LENGTH).contains(&text.len()) || !is_sendable {
            let rule = format!("a token is {MIN_LENGTH} to {MAX_LENGTH} visible ASCII characters without spaces");
            return Err(Error::invalid(rule).hint("`cairn token create NAME` makes one that nobody can guess"));
        }
        Ok(Self(text.to_owned()))
    }

    /// Returns the text, for the one place that shows it to its owner.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    pub(crate) fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(&self.0)
    }
}

impl fmt::Debug for TokenSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// The SHA-256 of a secret.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fingerprint([u8; 32]);

impl Fingerprint {
    pub(crate) fn of(secret: &str) -> Self {
        Self(Sha256::digest(secret.as_bytes()).into())
    }

    /// Compares in constant time.
    pub(crate) fn matches(&self, other: &Self) -> Choice {
        self.0.ct_eq(&other.0)
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    pub(crate) fn to_hex(self) -> String {
        hex::encode(&self.0)
    }

    pub(crate) fn from_hex(text: &str) -> Option<Self> {
        hex::decode(text)?.try_into().ok().map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_secrets_differ_and_are_recognized() {
        let (one, other) =
            (TokenSecret::random().expect("random numbers"), TokenSecret::random().expect("random numbers"));
        assert_ne!(one, other);
        assert!(one.reveal().starts_with("cairn_") && one.reveal().len() == 6 + 64, "{}", one.reveal());
    }

    #[test]
    fn secret_is_not_shown_by_accident() {
        let secret = TokenSecret::chosen("hush-hush-hush-hush").expect("a secret");
        assert!(!format!("{secret:?}").contains("hush"));
    }

    #[test]
    fn fingerprint_survives_being_written() {
        let print = Fingerprint::of("hush");
        let read = Fingerprint::from_hex(&print.to_hex()).expect("hex");
        assert!(bool::from(print.matches(&read)));
        assert!(!bool::from(print.matches(&Fingerprint::of("hussh"))));
        for text in ["", "zz", "0", "é", &"0".repeat(66)] {
            assert!(Fingerprint::from_hex(text).is_none(), "{text}");
        }
    }

    #[test]
    fn secrets_of_other_characters_or_lengths_are_refused() {
        for text in ["", "  ", "two words of a token", "ünlaut in a long token", "line\nbreak in a token"] {
            assert!(TokenSecret::chosen(text).is_err(), "{text}");
        }
        for length in [1, MIN_LENGTH - 1, MAX_LENGTH + 1] {
            assert!(TokenSecret::chosen(&"x".repeat(length)).is_err(), "{length}");
        }
        assert!(TokenSecret::chosen(&"x".repeat(MIN_LENGTH)).is_ok());
        assert_eq!(TokenSecret::chosen(" your-secret-token\n").expect("a secret").reveal(), "your-secret-token");
    }
}
