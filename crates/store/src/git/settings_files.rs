//! Detects changes of the configuration files by their metadata, which costs a hundredth of reading them.

use std::env;
use std::fs::{self, Metadata};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use gix::config::Source;

use super::Repository;
use super::gix;

/// Coarsest resolution of file times. A file that changed less than this before it was examined may change again
/// without a visible difference.
const TIME_RESOLUTION: Duration = Duration::from_secs(2);

/// Metadata of the files, including absent ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileVersions(Vec<Option<FileVersion>>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FileVersion {
    file: u64,
    length: u64,
    changed: SystemTime,
}

impl FileVersions {
    /// Returns whether any later change would be visible.
    pub(super) fn are_settled(&self, at: SystemTime) -> bool {
        let is_settled = |look: &FileVersion| at.duration_since(look.changed).is_ok_and(|age| age > TIME_RESOLUTION);
        self.0.iter().flatten().all(is_settled)
    }
}

impl Repository {
    /// Examines all files that settings are read from, except included ones.
    pub(super) fn settings_versions(&self) -> FileVersions {
        let everyones = [Source::System, Source::Git, Source::User];
        let everyones =
            everyones.into_iter().filter_map(|source| source.storage_location(&mut |name| env::var_os(name)));
        let own: [PathBuf; 2] = [self.common_dir().join("config"), self.git_dir().join("config.worktree")];
        FileVersions(
            everyones.chain(own).map(|path| fs::metadata(path).ok().map(|metadata| version_of(&metadata))).collect(),
        )
    }
}

#[cfg(unix)]
fn version_of(metadata: &Metadata) -> FileVersion {
    use std::os::unix::fs::MetadataExt;

    // ctime, because unlike mtime it cannot be set by a program that copies a file.
    let seconds = Duration::from_secs(metadata.ctime().max(0).cast_unsigned());
    let rest = Duration::from_nanos(metadata.ctime_nsec().max(0).cast_unsigned());
    FileVersion { file: metadata.ino(), length: metadata.len(), changed: SystemTime::UNIX_EPOCH + seconds + rest }
}

#[cfg(not(unix))]
fn version_of(metadata: &Metadata) -> FileVersion {
    // A file without a time is never settled.
    let changed = metadata.modified().unwrap_or_else(|_| SystemTime::now());
    FileVersion { file: 0, length: metadata.len(), changed }
}

#[cfg(test)]
mod tests {
    use std::fs::OpenOptions;
    use std::io::Write;

    use testkit::TestRepository;

    use super::*;

    #[test]
    fn a_change_to_any_file_shows() {
        let fixture = TestRepository::new();
        let repository = Repository::discover(fixture.path()).unwrap();
        let first = repository.settings_versions();
        assert_eq!(first, repository.settings_versions());
        fixture.git(&["config", "user.name", "Grace"]);
        let second = repository.settings_versions();
        assert_ne!(first, second);
        fs::write(fixture.git_dir().join("config.worktree"), "").unwrap();
        let third = repository.settings_versions();
        assert_ne!(second, third);
        let file = OpenOptions::new().append(true).open(fixture.git_dir().join("config"));
        file.unwrap().write_all(b"[user]\n").unwrap();
        assert_ne!(third, repository.settings_versions());
    }

    #[test]
    fn recently_changed_settings_are_not_cached() {
        let fixture = TestRepository::new();
        fixture.git(&["config", "user.name", "Grace"]);
        let looks = Repository::discover(fixture.path()).unwrap().settings_versions();
        let now = SystemTime::now();
        assert!(!looks.are_settled(now));
        assert!(!looks.are_settled(now - Duration::from_hours(1)), "a clock that was set back");
        assert!(looks.are_settled(now + 2 * TIME_RESOLUTION));
    }
}
