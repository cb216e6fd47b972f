//! Opens the current index; builds one if there is none, if it is damaged or on request.
//!
//! A new index is built next to the current one and published when it is complete, so readers and writers use the
//! complete old index meanwhile. If no file can be written, the index is built in memory.

use std::error::Error;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use model::op::Op;

use crate::git::{CommitId, GitError, RefName, Repository};
use crate::index::generation::{self, Generations};
use crate::index::{CatchUp, Index, IndexError, NewBuild};
use crate::open::{Listener, Notice, StoreError};

/// How often the open is retried because another process replaced the index.
const MAX_TRIES: usize = 64;

/// Which index a build request accepts.
pub(crate) enum AcceptedIndex {
    /// Any that can be opened.
    Any,
    /// Any except this one, which is damaged.
    InPlaceOf(PathBuf),
    /// Only one that is built now.
    New,
}

impl AcceptedIndex {
    fn accepts(&self, index: &Index) -> bool {
        match self {
            Self::Any => true,
            Self::InPlaceOf(path) => index.path() != path,
            Self::New => false,
        }
    }
}

/// An index that is built while its log is written. Dropped before it is published, it leaves nothing behind.
pub(crate) struct PendingBuild {
    build: Option<NewBuild>,
    path: PathBuf,
    is_published: bool,
    /// No other process builds meanwhile.
    _lock: File,
}

impl PendingBuild {
    /// Adds the operations of the next commit; see [`NewBuild::add`]. After a failure the index is given up.
    pub(crate) fn add<'a>(&mut self, commit: CommitId, clock: u64, ops: impl Iterator<Item = (Op, &'a [u8])>) {
        if let Some(Err(error)) = self.build.as_mut().map(|build| build.add(commit, clock, ops)) {
            tracing::debug!(%error, "gave up the index of an import; it is built from the log");
            self.build = None;
        }
    }
}

impl Drop for PendingBuild {
    fn drop(&mut self) {
        self.build = None;
        if !self.is_published {
            generation::discard(&self.path);
        }
    }
}

/// Where the index of a repository is.
pub(crate) struct Attachment<'a> {
    repository: &'a Repository,
    listener: &'a Listener,
    folder: PathBuf,
    generations: Generations,
}

impl<'a> Attachment<'a> {
    pub(crate) fn new(repository: &'a Repository, listener: &'a Listener) -> Self {
        let folder = repository.common_dir().join("cairn");
        Self { repository, listener, generations: Generations::of(repository), folder }
    }

    fn pointer(&self) -> PathBuf {
        self.generations.pointer()
    }

    /// Returns whether this is the current index. If that cannot be determined, it is assumed: the index is complete
    /// and follows the log by itself.
    pub(crate) fn is_current(&self, index: &Index) -> bool {
        match self.generations.current() {
            Ok(current) => current.as_deref() == Some(index.path()),
            // `InvalidData` means that the pointer names no index, so this one is not current.
            Err(error) => error.kind() != io::ErrorKind::InvalidData,
        }
    }

    /// Opens the current index, or builds one.
    pub(crate) fn open(&self) -> Result<Index, StoreError> {
        let index = match self.open_current() {
            Ok(Some(index)) => return Ok(index),
            Ok(None) => self.build(&AcceptedIndex::Any)?.0,
            Err(IndexError::Damaged { path, source }) => self.replace(path, source.as_ref())?.0,
            Err(_) => self.without_file()?,
        };
        Ok(index)
    }

    /// Replaces a damaged index.
    pub(crate) fn replace(&self, path: PathBuf, why: &dyn Error) -> Result<(Index, CatchUp), StoreError> {
        tracing::debug!(path = %path.display(), %why, "index damaged; rebuilding");
        (self.listener)(Notice::IndexDamaged { path: self.pointer(), why: why.to_string() });
        self.build(&AcceptedIndex::InPlaceOf(path))
    }

    /// Builds an index next to the current one and publishes it. Builders are serialized by a lock.
    pub(crate) fn build(&self, wanted: &AcceptedIndex) -> Result<(Index, CatchUp), StoreError> {
        let Ok(_lock) = std::fs::create_dir_all(&self.folder).and_then(|()| self.generations.lock()) else {
            return self.caught_up(self.without_file()?);
        };
        // Another process may have built the index while this one waited for the lock.
        if let Ok(Some(index)) = self.open_current()
            && wanted.accepts(&index)
        {
            return self.caught_up(index);
        }
        let path = self.generations.next();
        tracing::debug!(path = %path.display(), "building an index");
        let built = self.build_file(&path);
        if built.is_err() {
            generation::discard(&path);
        }
        match built {
            Err(StoreError::Index(IndexError::Sqlite { .. } | IndexError::Damaged { .. } | IndexError::Io { .. })) => {
                self.caught_up(self.without_file()?)
            }
            Ok((index, caught_up)) => {
                self.report(&caught_up);
                Ok((index, caught_up))
            }
            Err(error) => Err(error),
        }
    }

    /// Begins an index of a log that this process is about to write, next to the current one; `None` if there is no room for
    /// it.
    pub(crate) fn begin_build(&self) -> Option<PendingBuild> {
        let lock = self.generations.lock().ok()?;
        let path = self.generations.next();
        let begun = Index::create(&path).and_then(NewBuild::begin);
        if begun.is_err() {
            generation::discard(&path);
        }
        let _ = self.repository.share_own_file(&path);
        Some(PendingBuild { build: Some(begun.ok()?), path, is_published: false, _lock: lock })
    }

    /// Completes an index and publishes it.
    pub(crate) fn finish_build(&self, mut pending: PendingBuild) -> Result<Index, IndexError> {
        let built = pending.build.take().map(NewBuild::finish);
        let (index, caught_up) = built.unwrap_or(Err(IndexError::Gone { path: pending.path.clone() }))?;
        self.publish(&index)?;
        pending.is_published = true;
        self.report(&caught_up);
        Ok(index)
    }

    // Read-only media or a full disk: reading must still work. An existing index may even be up to date.
    pub(crate) fn without_file(&self) -> Result<Index, StoreError> {
        let tip = self.tip()?;
        if let Some(index) = self.generations.current().ok().flatten().and_then(|path| Index::open_read_only(&path))
            && index.tip().is_ok_and(|own| own == tip)
        {
            return Ok(index);
        }
        tracing::debug!("no index file can be written or is current; building one in memory");
        (self.listener)(Notice::IndexInMemory { path: self.pointer() });
        Ok(Index::in_memory()?)
    }

    /// Reports the results of a catch-up to the listener.
    pub(crate) fn report(&self, caught_up: &CatchUp) {
        if caught_up.rebuilt {
            (self.listener)(Notice::Indexed { n_commits: caught_up.n_commits });
        }
        for warning in &caught_up.warnings {
            (self.listener)(Notice::Skipped(warning.clone()));
        }
    }

    /// Brings an index up to date with the log.
    pub(crate) fn catch_up(&self, index: &mut Index) -> Result<CatchUp, StoreError> {
        let mut progress = |done, total| (self.listener)(Notice::Indexing { done, total });
        let caught_up = index.catch_up(self.repository, &|| self.tip(), &mut progress)?;
        if caught_up.n_commits > 0 {
            tracing::debug!(n_commits = caught_up.n_commits, rebuilt = caught_up.rebuilt, "index caught up");
        }
        Ok(caught_up)
    }

    fn caught_up(&self, mut index: Index) -> Result<(Index, CatchUp), StoreError> {
        let caught_up = self.catch_up(&mut index)?;
        self.report(&caught_up);
        Ok((index, caught_up))
    }

    fn build_file(&self, path: &Path) -> Result<(Index, CatchUp), StoreError> {
        let mut index = Index::create(path)?;
        // Only the owner may change the mode, and it matters only with `core.sharedRepository`.
        let _ = self.repository.share_own_file(path);
        let mut caught_up = self.catch_up(&mut index)?;
        caught_up.rebuilt = true;
        self.publish(&index)?;
        Ok((index, caught_up))
    }

    fn publish(&self, index: &Index) -> Result<(), IndexError> {
        let path = index.path();
        // Invariant: complete before it is published, since others open it from then on.
        index.finish_build()?;
        let failed = |source| IndexError::Io { path: path.to_owned(), source };
        self.generations.publish(path).map_err(failed)?;
        self.generations.sweep(path);
        Ok(())
    }

    /// Opens the current index; `None` if there is none of our version.
    fn open_current(&self) -> Result<Option<Index>, IndexError> {
        let mut before = None;
        for _ in 0..MAX_TRIES {
            let Some(path) = self.generations.current().map_err(|error| self.pointer_failure(error))? else {
                return Ok(None);
            };
            match Index::open(&path) {
                Ok(index) => return Ok(Some(index)),
                Err(IndexError::OtherVersion { .. }) => return Ok(None),
                // It was removed after another one was published, or somebody deleted it.
                Err(IndexError::Gone { .. }) if before.as_ref() == Some(&path) => return Ok(None),
                Err(IndexError::Gone { .. }) => before = Some(path),
                Err(_) if path.is_dir() => return Err(IndexError::Damaged { path, source: "it is a folder".into() }),
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    fn pointer_failure(&self, source: io::Error) -> IndexError {
        let path = self.pointer();
        match source.kind() {
            io::ErrorKind::InvalidData => IndexError::Damaged { path, source: source.into() },
            _ => IndexError::Io { path, source },
        }
    }

    fn tip(&self) -> Result<Option<CommitId>, GitError> {
        self.repository.read_ref(&RefName::WORK)
    }
}
