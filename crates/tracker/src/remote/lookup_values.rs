//! Priorities, severities and types of issues: the contract has names, a project has its own configurable lists.

use taiga::dto::{IssueTypeId, PriorityId, Project, SeverityId};

use crate::TrackerResult;
use crate::failure::Problem;
use crate::mapping::lookup_table::{LookupTable, Priorities};
use crate::priority::Priority;

/// Finds the project's priority for a contract name.
pub(super) fn priority(project: &Project, wanted: Priority) -> TrackerResult<PriorityId> {
    let found = Priorities::of(project).id(wanted.number()).map(PriorityId);
    found.ok_or_else(|| Problem::NoPriorities.into())
}

/// Finds a severity by its name.
pub(super) fn severity(project: &Project, wanted: &str) -> TrackerResult<SeverityId> {
    let table = LookupTable::severities(project);
    let found = table.id(Some(wanted)).map(SeverityId);
    found.ok_or_else(|| Problem::UnknownSeverity { allowed: table.names() }.into())
}

/// Finds a type by its name.
pub(super) fn issue_type(project: &Project, wanted: &str) -> TrackerResult<IssueTypeId> {
    let table = LookupTable::types(project);
    let found = table.id(Some(wanted)).map(IssueTypeId);
    found.ok_or_else(|| Problem::UnknownType { allowed: table.names() }.into())
}
