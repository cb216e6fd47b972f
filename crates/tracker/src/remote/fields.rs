//! Converts the arguments of a call into the fields and filters of a request. All ids and names are checked against the
//! project, so that an invalid one is rejected before anything is sent.

use std::collections::BTreeMap;

use model::patch::Patch;
use taiga::ItemFilter;
use taiga::dto::{self, Blocked, Core, MilestoneId, Project, UserId};

use super::{extended, item_id, lookup_values, lookups};
use crate::Kind;
use crate::TrackerResult;
use crate::change::{Blocking, Draft, EntryChange, EntryQuery};
use crate::entry::Id;
use crate::failure::IdPosition;
use crate::mapping::fields::Fields;
use crate::mapping::item::RemoteItem;
use crate::mapping::requests::ListFilter;
use crate::mapping::tags;
use crate::priority::Priority;

/// Returns the filter of a query.
pub(super) fn filter(project: &Project, kind: Kind, query: &EntryQuery) -> TrackerResult<ListFilter> {
    let severity = query.severity.as_deref().map(|name| lookup_values::severity(project, name)).transpose()?;
    Ok(ListFilter {
        core: core_filter(project, kind, query)?,
        parent: query.parent.map(item_id),
        milestones: extended::sprints_of(query.sprint),
        severities: severity.into_iter().collect(),
        order: extended::order_of(query.order),
    })
}

fn core_filter(project: &Project, kind: Kind, query: &EntryQuery) -> TrackerResult<ItemFilter> {
    let status = |id: &Id| lookups::status(project, kind, *id, IdPosition::InList);
    let member = |id: &Id| lookups::member(project, *id, IdPosition::InList).map(Some);
    let mut assigned_to = query.assignees.iter().map(member).collect::<TrackerResult<Vec<_>>>()?;
    if query.unassigned {
        assigned_to.push(None);
    }
    if is_beyond_epics(kind, query) {
        assigned_to.clear();
    }
    Ok(ItemFilter {
        statuses: query.statuses.iter().map(status).collect::<TrackerResult<_>>()?,
        assigned_to,
        tags: query.tags.clone(),
        words: query.words.clone(),
        modified_since: query.modified_since,
        ..ItemFilter::default()
    })
}

/// Returns whether the query asks for epics of several assignees, which Taiga cannot filter.
pub(super) fn is_beyond_epics(kind: Kind, query: &EntryQuery) -> bool {
    kind == Kind::Epic && query.assignees.len() > 1
}

/// Returns the fields of a new work item.
pub(super) fn draft(project: &Project, kind: Kind, draft: &Draft) -> TrackerResult<Fields> {
    let planning = &draft.planning;
    let assignee = draft.assignee.map(|id| lookups::member(project, id, IdPosition::Single)).transpose()?;
    let everyone = planning.assignees.as_deref().map(|ids| members(project, ids)).transpose()?;
    let first = everyone.as_ref().and_then(|everyone| everyone.first().copied());
    let tagged = draft.priority.filter(|_| keeps_priority_as_tag(kind));
    let graded = draft.priority.filter(|_| kind == Kind::Issue);
    let points = match planning.points {
        Patch::Set(wanted) => Some(extended::points(project, &BTreeMap::new(), Some(wanted))?),
        Patch::Keep | Patch::Clear => None,
    };
    Ok(Fields {
        subject: Some(draft.subject.clone()),
        description: draft.description.clone(),
        assigned_to: first.or(assignee).into(),
        assigned_users: everyone,
        tags: Some(tags::joined(&[], draft.tags.clone(), tagged)),
        color: draft.color.clone(),
        priority: graded.map(|word| lookup_values::priority(project, word)).transpose()?,
        severity: draft.severity.as_deref().map(|name| lookup_values::severity(project, name)).transpose()?,
        issue_type: draft.type_.as_deref().map(|name| lookup_values::issue_type(project, name)).transpose()?,
        user_story: draft.parent.map(item_id).into(),
        milestone: changed(planning.sprint, sprint_id),
        due_date: changed(planning.due, |day| day),
        points,
        ..Fields::default()
    })
}

pub(super) fn change(project: &Project, kind: Kind, read: &RemoteItem, change: &EntryChange) -> TrackerResult<Fields> {
    let planning = &change.planning;
    let (assigned_to, assigned_users) = assignees(project, read, change)?;
    let graded = change.priority.filter(|_| kind == Kind::Issue);
    Ok(Fields {
        subject: change.subject.clone(),
        description: change.description.clone(),
        status: change.status.map(|id| lookups::status(project, kind, id, IdPosition::Single)).transpose()?,
        assigned_to,
        assigned_users,
        tags: new_tags(kind, read.core(), change),
        blocked: change.blocking.as_ref().and_then(|wanted| new_blocked(read.core(), wanted)),
        color: change.color.clone(),
        priority: graded.map(|word| lookup_values::priority(project, word)).transpose()?,
        severity: change.severity.as_deref().map(|name| lookup_values::severity(project, name)).transpose()?,
        issue_type: change.type_.as_deref().map(|name| lookup_values::issue_type(project, name)).transpose()?,
        user_story: dto::Change::Keep,
        milestone: changed(planning.sprint, sprint_id),
        due_date: changed(planning.due, |day| day),
        points: points(project, read, planning.points)?,
    })
}

/// Returns the main assignee and, for a story, all assignees: either given explicitly, or derived from the new main
/// assignee.
fn assignees(
    project: &Project,
    read: &RemoteItem,
    change: &EntryChange,
) -> TrackerResult<(dto::Change<UserId>, Option<Vec<UserId>>)> {
    if let Some(everyone) = &change.planning.assignees {
        let everyone = members(project, everyone)?;
        return Ok((everyone.first().copied().into(), Some(everyone)));
    }
    let to = match change.assignee {
        Patch::Keep => return Ok((dto::Change::Keep, None)),
        Patch::Clear => None,
        Patch::Set(id) => Some(lookups::member(project, id, IdPosition::Single)?),
    };
    Ok((to.into(), read.assignees_after(to)))
}

fn points(
    project: &Project,
    read: &RemoteItem,
    wanted: Patch<f64>,
) -> TrackerResult<Option<BTreeMap<dto::RoleId, dto::PointsId>>> {
    let RemoteItem::Story(story) = read else { return Ok(None) };
    match wanted {
        Patch::Keep => Ok(None),
        Patch::Clear => extended::points(project, &story.points, None).map(Some),
        Patch::Set(wanted) => extended::points(project, &story.points, Some(wanted)).map(Some),
    }
}

/// Returns the new tag list if it changes: the given tags, and the one that stores a priority.
fn new_tags(kind: Kind, base: &Core, change: &EntryChange) -> Option<Vec<dto::Tag>> {
    if !keeps_priority_as_tag(kind) {
        return change.tags.clone().map(|wanted| tags::joined(&base.tags, wanted, None));
    }
    if change.tags.is_none() && change.priority.is_none() {
        return None;
    }
    let (plain, priority) = tags::split(&base.tags);
    Some(tags::joined(&base.tags, change.tags.clone().unwrap_or(plain), change.priority.or(priority)))
}

fn new_blocked(base: &Core, wanted: &Blocking) -> Option<Blocked> {
    match wanted {
        Blocking::No => Some(Blocked::No),
        Blocking::Yes { reason: Some(reason) } => Some(Blocked::Yes { reason: reason.clone() }),
        Blocking::Yes { reason: None } if base.is_blocked => None,
        Blocking::Yes { reason: None } => Some(Blocked::Yes { reason: String::new() }),
    }
}

/// Returns whether Taiga has no priority field for a kind. Epics have no priority in the contract either.
pub(super) fn keeps_priority_as_tag(kind: Kind) -> bool {
    matches!(kind, Kind::Story | Kind::Task)
}

/// Separates the visible tags from the priority.
pub(super) fn split_tags(kind: Kind, core: &Core) -> (Vec<String>, Option<Priority>) {
    if keeps_priority_as_tag(kind) {
        return tags::split(&core.tags);
    }
    (core.tags.iter().map(|tag| tag.name.clone()).collect(), None)
}

fn members(project: &Project, ids: &[Id]) -> TrackerResult<Vec<UserId>> {
    ids.iter().map(|id| lookups::member(project, *id, IdPosition::InList)).collect()
}

fn sprint_id(id: Id) -> MilestoneId {
    MilestoneId(id.get())
}

fn changed<T, U>(choice: Patch<T>, value: impl FnOnce(T) -> U) -> dto::Change<U> {
    match choice {
        Patch::Keep => dto::Change::Keep,
        Patch::Clear => dto::Change::Clear,
        Patch::Set(new) => dto::Change::Set(value(new)),
    }
}
