//! Whether an item is blocked: a flag and a note on the wire, one enum here, since Taiga drops a note without the flag.

use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};

/// Whether an item is blocked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Blocked {
    /// Not blocked; clears the reason.
    No,
    /// Blocked.
    Yes {
        /// The reason; may be empty.
        reason: String,
    },
}

impl Serialize for Blocked {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (is_blocked, note) = match self {
            Self::No => (false, ""),
            Self::Yes { reason } => (true, reason.as_str()),
        };
        let mut fields = serializer.serialize_struct("Blocked", 2)?;
        fields.serialize_field("is_blocked", &is_blocked)?;
        fields.serialize_field("blocked_note", note)?;
        fields.end()
    }
}
