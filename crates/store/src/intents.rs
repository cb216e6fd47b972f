//! What is about to be done somewhere else, written down before it is done: a folder of small files in the common git
//! directory, one for each intent. After a crash they say what may have happened without our knowing.
//!
//! A file is on disk, name and content, before `put` returns. What it means is the caller's business.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::git::{GitError, Repository};

/// The longest file that is read; what we write is far shorter.
const MAX_FILE_SIZE: u64 = 1024 * 1024;

/// Where intents are kept.
#[derive(Debug, Clone)]
pub struct Intents {
    repository: Repository,
    root: PathBuf,
}

impl Intents {
    /// Returns the intents of one sort in a repository, shared by its work trees. Nothing is made before something is
    /// written. `sort` is a plain word.
    pub fn of(repository: &Repository, sort: &str) -> Self {
        Self { repository: repository.clone(), root: repository.common_dir().join("cairn").join(sort) }
    }

    /// Writes an intent down, in place of one of the same name. `name` is made of letters, digits, `-` and `_`.
    pub fn put(&self, name: &str, content: &[u8]) -> Result<(), GitError> {
        self.repository.make_own_folder(&self.root)?;
        let path = self.root.join(name);
        let new = self.root.join(format!("{name}.new"));
        let written = private(&new).and_then(|mut file| {
            file.write_all(content)?;
            file.sync_all()
        });
        written.and_then(|()| fs::rename(&new, &path)).map_err(|source| GitError::writing(&path, source))?;
        self.repository.sync_own_folder(&self.root)
    }

    /// Forgets an intent; one that is not there is forgotten already.
    pub fn remove(&self, name: &str) -> Result<(), GitError> {
        let path = self.root.join(name);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(GitError::writing(&path, error)),
            _ => Ok(()),
        }
    }

    /// Returns every intent, by name.
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

/// Reads an intent; `None` when it was just forgotten, or is longer than any of ours.
fn read(path: &Path) -> Result<Option<Vec<u8>>, GitError> {
    let content = fs::metadata(path)
        .and_then(|data| if data.len() > MAX_FILE_SIZE { Ok(None) } else { fs::read(path).map(Some) });
    match content {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        other => other.map_err(|source| GitError::reading(path, source)),
    }
}

/// Opens a file for writing that only its owner may read.
fn private(path: &PathBuf) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
