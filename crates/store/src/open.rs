//! A repository's store, opened: the log, and an index that is up to date with it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::git::{CommitId, GitError, MoveError, ReadError, RefName, Repository};
use crate::group::Group;
use crate::index::{CatchUp, Index, IndexError, NoteCatchUp, Warning};

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
    /// A name was given for the ref of the annotations that is none.
    #[error("`{name}` is no name of a notes ref, such as `refs/notes/ultragit`")]
    NotForNotes {
        /// What was given.
        name: String,
    },
    /// An annotation is longer than is read back.
    #[error("the annotation of `{commit}` would be longer than {} bytes", crate::format::annotation::LIMIT)]
    NoteTooLong {
        /// The commit.
        commit: CommitId,
    },
    /// Lines were asked for that no file can have.
    #[error("`{lines}` is no range of lines: they are counted from 1, the first before the last")]
    BadLines {
        /// What was asked for.
        lines: model::annotation::Lines,
    },
    /// Others wrote so often that this write never got its turn.
    #[error("others kept changing it under this write; nothing was written")]
    Contended,
    /// The commit that was to carry this write and others could not be written; none of them counts.
    #[error(transparent)]
    Together(Arc<StoreError>),
    /// What was to carry this write broke down.
    #[error("the commit that was to carry this write and others was abandoned; whether it was written is not known")]
    Abandoned,
}

impl StoreError {
    /// Returns the error itself, also when several writes share it.
    pub fn itself(&self) -> &Self {
        match self {
            Self::Together(error) => error.itself(),
            other => other,
        }
    }
}

/// Hears what is worth telling while the store works. The store never prints.
pub type Listener = Arc<dyn Fn(Notice) + Send + Sync>;

/// Something worth telling that did not stop the work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// The index is being built and it takes a while.
    Indexing {
        /// Commits read so far.
        done: usize,
        /// Commits there are, as far as is known.
        total: usize,
    },
    /// The index was built from nothing.
    Indexed {
        /// Commits read.
        n_commits: usize,
    },
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
    /// A commit of the log carried these writes; several when they met.
    Committed {
        /// How many.
        n_writes: usize,
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
    pub(crate) listener: Listener,
    pub(crate) group: Arc<Group>,
}

impl Store {
    /// Opens the repository that `start` is in and brings its index up to date.
    pub fn open(start: &Path, listener: Listener) -> Result<Self, StoreError> {
        let repository = Repository::discover(start)?;
        let index = open_index(&repository, &listener)?;
        let group = Group::of(&repository);
        let mut store = Self { repository, index, listener, group };
        store.refresh()?;
        Ok(store)
    }

    /// Opens the same repository once more, for a group to write with: in a group of its own, or the two would keep each
    /// other alive.
    pub(crate) fn open_beside(&self) -> Result<Self, StoreError> {
        let repository = self.repository.clone();
        let index = open_index(&repository, &self.listener)?;
        Ok(Self { repository, index, listener: Arc::clone(&self.listener), group: Arc::default() })
    }

    /// Returns where the index file of a repository is.
    pub fn index_path(repository: &Repository) -> PathBuf {
        repository.common_dir().join("cairn").join("index.db")
    }

    /// Brings the index up to date with the log. A damaged index is removed and built anew.
    pub fn refresh(&mut self) -> Result<CatchUp, StoreError> {
        let caught_up = match self.catch_up() {
            Err(error) => {
                self.mend(error)?;
                self.catch_up()?
            }
            Ok(caught_up) => caught_up,
        };
        if caught_up.rebuilt {
            self.tell(Notice::Indexed { n_commits: caught_up.n_commits });
        }
        for warning in &caught_up.warnings {
            self.tell(Notice::PassedOver(warning.clone()));
        }
        Ok(caught_up)
    }

    /// Brings the index up to date with the annotations of a notes ref; notes that cannot be read are told once.
    pub fn follow_notes(&mut self, name: &RefName) -> Result<NoteCatchUp, StoreError> {
        let caught_up = match self.catch_up_notes(name) {
            Err(error) => {
                self.mend(error)?;
                self.refresh()?;
                self.catch_up_notes(name)?
            }
            Ok(caught_up) => caught_up,
        };
        for warning in &caught_up.warnings {
            self.tell(Notice::PassedOver(warning.clone()));
        }
        Ok(caught_up)
    }

    /// Throws the index away and builds it anew.
    pub fn rebuild(&mut self) -> Result<CatchUp, StoreError> {
        self.replace_index()?;
        self.refresh()
    }

    /// Tells whether the index says what one built from nothing says.
    pub fn is_index_true(&self) -> Result<bool, StoreError> {
        let mut fresh = Index::in_memory()?;
        let tip = self.index.tip()?;
        fresh.catch_up(&self.repository, &|| Ok(tip), &mut |_, _| {})?;
        if let Some((name, tip)) = self.index.followed_notes()? {
            fresh.catch_up_notes(&self.repository, &name, &|| Ok(tip))?;
        }
        Ok(fresh.dump()? == self.index.dump()?)
    }

    /// Returns the commits of the log that cannot be read today, whatever the index remembers of them.
    pub fn lost_commits(&self) -> Result<Vec<CommitId>, StoreError> {
        let mut fresh = Index::in_memory()?;
        let tip = self.index.tip()?;
        fresh.catch_up(&self.repository, &|| Ok(tip), &mut |_, _| {})?;
        Ok(fresh.unread()?)
    }

    /// Returns the index.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// Returns the repository.
    pub fn repository(&self) -> &Repository {
        &self.repository
    }

    pub(crate) fn tell(&self, notice: Notice) {
        (self.listener)(notice);
    }

    fn catch_up(&mut self) -> Result<CatchUp, StoreError> {
        let repository = &self.repository;
        let listener = &self.listener;
        let tip = || -> Result<Option<CommitId>, GitError> { repository.read_ref(&RefName::WORK) };
        let mut progress = |done, total| listener(Notice::Indexing { done, total });
        Ok(self.index.catch_up(repository, &tip, &mut progress)?)
    }

    fn catch_up_notes(&mut self, name: &RefName) -> Result<NoteCatchUp, StoreError> {
        let repository = &self.repository;
        Ok(self.index.catch_up_notes(repository, name, &|| repository.read_ref(name))?)
    }

    // After this the index is a new one, which may live in memory only, and has caught up with nothing.
    fn mend(&mut self, error: StoreError) -> Result<(), StoreError> {
        match error {
            StoreError::Index(IndexError::Damaged { path, source }) => {
                self.tell(Notice::IndexDamaged { path, why: source.to_string() });
                self.replace_index()
            }
            // The disk is full, or may only be read: the log can still be read, and what was written there counts.
            StoreError::Index(IndexError::Sqlite { path, .. }) if !self.index.is_in_memory() => {
                self.tell(Notice::IndexInMemory { path });
                self.index = Index::in_memory()?;
                Ok(())
            }
            other => Err(other),
        }
    }

    fn replace_index(&mut self) -> Result<(), StoreError> {
        // The old file must be closed before it is removed, or its last words would land in the new one.
        self.index = Index::in_memory()?;
        let path = Self::index_path(&self.repository);
        if Index::remove(&path).is_ok() {
            self.index = open_index(&self.repository, &self.listener)?;
        }
        Ok(())
    }
}

fn open_index(repository: &Repository, listener: &Listener) -> Result<Index, StoreError> {
    let path = Store::index_path(repository);
    if std::fs::create_dir_all(repository.common_dir().join("cairn")).is_err() {
        return without_file(repository, path, listener);
    }
    let why = match Index::open(&path) {
        Ok(index) => return Ok(index),
        Err(IndexError::Damaged { source, .. }) => source.to_string(),
        Err(_) if path.is_dir() => "it is a folder".to_owned(),
        Err(_) => return without_file(repository, path, listener),
    };
    listener(Notice::IndexDamaged { path: path.clone(), why });
    match Index::remove(&path).map(|()| Index::open(&path)) {
        Ok(Ok(index)) => Ok(index),
        _ => without_file(repository, path, listener),
    }
}

// Read-only media, a full disk: reading must still work. An index that is already there may even be up to date.
fn without_file(repository: &Repository, path: PathBuf, listener: &Listener) -> Result<Index, StoreError> {
    let tip = repository.read_ref(&RefName::WORK)?;
    if let Some(index) = Index::open_read_only(&path)
        && index.tip().is_ok_and(|own| own == tip)
    {
        return Ok(index);
    }
    listener(Notice::IndexInMemory { path });
    Ok(Index::in_memory()?)
}
