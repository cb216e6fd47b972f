//! Converts an item of a server to an entry of the contract.

use taiga::dto::Project;

use super::{fields, known_id};
use crate::Kind;
use crate::TrackerResult;
use crate::change::Blocking;
use crate::entry::{Entry, Id, PlannedFields};
use crate::mapping::item::RemoteItem;
use crate::mapping::lookup_table::{LookupTable, Priorities};

pub(super) fn entry(work: &RemoteItem, project: &Project) -> TrackerResult<Entry> {
    let (core, kind) = (work.core(), kind(work));
    let (tags, tagged) = fields::split_tags(kind, core);
    let graded = graded(work, project);
    let status = core.status_extra_info.as_ref();
    Ok(Entry {
        id: known_id(core.id.0)?,
        number: core.reference.unwrap_or(core.id.0),
        kind,
        project: known_id(core.project.0)?,
        subject: core.subject.clone(),
        description: Some(core.description.clone().unwrap_or_default()),
        status: core.status.map(|status| known_id(status.0)).transpose()?,
        status_name: status.map(|status| status.name.clone()).unwrap_or_default(),
        is_closed: status.map_or(core.is_closed, |status| status.is_closed),
        assignee: core.assigned_to.map(|user| known_id(user.0)).transpose()?,
        tags,
        priority: graded.priority.or(tagged),
        blocking: if core.is_blocked { Blocking::from_reason(&core.blocked_note) } else { Blocking::No },
        parent: work.parents().into_iter().find_map(Id::new),
        color: match work {
            RemoteItem::Epic(epic) => epic.color.clone(),
            _ => None,
        },
        severity: graded.severity,
        type_: graded.type_,
        planned: planned(work),
        version: Some(core.version),
        created: core.created_date,
        modified: core.modified_date,
    })
}

fn kind(work: &RemoteItem) -> Kind {
    match work {
        RemoteItem::Epic(_) => Kind::Epic,
        RemoteItem::Story(_) => Kind::Story,
        RemoteItem::Task(_) => Kind::Task,
        RemoteItem::Issue(_) => Kind::Issue,
    }
}

/// Fields that only issues have.
#[derive(Default)]
struct IssueGrades {
    priority: Option<crate::Priority>,
    severity: Option<String>,
    type_: Option<String>,
}

fn graded(work: &RemoteItem, project: &Project) -> IssueGrades {
    let RemoteItem::Issue(issue) = work else { return IssueGrades::default() };
    let name = |table: &LookupTable, id: Option<u64>| table.name(id?).map(str::to_owned);
    IssueGrades {
        priority: issue.priority.and_then(|id| Priorities::of(project).word(id.0)),
        severity: name(&LookupTable::severities(project), issue.severity.map(|id| id.0)),
        type_: name(&LookupTable::types(project), issue.issue_type.map(|id| id.0)),
    }
}

fn planned(work: &RemoteItem) -> PlannedFields {
    let (points, orders) = match work {
        RemoteItem::Story(story) => {
            let orders = [story.backlog_order, story.sprint_order, story.kanban_order];
            (story.total_points, Some(orders.map(Option::unwrap_or_default)))
        }
        _ => (None, None),
    };
    PlannedFields {
        sprint: work.sprint().and_then(Id::new),
        due: work.due(),
        points,
        assignees: work.assignees().into_iter().filter_map(|user| Id::new(user.0)).collect(),
        orders,
        ..PlannedFields::default()
    }
}
