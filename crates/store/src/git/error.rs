//! Errors of git as facts. Each message names the attempt and its object; the cause is the source.

use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use model::text::counted;

use super::{ObjectId, RefName, TreePath};

/// Why a git operation failed.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// Neither the path nor any directory above it is a repository.
    #[error("`{}` is not in a git repository", path.display())]
    NotARepository {
        /// Where the search started, or the value of `GIT_DIR`.
        path: PathBuf,
    },
    /// The repository belongs to another user and is not listed in git's `safe.directory`.
    #[error(
        "the repository at `{}` belongs to another user; to trust it, run `git config --global --add safe.directory {}`",
        path.display(),
        path.display()
    )]
    Untrusted {
        /// The path to list in `safe.directory`.
        path: PathBuf,
    },
    /// The repository uses an unknown format or extension.
    #[error("the repository at `{}` needs {what}, which is not supported", path.display())]
    Unsupported {
        /// The git directory.
        path: PathBuf,
        /// The unknown extension, in git's words.
        what: String,
    },
    /// A part of the repository cannot be read.
    #[error("the repository at `{}` is broken", path.display())]
    Broken {
        /// The file or directory that could not be read.
        path: PathBuf,
        /// The cause.
        source: Box<dyn Error + Send + Sync>,
    },
    /// Git has no user name or e-mail address.
    #[error(
        "git does not know who you are; run `git config --global user.name \"Your Name\"` \
         and `git config --global user.email you@example.com`"
    )]
    NoIdentity,
    /// An invalid date in an environment variable.
    #[error("`{variable}` holds an invalid date: `{value}`")]
    BadDate {
        /// The environment variable.
        variable: &'static str,
        /// Its value.
        value: String,
    },
    /// A reference does not hold an object id.
    #[error("the reference `{name}` is broken: {why}")]
    BrokenRef {
        /// The reference.
        name: RefName,
        /// What it holds.
        why: String,
    },
    /// The commit is invalid for git.
    #[error("cannot write the commit: {why}")]
    BadCommit {
        /// What is wrong with it.
        why: String,
    },
    /// The repository is not writable: permissions, or a read-only disk.
    #[error("cannot write to `{}`", path.display())]
    Unwritable {
        /// The path that could not be written.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The disk or the quota is full.
    #[error("no space left to write `{}`", path.display())]
    DiskFull {
        /// The path that could not be written.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// Another I/O error.
    #[error("cannot use `{}`", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// An I/O error while reading an object. The object may exist: callers must not treat it as missing.
    #[error("cannot read the object `{id}`; nothing was changed, run the same command again")]
    Unreadable {
        /// The object.
        id: ObjectId,
        /// The cause.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The `git` program could not be started.
    #[error("cannot run the `git` program; is it installed and on the PATH?")]
    NoProgram {
        /// The cause.
        source: io::Error,
    },
    /// The `git` program failed.
    #[error("`{command}` failed{}", message_of_git(stderr))]
    Program {
        /// The command line, without credentials.
        command: String,
        /// Exit code; `None` if a signal ended it.
        code: Option<i32>,
        /// Standard error, without credentials.
        stderr: String,
    },
    /// The `git` program exceeded its timeout and was killed.
    #[error("`{command}` did not finish within {patience:?} and was killed")]
    TooSlow {
        /// The command line, without credentials.
        command: String,
        /// The timeout.
        patience: Duration,
    },
    /// A partial clone lacks required objects; reads never fetch them.
    #[error("this partial clone lacks objects that are needed here, and reading does not fetch them")]
    NotFetched,
    /// The requested lines exceed the file.
    #[error("`{path}` has only {}", counted(*.n_lines, "line"))]
    TooFewLines {
        /// The file.
        path: TreePath,
        /// Number of lines of the file.
        n_lines: u32,
    },
    /// The remote rejected the push, and a retry would not help.
    #[error("`{remote}` refused `{name}`: {why}")]
    PushRefused {
        /// The remote.
        remote: String,
        /// The reference.
        name: RefName,
        /// The remote's message.
        why: String,
    },
    /// A lock file on the remote's reference persists.
    #[error("`{name}` is locked on `{remote}`: {why}")]
    RemoteLocked {
        /// The remote.
        remote: String,
        /// The reference.
        name: RefName,
        /// The remote's message with the path of the lock.
        why: String,
    },
    /// A remote's name or URL that could be parsed as an option.
    #[error("`{remote}` is not a remote")]
    BadRemote {
        /// The given name.
        remote: String,
    },
}

impl GitError {
    /// Classifies a failed write by what the user can do about it.
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
        /// The object.
        id: ObjectId,
    },
    /// The object's bytes do not match its id.
    #[error("the object `{id}` is damaged")]
    Damaged {
        /// The object.
        id: ObjectId,
        /// The cause.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The object is intact but not of the expected kind: not a commit, or one that git would never write.
    #[error("the object `{id}` is malformed")]
    Malformed {
        /// The object.
        id: ObjectId,
        /// The cause.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The object, or all requested objects together, exceed the limit.
    #[error("the object `{id}` is over the limit of {limit} bytes")]
    TooLarge {
        /// The object.
        id: ObjectId,
        /// The limit.
        limit: u64,
    },
    /// The commit has more files than the limit.
    #[error("the tree `{id}` holds more than {limit} files")]
    TooMany {
        /// The tree.
        id: ObjectId,
        /// The limit.
        limit: usize,
    },
    /// The object store cannot be opened, or an I/O error occurred.
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

    /// Returns whether a retry must fail in the same way: the object exceeds a limit, or its bytes are malformed.
    /// Missing and damaged objects may come back.
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
    /// Another process holds git's lock on the reference.
    #[error("`{}` is held by another process; if no git program is running, remove the file", path.display())]
    Locked {
        /// The lock file.
        path: PathBuf,
    },
    /// Another failure.
    #[error(transparent)]
    Git(#[from] GitError),
}

fn message_of_git(stderr: &str) -> String {
    let stderr = stderr.trim();
    if stderr.is_empty() { String::new() } else { format!(": {stderr}") }
}
