//! Compares the values of the source with those that it had before and with the current ones. Only values that the
//! source changed since then are written, so that changes made here survive a second import.

use std::collections::BTreeSet;

use jiff::Timestamp;
use model::entity::Entity;
use model::id::{EntityId, OpId};
use model::imported::FIELD;
use model::item::ItemKind;
use model::op::{Change, Op};
use serde_json::Value;

use crate::plan::Wanted;
use crate::scope::Scope;

/// Sets that an import writes.
const SETS: [&str; 5] = ["labels", model::item::ASSIGNEES, "blocks", "relates", "touches"];

/// The formats that Cairn itself writes: a file of one of them can have come from this project.
const OWN_TOOLS: [&str; 3] = ["csv", "jsonl", "markdown"];

/// The imported state of an item that exists here.
pub(crate) struct KnownItem {
    /// As the source had it before; `None` if that is as it is now.
    base: Option<Entity>,
    /// As it is.
    pub(crate) now: Entity,
}

impl KnownItem {
    /// Reads an item that was imported from `tool`. The base is what imports from there made of it: an edit in an exported
    /// file is a change made here.
    pub(crate) fn of(id: EntityId, ops: Vec<Op>, tool: &str) -> Self {
        Self::with_base(id, ops, |_, op| op.imported.as_deref() == Some(tool))
    }

    /// Reads an item that a file of Cairn names by its UUID. `written` is when the item had changed last when the file was
    /// written: the base is the item as it was then, and what earlier imports of such files made of it.
    pub(crate) fn of_own_file(id: EntityId, mut ops: Vec<Op>, written: Option<Timestamp>) -> Self {
        ops.sort_by_key(|op| op.stamp);
        let mut is_from_file = ops.iter().filter(|op| matches!(op.change, Change::Create { .. })).map(is_of_own_tool);
        match n_ops_at(id, &ops, written) {
            Some(n_ops) => Self::with_base(id, ops, |place, op| place < n_ops || is_of_own_tool(op)),
            // It came from such a file, maybe from another project.
            None if is_from_file.next() == Some(true) => Self::with_base(id, ops, |_, op| is_of_own_tool(op)),
            None => Self { base: None, now: fold(id, ops) },
        }
    }

    fn with_base(id: EntityId, ops: Vec<Op>, is_in_base: impl Fn(usize, &Op) -> bool) -> Self {
        let is_in_base: Vec<bool> = ops.iter().enumerate().map(|(place, op)| is_in_base(place, op)).collect();
        // Most items were never changed here, and are folded once.
        let is_changed = is_in_base.contains(&false);
        let in_base = || ops.iter().zip(&is_in_base).filter(|(_, is_in_base)| **is_in_base).map(|(op, _)| op);
        let base = is_changed.then(|| Entity::fold(id, in_base()));
        Self { base, now: fold(id, ops) }
    }

    /// Returns whether it is an item, and its creation has arrived.
    pub(crate) fn is_item(&self) -> bool {
        self.now.creation().is_some_and(|creation| ItemKind::ALL.iter().any(|kind| kind.name() == creation.kind))
    }

    /// Returns whether a set has all of these members.
    pub(crate) fn has_members(&self, set: &str, members: &[String]) -> bool {
        let now = self.now.set_members(set);
        members.iter().all(|member| now.contains(&member.as_str()))
    }

    fn base(&self) -> &Entity {
        self.base.as_ref().unwrap_or(&self.now)
    }

    /// Returns the changes that the source made since then, of the values that it speaks about.
    /// `is_read` says whether the source was asked for another item: one in another file may wait for this one, and say so
    /// there.
    pub(crate) fn changes(&self, wanted: &Wanted, scope: &Scope, is_read: impl Fn(&str) -> bool) -> Vec<Change> {
        let mut changes = Vec::new();
        let base = self.base();
        let before = base.values().map(|(name, _)| name);
        let names: BTreeSet<&str> = wanted.fields.keys().map(String::as_str).chain(before).collect();
        for name in names.into_iter().filter(|name| scope.has(name)) {
            let value = wanted.fields.get(name).unwrap_or(&Value::Null);
            let is_new = value != base.value(name).unwrap_or(&Value::Null);
            if is_new && value != self.now.value(name).unwrap_or(&Value::Null) {
                changes.push(Change::Set { field: name.to_owned(), value: value.clone() });
            }
        }
        for set in SETS {
            let may_remove = |value: &str| scope.has(set) && (set != "blocks" || is_read(value));
            self.set_changes(set, wanted.sets.get(set).map_or(&[], Vec::as_slice), may_remove, &mut changes);
        }
        changes
    }

    fn set_changes(&self, set: &str, wanted: &[String], may_remove: impl Fn(&str) -> bool, changes: &mut Vec<Change>) {
        let (base, now) = (self.base().set_members(set), self.now.set_members(set));
        for value in wanted {
            if !base.contains(&value.as_str()) && !now.contains(&value.as_str()) {
                changes.push(Change::Add { field: set.to_owned(), value: value.clone() });
            }
        }
        for value in base.into_iter().filter(|value| !wanted.iter().any(|wanted| wanted == value)) {
            if may_remove(value) && now.contains(&value) {
                let (field, seen) = (set.to_owned(), self.now.tags(set, value));
                changes.push(Change::Remove { field, value: value.to_owned(), seen });
            }
        }
    }

    /// Returns when it changed last, and a change that says so again without changing a value.
    pub(crate) fn last_change(&self, now: Timestamp) -> (Timestamp, Change) {
        let at = self.now.last_change().map_or(now, |(at, _)| at);
        let field = if self.now.value(FIELD).is_some() { FIELD } else { "status" };
        let value = self.now.value(field).cloned().unwrap_or_default();
        (at, Change::Set { field: field.to_owned(), value })
    }

    /// Returns the change for a comment, and the id of its operation; `None` if there is nothing new.
    pub(crate) fn comment(&self, id: OpId, body: &str) -> Option<(Change, Option<OpId>)> {
        if !self.now.has_op(id) {
            return Some((Change::Comment { body: body.to_owned() }, Some(id)));
        }
        let imported = self.base().comments().into_iter().find(|comment| comment.id == id)?;
        let edit = Change::EditComment { comment: id, body: body.to_owned() };
        (imported.body != body).then_some((edit, None))
    }
}

/// Returns how many of the operations, in their order, an item had when it had changed last at `written`.
fn n_ops_at(id: EntityId, ops: &[Op], written: Option<Timestamp>) -> Option<usize> {
    let written = written?;
    let mut entity = Entity::new(id);
    let mut found = None;
    for (place, op) in ops.iter().enumerate() {
        entity.apply(op);
        if entity.last_change().is_some_and(|(at, _)| at == written) {
            found = Some(place + 1);
        }
    }
    found
}

fn is_of_own_tool(op: &Op) -> bool {
    op.imported.as_deref().is_some_and(|tool| OWN_TOOLS.contains(&tool))
}

fn fold(id: EntityId, ops: Vec<Op>) -> Entity {
    let mut entity = Entity::new(id);
    for op in ops {
        entity.apply_owned(op);
    }
    entity
}
