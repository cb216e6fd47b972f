//! The error type of all verbs: a kind that each interface maps once, a factual message, a hint on what to do next, and
//! the error it came from.

use std::fmt;
use std::sync::Arc;

use model::item::ItemKind;
use model::value_error::ValueError;
use store::StoreError;
use store::git::{GitError, MoveError};
use store::index::IndexError;
use store::spool::SpoolError;

/// The kind of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The request is invalid.
    Invalid,
    /// A referenced object does not exist.
    NotFound,
    /// The change would overwrite or contradict something.
    Conflict,
    /// There is no repository to work in.
    NotARepository,
    /// An external obstacle: a disk, a lock, a remote.
    Unavailable,
    /// The index is damaged; reopening rebuilds it.
    IndexDamaged,
    /// A bug in Cairn.
    Internal,
}

impl ErrorKind {
    /// Returns the name shown to clients.
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

/// A machine-readable detail of an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Detail {
    /// The column of an error in a filter, in characters from 1.
    Column(usize),
    /// The current revision of the item, if another one was expected.
    Revision(String),
    /// A number that refers to nothing, and what could have been meant.
    UnknownNumber(Box<UnknownNumber>),
}

/// A number that refers to nothing of the wanted kind, with existing ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownNumber {
    /// The kind of object that was wanted.
    pub wanted: NumberedObject,
    /// The number as given; it may be out of range.
    pub number: i128,
    /// The kind of the item that has the number instead.
    pub taken_by: Option<ItemKind>,
    /// Some existing objects: number and title.
    pub existing: Vec<(u64, String)>,
    /// How many exist in all.
    pub n_existing: usize,
}

/// Objects that clients refer to by a number alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberedObject {
    /// An item of the kind task.
    Task,
    /// An item of the kind board.
    Board,
    /// A member or another known person.
    Person,
}

impl fmt::Display for NumberedObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Task => "task",
            Self::Board => "board",
            Self::Person => "person",
        })
    }
}

/// An error and a hint. The message has the causes joined, for people; `source` gives them to code.
#[derive(Debug, Clone)]
pub struct Error {
    /// The kind.
    pub kind: ErrorKind,
    /// The message.
    pub message: String,
    /// What to do next, if known, in commands.
    pub hint: Option<String>,
    /// The same in tools and arguments, for clients that have no command line.
    tool_hint: Option<String>,
    /// A machine-readable detail, if any.
    pub detail: Option<Detail>,
    // Shared, since the answer to a write may go to several callers.
    source: Option<Arc<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// Creates an error of the kind `Invalid`.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Invalid, message)
    }

    /// Creates an error of the kind `NotFound`.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::NotFound, message)
    }

    /// Creates an error of the kind `Conflict`.
    pub fn conflict(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Conflict, message)
    }

    /// Creates an error of the kind `Unavailable`.
    pub fn unavailable(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Unavailable, message)
    }

    /// Adds a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds a hint for clients of tools.
    #[must_use]
    pub fn tool_hint(mut self, hint: impl Into<String>) -> Self {
        self.tool_hint = Some(hint.into());
        self
    }

    /// Returns what a client of tools can do next: the hint for tools, else one that names no command.
    pub fn hint_for_tools(&self) -> Option<&str> {
        let names_command = |hint: &&str| ["`cairn ", "`git ", "`-", " --"].iter().any(|mark| hint.contains(mark));
        self.tool_hint.as_deref().or_else(|| self.hint.as_deref().filter(|hint| !names_command(hint)))
    }

    /// Adds a machine-readable detail.
    #[must_use]
    pub fn detail(mut self, detail: Detail) -> Self {
        self.detail = Some(detail);
        self
    }

    /// Puts a context before the message: `line 3: …`.
    #[must_use]
    pub fn in_context(mut self, context: impl fmt::Display) -> Self {
        self.message = format!("{context}: {}", self.message);
        self
    }

    /// Creates an error.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), hint: None, tool_hint: None, detail: None, source: None }
    }

    fn caused_by(mut self, source: impl std::error::Error + Send + Sync + 'static) -> Self {
        self.source = Some(Arc::new(source));
        self
    }
}

/// Equal for a caller; what caused them does not count.
impl PartialEq for Error {
    fn eq(&self, other: &Self) -> bool {
        let seen = |error: &Self| (error.kind, error.message.clone(), error.hint.clone(), error.detail.clone());
        seen(self) == seen(other)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

impl From<ValueError> for Error {
    fn from(error: ValueError) -> Self {
        Self::invalid(error.to_string()).caused_by(error)
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        Self::of_store(&error).caused_by(error)
    }
}

impl Error {
    fn of_store(error: &StoreError) -> Self {
        let message = with_causes(error);
        let git = match error.unshared() {
            StoreError::Index(IndexError::Damaged { .. }) => {
                return Self::new(ErrorKind::IndexDamaged, message);
            }
            StoreError::Git(git)
            | StoreError::Index(IndexError::Git(git))
            | StoreError::Move(MoveError::Git(git))
            | StoreError::Read(store::git::ReadError::Git(git)) => git,
            StoreError::Contended => {
                return Self::unavailable(message)
                    .hint("nothing was written; run the same command again")
                    .tool_hint("nothing was written; call it again");
            }
            StoreError::BrokenTip { .. } => {
                let hint = "`cairn sync` brings it back if the remote has it; `cairn doctor` says what else is missing";
                return Self::unavailable(message).hint(hint).tool_hint("`sync` brings it back if the remote has it");
            }
            StoreError::Index(IndexError::TooMuch { .. }) => {
                let hint = "what was here before is untouched; if you trust the remote, raise the limit with \
                    `git config cairn.maxReceiveBytes BYTES`";
                return Self::unavailable(message).hint(hint);
            }
            StoreError::Database(error) if error.is_away() => {
                return Self::unavailable(message)
                    .hint("nothing was written; try again when the database answers")
                    .tool_hint("nothing was written; call it again in a moment");
            }
            StoreError::Database(error) => return Self::of_database(error),
            // Not `Unavailable`: a client would repeat the call, and could write twice.
            StoreError::OutcomeUnknown(_) | StoreError::Abandoned => {
                let hint = "look whether the change is there before you repeat it";
                return Self::new(ErrorKind::Internal, message).hint(hint);
            }
            StoreError::NoteRefused { .. } => {
                return Self::invalid(message)
                    .hint("nothing was written; annotate the code in parts, at several commits");
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
        let error = Self { hint: hint_for(git).map(str::to_owned), ..Self::new(kind, message) };
        match git {
            GitError::NotARepository { .. } => error.tool_hint("the server was not started in a git repository"),
            _ => error,
        }
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
            SpoolError::Database(error) => error.into(),
            SpoolError::NoDraft(_) => Self::not_found(error.to_string()).caused_by(error),
        }
    }
}

/// The database of several servers. A lost answer to a publication is another case: the store looks for the result.
impl From<database::DatabaseError> for Error {
    fn from(error: database::DatabaseError) -> Self {
        Self::of_database(&error).caused_by(error)
    }
}

impl Error {
    fn of_database(error: &database::DatabaseError) -> Self {
        let (kind, hint) = match error.kind() {
            database::DatabaseErrorKind::Away => {
                (ErrorKind::Unavailable, "nothing is lost; try again in a few seconds, when the database is back")
            }
            database::DatabaseErrorKind::Refused => {
                (ErrorKind::Unavailable, "check the address, the user and its rights: `cairn database status`")
            }
            database::DatabaseErrorKind::Untrusted => (
                ErrorKind::Unavailable,
                "the database must offer TLS with a certificate for the host's name that this machine trusts: \
                 `SSL_CERT_FILE` names a file with trusted certificates; `sslmode=disable` connects without TLS",
            ),
            database::DatabaseErrorKind::Conflict => (ErrorKind::Conflict, "look again, then repeat the change"),
            database::DatabaseErrorKind::Damaged => {
                (ErrorKind::Unavailable, "`cairn doctor --database URL` says what is wrong; restore a backup")
            }
            database::DatabaseErrorKind::Internal => (ErrorKind::Internal, "see the log of the database"),
        };
        Self::new(kind, with_causes(error)).hint(hint)
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
        // A transparent wrapper repeats its source's message.
        if !message.ends_with(&text) {
            message.push_str(": ");
            message.push_str(&text);
        }
        cause = error.source();
    }
    message
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Clients repeat what is only unavailable.
    #[test]
    fn a_write_that_may_have_been_made_is_not_called_unavailable() {
        let error = Error::from(StoreError::Together(Arc::new(StoreError::Abandoned)));
        assert_eq!(error.kind, ErrorKind::Internal, "{error}");
        insta::assert_snapshot!(error.hint.unwrap_or_default(), @"look whether the change is there before you repeat it");
    }
}
