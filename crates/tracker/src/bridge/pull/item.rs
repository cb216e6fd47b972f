//! Imports one item: creates it, or applies the fields that only the remote side changed.

use std::collections::BTreeSet;

use app::Error;
use app::plan::{ItemCreation, NumberAllocator, follow_status};
use app::plan::{PlanContext, set};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use model::entity::Entity;
use model::id::EntityId;
use model::item::ASSIGNEES;
use model::number::{ItemNumber, NumberSpace};
use model::op::Change;
use model::text::BODY_LIMIT;
use serde_json::Value;
use store::index::Index;
use store::{Origin, Step};

use super::super::bridge_context::BridgeContext;
use super::super::compare::{self, BridgeSide, Difference, Verdict};
use super::super::field_set::{AgreedFingerprints, FieldSet, Key};
use super::super::kind::BridgedKind;
use super::super::link::{FIELD, Link};
use super::super::local_item::LocalItem;
use super::super::mapping::{BridgeMapping, assignee_name, owner};
use super::super::{comments, report};
use super::FullItem;
use crate::mapping::item::RemoteItem;
use crate::view::BridgeView;

/// Allocates numbers for new items: Taiga's number if it is free here, else the next number of the space.
pub(super) struct Numbers<'a> {
    index: &'a Index,
    taken: BTreeSet<u64>,
    highest: u64,
    next: NumberAllocator<'a>,
}

impl<'a> Numbers<'a> {
    /// `highest` is the highest number in Taiga: other numbers are allocated above it.
    pub(super) fn new(index: &'a Index, highest: u64) -> Self {
        Self { index, taken: BTreeSet::new(), highest, next: NumberAllocator::new(index) }
    }

    pub(super) fn take(&mut self, kind: BridgedKind, wanted: Option<u64>) -> Result<u64, Error> {
        let space = kind.local().space();
        if let Some(number) = wanted
            && (1..=model::number::MAX_NUMBER).contains(&number)
            && self.index.item_by_number(ItemNumber { space, number })?.is_none()
            && self.index.items_formerly(ItemNumber { space, number })?.is_empty()
            && self.taken.insert(number)
        {
            return Ok(number);
        }
        self.next(space)
    }

    /// Returns a person's number, or the next one for a new person.
    pub(super) fn person(&mut self, id: EntityId) -> Result<u64, Error> {
        let known = self.index.person_numbers()?.get(&id).copied();
        known.map_or_else(|| self.next(NumberSpace::Person), Ok)
    }

    fn next(&mut self, space: NumberSpace) -> Result<u64, Error> {
        // Taiga's numbers correspond to the work space only.
        let above = if space == NumberSpace::Work { self.highest } else { 0 };
        self.next.next_above(space, above)
    }
}

/// Returns the steps for an item, and reports them.
pub(super) fn take(
    bridge: &BridgeContext,
    context: &PlanContext<'_>,
    full: &FullItem,
    taken: &BTreeSet<EntityId>,
    numbers: &mut Numbers<'_>,
    report: &mut BridgeView,
) -> Result<Vec<Step>, Error> {
    let mapping = &bridge.mapping;
    let remote = &full.remote;
    let id = mapping.ids.local(remote.kind(), remote.id());
    let id = id.unwrap_or_else(|| mapping.remote_ref.entity(remote.kind(), remote.id()));
    if remote.core().description.as_ref().is_some_and(|text| text.len() > BODY_LIMIT) {
        let item = report::foreign(id, None, &remote.core().subject, remote);
        report.left.push(report::left(item, Some(&Key::Description), "the description is too long to be kept"));
        return Ok(Vec::new());
    }
    match context.index.item(id)?.and_then(LocalItem::of) {
        None => make(bridge, context, id, full, numbers, report),
        Some(here) => {
            let entity = context.index.entity(id)?.unwrap_or_else(|| Entity::new(id));
            update(bridge, context, &here, &entity, full, taken.contains(&id).then_some(BridgeSide::Remote), report)
        }
    }
}

fn make(
    bridge: &BridgeContext,
    context: &PlanContext<'_>,
    id: EntityId,
    full: &FullItem,
    numbers: &mut Numbers<'_>,
    report: &mut BridgeView,
) -> Result<Vec<Step>, Error> {
    let (mapping, remote) = (&bridge.mapping, &full.remote);
    let core = remote.core();
    let shape = mapping.of_remote(remote, None);
    let base = mapping.agree_on(remote.kind(), &shape, assignee_name(remote));
    let link = linked(mapping, remote, base, core.version);
    let by = owner(&mapping.people, remote).unwrap_or_else(|| context.me.clone());
    let number = numbers.take(remote.kind().into(), core.reference)?;
    let mut create = creation(mapping, remote.kind().into(), &shape, assignee_name(remote), &link, number);
    for (name, value) in full.details.fields() {
        create.field(&name, value);
    }
    let origin = |at: Timestamp| Origin { at, by: by.clone(), imported: Some(FIELD.into()), id: None };
    let mut steps = vec![Step::imported(id, create.into_change(), origin(core.created_date))];
    let (said, n_comments) = comments::import(&mapping.remote_ref, &mapping.people, &Entity::new(id), &full.comments);
    steps.extend(said);
    // Written last, with the remote modification date, so that `updated` of the item is that date.
    let finished = closed_on(mapping, remote, shape.get(&Key::Status)).map(|day| day.to_string());
    steps.push(Step::imported(id, set("completed", finished), origin(core.modified_date)));
    let title = shape.get(&Key::Subject).as_str().unwrap_or_default();
    // A dry run only has the row, which contains a comment count.
    let n_comments = if shape.knows(&Key::Description) { n_comments } else { n_counted(core.total_comments) };
    report.created.push(report::step(report::foreign(id, Some(number), title, remote), &[], n_comments));
    Ok(steps)
}

fn n_counted(total: Option<u64>) -> usize {
    total.and_then(|total| usize::try_from(total).ok()).unwrap_or(0)
}

/// Returns the operation that creates an item. The link is part of it: if two clones create the item independently, the
/// merge must not combine the values of one with the link of the other.
pub(super) fn creation(
    mapping: &BridgeMapping,
    kind: BridgedKind,
    shape: &FieldSet,
    name: Option<&str>,
    link: &Link,
    number: u64,
) -> ItemCreation {
    let mut creation = ItemCreation::bare(kind.local(), number);
    creation.field(FIELD, link.to_value());
    let (mut labels, mut assignees) = (Vec::new(), Vec::new());
    for (key, value) in shape.iter() {
        if let Key::Tag(tag) = key {
            labels.push(tag.clone());
        } else if let Key::CoAssignee(_) = key {
            assignees.extend(mapping.people.person(value, None).map(|person| person.to_string()));
        } else if let Some((field, value)) = mapping.field(kind, key, value, name) {
            creation.field(field, value);
        }
    }
    creation.set("labels", labels);
    creation.set(ASSIGNEES, assignees);
    creation
}

fn linked(mapping: &BridgeMapping, remote: &RemoteItem, base: AgreedFingerprints, version: u64) -> Link {
    Link {
        remote_ref: mapping.remote_ref.clone(),
        kind: remote.kind().into(),
        id: remote.id(),
        reference: remote.core().reference,
        version,
        base,
        gone: false,
    }
}

fn update(
    bridge: &BridgeContext,
    context: &PlanContext<'_>,
    here: &LocalItem,
    entity: &Entity,
    full: &FullItem,
    favored: Option<BridgeSide>,
    report: &mut BridgeView,
) -> Result<Vec<Step>, Error> {
    let (mapping, remote) = (&bridge.mapping, &full.remote);
    let old = here.link.clone().filter(|link| link.remote_ref == mapping.remote_ref && link.id == remote.id());
    let old = old.unwrap_or_else(|| linked(mapping, remote, AgreedFingerprints::default(), 0));
    let local = here.shape(mapping);
    let there = mapping.of_remote(remote, here.row.item.parent);
    let mut differences = mapping.differences(here.kind, &old.base, &local, &there, assignee_name(remote));
    if let Some(side) = favored {
        compare::resolve_conflicts(&mut differences, side);
    }
    let is_deleted = here.row.item.deleted;
    if is_deleted && favored.is_none() && !old.base.matches_there(&there) {
        report.conflicts.push(report::clash(here, &old, "deleted here, changed there"));
        return Ok(Vec::new());
    }
    let mut changes = Vec::new();
    let mut keys = Vec::new();
    for one in differences.iter().filter(|one| one.verdict == Verdict::Remote) {
        changes.extend(mapping.changes(here.kind, entity, &one.key, &one.remote, assignee_name(remote)));
        keys.push(one.key.clone());
    }
    changes.extend(completion(mapping, here, remote, &differences));
    if is_deleted && favored.is_some() {
        changes.push(Change::Restore);
    }
    let conflict = report::conflict(mapping, context.index, here, &old, &differences)?;
    // Keeps the old version while there is a conflict, so that each pull reads the item again until it is resolved.
    let version = if conflict.is_some() { old.version } else { remote.core().version };
    let word = |key: &Key, value: &Value| mapping.word(here.kind, key, value, assignee_name(remote));
    let base = compare::base_after_pull(&old.base, &there, &local, &differences, word);
    let new = linked(mapping, remote, base, version);
    if here.link.as_ref() != Some(&new) {
        changes.push(set(FIELD, new.to_value()));
    }
    let (said, n_comments) = comments::import(&mapping.remote_ref, &mapping.people, entity, &full.comments);
    let (told, details): (Vec<&str>, Vec<Change>) = full.details.changes(entity).into_iter().unzip();
    changes.extend(details);
    let is_news = !keys.is_empty() || !told.is_empty() || n_comments > 0 || is_deleted && favored.is_some();
    if is_news {
        let mut step = report::step(report::known(here, Some(&new)), &keys, n_comments);
        step.fields.extend(told.into_iter().map(str::to_owned));
        report.changed.push(step);
    } else if conflict.is_none() {
        report.unchanged += 1;
    }
    report.conflicts.extend(conflict);
    // The item's date is the remote date, not the date of the pull.
    let at = remote.core().modified_date.max(here.row.item.updated);
    let origin = Origin { at, by: context.me.clone(), imported: None, id: None };
    let dated = |change: Change| Step::imported(entity.id, change, origin.clone());
    Ok(said.into_iter().chain(changes.into_iter().map(dated)).collect())
}

/// Returns the change that lets `completed` follow the remote status, unless the local status differs.
pub(super) fn completion(
    mapping: &BridgeMapping,
    here: &LocalItem,
    remote: &RemoteItem,
    differences: &[Difference],
) -> Option<Change> {
    let status = differences.iter().find(|one| one.key == Key::Status);
    if here.row.item.deleted || status.is_some_and(|one| one.verdict != Verdict::Remote) {
        return None;
    }
    let closed = closed_on(mapping, remote, &remote.core().status.map(|id| id.0).into());
    follow_status(closed, here.row.item.completed)
}

/// Returns the day on which an item was closed in Taiga; `None` if it is open.
fn closed_on(mapping: &BridgeMapping, remote: &RemoteItem, status: &Value) -> Option<Date> {
    let statuses = mapping.statuses(remote.kind().into());
    let is_closed = status.as_u64().is_some_and(|id| statuses.is_some_and(|known| known.is_closed(id)));
    let at = remote.finished().unwrap_or(remote.core().modified_date);
    is_closed.then(|| at.to_zoned(TimeZone::UTC).date())
}
