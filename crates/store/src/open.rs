//! The store of a repository: the log, and an index that is up to date with it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use database::DatabaseError;

use crate::attach::{AcceptedIndex, Attachment};
use crate::format::annotation::BadNote;
use crate::git::{CommitId, GitError, MoveError, ReadError, RecoveredLog, RefName, Repository};
use crate::group::Group;
use crate::index::generation::Generations;
use crate::index::{CatchUp, Index, IndexError, NoteCatchUp, Warning};
use crate::shared::{SharedRefsHandle, shared_refs_of};

/// Why a store operation failed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Git failed.
    #[error(transparent)]
    Git(#[from] GitError),
    /// An object could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The ref could not be moved.
    #[error(transparent)]
    Move(#[from] MoveError),
    /// The index failed.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The shared database failed.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// The connection to the shared database broke during a write, and the database did not come back in time.
    #[error("the database stopped answering during this write; whether it took effect is not known")]
    OutcomeUnknown(#[source] DatabaseError),
    /// The notes ref name is invalid.
    #[error("invalid notes ref `{name}` (expected a name such as `refs/notes/ultragit`)")]
    NotForNotes {
        /// The given name.
        name: String,
    },
    /// An annotation that no reader would accept, for example because it is too long.
    #[error("the annotation of `{commit}` cannot be written, because it could not be read again: {why}")]
    NoteRefused {
        /// The commit.
        commit: CommitId,
        /// The reason.
        why: BadNote,
    },
    /// An impossible range of lines.
    #[error("invalid line range `{lines}`: lines are counted from 1, the first before the last")]
    BadLines {
        /// The given range.
        lines: model::annotation::Lines,
    },
    /// The tip of the log is missing or damaged. Commits on top of it could not be pushed.
    #[error("the last commit of the log, `{commit}`, cannot be read; nothing was written on top of it")]
    BrokenTip {
        /// The commit.
        commit: CommitId,
        /// The cause.
        source: ReadError,
    },
    /// The index does not know the clock of the tip, so the clock of the next operation is unknown.
    #[error("the index has no clock for the last commit of the log, `{commit}`; nothing was written")]
    UnknownClock {
        /// The commit.
        commit: CommitId,
    },
    /// Too many concurrent writes; this one was never applied.
    #[error("gave up after repeated conflicting updates; nothing was written")]
    Contended,
    /// The commit of a batch could not be written; none of its writes is applied.
    #[error(transparent)]
    Together(Arc<StoreError>),
    /// The writer of a batch panicked; whether the batch was written is unknown.
    #[error("the commit that was to carry this write and others was abandoned; whether it was written is not known")]
    Abandoned,
}

impl StoreError {
    /// Returns the underlying error if several writes share it.
    pub fn unshared(&self) -> &Self {
        match self {
            Self::Together(error) => error.unshared(),
            other => other,
        }
    }
}

/// Receives notices while the store works. The store never prints.
pub type Listener = Arc<dyn Fn(Notice) + Send + Sync>;

/// A notice that did not stop the work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// Progress of a long index build.
    Indexing {
        /// Commits read so far.
        done: usize,
        /// Number of commits, as far as known.
        total: usize,
    },
    /// The index was rebuilt.
    Indexed {
        /// Commits read.
        n_commits: usize,
    },
    /// Something in the log was skipped.
    Skipped(Warning),
    /// The index file was damaged and is rebuilt.
    IndexDamaged {
        /// The file.
        path: PathBuf,
        /// What was wrong with it.
        why: String,
    },
    /// The index cannot be written, so it is built in memory for every command.
    IndexInMemory {
        /// Path of the pointer file.
        path: PathBuf,
    },
    /// The machine stopped during or shortly after writes; they were restored.
    LostWrites(RecoveredLog),
    /// The same, but they could not be restored.
    LostWritesRemain {
        /// The cause.
        why: String,
    },
    /// The machine stopped before the last commits of a shared log were on disk here. The log was moved back; a server
    /// brings them from the database again.
    LackedSharedCommits {
        /// The last commit that is here.
        to: CommitId,
    },
    /// A writer was killed earlier; its leftovers were removed.
    WriterDied {
        /// Process id.
        pid: u32,
        /// The removed lock files.
        removed: Vec<PathBuf>,
    },
    /// Another writer has been holding the lock for a long time.
    WaitingForWriter {
        /// Process id of the holder, if known.
        pid: Option<u32>,
    },
    /// A commit was written, with one or several writes.
    Committed {
        /// Number of writes.
        n_writes: usize,
    },
    /// The write is durable in git, but the index could not be updated; the next command catches up.
    IndexBehind {
        /// The cause.
        why: String,
    },
}

/// The result of comparing the index with the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexCheck {
    /// Whether the index equals a newly built one.
    pub is_true: bool,
    /// Commits of the log that cannot be read now.
    pub lost: Vec<CommitId>,
}

/// The store of one repository.
pub struct Store {
    pub(crate) repository: Repository,
    pub(crate) index: Index,
    pub(crate) listener: Listener,
    pub(crate) group: Arc<Group>,
    pub(crate) shared: SharedRefsHandle,
}

impl Store {
    /// Opens the repository that contains `start` and brings its index up to date.
    pub fn open(start: &Path, listener: Listener) -> Result<Self, StoreError> {
        let mut store = Self::open_lagging(start, listener)?;
        store.refresh()?;
        Ok(store)
    }

    /// Opens the repository that contains `start`, with its index as it is: for writes, which plan on the newest state.
    pub fn open_lagging(start: &Path, listener: Listener) -> Result<Self, StoreError> {
        let repository = Repository::discover(start)?;
        recover_lost_writes(&repository, &listener)?;
        let group = Group::of(&repository);
        Self::open_with(repository, listener, group)
    }

    /// Opens the repository again as the writing store of a group. It gets a new group, because a reference cycle would
    /// keep both alive.
    pub(crate) fn open_beside(&self) -> Result<Self, StoreError> {
        Self::open_with(self.repository.clone(), Arc::clone(&self.listener), Arc::default())
    }

    fn open_with(repository: Repository, listener: Listener, group: Arc<Group>) -> Result<Self, StoreError> {
        let shared = shared_refs_of(&repository);
        let index = Attachment::new(&repository, &listener).open()?;
        Ok(Self { repository, index, listener, group, shared })
    }

    /// Returns the path of the index for people: a small file that names the current index file.
    pub fn index_path(repository: &Repository) -> PathBuf {
        Generations::of(repository).pointer()
    }

    /// Returns the current index file, if there is one.
    pub fn index_file(repository: &Repository) -> Option<PathBuf> {
        Generations::of(repository).current().ok().flatten()
    }

    /// Brings the clone up to date with what other servers wrote, and the index with the log. A damaged index is
    /// rebuilt.
    pub fn refresh(&mut self) -> Result<CatchUp, StoreError> {
        self.follow_shared_log()?;
        self.refresh_index()
    }

    /// Brings the index up to date with the log of the clone.
    pub(crate) fn refresh_index(&mut self) -> Result<CatchUp, StoreError> {
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

    /// Brings the index up to date with a notes ref; unreadable notes are reported once.
    pub fn follow_notes(&mut self, name: &RefName) -> Result<NoteCatchUp, StoreError> {
        self.follow_shared_notes(name)?;
        let caught_up = match self.catch_up_notes(name) {
            Err(error) => {
                self.recover(error)?;
                self.catch_up_notes(name)?
            }
            Ok(caught_up) => caught_up,
        };
        for warning in &caught_up.warnings {
            self.tell(Notice::Skipped(warning.clone()));
        }
        Ok(caught_up)
    }

    /// Rebuilds the index next to the current one and replaces it.
    pub fn rebuild(&mut self) -> Result<CatchUp, StoreError> {
        let (index, caught_up) = Attachment::new(&self.repository, &self.listener).build(&AcceptedIndex::New)?;
        self.index = index;
        Ok(caught_up)
    }

    /// Compares the index with a newly built one.
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

    /// Recovers from a failure of the index by switching to another one.
    fn recover(&mut self, error: StoreError) -> Result<CatchUp, StoreError> {
        let attachment = Attachment::new(&self.repository, &self.listener);
        let is_in_memory = self.index.is_in_memory();
        let (index, caught_up) = match error {
            StoreError::Index(IndexError::Damaged { path, source }) if !is_in_memory => {
                attachment.replace(path, source.as_ref())?
            }
            // The disk is full or read-only: the log can still be read, and durable writes count.
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

/// Restores writes that were lost because the machine stopped. A disk that cannot be written is no reason to refuse
/// reading: whoever reads is told.
fn recover_lost_writes(repository: &Repository, listener: &Listener) -> Result<(), StoreError> {
    if !repository.may_have_lost_writes()? && !repository.may_lack_shared_commits()? {
        return Ok(());
    }
    if let Err(error) = try_recover_lost_writes(repository, listener) {
        listener(Notice::LostWritesRemain { why: error.to_string() });
    }
    Ok(())
}

fn try_recover_lost_writes(repository: &Repository, listener: &Listener) -> Result<(), MoveError> {
    let guard = repository.lock_writers(|_| {})?;
    // First the shared log: what is in the write-ahead log is on top of it.
    if let Some(to) = repository.recover_unsynced(&guard)? {
        listener(Notice::LackedSharedCommits { to });
    }
    if let Some(recovered) = repository.recover_lost_writes(&guard)? {
        listener(Notice::LostWrites(recovered));
    }
    Ok(())
}
