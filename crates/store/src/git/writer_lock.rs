//! The writer lock of a repository: an advisory file lock in the common git directory, released by the kernel when its
//! holder dies. It only avoids conflicts; compare-and-swap is what protects against foreign writers.
//!
//! The file names its holder while it is held and is empty otherwise. A name that is found when the lock is taken
//! therefore belongs to a killed writer, whose leftover reference locks may be removed.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::sharing::Sharing;
use super::waiting::{SystemClock, WaitClock};
use super::{GitError, Repository, durable};

/// The lock file of writers.
const WRITERS: &str = "write.lock";
/// The lock file of those who only bring a reference to where it is elsewhere. It is separate, so that a read does not
/// wait for writers.
const FOLLOWERS: &str = "follow.lock";

/// How long a writer waits before the person is notified.
const NOTICE_DELAY: Duration = Duration::from_secs(10);

/// Git holds a reference lock for milliseconds. A younger one may belong to a running git process.
const MIN_STALE_AGE: Duration = Duration::from_secs(1);

/// The current or last holder of the writer lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Holder {
    /// Process id.
    pub pid: u32,
    /// Time at which it took the lock, in seconds since 1970.
    pub since: u64,
}

/// Leftovers of a killed writer that were cleaned up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecoveredWriter {
    /// Process id of the killed writer.
    pub pid: u32,
    /// The removed files.
    pub removed: Vec<PathBuf>,
}

/// The held writer lock, until dropped.
#[derive(Debug)]
pub struct WriterGuard {
    file: File,
    recovered: Option<RecoveredWriter>,
}

impl WriterGuard {
    /// Returns the leftovers of the previous writer, if it was killed.
    pub fn recovered(&self) -> Option<&RecoveredWriter> {
        self.recovered.as_ref()
    }
}

impl Drop for WriterGuard {
    fn drop(&mut self) {
        // If this fails, the next writer looks for leftovers and finds none.
        let _ = self.file.set_len(0);
        let _ = self.file.unlock();
    }
}

impl Repository {
    /// Waits for the writer lock; `on_wait` is called once, with the holder, if that takes longer than ten seconds.
    pub fn lock_writers(&self, on_wait: impl FnOnce(Option<Holder>) + Send) -> Result<WriterGuard, GitError> {
        self.lock_writers_with_notice(NOTICE_DELAY, on_wait)
    }

    /// Does the same with another notice time.
    pub fn lock_writers_with_notice(
        &self,
        notice_after: Duration,
        on_wait: impl FnOnce(Option<Holder>) + Send,
    ) -> Result<WriterGuard, GitError> {
        self.lock_named(WRITERS, notice_after, on_wait)
    }

    /// Waits for the lock under which a reference follows a shared one; it is held for one move.
    pub(crate) fn lock_followers(&self) -> Result<WriterGuard, GitError> {
        self.lock_named(FOLLOWERS, NOTICE_DELAY, |_| {})
    }

    /// Removes what a killed writer left, unless another one is writing now.
    pub(crate) fn recover_killed_writer(&self) -> Result<(), GitError> {
        let directory = self.common_dir().join("cairn");
        let path = directory.join(WRITERS);
        let file = open(&directory, &path, self.format.sharing)?;
        if try_lock(&path, &file)? {
            self.claim(&path, file)?;
        }
        Ok(())
    }

    fn lock_named(
        &self,
        name: &str,
        notice_after: Duration,
        on_wait: impl FnOnce(Option<Holder>) + Send,
    ) -> Result<WriterGuard, GitError> {
        let directory = self.common_dir().join("cairn");
        let path = directory.join(name);
        let mut file = open(&directory, &path, self.format.sharing)?;
        if !try_lock(&path, &file)? {
            wait(&path, &file, notice_after, on_wait)?;
            // The folder may be deleted at any time, so check that the locked file is the one that other processes will
            // open.
            while !is_same_file(&path, &file) {
                file = open(&directory, &path, self.format.sharing)?;
                file.lock().map_err(|source| GitError::writing(&path, source))?;
            }
        }
        self.claim(&path, file)
    }

    /// Cleans up after the last holder, if it was killed, and writes down the new one.
    fn claim(&self, path: &Path, mut file: File) -> Result<WriterGuard, GitError> {
        let now = SystemTime::now();
        let holder = read_holder(&mut file).map_err(|source| GitError::reading(path, source))?;
        let recovered = match holder {
            Some(dead) => Some(self.recover(dead, now)?),
            None => None,
        };
        write_holder(&mut file, now).map_err(|source| GitError::writing(path, source))?;
        Ok(WriterGuard { file, recovered })
    }

    /// Removes the reference locks of a killed holder. A running process of ours holds one for milliseconds, and
    /// `is_left_over` waits longer.
    fn recover(&self, dead: Holder, acquired: SystemTime) -> Result<RecoveredWriter, GitError> {
        let mut removed = Vec::new();
        for path in self.reference_locks()? {
            if is_left_over(&SystemClock, &path, dead, acquired) {
                match fs::remove_file(&path) {
                    Ok(()) => removed.push(path),
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    Err(source) => return Err(GitError::writing(&path, source)),
                }
            }
        }
        Ok(RecoveredWriter { pid: dead.pid, removed })
    }

    /// Returns the lock files of references that our writers move: `refs/cairn` and `refs/notes`.
    fn reference_locks(&self) -> Result<Vec<PathBuf>, GitError> {
        let refs = self.common_dir().join("refs");
        let mut folders = vec![refs.join("cairn"), refs.join("notes")];
        let mut locks = Vec::new();
        while let Some(folder) = folders.pop() {
            let failed = |source| GitError::reading(&folder, source);
            let entries = match fs::read_dir(&folder) {
                Ok(entries) => entries,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(source) => return Err(failed(source)),
            };
            for entry in entries {
                let path = entry.map_err(failed)?.path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == "lock") {
                    locks.push(path);
                }
            }
        }
        Ok(locks)
    }
}

fn open(directory: &Path, path: &Path, sharing: Sharing) -> Result<File, GitError> {
    durable::create_directory(directory, sharing)?;
    let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
    let file = file.map_err(|source| GitError::writing(path, source))?;
    if is_empty(&file) {
        // Only the owner may change the mode; it did so when it created the file.
        let _ = sharing.apply(path);
    }
    Ok(file)
}

fn is_empty(file: &File) -> bool {
    file.metadata().is_ok_and(|metadata| metadata.len() == 0)
}

fn try_lock(path: &Path, file: &File) -> Result<bool, GitError> {
    match file.try_lock() {
        Ok(()) => Ok(is_same_file(path, file)),
        Err(TryLockError::WouldBlock) => Ok(false),
        // Some network disks do not support locks. Compare-and-swap still protects every write.
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => Ok(true),
        Err(TryLockError::Error(source)) => Err(GitError::writing(path, source)),
    }
}

fn wait(
    path: &Path,
    file: &File,
    notice_after: Duration,
    on_wait: impl FnOnce(Option<Holder>) + Send,
) -> Result<(), GitError> {
    let (done, waiting) = mpsc::channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            if let Err(mpsc::RecvTimeoutError::Timeout) = waiting.recv_timeout(notice_after) {
                on_wait(fs::read_to_string(path).ok().and_then(|text| parse_holder(&text)));
            }
        });
        // Blocks; the other thread sends the notice meanwhile, and ends when `done` is dropped.
        let locked = file.lock();
        drop(done);
        locked.map_err(|source| GitError::writing(path, source))
    })
}

fn read_holder(file: &mut File) -> io::Result<Option<Holder>> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    // Unparsable content still means that its writer never finished.
    let unknown = Holder { pid: 0, since: 0 };
    let parsed = parse_holder(&String::from_utf8_lossy(&bytes));
    Ok(if bytes.is_empty() { None } else { Some(parsed.unwrap_or(unknown)) })
}

fn parse_holder(text: &str) -> Option<Holder> {
    let mut words = text.strip_prefix("pid ")?.split_whitespace();
    Some(Holder { pid: words.next()?.parse().ok()?, since: words.next()?.parse().ok()? })
}

fn write_holder(file: &mut File, now: SystemTime) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    let since = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    file.write_all(format!("pid {} {since}\n", process::id()).as_bytes())
}

/// A leftover lock was created after the dead writer began and has not been touched since.
fn is_left_over(clock: &impl WaitClock, path: &Path, dead: Holder, acquired: SystemTime) -> bool {
    let made = || fs::metadata(path).and_then(|metadata| metadata.modified()).ok();
    let Some(first) = made() else {
        return false;
    };
    let began = UNIX_EPOCH + Duration::from_secs(dead.since);
    // Two seconds, for file systems with whole-second times and for the rounding of `since`.
    let is_in_its_time = first + Duration::from_secs(2) >= began && first <= acquired;
    if !is_in_its_time {
        return false;
    }
    let age = acquired.duration_since(first).unwrap_or_default();
    // A running git would finish or touch its lock within this time.
    clock.sleep(MIN_STALE_AGE.saturating_sub(age));
    made() == Some(first)
}

#[cfg(unix)]
fn is_same_file(path: &Path, file: &File) -> bool {
    use std::os::unix::fs::MetadataExt;

    let identity = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    let by_name = fs::metadata(path).map(identity).ok();
    by_name.is_some() && by_name == file.metadata().map(identity).ok()
}

#[cfg(not(unix))]
fn is_same_file(path: &Path, _file: &File) -> bool {
    path.exists()
}

#[cfg(test)]
mod tests {
    use super::super::waiting::TestClock;
    use super::*;

    /// A lock file made now, and a writer that died a moment ago.
    fn with_lock(check: impl FnOnce(&Path, Holder, SystemTime)) {
        let folder = tempfile::TempDir::new().expect("a temporary directory");
        let path = folder.path().join("work.lock");
        File::create(&path).expect("a new file");
        let now = SystemTime::now() + Duration::from_millis(10);
        let since = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        check(&path, Holder { pid: 1, since }, now);
    }

    #[test]
    fn a_young_lock_is_left_over_if_it_stays_unchanged() {
        with_lock(|path, dead, now| {
            let clock = TestClock::new(|_| {});
            assert!(is_left_over(&clock, path, dead, now));
            assert!(clock.slept() <= MIN_STALE_AGE && clock.slept() > MIN_STALE_AGE / 2);
        });
    }

    #[test]
    fn a_lock_that_is_touched_meanwhile_belongs_to_a_running_git() {
        with_lock(|path, dead, now| {
            let touch = |_| {
                let file = OpenOptions::new().write(true).open(path).expect("it is there");
                file.set_modified(now + Duration::from_secs(1)).expect("its time can be set");
            };
            assert!(!is_left_over(&TestClock::new(touch), path, dead, now));
            assert!(!is_left_over(&TestClock::new(|_| _ = fs::remove_file(path)), path, dead, now));
        });
    }

    #[test]
    fn an_old_lock_needs_no_wait_and_one_from_before_is_not_its_own() {
        with_lock(|path, dead, now| {
            let clock = TestClock::new(|_| {});
            assert!(is_left_over(&clock, path, dead, now + Duration::from_secs(5)));
            let later = Holder { since: dead.since + 60, ..dead };
            assert!(!is_left_over(&clock, path, later, now + Duration::from_mins(2)));
            assert_eq!(clock.slept(), Duration::ZERO);
        });
    }
}
