//! The start of the system: what was written without a sync before it may be lost, what was written since is not.

use std::fs;
use std::sync::OnceLock;

/// Length of the id, a UUID as text.
pub(super) const LENGTH: usize = 36;

/// Identifies one start of the system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BootId(pub(super) [u8; LENGTH]);

impl BootId {
    /// Returns the id of the running system; `None` if it has none.
    pub(super) fn of_this_system() -> Option<Self> {
        static ID: OnceLock<Option<BootId>> = OnceLock::new();

        *ID.get_or_init(|| {
            let text = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
            Some(Self(text.trim_end().as_bytes().try_into().ok()?))
        })
    }
}
