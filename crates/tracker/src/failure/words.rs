//! The failures of a tracker in the words of the command line.

use std::fmt;

use app::{Error, ErrorKind};
use taiga::{AuthProblem, Error as ServerError, ErrorKind as ServerErrorKind};

use super::{Failure, Problem, Subject};
use crate::Kind;

/// Returns what to do about a failed authentication or authorization, if we know it.
pub fn auth_hint(problem: AuthProblem) -> Option<&'static str> {
    match problem {
        AuthProblem::NoToken | AuthProblem::Refused | AuthProblem::SessionEnded => {
            Some("log in with `cairn taiga login URL`, or renew `CAIRN_TAIGA_TOKEN` where it is set")
        }
        AuthProblem::Archived => Some("the project is archived: it can be read, but not changed"),
        AuthProblem::Blocked => Some("the server's staff blocked the project: it can be read, but not changed"),
        AuthProblem::Forbidden => None,
    }
}

/// The words of the command line.
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoActiveProject => write!(f, "no project is active"),
            Self::NotFound(what) => write!(f, "{what} not found"),
            Self::UnknownStatus(id, _) => write!(f, "unknown status `{id}`"),
            Self::UnknownMember(id, _) => write!(f, "unknown member `{id}`"),
            Self::UnknownParent { of, id } => write!(f, "unknown parent `{id}` of a {}", noun(*of)),
            Self::UnknownSprint(id) => write!(f, "unknown sprint `{id}`"),
            Self::UnknownPoints { allowed } => write!(f, "unknown points (expected: {})", allowed.join(", ")),
            Self::UnknownSeverity { allowed } => write!(f, "unknown severity (expected: {allowed})"),
            Self::UnknownType { allowed } => write!(f, "unknown type (expected: {allowed})"),
            Self::NoPriorities => write!(f, "the project has no priorities"),
            Self::FinishBeforeStart => write!(f, "the sprint ends before it begins"),
            Self::UnknownNeighbor(_) => write!(f, "the card to move next to does not exist"),
            Self::TaskWithoutStory => write!(f, "only tasks of a user story have an order"),
            Self::UnorderedIssues => write!(f, "issues have no order on the server"),
            Self::FutureVersion { now } => write!(f, "the newest version is {now}"),
            Self::Conflict(_) => write!(f, "someone else changed it meanwhile; nothing was written"),
            Self::MayNotView { right, .. } => write!(f, "your role in the project lacks `{right}`"),
            Self::NoClosedStatus => write!(f, "the milestone workflow of this project has no closed status"),
            Self::CommentNotListed => write!(f, "the comment was added, but is not listed"),
            Self::InvalidId => write!(f, "an object has an invalid id"),
            Self::Server(error) => write!(f, "{}", ServerWords(error)),
            Self::Repository(error) => write!(f, "{error}"),
        }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Project => "project",
            Self::Sprint => "sprint",
            Self::Status => "status",
            Self::Work(kind) => noun(*kind),
        })
    }
}

fn noun(kind: Kind) -> &'static str {
    match kind {
        Kind::Epic => "epic",
        Kind::Story => "user story",
        Kind::Task => "task",
        Kind::Issue => "issue",
    }
}

struct ServerWords<'a>(&'a ServerError);

impl fmt::Display for ServerWords<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.kind {
            ServerErrorKind::Validation { conflict: true, .. } => {
                write!(f, "someone else changed this meanwhile; nothing was overwritten")
            }
            ServerErrorKind::Validation { fields, .. } if !fields.is_empty() => {
                let parts: Vec<String> = fields.iter().map(|(field, why)| format!("{field}: {why}")).collect();
                write!(f, "{}", parts.join("; "))
            }
            ServerErrorKind::RateLimit { .. } => write!(f, "rate limited"),
            ServerErrorKind::Network => write!(f, "network unreachable: {}", self.0.message),
            _ => write!(f, "{}", self.0.message),
        }
    }
}

/// The table from problems to error kinds, for the command line.
impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        let message = failure.problem.to_string();
        match failure.problem {
            Problem::Repository(error) => *error,
            Problem::Server(error) => of_server(&error, message),
            Problem::NotFound(Subject::Project) => {
                Self::not_found(message).hint("`cairn taiga projects` lists those you are a member of")
            }
            Problem::NotFound(_) => Self::not_found(message),
            Problem::Conflict(_) => Self::conflict(message),
            Problem::MayNotView { .. } | Problem::CommentNotListed | Problem::InvalidId => Self::unavailable(message),
            _ => Self::invalid(message),
        }
    }
}

fn of_server(error: &ServerError, message: String) -> Error {
    let kind = match &error.kind {
        ServerErrorKind::Validation { conflict: true, .. } => ErrorKind::Conflict,
        ServerErrorKind::Validation { .. } => ErrorKind::Invalid,
        ServerErrorKind::NotFound => ErrorKind::NotFound,
        _ => ErrorKind::Unavailable,
    };
    let words = Error::new(kind, message);
    match hint(error) {
        Some(hint) => words.hint(hint),
        None => words,
    }
}

fn hint(error: &ServerError) -> Option<String> {
    let hint = match &error.kind {
        ServerErrorKind::Auth(AuthProblem::Forbidden) => {
            "the server does not let this user do it; ask an administrator of the project"
        }
        ServerErrorKind::Auth(problem) => auth_hint(*problem)?,
        ServerErrorKind::RateLimit { wait } => {
            return Some(format!("wait {} seconds, then try again", wait.as_millis().div_ceil(1000)));
        }
        ServerErrorKind::Network => "check the address and the network",
        ServerErrorKind::Server => "the server itself failed; try again later, or ask its administrator",
        // The response does not come from Taiga.
        ServerErrorKind::Unknown if error.status.is_some() => {
            "give the address where Taiga begins, without the page you are on; for Taiga's own cloud, `https://api.taiga.io`"
        }
        _ => return None,
    };
    Some(hint.to_owned())
}
