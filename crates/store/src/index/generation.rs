//! Generations of the index file. Every build has a file with a new name, and a small pointer file, `cairn/index`,
//! names the current one.
//!
//! A build is complete before it is published, and publishing is atomic, so opening the index always finds a complete
//! one. Processes that have the previous one open continue with it: it is complete too, and follows the log by itself.
//! Names are never reused, so the `-wal` and `-shm` of one build cannot be mistaken for those of another.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use crate::clock::new_uuid;
use crate::git::Repository;

const POINTER: &str = "index";
/// Held by the process that builds an index.
const LOCK: &str = "index.lock";
/// Prefix and suffix of index files, and the file name of earlier versions.
const PREFIX: &str = "index-";
const SUFFIX: &str = ".db";
const EARLIER: &str = "index.db";

/// The folder of the builds.
pub(crate) struct Generations {
    folder: PathBuf,
}

impl Generations {
    /// The builds of a repository's index.
    pub(crate) fn of(repository: &Repository) -> Self {
        Self { folder: repository.common_dir().join("cairn") }
    }

    /// Returns the pointer file, which is what people know as the index.
    pub(crate) fn pointer(&self) -> PathBuf {
        self.folder.join(POINTER)
    }

    /// Returns the current index file; `None` if there is none yet. The file may have been deleted. An invalid pointer
    /// is [`io::ErrorKind::InvalidData`].
    pub(crate) fn current(&self) -> io::Result<Option<PathBuf>> {
        let invalid = |why: &str| io::Error::new(io::ErrorKind::InvalidData, why);
        let text = match fs::read(self.pointer()) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) if error.kind() == io::ErrorKind::IsADirectory => return Err(invalid("it is a folder")),
            Err(error) => return Err(error),
        };
        let name = text.trim_end();
        if is_build(name) { Ok(Some(self.folder.join(name))) } else { Err(invalid("it names no index")) }
    }

    /// Returns the file name of a new build.
    pub(crate) fn next(&self) -> PathBuf {
        self.folder.join(format!("{PREFIX}{}{SUFFIX}", new_uuid().simple()))
    }

    /// Waits until no other process builds. Without lock support two may build at once: the later one wins.
    pub(crate) fn lock(&self) -> io::Result<File> {
        let path = self.folder.join(LOCK);
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
        match file.lock() {
            Err(error) if error.kind() != io::ErrorKind::Unsupported => Err(error),
            _ => Ok(file),
        }
    }

    /// Publishes a complete build atomically. Losing the pointer in a power failure costs one rebuild, so nothing is
    /// synced.
    pub(crate) fn publish(&self, build: &Path) -> io::Result<()> {
        let pointer = self.pointer();
        if pointer.is_dir() {
            // It is in the way, but not ours to delete.
            fs::rename(&pointer, self.folder.join(format!("{POINTER}.set-aside")))?;
        }
        let name = build.file_name().unwrap_or_default().to_string_lossy();
        let new = build.with_extension("new");
        fs::write(&new, format!("{name}\n"))?;
        fs::rename(&new, &pointer)
    }

    /// Removes all other builds, as far as possible. Only the holder of the lock may do this.
    ///
    /// Invariant: the database is removed before its `-wal`. A process that opened both and then still finds the
    /// database under its name has the `-wal` that belongs to it.
    pub(crate) fn sweep(&self, keep: &Path) {
        let kept = keep.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        // Shortest first: `index-1.db` before `index-1.db-wal`.
        names.sort_by_key(String::len);
        for name in names {
            let is_ours = name.starts_with(PREFIX) || name.starts_with(EARLIER);
            if is_ours && !name.starts_with(&kept) {
                // Leftovers are removed after the next build.
                let _ = fs::remove_file(self.folder.join(name));
            }
        }
    }
}

/// Removes an unpublished build with SQLite's auxiliary files.
pub(crate) fn discard(build: &Path) {
    for suffix in ["", "-journal", "-wal", "-shm"] {
        let mut name = build.as_os_str().to_owned();
        name.push(suffix);
        // Leftovers are removed after the next build.
        let _ = fs::remove_file(name);
    }
}

/// Returns whether `next` could have made this name: nothing else in the folder, and nothing outside of it.
fn is_build(name: &str) -> bool {
    let id = name.strip_prefix(PREFIX).and_then(|rest| rest.strip_suffix(SUFFIX));
    id.is_some_and(|id| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_own_builds_are_named() {
        let check = |name: &str, expected: bool| assert_eq!(is_build(name), expected, "{name}");
        check("index-018f.db", true);
        check("index-.db", false);
        check("index.db", false);
        check("../index-018f.db", false);
        check("index-../../x.db", false);
        check("index-018f.db-wal", false);
    }

    #[test]
    fn a_build_counts_once_it_is_published() {
        let folder = tempfile::TempDir::new().unwrap();
        let generations = Generations { folder: folder.path().to_owned() };
        assert_eq!(generations.current().unwrap(), None);
        let (one, two) = (generations.next(), generations.next());
        for build in [&one, &two] {
            fs::write(build, "").unwrap();
            fs::write(format!("{}-wal", build.display()), "").unwrap();
        }
        generations.publish(&one).unwrap();
        assert_eq!(generations.current().unwrap(), Some(one.clone()));
        generations.publish(&two).unwrap();
        generations.sweep(&two);
        assert_eq!(generations.current().unwrap(), Some(two.clone()));
        assert!(!one.exists() && two.exists() && folder.path().join(POINTER).exists());
        assert!(PathBuf::from(format!("{}-wal", two.display())).exists());
    }
}
