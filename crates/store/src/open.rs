//! A repository's store, opened: the log, and an index that is up to date with it.

use std::path::{Path, PathBuf};

use crate::git::{CommitId, GitError, MoveError, ReadError, RefName, Repository};
use crate::index::{CatchUp, Index, IndexError, Progress, Warning};

/// Why the store could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Git could not.
    #[error(transparent)]
    Git(#[from] GitError),
    /// An object could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The ref could not be moved.
    #[error(transparent)]
    Move(#[from] MoveError),
    /// The index could not.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// Others wrote so often that this write never got its turn.
    #[error("`{}` kept changing under this write; nothing was written", RefName::WORK)]
    Contended,
}

/// Something worth telling that did not stop the work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// Something in the log was passed over.
    PassedOver(Warning),
    /// The index file was damaged and is built anew.
    IndexDamaged {
        /// The file.
        path: PathBuf,
        /// What was wrong with it.
        why: String,
    },
    /// Nothing can be written beside the repository, so the index lives in memory and is built for every command.
    IndexInMemory {
        /// Where it would be.
        path: PathBuf,
    },
    /// A writer was killed earlier; what it left behind was removed.
    WriterDied {
        /// The process that died.
        pid: u32,
        /// The lock files it left.
        removed: Vec<PathBuf>,
    },
    /// Another writer holds the lock for long.
    WaitingForWriter {
        /// The process that holds it, when known.
        pid: Option<u32>,
    },
    /// The write is safe in git, but the index could not follow; the next command catches up.
    IndexBehind {
        /// What went wrong.
        why: String,
    },
}

/// The work of one repository.
pub struct Store {
    pub(crate) repository: Repository,
    pub(crate) index: Index,
    pub(crate) notices: Vec<Notice>,
}

impl Store {
    /// Opens the repository that `start` is in and brings its index up to date.
    pub fn open(start: &Path, progress: Progress<'_>) -> Result<Self, StoreError> {
        let repository = Repository::discover(start)?;
        let mut notices = Vec::new();
        let index = open_index(&repository, &mut notices)?;
        let mut store = Self { repository, index, notices };
        store.refresh(progress)?;
        Ok(store)
    }

    /// Returns where the index file of a repository is.
    pub fn index_path(repository: &Repository) -> PathBuf {
        repository.common_dir().join("cairn").join("index.db")
    }

    /// Brings the index up to date with the log. A damaged index is removed and built anew.
    pub fn refresh(&mut self, progress: Progress<'_>) -> Result<CatchUp, StoreError> {
        let caught_up = match self.catch_up(progress) {
            Err(StoreError::Index(IndexError::Damaged { path, source })) => {
                self.notices.push(Notice::IndexDamaged { path, why: source.to_string() });
                self.replace_index()?;
                self.catch_up(progress)?
            }
            other => other?,
        };
        self.notices.extend(caught_up.warnings.iter().cloned().map(Notice::PassedOver));
        Ok(caught_up)
    }

    /// Throws the index away and builds it anew.
    pub fn rebuild(&mut self, progress: Progress<'_>) -> Result<CatchUp, StoreError> {
        self.replace_index()?;
        self.refresh(progress)
    }

    /// Returns the index.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// Returns the repository.
    pub fn repository(&self) -> &Repository {
        &self.repository
    }

    /// Returns what was noticed since the last time this was asked.
    pub fn take_notices(&mut self) -> Vec<Notice> {
        std::mem::take(&mut self.notices)
    }

    fn catch_up(&mut self, progress: Progress<'_>) -> Result<CatchUp, StoreError> {
        let repository = &self.repository;
        let tip = || -> Result<Option<CommitId>, GitError> { repository.read_ref(&RefName::WORK) };
        Ok(self.index.catch_up(repository, &tip, progress)?)
    }

    fn replace_index(&mut self) -> Result<(), StoreError> {
        // The old file must be closed before it is removed, or its last words would land in the new one.
        self.index = Index::in_memory()?;
        let path = Self::index_path(&self.repository);
        if Index::remove(&path).is_ok() {
            self.index = open_index(&self.repository, &mut self.notices)?;
        }
        Ok(())
    }
}

fn open_index(repository: &Repository, notices: &mut Vec<Notice>) -> Result<Index, StoreError> {
    let path = Store::index_path(repository);
    if std::fs::create_dir_all(repository.common_dir().join("cairn")).is_err() {
        return without_file(repository, path, notices);
    }
    match Index::open(&path) {
        Ok(index) => Ok(index),
        Err(IndexError::Damaged { source, .. }) => {
            notices.push(Notice::IndexDamaged { path: path.clone(), why: source.to_string() });
            Index::remove(&path).map_err(|source| GitError::Unwritable { path: path.clone(), source })?;
            Ok(Index::open(&path)?)
        }
        Err(_) => without_file(repository, path, notices),
    }
}

// Read-only media, a full disk: reading must still work. An index that is already there may even be up to date.
fn without_file(repository: &Repository, path: PathBuf, notices: &mut Vec<Notice>) -> Result<Index, StoreError> {
    let tip = repository.read_ref(&RefName::WORK)?;
    if let Some(index) = Index::open_read_only(&path)
        && index.tip().is_ok_and(|own| own == tip)
    {
        return Ok(index);
    }
    notices.push(Notice::IndexInMemory { path });
    Ok(Index::in_memory()?)
}
