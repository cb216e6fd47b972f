//! Ids: never reused, never rewritten. The caller generates them; only well-known entities have an id that is derived
//! from a name ([`EntityId::shared`]).

use std::fmt;
use std::str::FromStr;

use uuid::Uuid;

/// The id of an item, a member or a workflow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntityId(Uuid);

/// The id of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OpId(Uuid);

/// Text that is not a UUID.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a UUID")]
pub struct BadId(String);

/// The namespace of ids that all clones derive identically, such as that of the workflow of a kind.
const SHARED: Uuid = Uuid::from_u128(0x6361_6972_6e00_5000_8000_7374_6f6e_6573);

impl EntityId {
    /// Wraps a UUID made by the caller, who owns the clock and the randomness.
    pub fn new(uuid: Uuid) -> Self {
        Self(uuid)
    }

    /// Returns the id of a well-known entity, the same in every clone, so that two clones never create it twice.
    pub fn shared(name: &str) -> Self {
        Self(Uuid::new_v5(&SHARED, name.as_bytes()))
    }

    /// Returns the 16 bytes of the id.
    pub fn as_bytes(&self) -> &[u8; 16] {
        self.0.as_bytes()
    }

    /// Makes an id from its 16 bytes.
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(Uuid::from_bytes(bytes))
    }
}

impl OpId {
    /// Wraps a UUID made by the caller.
    pub fn new(uuid: Uuid) -> Self {
        Self(uuid)
    }

    /// Returns the Unix time in seconds at which the id was made; `None` for ids without a time.
    ///
    /// For an imported operation this is when it was written here; its own time is the source's.
    pub fn made_at(&self) -> Option<i64> {
        let (seconds, _) = self.0.get_timestamp()?.to_unix();
        i64::try_from(seconds).ok().filter(|_| self.0.get_version_num() == 7)
    }

    /// Returns the id of an operation that is derived from the log, the same in every clone.
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
