//! Object ids: SHA-1 or SHA-256, as the repository uses. An id does not imply that the object exists.

use std::fmt;
use std::str::FromStr;

use super::gix;

/// The text or bytes are not an object id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a git object id")]
pub struct BadObjectId {
    text: String,
}

macro_rules! id_type {
    ($(#[$about:meta])* $name:ident) => {
        $(#[$about])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub(super) gix::ObjectId);

        impl $name {
            /// Makes an id from its 20 (SHA-1) or 32 (SHA-256) bytes.
            pub fn from_bytes(bytes: &[u8]) -> Result<Self, BadObjectId> {
                match gix::oid::try_from_bytes(bytes) {
                    Ok(id) => Ok(Self(id.to_owned())),
                    Err(_) => Err(BadObjectId { text: format!("{} bytes", bytes.len()) }),
                }
            }

            /// Returns the 20 or 32 bytes of the id.
            pub fn as_bytes(&self) -> &[u8] {
                self.0.as_slice()
            }
        }

        impl FromStr for $name {
            type Err = BadObjectId;

            fn from_str(text: &str) -> Result<Self, BadObjectId> {
                match gix::ObjectId::from_hex(text.as_bytes()) {
                    Ok(id) => Ok(Self(id)),
                    Err(_) => Err(BadObjectId { text: text.to_owned() }),
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(formatter, "{}", self.0.to_hex())
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(formatter, "{}({})", stringify!($name), self.0.to_hex())
            }
        }
    };
}

id_type! {
    /// The full id of a commit.
    CommitId
}

id_type! {
    /// The id of an object of any kind, as in read errors.
    ObjectId
}

impl From<CommitId> for ObjectId {
    fn from(id: CommitId) -> Self {
        Self(id.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_and_bytes_round_trip_for_both_hashes() {
        for hex in ["4b825dc642cb6eb9a060e54bf8d69288fbee4904".to_owned(), "ab".repeat(32)] {
            let id: CommitId = hex.parse().unwrap();
            assert_eq!(id.to_string(), hex);
            assert_eq!(CommitId::from_bytes(id.as_bytes()).unwrap(), id);
        }
    }

    #[test]
    fn short_or_foreign_text_is_refused() {
        for text in ["", "4b825dc", "refs/heads/main", "zz825dc642cb6eb9a060e54bf8d69288fbee4904"] {
            assert!(text.parse::<CommitId>().is_err(), "{text}");
        }
        assert!(CommitId::from_bytes(&[0; 19]).is_err());
    }
}
