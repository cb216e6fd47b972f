//! What went wrong, for everyone: a kind that each front door maps once, a message in facts, and a hint that says what
//! to do next.

use std::fmt;

use store::StoreError;
use store::git::{GitError, MoveError};
use store::index::IndexError;
use store::spool::SpoolError;

/// What sort of thing went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// What was asked for makes no sense as it stands.
    Invalid,
    /// What was named does not exist.
    NotFound,
    /// What was asked for would overwrite or contradict something.
    Conflict,
    /// There is no repository to work in.
    NotARepository,
    /// Something outside is in the way: a disk, a lock, a remote.
    Unavailable,
    /// The index is damaged; opening it again builds it anew.
    IndexDamaged,
    /// A mistake of ours.
    Internal,
}

impl ErrorKind {
    /// Returns the name front doors show.
    pub fn name(self) -> &'static str {
        match self {
            Self::Invalid => "invalid",
            Self::NotFound => "not_found",
            Self::Conflict => "conflict",
            Self::NotARepository => "not_a_repository",
            Self::Unavailable | Self::IndexDamaged => "unavailable",
            Self::Internal => "internal",
        }
    }
}

/// A fact about an error that a program can act on, beside the words that say it to people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Detail {
    /// Where in a filter the mistake is, counted in characters; the first is 1.
    Column(usize),
    /// The revision that the item is in, when another one was expected.
    Revision(String),
}

/// An error with its causes joined and its hint beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// What sort.
    pub kind: ErrorKind,
    /// What happened.
    pub message: String,
    /// What to do next, when there is something.
    pub hint: Option<String>,
    /// What a program can act on, when there is something.
    pub detail: Option<Detail>,
}

impl Error {
    /// Makes an error of the `Invalid` kind.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Invalid, message)
    }

    /// Makes an error of the `NotFound` kind.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::NotFound, message)
    }

    /// Makes an error of the `Conflict` kind.
    pub fn conflict(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Conflict, message)
    }

    /// Makes an error of the `Unavailable` kind.
    pub fn unavailable(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Unavailable, message)
    }

    /// Adds what to do next.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds a fact that a program can act on.
    #[must_use]
    pub(crate) fn detail(mut self, detail: Detail) -> Self {
        self.detail = Some(detail);
        self
    }

    fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), hint: None, detail: None }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        let message = with_causes(&error);
        let git = match error.itself() {
            StoreError::Index(IndexError::Damaged { .. }) => {
                return Self::new(ErrorKind::IndexDamaged, message);
            }
            StoreError::Git(git)
            | StoreError::Index(IndexError::Git(git))
            | StoreError::Move(MoveError::Git(git))
            | StoreError::Read(store::git::ReadError::Git(git)) => git,
            StoreError::Contended => {
                return Self::unavailable(message).hint("nothing was written; run the same command again");
            }
            StoreError::BrokenTip { .. } => {
                let hint = "`cairn sync` brings it back if the remote has it; `cairn doctor` says what else is missing";
                return Self::unavailable(message).hint(hint);
            }
            StoreError::Index(IndexError::TooMuch { .. }) => {
                let hint = "what was here before is untouched; if you trust the remote, raise the limit with \
                    `git config cairn.maxReceiveBytes BYTES`";
                return Self::unavailable(message).hint(hint);
            }
            StoreError::UnknownClock { .. } => {
                return Self::unavailable(message).hint("`cairn doctor` says what is wrong with the log");
            }
            _ => return Self::unavailable(message),
        };
        let kind = match git {
            GitError::NotARepository { .. } => ErrorKind::NotARepository,
            GitError::BadRemote { .. } => ErrorKind::NotFound,
            _ => ErrorKind::Unavailable,
        };
        Self { hint: hint_for(git).map(str::to_owned), ..Self::new(kind, message) }
    }
}

impl From<IndexError> for Error {
    fn from(error: IndexError) -> Self {
        StoreError::from(error).into()
    }
}

impl From<GitError> for Error {
    fn from(error: GitError) -> Self {
        StoreError::from(error).into()
    }
}

impl From<SpoolError> for Error {
    fn from(error: SpoolError) -> Self {
        match error {
            SpoolError::Git(error) => error.into(),
            SpoolError::NoDraft(_) => Self::not_found(error.to_string()),
        }
    }
}

fn hint_for(error: &GitError) -> Option<&'static str> {
    match error {
        GitError::RemoteLocked { .. } => Some(
            "nothing is lost here; a push that was killed leaves such a lock: if no other push runs, remove this file on \
             the remote and sync again",
        ),
        GitError::NotARepository { .. } => {
            Some("go to a git repository, name one with `-C PATH`, or make one with `git init`")
        }
        GitError::Unwritable { .. } => Some("reading works; to write, make that place writable"),
        GitError::NotFetched => {
            Some("set `GIT_NO_LAZY_FETCH=0` to let git fetch them, or bring all with `git fetch --refetch --no-filter`")
        }
        GitError::DiskFull { .. } => Some("nothing was written; make room and run the same command again"),
        _ => None,
    }
}

fn with_causes(error: &dyn std::error::Error) -> String {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let text = error.to_string();
        // A transparent wrapper says what its source says.
        if !message.ends_with(&text) {
            message.push_str(": ");
            message.push_str(&text);
        }
        cause = error.source();
    }
    message
}
