//! Priorities, severities and types of issues: the contract has words, a project has a list of its own that admins rename.

use taiga::dto::{IssueTypeId, PriorityId, Project, SeverityId};

use crate::tracker::Answer;
use crate::tracker::failure::Failure;
use crate::tracker::ladder::Ladder;
use crate::tracker::priority::Priority;

/// Finds the priority of the project that a word stands for.
pub(super) fn priority(project: &Project, wanted: Priority) -> Answer<PriorityId> {
    let found = ladder(project).nearest(wanted.number()).map(PriorityId);
    found.ok_or_else(|| Failure::bad_reference("priority", "the project has no priorities"))
}

/// Returns the word for a priority of the project.
pub(super) fn word(project: &Project, id: PriorityId) -> Option<Priority> {
    ladder(project).word(id.0)
}

/// Finds a severity by its name.
pub(super) fn severity(project: &Project, wanted: &str) -> Answer<SeverityId> {
    let found = project.severities.iter().find(|severity| is_called(&severity.name, wanted));
    let names = project.severities.iter().map(|severity| severity.name.as_str());
    found.map(|severity| severity.id).ok_or_else(|| unknown("severity", names))
}

/// Finds a type by its name.
pub(super) fn issue_type(project: &Project, wanted: &str) -> Answer<IssueTypeId> {
    let found = project.issue_types.iter().find(|kind| is_called(&kind.name, wanted));
    let names = project.issue_types.iter().map(|kind| kind.name.as_str());
    found.map(|kind| kind.id).ok_or_else(|| unknown("type", names))
}

fn ladder(project: &Project) -> Ladder {
    let mut priorities: Vec<_> = project.priorities.iter().collect();
    priorities.sort_by_key(|priority| (priority.order, priority.id));
    let named: Vec<(u64, &str)> = priorities.iter().map(|priority| (priority.id.0, priority.name.as_str())).collect();
    Ladder::new(&named)
}

fn is_called(name: &str, wanted: &str) -> bool {
    name.to_lowercase() == wanted.to_lowercase()
}

fn unknown<'a>(field: &str, names: impl Iterator<Item = &'a str>) -> Failure {
    Failure::bad_reference(field, format!("Must be one of {}", names.collect::<Vec<_>>().join(", ")))
}
