//! A small JSON file next to the repository's own files, readable only by its owner.
//!
//! It is replaced under a lock, so that no writer overwrites another's change. It is not part of the log and never
//! shared.

use std::fs::{self, File};
use std::io;
use std::path::PathBuf;
use std::time::SystemTime;

use app::Error;
use app::private_file::{lock, replace, sibling};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A file that may not exist yet.
#[derive(Debug, Clone)]
pub(crate) struct PrivateFile(PathBuf);

/// Detects whether a file was rewritten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileVersion {
    changed: Option<SystemTime>,
    n_bytes: u64,
    inode: u64,
}

impl PrivateFile {
    pub(crate) fn at(path: PathBuf) -> Self {
        Self(path)
    }

    /// Reads the file; a missing file is the default value.
    pub(crate) fn read<T: DeserializeOwned + Default>(&self) -> Result<T, Error> {
        let bytes = match fs::read(&self.0) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(T::default()),
            Err(error) => return Err(self.unavailable("read", &error)),
        };
        serde_json::from_slice(&bytes).map_err(|error| {
            Error::conflict(format!("`{}` cannot be parsed: {error}", self.0.display()))
                .hint("it was written by a newer version or by hand; move it away to start with an empty one")
        })
    }

    /// Reads, edits and writes the file under its lock.
    pub(crate) fn change<T: DeserializeOwned + Default + Serialize, R>(
        &self,
        edit: impl FnOnce(&mut T) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let _turn = self.take_turn().map_err(|error| self.unavailable("lock", &error))?;
        let mut content: T = self.read()?;
        let answer = edit(&mut content)?;
        let text = serde_json::to_vec_pretty(&content).map_err(|error| Error::invalid(error.to_string()))?;
        replace(&self.0, &text).map_err(|error| self.unavailable("write", &error))?;
        Ok(answer)
    }

    /// Returns the version of the file; `None` if it does not exist.
    pub(crate) fn version(&self) -> Option<FileVersion> {
        let metadata = fs::metadata(&self.0).ok()?;
        #[cfg(unix)]
        let inode = std::os::unix::fs::MetadataExt::ino(&metadata);
        #[cfg(not(unix))]
        let inode = 0;
        Some(FileVersion { changed: metadata.modified().ok(), n_bytes: metadata.len(), inode })
    }

    fn take_turn(&self) -> io::Result<File> {
        if let Some(folder) = self.0.parent() {
            fs::create_dir_all(folder)?;
        }
        lock(&sibling(&self.0, "lock"))
    }

    fn unavailable(&self, verb: &str, error: &io::Error) -> Error {
        Error::unavailable(format!("cannot {verb} `{}`: {error}", self.0.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(clippy::unnecessary_wraps, reason = "an edit may fail")]
    fn push(list: &mut Vec<u64>, number: u64) -> Result<(), Error> {
        list.push(number);
        Ok(())
    }

    #[test]
    fn what_is_written_is_read_and_nobody_else_can_read_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("cairn/list.json");
        let file = PrivateFile::at(path.clone());
        assert_eq!(file.read::<Vec<u64>>(), Ok(Vec::new()));
        assert_eq!(file.version(), None);
        for number in 0..3 {
            let before = file.version();
            file.change(|list: &mut Vec<u64>| push(list, number)).expect("it is written");
            assert_ne!(file.version(), before);
        }
        assert_eq!(file.read::<Vec<u64>>(), Ok(vec![0, 1, 2]));
        #[cfg(unix)]
        for name in ["list.json", "list.json.lock"] {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(path.with_file_name(name)).expect("it is there").permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{name}");
        }
    }

    #[test]
    fn refused_change_leaves_the_file_as_it_was() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = PrivateFile::at(folder.path().join("list.json"));
        let refused = file.change(|list: &mut Vec<u64>| {
            list.push(1);
            Err::<(), Error>(Error::invalid("no"))
        });
        assert!(refused.is_err());
        assert_eq!(file.version(), None);
    }

    #[test]
    fn unparsable_files_are_reported_and_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("list.json");
        fs::write(&path, "nonsense").expect("it is written");
        let file = PrivateFile::at(path.clone());
        assert!(file.change(|list: &mut Vec<u64>| push(list, 1)).is_err());
        assert_eq!(fs::read(&path).expect("it is there"), b"nonsense");
    }
}
