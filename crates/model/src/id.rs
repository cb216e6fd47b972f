//! Names for life: never reused, never rewritten. An id is only ever parsed or given, not computed from content.

use std::fmt;
use std::str::FromStr;

use uuid::Uuid;

/// The name of an item, a member or a workflow for as long as the project lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntityId(Uuid);

/// The name of one operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OpId(Uuid);

/// Text that should have been a UUID.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a UUID")]
pub struct BadId(String);

/// The namespace of ids that every clone must derive alike, such as the one workflow of a kind.
const SHARED: Uuid = Uuid::from_u128(0x6361_6972_6e00_5000_8000_7374_6f6e_6573);

impl EntityId {
    /// Wraps a UUID made by the caller, who owns the clock and the randomness.
    pub fn new(uuid: Uuid) -> Self {
        Self(uuid)
    }

    /// Returns the id that every clone gives to the same well-known thing, so that two clones never make it twice.
    pub fn shared(name: &str) -> Self {
        Self(Uuid::new_v5(&SHARED, name.as_bytes()))
    }

    /// Returns the 16 bytes of the id.
    pub fn as_bytes(&self) -> &[u8; 16] {
        self.0.as_bytes()
    }

    /// Reads an id from its 16 bytes.
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(Uuid::from_bytes(bytes))
    }
}

impl OpId {
    /// Wraps a UUID made by the caller.
    pub fn new(uuid: Uuid) -> Self {
        Self(uuid)
    }

    /// Returns the id that every clone gives to an operation that follows from the log itself.
    pub fn shared(name: &str) -> Self {
        Self(Uuid::new_v5(&SHARED, name.as_bytes()))
    }

    /// Returns the 16 bytes of the id.
    pub fn as_bytes(&self) -> &[u8; 16] {
        self.0.as_bytes()
    }
}

impl fmt::Display for EntityId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.hyphenated().fmt(f)
    }
}

impl fmt::Display for OpId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.hyphenated().fmt(f)
    }
}

impl FromStr for EntityId {
    type Err = BadId;

    fn from_str(text: &str) -> Result<Self, BadId> {
        parse(text).map(Self)
    }
}

impl FromStr for OpId {
    type Err = BadId;

    fn from_str(text: &str) -> Result<Self, BadId> {
        parse(text).map(Self)
    }
}

pub(crate) fn parse(text: &str) -> Result<Uuid, BadId> {
    Uuid::try_parse(text).map_err(|_| BadId(text.chars().take(64).collect()))
}
