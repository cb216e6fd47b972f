//! The failures of a tracker in the contract's texts, with its names of tools and arguments.

use std::collections::BTreeMap;

use tracker::{
    Conflict, Failure, Id, IdPosition, Kind, ListedObjects, Neighbor, NewObject, Problem, ServerError, ServerErrorKind,
    SideEffect, Subject, auth_hint,
};

use super::refusal::{Category, Refusal};

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

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        let mut refusal = of_problem(failure.problem);
        match failure.side_effect {
            None => {}
            Some(SideEffect::CreatedOutsideEpic(id)) => {
                let reason = format!("{id} was created, but is not in the epic; update it with epicId");
                refusal.details.push(("id".to_owned(), reason));
            }
            Some(SideEffect::ChangedExceptEpic) => {
                let reason = "not changed as asked; all other changes were made";
                refusal.details.push(("epicId".to_owned(), reason.to_owned()));
            }
            Some(effect) => refusal.hint = hint(effect),
        }
        refusal
    }
}

fn of_problem(problem: Problem) -> Refusal {
    match problem {
        Problem::NoActiveProject => Refusal::new(Category::Validation, "Active project not set"),
        Problem::NotFound(what) => Refusal::new(Category::NotFound, format!("{} not found", title(what))),
        Problem::UnknownStatus(id, position) => {
            let field = if position == IdPosition::Single { "statusId" } else { "statusIds" };
            Refusal::bad_reference(field, format!("{id} is no status of this kind; get_statuses lists them"))
        }
        Problem::UnknownMember(id, position) => {
            let field = if position == IdPosition::Single { "assignedToId" } else { "assigneeIds" };
            Refusal::bad_reference(field, format!("{id} is no member's id; get_members lists them"))
        }
        Problem::UnknownParent { of, id } => unknown_parent(of, id),
        Problem::UnknownSprint(id) => {
            let reason = format!("{id} is not a sprint of the active project; list_sprints lists them");
            Refusal::bad_reference("milestoneId", reason)
        }
        Problem::UnknownPoints { allowed } => {
            Refusal::bad_reference("points", format!("Must be one of {}, or null", allowed.join(", ")))
        }
        Problem::UnknownSeverity { allowed } => Refusal::bad_reference("severity", format!("Must be one of {allowed}")),
        Problem::UnknownType { allowed } => Refusal::bad_reference("type", format!("Must be one of {allowed}")),
        Problem::NoPriorities => Refusal::bad_reference("priority", "the project has no priorities"),
        Problem::FinishBeforeStart => Refusal::field("finish", "Must not be before start"),
        Problem::UnknownNeighbor(side) => {
            let field = if side == Neighbor::Before { "beforeId" } else { "afterId" };
            Refusal::field(field, "There is none with this id")
        }
        Problem::TaskWithoutStory => Refusal::field("id", "Only a task of a user story has a place"),
        Problem::UnorderedIssues => Refusal::field("entity", "Issues have no order there"),
        Problem::FutureVersion { now } => Refusal::field("version", format!("Must not be above {now}")),
        Problem::Conflict(conflict) => Refusal::conflict(conflict_text(conflict)),
        Problem::MayNotView { what, right } => {
            let what = if what == ListedObjects::Sprints { "sprints" } else { "this" };
            let message = format!("You may not view {what} in the active project: your role lacks `{right}`");
            Refusal { http_status: Some(403), ..Refusal::new(Category::Auth, message) }
        }
        Problem::NoClosedStatus => {
            Refusal::new(Category::Validation, "The milestone workflow of this project has no closed status")
        }
        Problem::CommentNotListed => Refusal::new(Category::Unknown, "The comment was added, but is not listed"),
        Problem::InvalidId => Refusal::new(Category::Unknown, "An object has an invalid id"),
        Problem::Server(error) => of_server(*error),
        Problem::Repository(error) => Refusal::from(*error),
    }
}

fn title(what: Subject) -> &'static str {
    match what {
        Subject::Project => "Project",
        Subject::Sprint => "Sprint",
        Subject::Status => "Status",
        Subject::Work(Kind::Epic) => "Epic",
        Subject::Work(Kind::Story) => "User story",
        Subject::Work(Kind::Task) => "Task",
        Subject::Work(Kind::Issue) => "Issue",
    }
}

fn unknown_parent(of: Kind, id: Id) -> Refusal {
    let (field, what, tool) = match of {
        Kind::Story => ("epicId", "epic", "list_epics"),
        _ => ("userStoryId", "user story", "list_user_stories"),
    };
    Refusal::bad_reference(field, format!("{id} is no {what} of the active project; {tool} lists them"))
}

fn conflict_text(conflict: Conflict) -> String {
    match conflict {
        Conflict::OldVersion { now, read } => format!(
            "It is in version {now} now, and was read in version {read}; nothing was written. Read it again, then decide."
        ),
        Conflict::OtherVersion => {
            "It changed since it was read in that version; nothing was written. Read it again, then decide.".to_owned()
        }
        Conflict::KeptChanging => {
            "It kept changing meanwhile; nothing was written. Read it again, then decide.".to_owned()
        }
    }
}

fn hint(effect: SideEffect) -> Option<String> {
    let text = match effect {
        SideEffect::ActiveProjectLost => {
            "the active project can no longer be read; call list_projects and set_active_project"
        }
        SideEffect::MaybeDone => "it may have been done: read it again before you repeat it",
        SideEffect::CommentAdded => "the comment was added; list_comments shows it",
        SideEffect::MaybeCreated(new) => {
            let (what, tool) = match new {
                NewObject::Work(Kind::Epic) => ("its subject", "search_epics"),
                NewObject::Work(Kind::Story) => ("its subject", "search_user_stories"),
                NewObject::Work(Kind::Task) => ("its subject", "search_tasks"),
                NewObject::Work(Kind::Issue) => ("its subject", "search_issues"),
                NewObject::Sprint => ("its name", "list_sprints"),
                NewObject::Comment => ("its text", "list_comments"),
            };
            return Some(format!("it may have been created: look for {what} with {tool} before you create it again"));
        }
        SideEffect::CreatedOutsideEpic(_) | SideEffect::ChangedExceptEpic => return None,
    };
    Some(text.to_owned())
}

fn of_server(error: ServerError) -> Refusal {
    let mut hint = None;
    let refusal = match error.kind {
        ServerErrorKind::Auth(problem) => {
            hint = auth_hint(problem).map(str::to_owned);
            Refusal::new(Category::Auth, error.message)
        }
        ServerErrorKind::NotFound => Refusal::new(Category::NotFound, error.message),
        ServerErrorKind::Validation { conflict: true, .. } => Refusal::conflict(
            "Someone else changed this meanwhile; nothing was overwritten. Read it again, then decide.",
        ),
        ServerErrorKind::Validation { fields, .. } if fields.is_empty() => {
            Refusal::new(Category::Validation, error.message)
        }
        ServerErrorKind::Validation { fields, .. } => Refusal::fields(renamed(fields)),
        ServerErrorKind::RateLimit { wait } => {
            Refusal { retry_after: Some(wait), ..Refusal::new(Category::RateLimit, "Rate limited") }
        }
        ServerErrorKind::Network => {
            let details = vec![("reason".to_owned(), error.message)];
            Refusal { details, ..Refusal::new(Category::Network, "Network unreachable") }
        }
        ServerErrorKind::Server => Refusal::new(Category::Server, error.message),
        ServerErrorKind::Unknown => Refusal::new(Category::Unknown, error.message),
    };
    Refusal { http_status: error.status.or(refusal.http_status), hint, ..refusal }
}

fn renamed(fields: BTreeMap<String, String>) -> Vec<(String, String)> {
    let name =
        |field: &str| FIELDS.iter().find(|(theirs, _)| *theirs == field).map_or(field, |(_, ours)| ours).to_owned();
    fields.into_iter().map(|(field, why)| (name(&field), why)).collect()
}
