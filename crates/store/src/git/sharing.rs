//! File modes in a repository with several writing accounts (`core.sharedRepository`).
//!
//! Without this, a directory created by one member of the group would be read-only for the others.

use std::fs;
use std::io;
use std::path::Path;

/// Permissions of new files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sharing {
    /// The process's umask decides.
    Umask,
    /// At least these permission bits.
    AtLeast(u32),
    /// Exactly these permission bits.
    Exactly(u32),
}

impl Sharing {
    /// Parses the value of `core.sharedRepository` as git does.
    pub(super) fn parse(value: Option<&str>) -> Self {
        let Some(value) = value else {
            return Self::Umask;
        };
        match value.to_ascii_lowercase().as_str() {
            "" | "umask" | "false" | "no" | "off" | "0" => Self::Umask,
            "group" | "true" | "yes" | "on" | "1" => Self::AtLeast(0o660),
            "all" | "world" | "everybody" | "2" => Self::AtLeast(0o664),
            octal => match u32::from_str_radix(octal, 8) {
                // Git refuses modes that deny the owner reading or writing.
                Ok(mode) if mode & 0o600 == 0o600 => Self::Exactly(mode & 0o666),
                _ => Self::Umask,
            },
        }
    }

    /// Applies the mode to a file or directory that was just created.
    #[cfg(unix)]
    pub(super) fn apply(self, path: &Path) -> io::Result<()> {
        use std::os::unix::fs::PermissionsExt;

        if self == Self::Umask {
            return Ok(());
        }
        let metadata = fs::metadata(path)?;
        let old = metadata.permissions().mode();
        let new = self.mode(old, metadata.is_dir());
        if new == old {
            return Ok(());
        }
        fs::set_permissions(path, fs::Permissions::from_mode(new))
    }

    #[cfg(not(unix))]
    pub(super) fn apply(self, _path: &Path) -> io::Result<()> {
        Ok(())
    }

    /// Follows git's `calc_shared_perm`: a read-only file stays read-only, and an executable one is executable for all
    /// who may read it.
    #[cfg_attr(not(unix), expect(dead_code, reason = "modes exist on Unix only"))]
    fn mode(self, old: u32, is_directory: bool) -> u32 {
        let (keep, mut bits) = match self {
            Self::Umask => return old,
            Self::AtLeast(bits) => (old, bits),
            Self::Exactly(bits) => (old & !0o777, bits),
        };
        if old & 0o200 == 0 {
            bits &= !0o222;
        }
        if old & 0o100 != 0 {
            bits |= (bits & 0o444) >> 2;
        }
        // Setgid: new entries of a shared directory belong to its group.
        let set_group = if is_directory { 0o2000 } else { 0 };
        keep | bits | set_group
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_are_those_git_gives() {
        let group = Sharing::parse(Some("group"));
        assert_eq!(group.mode(0o444, false), 0o444);
        assert_eq!(group.mode(0o400, false), 0o440);
        assert_eq!(group.mode(0o755, true), 0o2775);
        assert_eq!(Sharing::parse(Some("all")).mode(0o700, true), 0o2775);
        assert_eq!(Sharing::parse(Some("0640")).mode(0o644, false), 0o640);
        assert_eq!(Sharing::parse(Some("0640")).mode(0o755, true), 0o2750);
    }

    #[test]
    fn unknown_values_change_nothing() {
        for value in [None, Some("umask"), Some("0"), Some("0040"), Some("whatever")] {
            assert_eq!(Sharing::parse(value), Sharing::Umask, "{value:?}");
        }
    }
}
