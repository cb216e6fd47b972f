//! What someone who comes through a front door may do.

use std::fmt;
use std::str::FromStr;

/// What someone may do; each may do what those before it may.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Look.
    Reader,
    /// Change items.
    Writer,
    /// Change who belongs to the project and how it works.
    Admin,
}

impl Role {
    /// Every role.
    pub const ALL: [Self; 3] = [Self::Reader, Self::Writer, Self::Admin];

    /// Returns the name people write.
    pub fn name(self) -> &'static str {
        match self {
            Self::Reader => "reader",
            Self::Writer => "writer",
            Self::Admin => "admin",
        }
    }

    /// Tells whether items may be changed.
    pub fn may_write(self) -> bool {
        self >= Self::Writer
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Role {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|role| role.name() == text);
        found.ok_or_else(|| format!("unknown role `{text}` (expected: reader, writer, admin)"))
    }
}
