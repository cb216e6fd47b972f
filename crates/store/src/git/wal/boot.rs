//! The start of the system: what was written without a sync before it may be lost, what was written since is not.

use std::sync::OnceLock;
use std::{fmt, fs};

/// Length of the id, a UUID as text.
pub(super) const LENGTH: usize = 36;

/// Identifies one start of the system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::git) struct BootId(pub(super) [u8; LENGTH]);

impl BootId {
    /// Returns the id of the running system; `None` if it has none.
    pub(in crate::git) fn of_this_system() -> Option<Self> {
        static ID: OnceLock<Option<BootId>> = OnceLock::new();

        *ID.get_or_init(|| {
            let text = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
            Self::parse(text.trim_end())
        })
    }

    /// Reads an id; `None` if it is not one.
    pub(in crate::git) fn parse(text: &str) -> Option<Self> {
        Some(Self(text.as_bytes().try_into().ok()?))
    }
}

impl fmt::Display for BootId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&String::from_utf8_lossy(&self.0))
    }
}
