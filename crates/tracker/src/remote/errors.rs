//! Converts client errors into failures of the contract.

use std::collections::BTreeMap;

use taiga::{AuthProblem, Error, ErrorKind};

use crate::failure::{Failure, FailureCategory};

/// Field names of the server and of the contract.
const FIELDS: [(&str, &str); 14] = [
    ("status", "statusId"),
    ("assigned_to", "assignedToId"),
    ("user_story", "userStoryId"),
    ("epic", "epicId"),
    ("milestone", "milestoneId"),
    ("due_date", "dueDate"),
    ("assigned_users", "assigneeIds"),
    ("estimated_start", "start"),
    ("estimated_finish", "finish"),
    ("project", "projectId"),
    ("color", "color"),
    ("blocked_note", "blocked.reason"),
    ("is_blocked", "blocked.isBlocked"),
    ("non_field_errors", "arguments"),
];

/// Converts an error.
pub(crate) fn failure(error: Error) -> Failure {
    let (status, hint, advice) = (error.status, hint(&error.kind), advice(&error));
    let failure = match error.kind {
        ErrorKind::Auth(_) => Failure::new(FailureCategory::Auth, error.message),
        ErrorKind::NotFound => Failure::new(FailureCategory::NotFound, error.message),
        ErrorKind::Validation { conflict: true, .. } => Failure::conflict(
            "Someone else changed this meanwhile; nothing was overwritten. Read it again, then decide.",
        ),
        ErrorKind::Validation { fields, .. } if fields.is_empty() => {
            Failure::new(FailureCategory::Validation, error.message)
        }
        ErrorKind::Validation { fields, .. } => Failure::fields(renamed(fields)),
        ErrorKind::RateLimit { wait } => {
            Failure { retry_after: Some(wait), ..Failure::new(FailureCategory::RateLimit, "Rate limited") }
        }
        ErrorKind::Network => {
            let details = vec![("reason".to_owned(), error.message)];
            Failure { details, ..Failure::new(FailureCategory::Network, "Network unreachable") }
        }
        ErrorKind::Server => Failure::new(FailureCategory::Server, error.message),
        ErrorKind::Unknown => Failure::new(FailureCategory::Unknown, error.message),
    };
    Failure { http_status: status.or(failure.http_status), hint, advice, ..failure }
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

/// Returns a hint for a person, for an error that an agent can only pass on.
fn advice(error: &Error) -> Option<String> {
    let text = match &error.kind {
        ErrorKind::Auth(AuthProblem::Forbidden) => {
            "the server does not let this user do it; ask whoever runs the project"
        }
        ErrorKind::RateLimit { wait } => {
            return Some(format!("wait {} seconds, then try again", wait.as_millis().div_ceil(1000)));
        }
        ErrorKind::Server => "the server itself failed; try again later, or ask whoever runs it",
        // The response does not come from Taiga.
        ErrorKind::Unknown if error.status.is_some() => {
            "give the address where Taiga begins, without the page you are on; for Taiga's own cloud, `https://api.taiga.io`"
        }
        _ => return None,
    };
    Some(text.to_owned())
}

/// Converts the error of a request for one object: `NotFound` names the object.
pub(super) fn about(error: Error, what: &str) -> Failure {
    if error.kind == ErrorKind::NotFound { Failure::not_found(what) } else { failure(error) }
}

fn renamed(fields: BTreeMap<String, String>) -> Vec<(String, String)> {
    let name =
        |field: &str| FIELDS.iter().find(|(theirs, _)| *theirs == field).map_or(field, |(_, ours)| ours).to_owned();
    fields.into_iter().map(|(field, why)| (name(&field), why)).collect()
}
