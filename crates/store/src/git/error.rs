//! What can go wrong with git, as facts. Each message names what was tried and on what; the cause is the source.

use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{ObjectId, RefName, TreePath};

/// Why git could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// There is no repository here or in any directory above.
    #[error("`{}` is not in a git repository", path.display())]
    NotARepository {
        /// Where the search started, or what `GIT_DIR` names.
        path: PathBuf,
    },
    /// The repository belongs to another user, and git's `safe.directory` does not list it.
    #[error(
        "the repository at `{}` belongs to another user; to trust it, run `git config --global --add safe.directory {}`",
        path.display(),
        path.display()
    )]
    Untrusted {
        /// What must be listed in `safe.directory`.
        path: PathBuf,
    },
    /// The repository uses something this program does not know.
    #[error("the repository at `{}` needs {what}, which is not supported", path.display())]
    Unsupported {
        /// The git directory.
        path: PathBuf,
        /// The unknown thing, in git's words.
        what: String,
    },
    /// The repository was found, but a part of it cannot be read.
    #[error("the repository at `{}` is broken", path.display())]
    Broken {
        /// The file or directory that could not be read.
        path: PathBuf,
        /// What is wrong with it.
        source: Box<dyn Error + Send + Sync>,
    },
    /// Git does not know who is writing.
    #[error(
        "git does not know who you are; run `git config --global user.name \"Your Name\"` \
         and `git config --global user.email you@example.com`"
    )]
    NoIdentity,
    /// A date given in the environment is not one.
    #[error("`{variable}` holds an invalid date: `{value}`")]
    BadDate {
        /// The environment variable.
        variable: &'static str,
        /// What it holds.
        value: String,
    },
    /// A reference exists but does not hold an object id.
    #[error("the reference `{name}` is broken: {why}")]
    BrokenRef {
        /// The reference.
        name: RefName,
        /// What was found in it.
        why: String,
    },
    /// A commit was asked for that git would refuse.
    #[error("cannot write the commit: {why}")]
    BadCommit {
        /// What is wrong with it.
        why: String,
    },
    /// The repository may not be written: permissions, or a read-only disk.
    #[error("cannot write to `{}`", path.display())]
    Unwritable {
        /// What could not be written.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// There is no room left.
    #[error("no space left to write `{}`", path.display())]
    DiskFull {
        /// What could not be written.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The system failed on a file in some other way.
    #[error("cannot use `{}`", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The system failed while an object was read. The object may be there: nothing may be concluded from this.
    #[error("cannot read the object `{id}`; nothing was changed, run the same command again")]
    Unreadable {
        /// What was looked for.
        id: ObjectId,
        /// What the system said.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The `git` program could not be started.
    #[error("cannot run the `git` program; is it installed and on the PATH?")]
    NoProgram {
        /// What the system said.
        source: io::Error,
    },
    /// The `git` program ran and failed.
    #[error("`{command}` failed{}", said(stderr))]
    Program {
        /// The command line, without credentials.
        command: String,
        /// Git's exit code, if it exited by itself.
        code: Option<i32>,
        /// What git wrote to stderr, without credentials.
        stderr: String,
    },
    /// The `git` program took too long and was ended.
    #[error("`{command}` gave no answer within {patience:?} and was ended")]
    TooSlow {
        /// The command line, without credentials.
        command: String,
        /// How long it was waited for.
        patience: Duration,
    },
    /// A partial clone lacks objects that are needed; a question fetches nothing.
    #[error("this partial clone lacks objects that are needed here, and reading does not fetch them")]
    NotFetched,
    /// Lines were asked for that the file does not have.
    #[error("`{path}` has only {n_lines} lines")]
    TooFewLines {
        /// The file.
        path: TreePath,
        /// How many it has.
        n_lines: u32,
    },
    /// The remote did not take what was pushed, and trying again would not help.
    #[error("`{remote}` refused `{name}`: {why}")]
    PushRefused {
        /// The remote.
        remote: String,
        /// The reference.
        name: RefName,
        /// What the remote said.
        why: String,
    },
    /// A lock stays on the remote's reference.
    #[error("`{name}` is locked on `{remote}`: {why}")]
    RemoteLocked {
        /// The remote.
        remote: String,
        /// The reference.
        name: RefName,
        /// What git said there, with the path of the lock.
        why: String,
    },
    /// A remote's name or address could be read as an option.
    #[error("`{remote}` is not a remote")]
    BadRemote {
        /// What was given.
        remote: String,
    },
}

impl GitError {
    /// Sorts a failed write by what the reader can do about it.
    pub(crate) fn writing(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => Self::Unwritable { path, source },
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::DiskFull { path, source },
            _ => Self::Io { path, source },
        }
    }

    pub(crate) fn reading(path: &Path, source: io::Error) -> Self {
        Self::Io { path: path.to_owned(), source }
    }

    pub(super) fn broken(path: &Path, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Broken { path: path.to_owned(), source: source.into() }
    }
}

/// Why an object could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The object is not in the repository: a shallow or partial clone, or lost.
    #[error("the object `{id}` is missing")]
    Missing {
        /// What was looked for.
        id: ObjectId,
    },
    /// The object is there but is not what its name promises.
    #[error("the object `{id}` is damaged")]
    Damaged {
        /// What was looked for.
        id: ObjectId,
        /// What is wrong with it.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The object is what its name promises, but not what was asked for: not a commit, or one that no git writes.
    #[error("the object `{id}` is malformed")]
    Malformed {
        /// What was looked for.
        id: ObjectId,
        /// What is wrong with it.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The object, or what was asked for as a whole, is over the limit.
    #[error("the object `{id}` is over the limit of {limit} bytes")]
    TooLarge {
        /// What was looked for.
        id: ObjectId,
        /// The limit that was exceeded.
        limit: u64,
    },
    /// The commit holds more files than the limit.
    #[error("the tree `{id}` holds more than {limit} files")]
    TooMany {
        /// The tree.
        id: ObjectId,
        /// The limit that was exceeded.
        limit: usize,
    },
    /// The object store itself cannot be opened, or the system failed while it was read.
    #[error(transparent)]
    Git(#[from] GitError),
}

impl ReadError {
    /// Returns the object that could not be read.
    pub fn object(&self) -> Option<ObjectId> {
        match self {
            Self::Missing { id }
            | Self::Damaged { id, .. }
            | Self::Malformed { id, .. }
            | Self::TooLarge { id, .. }
            | Self::TooMany { id, .. }
            | Self::Git(GitError::Unreadable { id, .. }) => Some(*id),
            Self::Git(_) => None,
        }
    }

    /// Tells whether another read of the same object must fail in the same way: it is over a limit of ours, or its own
    /// bytes are not what was asked for. What is missing or damaged may come back.
    pub fn is_final(&self) -> bool {
        matches!(self, Self::TooLarge { .. } | Self::TooMany { .. } | Self::Malformed { .. })
    }
}

/// Why a reference was not moved. It is unchanged in every case.
#[derive(Debug, thiserror::Error)]
pub enum MoveError {
    /// Another writer moved the reference between our read and our write.
    #[error("`{name}` was changed by someone else")]
    Moved {
        /// The reference.
        name: RefName,
    },
    /// Another process holds git's own lock on the reference and did not let go.
    #[error("`{}` is held by another process; if no git program is running, remove the file", path.display())]
    Locked {
        /// The lock file.
        path: PathBuf,
    },
    /// Something else failed.
    #[error(transparent)]
    Git(#[from] GitError),
}

fn said(stderr: &str) -> String {
    let stderr = stderr.trim();
    if stderr.is_empty() { String::new() } else { format!(": {stderr}") }
}
