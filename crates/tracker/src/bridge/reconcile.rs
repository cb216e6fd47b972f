//! Keeps one item and one member per remote counterpart, also after clones that pulled or pushed independently have
//! synced. Uses the log only and makes no requests.

use std::collections::{BTreeMap, BTreeSet};

use app::Error;
use app::Project;
use app::plan::set;
use model::id::EntityId;
use model::item::ASSIGNEES;
use model::op::Change;
use serde_json::Value;
use store::{Step, WritePlan};

use super::kind::BridgedKind;
use super::link::{FIELD, Link, RemoteRef};
use super::local_item::{self, LocalItem};
use super::mapping::BridgeMapping;
use super::people::{self, Merge};
use super::{pairing, report};
use crate::view::{BridgeConflictView, BridgeItemView};

/// The resolution of duplicate local items of one remote item.
#[derive(Default)]
pub(super) struct DuplicateResolution {
    pub(super) steps: Vec<Step>,
    /// Items to keep, with their remote ids.
    pub(super) kept: Vec<(EntityId, BridgedKind, u64)>,
    /// Items to ignore from now on.
    pub(super) dropped: BTreeSet<EntityId>,
    pub(super) deleted: Vec<BridgeItemView>,
    pub(super) conflicts: Vec<BridgeConflictView>,
}

/// Resolves duplicates. Two clones can each have a local item for one remote item: one pulled it, the other created and
/// pushed it. The pulled one is deleted if nobody changed it, or if the user says so.
pub(super) fn duplicates_of(
    here: &[LocalItem],
    mapping: &BridgeMapping,
    taken: &BTreeSet<EntityId>,
) -> DuplicateResolution {
    let remote_ref = &mapping.remote_ref;
    let mut by_remote: BTreeMap<(BridgedKind, u64), Vec<&LocalItem>> = BTreeMap::new();
    for item in here.iter().filter(|item| !item.row.item.deleted) {
        if let Some(link) = item.link_to(remote_ref) {
            by_remote.entry((item.kind, link.id)).or_default().push(item);
        }
    }
    let mut twins = DuplicateResolution::default();
    for ((kind, id), mut items) in by_remote.into_iter().filter(|(_, items)| items.len() > 1) {
        let brought = remote_ref.entity(kind, id);
        items.sort_by_key(|item| (item.id() == brought, item.id()));
        let kept = items.remove(0);
        twins.kept.push((kept.id(), kind, id));
        for item in items {
            let Some(link) = &item.link else { continue };
            twins.dropped.insert(item.id());
            let is_untouched = link.base.matches_here(&item.shape(mapping)) && !item.has_unsent_comments();
            if is_untouched || taken.contains(&item.id()) {
                twins.deleted.push(report::known(item, Some(link)));
                twins.steps.push(Step::own(item.id(), Change::Delete));
                twins.steps.push(Step::own(item.id(), set(FIELD, Value::Null)));
            } else {
                let why = format!("the same item there is {} here", kept.row.reference());
                twins.conflicts.push(report::clash(item, link, &why));
            }
        }
    }
    twins
}

/// Returns the steps that merge duplicate members of one Taiga user.
pub(super) fn merge_members(merges: &[Merge], here: &[LocalItem]) -> Vec<Step> {
    let mut steps = Vec::new();
    for Merge { id, from, into } in merges {
        steps.push(Step::own(*id, Change::Delete));
        let is_theirs = |item: &&LocalItem| {
            item.row.item.assignee.as_ref().is_some_and(|who| people::key(who) == people::key(from))
        };
        let theirs = here.iter().filter(is_theirs);
        steps.extend(theirs.map(|item| Step::own(item.id(), set("assignee", into.to_string()))));
        let is_other = |item: &&LocalItem| {
            let others = item.row.item.assignees.iter().filter(|who| Some(*who) != item.row.item.assignee.as_ref());
            others.into_iter().any(|who| people::key(who) == people::key(from))
        };
        let add = || Change::Add { field: ASSIGNEES.to_owned(), value: into.to_string() };
        steps.extend(here.iter().filter(is_other).map(|item| Step::own(item.id(), add())));
    }
    steps
}

/// Merges duplicate items and members of all bridges after a sync.
pub fn after_sync(project: &mut Project) -> Result<(), Error> {
    if !pairing::is_any(project.index())? {
        return Ok(());
    }
    project.commit(|context| {
        let here = local_item::all(context.index)?;
        let mut steps = Vec::new();
        for remote_ref in remote_refs(&here) {
            steps.extend(duplicates_of(&here, &BridgeMapping::offline(remote_ref.clone()), &BTreeSet::new()).steps);
            let locals = people::locals(context.index, &remote_ref.server)?;
            steps.extend(merge_members(&people::duplicates(&locals), &here));
        }
        Ok((WritePlan { subject: "taiga: one item and one member each".to_owned(), steps }, ()))
    })
}

fn remote_refs(here: &[LocalItem]) -> Vec<RemoteRef> {
    let mut remote_refs: Vec<RemoteRef> = Vec::new();
    for remote_ref in here.iter().filter_map(|item| item.link.as_ref()).map(|link: &Link| &link.remote_ref) {
        if !remote_refs.contains(remote_ref) {
            remote_refs.push(remote_ref.clone());
        }
    }
    remote_refs
}
