//! From what the client says to what the contract says.

use std::collections::BTreeMap;

use taiga::{AuthProblem, Error, ErrorKind};

use crate::tracker::failure::{Category, Failure};

/// What the server calls a field, and what we do.
const FIELDS: [(&str, &str); 9] = [
    ("status", "statusId"),
    ("assigned_to", "assignedToId"),
    ("user_story", "userStoryId"),
    ("epic", "epicId"),
    ("project", "projectId"),
    ("color", "color"),
    ("blocked_note", "blocked.reason"),
    ("is_blocked", "blocked.isBlocked"),
    ("non_field_errors", "arguments"),
];

/// Translates an error.
pub(in crate::tracker) fn failure(error: Error) -> Failure {
    let (status, hint) = (error.status, hint(&error.kind));
    let failure = match error.kind {
        ErrorKind::Auth(_) => Failure::new(Category::Auth, error.message),
        ErrorKind::NotFound => Failure::new(Category::NotFound, error.message),
        ErrorKind::Validation { conflict: true, .. } => Failure::conflict(
            "Someone else changed this meanwhile; nothing was overwritten. Read it again, then decide.",
        ),
        ErrorKind::Validation { fields, .. } if fields.is_empty() => Failure::new(Category::Validation, error.message),
        ErrorKind::Validation { fields, .. } => Failure::fields(renamed(fields)),
        ErrorKind::RateLimit { wait } => {
            Failure { retry_after: Some(wait), ..Failure::new(Category::RateLimit, "Rate limited") }
        }
        ErrorKind::Network => {
            let details = vec![("reason".to_owned(), error.message)];
            Failure { details, ..Failure::new(Category::Network, "Network unreachable") }
        }
        ErrorKind::Server => Failure::new(Category::Server, error.message),
        ErrorKind::Unknown => Failure::new(Category::Unknown, error.message),
    };
    Failure { http_status: status.or(failure.http_status), hint, ..failure }
}

fn hint(kind: &ErrorKind) -> Option<String> {
    let ErrorKind::Auth(problem) = kind else { return None };
    let hint = match problem {
        AuthProblem::NoToken | AuthProblem::Refused | AuthProblem::SessionEnded => {
            "log in with `cairn taiga login URL`, or renew `CAIRN_TAIGA_TOKEN` where it is set"
        }
        AuthProblem::Archived => "the project is archived: it can be read, but not changed",
        AuthProblem::Blocked => "the server's staff blocked the project: it can be read, but not changed",
        AuthProblem::Forbidden => return None,
    };
    Some(hint.to_owned())
}

/// Translates an error of a request for one thing: what is absent is told by what it is.
pub(super) fn about(error: Error, what: &str) -> Failure {
    if error.kind == ErrorKind::NotFound { Failure::not_found(what) } else { failure(error) }
}

fn renamed(fields: BTreeMap<String, String>) -> Vec<(String, String)> {
    let name =
        |field: &str| FIELDS.iter().find(|(theirs, _)| *theirs == field).map_or(field, |(_, ours)| ours).to_owned();
    fields.into_iter().map(|(field, why)| (name(&field), why)).collect()
}
