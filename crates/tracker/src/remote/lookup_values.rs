//! Priorities, severities and types of issues: the contract has names, a project has its own configurable lists.

use taiga::dto::{IssueTypeId, PriorityId, Project, SeverityId};

use crate::Answer;
use crate::failure::Failure;
use crate::mapping::lookup_table::{LookupTable, Priorities};
use crate::priority::Priority;

/// Finds the project's priority for a contract name.
pub(super) fn priority(project: &Project, wanted: Priority) -> Answer<PriorityId> {
    let found = Priorities::of(project).id(wanted.number()).map(PriorityId);
    found.ok_or_else(|| Failure::bad_reference("priority", "the project has no priorities"))
}

/// Finds a severity by its name.
pub(super) fn severity(project: &Project, wanted: &str) -> Answer<SeverityId> {
    named("severity", &LookupTable::severities(project), wanted).map(SeverityId)
}

/// Finds a type by its name.
pub(super) fn issue_type(project: &Project, wanted: &str) -> Answer<IssueTypeId> {
    named("type", &LookupTable::types(project), wanted).map(IssueTypeId)
}

fn named(field: &str, table: &LookupTable, wanted: &str) -> Answer<u64> {
    let unknown = || Failure::bad_reference(field, format!("Must be one of {}", table.names()));
    table.id(Some(wanted)).ok_or_else(unknown)
}
