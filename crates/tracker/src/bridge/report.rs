//! Collects the report of a run item by item, as a view.

use app::Error;
use serde_json::Value;
use store::index::Index;
use taiga::dto::Project;

use super::agreed_values;
use super::compare::{Difference, Verdict};
use super::field_set::Key;
use super::kind::{BridgedKind, local_kind};
use super::link::{Link, RemoteRef};
use super::local_item::LocalItem;
use super::mapping::BridgeMapping;
use super::order::{self, ORDER};
use crate::mapping::item::RemoteItem;
use crate::view::{
    BridgeConflictView, BridgeFieldView, BridgeItemView, BridgeLeftView, BridgeProjectView, BridgeStepView, BridgeView,
};

/// Returns an empty report.
pub(super) fn empty(remote_ref: &RemoteRef, project: &Project, dry_run: bool) -> BridgeView {
    let project = BridgeProjectView {
        id: remote_ref.project,
        slug: project.summary.slug.clone(),
        name: project.summary.name.clone(),
    };
    BridgeView {
        server: remote_ref.server.clone(),
        project,
        dry_run,
        created: Vec::new(),
        changed: Vec::new(),
        deleted: Vec::new(),
        adopted: Vec::new(),
        conflicts: Vec::new(),
        left: Vec::new(),
        warnings: Vec::new(),
        members: Vec::new(),
        statuses: Vec::new(),
        unchanged: 0,
    }
}

/// An item that exists here.
pub(super) fn known(here: &LocalItem, link: Option<&Link>) -> BridgeItemView {
    BridgeItemView {
        id: here.id().to_string(),
        number: Some(here.row.number),
        kind: here.row.item.kind.name().to_owned(),
        title: here.row.item.title.clone(),
        remote_id: link.map(|link| link.id),
        reference: link.and_then(|link| link.reference),
    }
}

/// An item that exists only in Taiga.
pub(super) fn foreign(
    id: model::id::EntityId,
    number: Option<u64>,
    title: &str,
    remote: &RemoteItem,
) -> BridgeItemView {
    BridgeItemView {
        id: id.to_string(),
        number,
        kind: local_kind(remote.kind()).name().to_owned(),
        title: title.to_owned(),
        remote_id: Some(remote.id()),
        reference: remote.core().reference,
    }
}

pub(super) fn step(item: BridgeItemView, keys: &[Key], comments: usize) -> BridgeStepView {
    let mut fields: Vec<String> = keys.iter().map(Key::shown).collect();
    fields.dedup();
    BridgeStepView { item, fields, comments }
}

/// Returns the conflict of an item, or `None`. `link` is the one before this run.
pub(super) fn conflict(
    mapping: &BridgeMapping,
    index: &Index,
    here: &LocalItem,
    link: &Link,
    differences: &[Difference],
) -> Result<Option<BridgeConflictView>, Error> {
    let clashing: Vec<&Difference> = differences.iter().filter(|one| one.verdict == Verdict::Conflict).collect();
    if clashing.is_empty() {
        return Ok(None);
    }
    let keys: Vec<Key> = clashing.iter().map(|one| one.key.clone()).collect();
    let agreed = agreed_values::agreed(mapping, index, here, link, &keys)?;
    let fields = clashing.into_iter().map(|one| field(mapping, here, one, agreed.get(&one.key))).collect();
    let why = "changed on both sides".to_owned();
    Ok(Some(BridgeConflictView { item: known(here, Some(link)), why, fields }))
}

fn field(mapping: &BridgeMapping, here: &LocalItem, one: &Difference, base: Option<&Value>) -> BridgeFieldView {
    let show = |value: &Value| match mapping.show(here.kind, &one.key, value) {
        Value::Null => None,
        Value::String(text) => Some(text),
        other => Some(other.to_string()),
    };
    BridgeFieldView {
        field: one.key.shown(),
        base: base.and_then(show),
        local: show(&one.local),
        remote: show(&one.remote),
    }
}

/// A conflict other than of fields.
pub(super) fn clash(here: &LocalItem, link: &Link, why: &str) -> BridgeConflictView {
    BridgeConflictView { item: known(here, Some(link)), why: why.to_owned(), fields: Vec::new() }
}

/// A value that the other side cannot represent.
pub(super) fn left(item: BridgeItemView, key: Option<&Key>, why: impl Into<String>) -> BridgeLeftView {
    BridgeLeftView { item, field: key.map(Key::shown), why: why.into(), refused: false }
}

/// A change that the server rejected.
pub(super) fn refused(item: BridgeItemView, key: Option<&Key>, why: impl Into<String>) -> BridgeLeftView {
    BridgeLeftView { refused: true, ..left(item, key, why) }
}

/// Adds a changed field of an item.
pub(super) fn add_change(report: &mut BridgeView, here: &LocalItem, link: Option<&Link>, field: &str) {
    join_change(report, BridgeStepView { item: known(here, link), fields: vec![field.to_owned()], comments: 0 });
}

/// Adds a conflicting field of an item.
pub(super) fn add_conflict(report: &mut BridgeView, here: &LocalItem, link: Option<&Link>, field: BridgeFieldView) {
    let why = "changed on both sides".to_owned();
    join_conflict(report, BridgeConflictView { item: known(here, link), why, fields: vec![field] });
}

/// Merges the order changes of another report; an item is listed once.
pub(super) fn join(report: &mut BridgeView, addition: BridgeView) {
    for step in addition.changed {
        join_change(report, step);
    }
    for conflict in addition.conflicts {
        join_conflict(report, conflict);
    }
}

fn join_change(report: &mut BridgeView, step: BridgeStepView) {
    match report.changed.iter_mut().find(|known| known.item.id == step.item.id) {
        Some(known) => {
            let new: Vec<String> = step.fields.into_iter().filter(|field| !known.fields.contains(field)).collect();
            known.fields.extend(new);
        }
        None => report.changed.push(step),
    }
}

fn join_conflict(report: &mut BridgeView, conflict: BridgeConflictView) {
    match report.conflicts.iter_mut().find(|known| known.item.id == conflict.item.id) {
        Some(known) => {
            let is_new = |field: &BridgeFieldView| known.fields.iter().all(|one| one.field != field.field);
            let new: Vec<BridgeFieldView> = conflict.fields.into_iter().filter(is_new).collect();
            known.fields.extend(new);
        }
        None => report.conflicts.push(conflict),
    }
}

/// Describes a card's position on both sides.
pub(super) fn order_field(
    mapping: &BridgeMapping,
    kind: BridgedKind,
    card: u64,
    here: &[u64],
    there: &[u64],
) -> BridgeFieldView {
    let place =
        |cards: &[u64]| {
            let before = order::before(cards, card);
            Some(before.map_or_else(
                || "at the top".to_owned(),
                |before| format!("after {}", mapping.mention_there(kind, before)),
            ))
        };
    BridgeFieldView { field: ORDER.to_owned(), base: None, local: place(here), remote: place(there) }
}
