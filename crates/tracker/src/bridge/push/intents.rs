//! Taiga has no idempotent creation. So an intent is written before an item is created there; a run after an
//! interrupted one searches for the item before it creates another.

use std::collections::{BTreeMap, BTreeSet};

use app::Error;
use app::Project;
use app::plan::set;
use model::id::EntityId;
use model::text::counted;
use serde_json::{Value, json};
use store::intents::Intents;
use store::{Step, WritePlan};

use super::super::bridge_context::BridgeContext;
use super::super::field_set::AgreedFingerprints;
use super::super::kind::{BridgedKind, local_kind};
use super::super::link::{FIELD, Link, RemoteRef};
use super::super::local_item::LocalItem;
use super::super::remote::named_by_us;
use super::super::report;
use crate::Kind;
use crate::mapping::item::RemoteItem;
use crate::view::BridgeItemView;

/// The record that an item is about to be created on the server.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Intent {
    pub(super) remote_ref: RemoteRef,
    pub(super) kind: Kind,
    pub(super) entity: EntityId,
    pub(super) subject: String,
    /// The highest id of the kind before; the created item has a higher one.
    pub(super) after: u64,
    /// The agreed values after the creation.
    pub(super) base: AgreedFingerprints,
}

impl Intent {
    pub(super) fn put(&self, intents: &Intents) -> Result<(), Error> {
        let value = json!({
            "server": self.remote_ref.server, "project": self.remote_ref.project, "kind": local_kind(self.kind).name(),
            "entity": self.entity.to_string(), "subject": self.subject, "after": self.after,
            "base": self.base.to_value(),
        });
        Ok(intents.put(&self.entity.to_string(), value.to_string().as_bytes())?)
    }

    fn read(content: &[u8]) -> Option<Self> {
        let value: Value = serde_json::from_slice(content).ok()?;
        Some(Self {
            remote_ref: RemoteRef { server: value["server"].as_str()?.to_owned(), project: value["project"].as_u64()? },
            kind: BridgedKind::parse(value["kind"].as_str()?)?.work()?,
            entity: value["entity"].as_str()?.parse().ok()?,
            subject: value["subject"].as_str()?.to_owned(),
            after: value["after"].as_u64()?,
            base: AgreedFingerprints::from_value(&value["base"]),
        })
    }
}

/// Returns the intents of a repository.
pub(super) fn of(project: &Project) -> Intents {
    Intents::of(project.store().repository(), "taiga")
}

/// Links items to those that an earlier push, here or in another clone, created. `lists` has the kinds that were
/// listed.
pub(in super::super) fn adopt(
    project: &mut Project,
    bridge: &mut BridgeContext,
    here: &mut [LocalItem],
    lists: &BTreeMap<Kind, Vec<RemoteItem>>,
    dry_run: bool,
) -> Result<Vec<BridgeItemView>, Error> {
    let remote_ref = bridge.mapping.remote_ref.clone();
    let store = of(project);
    let mut intents: BTreeMap<EntityId, Intent> = BTreeMap::new();
    for (_, content) in store.all()? {
        let intent = Intent::read(&content).filter(|intent| intent.remote_ref == remote_ref);
        intents.extend(intent.map(|intent| (intent.entity, intent)));
    }
    let mut adopted = Vec::new();
    let mut steps = Vec::new();
    let mut settled: BTreeSet<EntityId> = BTreeSet::new();
    for item in here.iter_mut() {
        let Some(kind) = item.kind.work() else { continue };
        let intent = intents.get(&item.id());
        if item.link_to(&remote_ref).is_some() {
            settled.extend(intent.map(|intent| intent.entity));
            continue;
        }
        if !item.is_unlinked() {
            continue;
        }
        let free = lists.get(&kind).into_iter().flatten();
        let mut free = free.filter(|row| bridge.mapping.ids.local(item.kind, row.id()).is_none());
        let Some(row) = free.find(|row| is_ours(item, row, intent, bridge.me)) else { continue };
        let link = Link {
            remote_ref: remote_ref.clone(),
            kind: item.kind,
            id: row.id(),
            reference: row.core().reference,
            // Version 0: no remote version was processed yet.
            version: 0,
            base: intent.map(|intent| intent.base.clone()).unwrap_or_default(),
            gone: false,
        };
        bridge.mapping.ids.add(item.id(), item.kind, row.id());
        steps.push(Step::own(item.id(), set(FIELD, link.to_value())));
        adopted.push(report::known(item, Some(&link)));
        settled.insert(item.id());
        item.link = Some(link);
    }
    if dry_run {
        return Ok(adopted);
    }
    let subject = format!("taiga: find {} again", counted(steps.len(), "item"));
    project.commit(|_| Ok((WritePlan { subject: subject.clone(), steps: steps.clone() }, ())))?;
    for entity in settled.iter().filter(|entity| intents.contains_key(entity)) {
        store.remove(&entity.to_string())?;
    }
    Ok(adopted)
}

/// Returns whether a push created the remote item from this local one: its external reference says so, or it is newer
/// than the intent, ours, and has the same subject.
fn is_ours(item: &LocalItem, row: &RemoteItem, intent: Option<&Intent>, me: u64) -> bool {
    let core = row.core();
    if let Some(name) = named_by_us(row) {
        return name == item.id().to_string();
    }
    intent.is_some_and(|intent| {
        core.id.0 > intent.after && core.subject == intent.subject && core.owner.is_some_and(|owner| owner.0 == me)
    })
}
