//! What a run tells: gathered item by item, shown as a view.

use serde_json::Value;
use store::index::Index;
use taiga::dto::Project;

use super::compare::{Difference, Verdict};
use super::here::Here;
use super::kind::Kind;
use super::link::{Far, Link};
use super::past;
use super::shape::Key;
use super::terms::Terms;
use crate::error::Error;
use crate::mapping::item::RemoteItem;
use crate::view::{
    BridgeConflictView, BridgeFieldView, BridgeItemView, BridgeLeftView, BridgeProjectView, BridgeStepView, BridgeView,
};

/// Returns a report with nothing in it.
pub(super) fn empty(far: &Far, project: &Project, dry_run: bool) -> BridgeView {
    let project =
        BridgeProjectView { id: far.project, slug: project.summary.slug.clone(), name: project.summary.name.clone() };
    BridgeView {
        server: far.server.clone(),
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

/// An item that is here already.
pub(super) fn known(here: &Here, link: Option<&Link>) -> BridgeItemView {
    BridgeItemView {
        id: here.id().to_string(),
        number: Some(here.row.number),
        kind: here.row.item.kind.name().to_owned(),
        title: here.row.item.title.clone(),
        remote_id: link.map(|link| link.id),
        reference: link.and_then(|link| link.reference),
    }
}

/// An item that is there only.
pub(super) fn foreign(
    id: model::id::EntityId,
    number: Option<u64>,
    title: &str,
    remote: &RemoteItem,
) -> BridgeItemView {
    BridgeItemView {
        id: id.to_string(),
        number,
        kind: Kind::of_item(remote).local().name().to_owned(),
        title: title.to_owned(),
        remote_id: Some(remote.id()),
        reference: remote.core().reference,
    }
}

pub(super) fn step(item: BridgeItemView, keys: &[Key], comments: usize) -> BridgeStepView {
    BridgeStepView { item, fields: keys.iter().map(Key::to_string).collect(), comments }
}

/// What both sides changed; none if there is nothing. `link` is the one from before.
pub(super) fn conflict(
    terms: &Terms,
    index: &Index,
    here: &Here,
    link: &Link,
    differences: &[Difference],
) -> Result<Option<BridgeConflictView>, Error> {
    let clashing: Vec<&Difference> = differences.iter().filter(|one| one.verdict == Verdict::Conflict).collect();
    if clashing.is_empty() {
        return Ok(None);
    }
    let keys: Vec<Key> = clashing.iter().map(|one| one.key.clone()).collect();
    let agreed = past::agreed(terms, index, here, link, &keys)?;
    let fields = clashing.into_iter().map(|one| field(terms, here, one, agreed.get(&one.key))).collect();
    let why = "changed on both sides".to_owned();
    Ok(Some(BridgeConflictView { item: known(here, Some(link)), why, fields }))
}

fn field(terms: &Terms, here: &Here, one: &Difference, base: Option<&Value>) -> BridgeFieldView {
    let show = |value: &Value| match terms.show(here.kind, &one.key, value) {
        Value::Null => None,
        Value::String(text) => Some(text),
        other => Some(other.to_string()),
    };
    BridgeFieldView {
        field: one.key.to_string(),
        base: base.and_then(show),
        local: show(&one.local),
        remote: show(&one.remote),
    }
}

/// Something about an item that both sides changed, other than its fields.
pub(super) fn clash(here: &Here, link: &Link, why: &str) -> BridgeConflictView {
    BridgeConflictView { item: known(here, Some(link)), why: why.to_owned(), fields: Vec::new() }
}

/// Something that cannot be said on the other side.
pub(super) fn left(item: BridgeItemView, key: Option<&Key>, why: impl Into<String>) -> BridgeLeftView {
    BridgeLeftView { item, field: key.map(Key::to_string), why: why.into(), refused: false }
}

/// Something that the server refused.
pub(super) fn refused(item: BridgeItemView, key: Option<&Key>, why: impl Into<String>) -> BridgeLeftView {
    BridgeLeftView { refused: true, ..left(item, key, why) }
}
