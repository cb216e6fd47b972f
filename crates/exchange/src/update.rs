//! Compares the values of the source with those of the earlier import and with the current ones. Only values that the
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

/// Sets that an import writes.
const SETS: [&str; 5] = ["labels", model::item::ASSIGNEES, "blocks", "relates", "touches"];

/// What is known of an item.
pub(crate) struct Known {
    /// As earlier imports left it; `None` if nothing else changed it.
    base: Option<Entity>,
    /// As it is.
    pub(crate) now: Entity,
}

impl Known {
    /// Reads an item from its operations. A file that Cairn exported itself is compared with the item as it is, unless
    /// the item came from such a file.
    pub(crate) fn of_own_file(id: EntityId, ops: Vec<Op>) -> Self {
        if ops.iter().any(|op| op.imported.is_some()) {
            return Self::of(id, ops);
        }
        Self { base: None, now: fold(id, ops) }
    }

    /// Reads an item from its operations, to compare a file of another program with the last import.
    pub(crate) fn of(id: EntityId, ops: Vec<Op>) -> Self {
        // Most items were never changed here, and are folded once.
        let is_changed = ops.iter().any(|op| op.imported.is_none());
        let base = is_changed.then(|| Entity::fold(id, ops.iter().filter(|op| op.imported.is_some())));
        Self { base, now: fold(id, ops) }
    }

    /// Returns whether it is an item, and its creation has arrived.
    pub(crate) fn is_item(&self) -> bool {
        self.now.creation().is_some_and(|creation| ItemKind::ALL.iter().any(|kind| kind.name() == creation.kind))
    }

    fn base(&self) -> &Entity {
        self.base.as_ref().unwrap_or(&self.now)
    }

    /// Returns the changes that the source made since the last import.
    pub(crate) fn changes(&self, wanted: &Wanted) -> Vec<Change> {
        let mut changes = Vec::new();
        let base = self.base();
        let before = base.values().map(|(name, _)| name);
        let names: BTreeSet<&str> = wanted.fields.keys().map(String::as_str).chain(before).collect();
        for name in names {
            let value = wanted.fields.get(name).unwrap_or(&Value::Null);
            let is_new = value != base.value(name).unwrap_or(&Value::Null);
            if is_new && value != self.now.value(name).unwrap_or(&Value::Null) {
                changes.push(Change::Set { field: name.to_owned(), value: value.clone() });
            }
        }
        for set in SETS {
            self.set_changes(set, wanted.sets.get(set).map_or(&[], Vec::as_slice), &mut changes);
        }
        changes
    }

    fn set_changes(&self, set: &str, wanted: &[String], changes: &mut Vec<Change>) {
        let (base, now) = (self.base().set_members(set), self.now.set_members(set));
        for value in wanted {
            if !base.contains(&value.as_str()) && !now.contains(&value.as_str()) {
                changes.push(Change::Add { field: set.to_owned(), value: value.clone() });
            }
        }
        for value in base.into_iter().filter(|value| !wanted.iter().any(|wanted| wanted == value)) {
            if now.contains(&value) {
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

fn fold(id: EntityId, ops: Vec<Op>) -> Entity {
    let mut entity = Entity::new(id);
    for op in ops {
        entity.apply_owned(op);
    }
    entity
}
