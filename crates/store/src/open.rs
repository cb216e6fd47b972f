//! A repository's store, opened: the log, and an index that is up to date with it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::attach::{Attachment, Wanted};
use crate::git::{CommitId, GitError, MoveError, ReadError, RefName, Repository};
use crate::group::Group;
use crate::index::generation::Generations;
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
    #[error("invalid notes ref `{name}` (expected a name such as `refs/notes/ultragit`)")]
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
    #[error("invalid line range `{lines}`: lines are counted from 1, the first before the last")]
    BadLines {
        /// What was asked for.
        lines: model::annotation::Lines,
    },
    /// The last commit of the log is missing or damaged. What is built on it could not be pushed.
    #[error("the last commit of the log, `{commit}`, cannot be read; nothing was written on top of it")]
    BrokenTip {
        /// The commit.
        commit: CommitId,
        /// Why it cannot be read.
        source: ReadError,
    },
    /// The index cannot say which clock the next operation needs to count more than those before it.
    #[error("the index has no clock for the last commit of the log, `{commit}`; nothing was written")]
    UnknownClock {
        /// The commit.
        commit: CommitId,
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

/// What a comparison of the index with the log found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexCheck {
    /// Whether the index says what one built from nothing says.
    pub is_true: bool,
    /// The commits of the log that cannot be read today, whatever the index remembers of them.
    pub lost: Vec<CommitId>,
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
        let group = Group::of(&repository);
        let mut store = Self::open_with(repository, listener, group)?;
        store.refresh()?;
        Ok(store)
    }

    /// Opens the same repository once more, for a group to write with: in a group of its own, or the two would keep each
    /// other alive.
    pub(crate) fn open_beside(&self) -> Result<Self, StoreError> {
        Self::open_with(self.repository.clone(), Arc::clone(&self.listener), Arc::default())
    }

    fn open_with(repository: Repository, listener: Listener, group: Arc<Group>) -> Result<Self, StoreError> {
        let index = Attachment::new(&repository, &listener).open()?;
        Ok(Self { repository, index, listener, group })
    }

    /// Returns what people know the index of a repository by: a small file that names the one that holds it.
    pub fn index_path(repository: &Repository) -> PathBuf {
        Generations::of(repository).pointer()
    }

    /// Returns the file that holds the index, if there is one now.
    pub fn index_file(repository: &Repository) -> Option<PathBuf> {
        Generations::of(repository).current().ok().flatten()
    }

    /// Brings the index up to date with the log. A damaged index is replaced by one that is built anew.
    pub fn refresh(&mut self) -> Result<CatchUp, StoreError> {
        let attachment = Attachment::new(&self.repository, &self.listener);
        if !self.index.is_in_memory() && !attachment.is_current(&self.index) {
            self.index = attachment.open()?;
        }
        match attachment.catch_up(&mut self.index) {
            Ok(caught_up) => {
                attachment.report(&caught_up);
                Ok(caught_up)
            }
            Err(error) => self.recover(error),
        }
    }

    /// Brings the index up to date with the annotations of a notes ref; notes that cannot be read are told once.
    pub fn follow_notes(&mut self, name: &RefName) -> Result<NoteCatchUp, StoreError> {
        let caught_up = match self.catch_up_notes(name) {
            Err(error) => {
                self.recover(error)?;
                self.catch_up_notes(name)?
            }
            Ok(caught_up) => caught_up,
        };
        for warning in &caught_up.warnings {
            self.tell(Notice::PassedOver(warning.clone()));
        }
        Ok(caught_up)
    }

    /// Builds the index anew, beside the one there is, and puts it in its place.
    pub fn rebuild(&mut self) -> Result<CatchUp, StoreError> {
        let (index, caught_up) = Attachment::new(&self.repository, &self.listener).build(&Wanted::New)?;
        self.index = index;
        Ok(caught_up)
    }

    /// Compares the index with one that is built from nothing.
    pub fn verify_index(&self) -> Result<IndexCheck, StoreError> {
        let mut fresh = Index::in_memory()?;
        let tip = self.index.tip()?;
        fresh.catch_up(&self.repository, &|| Ok(tip), &mut |_, _| {})?;
        if let Some((name, tip)) = self.index.followed_notes()? {
            fresh.catch_up_notes(&self.repository, &name, &|| Ok(tip))?;
        }
        Ok(IndexCheck { is_true: self.index.is_same_as(&fresh)?, lost: fresh.unread()? })
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

    fn catch_up_notes(&mut self, name: &RefName) -> Result<NoteCatchUp, StoreError> {
        let repository = &self.repository;
        Ok(self.index.catch_up_notes(repository, name, &|| repository.read_ref(name))?)
    }

    /// Goes on after the index failed: with another one, which has caught up.
    fn recover(&mut self, error: StoreError) -> Result<CatchUp, StoreError> {
        let attachment = Attachment::new(&self.repository, &self.listener);
        let is_in_memory = self.index.is_in_memory();
        let (index, caught_up) = match error {
            StoreError::Index(IndexError::Damaged { path, source }) if !is_in_memory => {
                attachment.replace(path, source.as_ref())?
            }
            // The disk is full, or may only be read: the log can still be read, and what was written there counts.
            StoreError::Index(IndexError::Sqlite { .. }) if !is_in_memory => {
                let mut index = attachment.without_file()?;
                let caught_up = attachment.catch_up(&mut index)?;
                attachment.report(&caught_up);
                (index, caught_up)
            }
            other => return Err(other),
        };
        self.index = index;
        Ok(caught_up)
    }
}
