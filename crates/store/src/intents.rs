//! A journal of intended external actions, written before they are carried out: small files in the common git
//! directory, one per intent. After a crash they tell what may have happened unnoticed.
//!
//! A file is durable, name and content, before `put` returns. Its meaning is up to the caller.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::git::{GitError, Repository};
use crate::private_file::private;

/// Maximum size of a file; ours are far smaller.
const MAX_FILE_SIZE: u64 = 1024 * 1024;

/// The folder of intents.
#[derive(Debug, Clone)]
pub struct Intents {
    repository: Repository,
    root: PathBuf,
}

impl Intents {
    /// Returns the intents of one kind, shared by all work trees. The folder is created on the first write. `sort` is a
    /// plain word.
    pub fn of(repository: &Repository, sort: &str) -> Self {
        Self { repository: repository.clone(), root: repository.common_dir().join("cairn").join(sort) }
    }

    /// Writes an intent, replacing one with the same name. `name` consists of letters, digits, `-` and `_`.
    pub fn put(&self, name: &str, content: &[u8]) -> Result<(), GitError> {
        self.repository.make_own_folder(&self.root)?;
        let path = self.root.join(name);
        let new = self.root.join(format!("{name}.new"));
        let written =
            private(OpenOptions::new().write(true).create(true).truncate(true)).open(&new).and_then(|mut file| {
                file.write_all(content)?;
                file.sync_all()
            });
        written.and_then(|()| fs::rename(&new, &path)).map_err(|source| GitError::writing(&path, source))?;
        self.repository.sync_own_folder(&self.root)
    }

    /// Removes an intent; a missing one is not an error.
    pub fn remove(&self, name: &str) -> Result<(), GitError> {
        let path = self.root.join(name);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(GitError::writing(&path, error)),
            _ => Ok(()),
        }
    }

    /// Returns all intents with their names.
    pub fn all(&self) -> Result<Vec<(String, Vec<u8>)>, GitError> {
        let entries = match fs::read_dir(&self.root) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(source) => return Err(GitError::reading(&self.root, source)),
        };
        let mut found = Vec::new();
        for entry in entries {
            let entry = entry.map_err(|source| GitError::reading(&self.root, source))?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if !name.contains('.')
                && let Some(content) = read(&entry.path())?
            {
                found.push((name, content));
            }
        }
        found.sort();
        Ok(found)
    }
}

/// Reads an intent; `None` if it was just removed, or is larger than any of ours.
fn read(path: &Path) -> Result<Option<Vec<u8>>, GitError> {
    let content = fs::metadata(path)
        .and_then(|data| if data.len() > MAX_FILE_SIZE { Ok(None) } else { fs::read(path).map(Some) });
    match content {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        other => other.map_err(|source| GitError::reading(path, source)),
    }
}
