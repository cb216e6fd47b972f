//! Which file is the index. Every build has a file of a new name, and a small file, `cairn/index`, names the one that counts.
//!
//! A build is complete before it is named, and the name changes in one step, so whoever opens the index finds a whole one.
//! Whoever has the one before open goes on with it: it is complete, too, and follows the log by itself. No name is used
//! twice, so the `-wal` and `-shm` of one build can never be taken for those of another.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use crate::clock::new_uuid;
use crate::git::Repository;

/// Names the file that is the index.
const POINTER: &str = "index";
/// Held by the one process that builds an index.
const LOCK: &str = "index.lock";
/// What every file of an index begins with, and the one of earlier versions.
const PREFIX: &str = "index-";
const SUFFIX: &str = ".db";
const EARLIER: &str = "index.db";

/// The folder that holds the builds of an index.
pub(crate) struct Generations {
    folder: PathBuf,
}

impl Generations {
    /// Returns the builds of a repository's index.
    pub(crate) fn of(repository: &Repository) -> Self {
        Self { folder: repository.common_dir().join("cairn") }
    }

    /// Returns the file that names the index: what people know it by.
    pub(crate) fn pointer(&self) -> PathBuf {
        self.folder.join(POINTER)
    }

    /// Returns the file that is the index; `None` when there is none yet. It may have been deleted. A pointer that names no
    /// index is [`io::ErrorKind::InvalidData`].
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

    /// Returns the file for a new build.
    pub(crate) fn next(&self) -> PathBuf {
        self.folder.join(format!("{PREFIX}{}{SUFFIX}", new_uuid().simple()))
    }

    /// Waits until no other process builds. Where there are no locks two may build at once: the later one counts.
    pub(crate) fn lock(&self) -> io::Result<File> {
        let path = self.folder.join(LOCK);
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
        match file.lock() {
            Err(error) if error.kind() != io::ErrorKind::Unsupported => Err(error),
            _ => Ok(file),
        }
    }

    /// Makes a complete build the index, in one step. Losing the name in a power cut costs a build, so nothing is synced.
    pub(crate) fn publish(&self, build: &Path) -> io::Result<()> {
        let pointer = self.pointer();
        if pointer.is_dir() {
            // It is not ours to delete, only in the way.
            fs::rename(&pointer, self.folder.join(format!("{POINTER}.set-aside")))?;
        }
        let name = build.file_name().unwrap_or_default().to_string_lossy();
        let new = build.with_extension("new");
        fs::write(&new, format!("{name}\n"))?;
        fs::rename(&new, &pointer)
    }

    /// Removes every build but this one, as far as that is possible now. Only the holder of the lock may do this.
    ///
    /// Invariant: the database goes before its `-wal`. Whoever opened both and then still finds the database by its name
    /// has the `-wal` that belongs to it.
    pub(crate) fn sweep(&self, keep: &Path) {
        let kept = keep.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        // The shortest first: `index-1.db` before `index-1.db-wal`.
        names.sort_by_key(String::len);
        for name in names {
            let is_ours = name.starts_with(PREFIX) || name.starts_with(EARLIER);
            if is_ours && !name.starts_with(&kept) {
                // What stays is looked at again after the next build.
                let _ = fs::remove_file(self.folder.join(name));
            }
        }
    }
}

/// Removes a build that nobody has named, with what SQLite keeps beside it.
pub(crate) fn discard(build: &Path) {
    for suffix in ["", "-journal", "-wal", "-shm"] {
        let mut name = build.as_os_str().to_owned();
        name.push(suffix);
        // What stays is removed after the next build.
        let _ = fs::remove_file(name);
    }
}

/// Tells whether a name is one that `next` gives: nothing else in the folder, and nothing outside it.
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
