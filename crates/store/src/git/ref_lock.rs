//! Git's lock on a loose reference: the file `<ref>.lock`, renamed over the reference to commit.
//!
//! gix has such a lock too, but offers no point at which to sync the file before the rename: a power failure could then
//! leave an empty reference, and nobody could read the project.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use super::sharing::Sharing;
use super::{CommitId, GitError, MoveError, RefName, durable};

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
    pub(super) fn acquire(common_dir: &Path, name: &RefName, sharing: Sharing) -> Result<Self, MoveError> {
        let target = common_dir.join(name.as_str());
        let path = path_of(common_dir, name);
        let directory = target.parent().unwrap_or(common_dir);
        let give_up = Instant::now() + REF_LOCK_TIMEOUT;
        // Exponential backoff from 1 to 50 ms: git holds a reference lock for milliseconds.
        let mut pause = Duration::from_millis(1);
        loop {
            match durable::create_directory(directory, sharing) {
                Err(GitError::Io { source, .. })
                    if source.kind() == io::ErrorKind::NotFound && Instant::now() < give_up =>
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
                    if Instant::now() >= give_up {
                        return Err(MoveError::Locked { path });
                    }
                    thread::sleep(pause);
                    pause = (pause * 2).min(Duration::from_millis(50));
                }
                // `git pack-refs` may have removed the empty directory since we created it.
                Err(error) if error.kind() == io::ErrorKind::NotFound && Instant::now() < give_up => {}
                Err(source) => return Err(GitError::writing(&path, source).into()),
            }
        }
    }

    /// Points the reference at `id`, durably, and releases the lock.
    pub(super) fn commit(mut self, id: &CommitId) -> Result<(), GitError> {
        let failed = |source| GitError::writing(&self.path, source);
        let file = self.file.take();
        if let Some(mut file) = file {
            writeln!(file, "{id}").and_then(|()| file.sync_all()).map_err(failed)?;
        }
        // References that were packed or deleted may have left an empty directory of the same name.
        let _ = fs::remove_dir(&self.target);
        fs::rename(&self.path, &self.target).map_err(failed)?;
        let directory = self.target.parent().unwrap_or(&self.target).to_owned();
        // The lock file is the reference now, so `drop` must not remove it.
        self.path = PathBuf::new();
        durable::sync_directory(&directory)
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
