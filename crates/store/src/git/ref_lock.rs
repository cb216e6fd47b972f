//! Git's lock on a loose reference: the file `<ref>.lock`, renamed over the reference to commit.
//!
//! gix has such a lock too, but offers no point at which to sync the file before the rename: a power failure could then
//! leave an empty reference, and nobody could read the project.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::durable::{self, SyncTime};
use super::sharing::Sharing;
use super::waiting::WaitClock;
use super::{CommitId, GitError, MoveError, RefName};

/// Git holds a reference lock for milliseconds; a process that holds it longer than this is stuck or dead.
const REF_LOCK_TIMEOUT: Duration = Duration::from_secs(2);

/// A held lock. Dropping it without [`RefLock::commit`] releases it and changes nothing.
pub(super) struct RefLock {
    file: Option<File>,
    path: PathBuf,
    target: PathBuf,
}

impl RefLock {
    /// Takes the lock; waits for another holder up to [`REF_LOCK_TIMEOUT`].
    pub(super) fn acquire(
        clock: &impl WaitClock,
        common_dir: &Path,
        name: &RefName,
        sharing: Sharing,
    ) -> Result<Self, MoveError> {
        let target = common_dir.join(name.as_str());
        let path = path_of(common_dir, name);
        let directory = target.parent().unwrap_or(common_dir);
        let give_up = clock.now() + REF_LOCK_TIMEOUT;
        // Exponential backoff from 1 to 50 ms: git holds a reference lock for milliseconds.
        let mut pause = Duration::from_millis(1);
        loop {
            match durable::create_directory(directory, sharing) {
                Err(GitError::Io { source, .. })
                    if source.kind() == io::ErrorKind::NotFound && clock.now() < give_up =>
                {
                    continue;
                }
                made => made?,
            }
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(file) => {
                    let lock = Self { file: Some(file), path, target };
                    sharing.apply(&lock.path).map_err(|source| GitError::writing(&lock.path, source))?;
                    return Ok(lock);
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    if clock.now() >= give_up {
                        return Err(MoveError::Locked { path });
                    }
                    clock.sleep(pause);
                    pause = (pause * 2).min(Duration::from_millis(50));
                }
                // `git pack-refs` may have removed the empty directory since we created it.
                Err(error) if error.kind() == io::ErrorKind::NotFound && clock.now() < give_up => {}
                Err(source) => return Err(GitError::writing(&path, source).into()),
            }
        }
    }

    /// Points the reference at `id`, durably, and releases the lock.
    pub(super) fn commit(self, id: &CommitId) -> Result<(), GitError> {
        let directory = self.target.parent().unwrap_or(&self.target).to_owned();
        self.replace(id, SyncTime::Now)?;
        durable::sync_directory(&directory)
    }

    /// Points the reference at `id` and releases the lock. The write-ahead log or the shared database has the move.
    pub(super) fn commit_unsynced(self, id: &CommitId) -> Result<(), GitError> {
        self.replace(id, SyncTime::Later)
    }

    fn replace(mut self, id: &CommitId, sync: SyncTime) -> Result<(), GitError> {
        let failed = |source| GitError::writing(&self.path, source);
        let file = self.file.take();
        if let Some(mut file) = file {
            writeln!(file, "{id}").map_err(failed)?;
            if sync == SyncTime::Now {
                file.sync_all().map_err(failed)?;
            }
        }
        // References that were packed or deleted may have left an empty directory of the same name.
        let _ = fs::remove_dir(&self.target);
        fs::rename(&self.path, &self.target).map_err(failed)?;
        // The lock file is the reference now, so `drop` must not remove it.
        self.path = PathBuf::new();
        Ok(())
    }
}

impl Drop for RefLock {
    fn drop(&mut self) {
        self.file = None;
        if !self.path.as_os_str().is_empty() {
            // A failure is ignored: the next writer reports the file if it persists.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Returns the lock file of a reference.
pub(super) fn path_of(common_dir: &Path, name: &RefName) -> PathBuf {
    common_dir.join(format!("{name}.lock"))
}

#[cfg(test)]
mod tests {
    use super::super::waiting::TestClock;
    use super::*;

    fn acquire(clock: &impl WaitClock, folder: &Path) -> Result<RefLock, MoveError> {
        RefLock::acquire(clock, folder, &RefName::WORK, Sharing::Umask)
    }

    #[test]
    fn a_lock_that_stays_is_named_after_the_timeout() {
        let folder = tempfile::TempDir::new().expect("a temporary directory");
        let held = acquire(&TestClock::new(|_| {}), folder.path()).expect("nobody holds it");
        let clock = TestClock::new(|_| {});
        let error = acquire(&clock, folder.path()).err().expect("it is held");
        assert!(matches!(&error, MoveError::Locked { path } if *path == held.path), "{error}");
        assert!(clock.slept() >= REF_LOCK_TIMEOUT && clock.slept() < REF_LOCK_TIMEOUT * 2, "{:?}", clock.slept());
        assert!(held.path.exists(), "a lock of someone else is never removed here");
    }

    #[test]
    fn a_released_lock_is_taken_soon() {
        let folder = tempfile::TempDir::new().expect("a temporary directory");
        let held = std::cell::Cell::new(acquire(&TestClock::new(|_| {}), folder.path()).ok());
        let release_at = Duration::from_millis(200);
        let clock = TestClock::new(|slept| {
            if slept >= release_at {
                held.take();
            }
        });
        assert!(acquire(&clock, folder.path()).is_ok());
        assert!(clock.slept() < release_at + Duration::from_millis(100), "{:?}", clock.slept());
    }
}
