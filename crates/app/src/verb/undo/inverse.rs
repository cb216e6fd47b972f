//! Computes the inverse of operations on the newest state, and finds later changes that conflict with it.

use std::collections::{HashMap, HashSet};

use model::entity::Entity;
use model::id::{EntityId, OpId};
use model::op::{Change, Op};
use model::{label, workflow};
use serde_json::Value;
use store::Step;

use crate::error::Error;
use crate::project::{PlanContext, mention};

/// What to do if someone changed the same field after the change that is taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnConflict {
    /// Fail and write nothing.
    Refuse,
    /// Take it back anyway.
    Overwrite,
}

/// Computes the inverse of one write, or of several, newest first.
pub(super) struct InverseBuilder<'a> {
    context: &'a PlanContext<'a>,
    on_conflict: OnConflict,
    histories: HashMap<EntityId, Vec<Op>>,
    /// The operations that are taken back, which do not stand in each other's way.
    taken_back: HashSet<OpId>,
}

impl<'a> InverseBuilder<'a> {
    pub(super) fn new(context: &'a PlanContext<'a>, on_conflict: OnConflict) -> Self {
        Self { context, on_conflict, histories: HashMap::new(), taken_back: HashSet::new() }
    }

    /// Returns the steps that take back one write; none if it has no effect any more.
    pub(super) fn take_back(&mut self, ops: &[Op]) -> Result<Vec<Step>, Error> {
        for op in ops {
            self.load(op.entity)?;
        }
        self.taken_back.extend(ops.iter().map(|op| op.stamp.id));
        let mut steps = Vec::new();
        for op in ops.iter().rev() {
            let change = self.inverse(op)?;
            steps.extend(change.map(|change| Step::undoing(op.entity, change, op.stamp.id)));
        }
        // A write that is taken back next sees the state without this one, as if the steps were written already.
        for history in self.histories.values_mut().filter(|_| !steps.is_empty()) {
            history.retain(|op| !self.taken_back.contains(&op.stamp.id));
        }
        Ok(steps)
    }

    fn load(&mut self, entity: EntityId) -> Result<(), Error> {
        if !self.histories.contains_key(&entity) {
            self.histories.insert(entity, self.context.index.ops(entity)?);
        }
        Ok(())
    }

    fn inverse(&self, op: &Op) -> Result<Option<Change>, Error> {
        let history = self.histories.get(&op.entity).map(Vec::as_slice).unwrap_or_default();
        let now = Entity::fold(op.entity, history);
        let inverse = match &op.change {
            Change::Set { field, value } => {
                let before = value_before(history, op, field);
                let is_same = now.value(field).unwrap_or(&Value::Null) == &before;
                (!is_same && before != *value).then(|| Change::Set { field: field.clone(), value: before })
            }
            Change::Add { field, value } => {
                let is_own = |tag: &OpId| continues_addition(history, *tag, op.stamp.id);
                let seen: Vec<OpId> = now.tags(field, value).into_iter().filter(is_own).collect();
                (!seen.is_empty()).then(|| Change::Remove { field: field.clone(), value: value.clone(), seen })
            }
            Change::Remove { field, value, .. } => {
                let is_gone = now.tags(field, value).is_empty();
                is_gone.then(|| Change::Add { field: field.clone(), value: value.clone() })
            }
            Change::Comment { .. } => comment_text(&now, op.stamp.id)
                .filter(|text| !text.is_empty())
                .map(|_| Change::EditComment { comment: op.stamp.id, body: String::new() }),
            Change::EditComment { comment, body } => {
                let before = Entity::fold(op.entity, history.iter().filter(|other| other.stamp < op.stamp));
                let text = comment_text(&before, *comment).filter(|text| text != body);
                text.map(|body| Change::EditComment { comment: *comment, body })
            }
            Change::Create { .. } | Change::Restore => (!now.is_deleted()).then_some(Change::Delete),
            Change::Delete => now.is_deleted().then_some(Change::Restore),
            Change::Renumber { .. } | Change::Unknown { .. } => None,
        };
        if inverse.is_some() {
            refuse_settings(&now)?;
            self.refuse_conflict(history, op)?;
        }
        Ok(inverse)
    }

    /// Fails if someone changed the same thing since.
    fn refuse_conflict(&self, history: &[Op], op: &Op) -> Result<(), Error> {
        let undone: HashSet<OpId> = history.iter().filter_map(|other| other.undoes).collect();
        // A change that was taken back, and what took it back, cancel each other out.
        let counts = |other: &&Op| {
            other.stamp > op.stamp
                && !self.taken_back.contains(&other.stamp.id)
                && !undone.contains(&other.stamp.id)
                && other.undoes.is_none_or(|target| target == op.stamp.id)
                && is_same_subject(&op.change, op.stamp.id, &other.change)
        };
        let Some(other) = history.iter().rfind(counts) else { return Ok(()) };
        if self.on_conflict == OnConflict::Overwrite {
            return Ok(());
        }
        let item = match self.context.index.item(op.entity)? {
            Some(row) => mention(&row),
            None => "it".to_owned(),
        };
        let what = changed_part(&op.change);
        Err(Error::conflict(format!("cannot undo: {} changed {what} of {item} since", other.by.short()))
            .hint("`--force` undoes your change anyway; `cairn log ID` shows what happened"))
    }
}

/// Returns whether the addition `tag` is the addition `first`, or restored it after a removal that was taken back.
fn continues_addition(history: &[Op], tag: OpId, first: OpId) -> bool {
    let find = |id: OpId| history.iter().find(|op| op.stamp.id == id);
    // Each step leads to an earlier operation; a forged circle ends after as many steps as there are operations.
    let mut reached = vec![tag];
    for _ in 0..history.len() {
        let Some(next) = reached.pop() else { return false };
        if next == first {
            return true;
        }
        let removal = find(next).and_then(|op| op.undoes).and_then(find);
        if let Some(Change::Remove { seen, .. }) = removal.map(|op| &op.change) {
            reached.extend(seen);
        }
    }
    false
}

/// Returns the value of a field before an operation; null if there was none.
fn value_before(history: &[Op], op: &Op, field: &str) -> Value {
    let before = Entity::fold(op.entity, history.iter().filter(|other| other.stamp < op.stamp));
    before.value(field).cloned().unwrap_or(Value::Null)
}

fn comment_text(entity: &Entity, id: OpId) -> Option<String> {
    entity.comments().into_iter().find(|comment| comment.id == id).map(|comment| comment.body)
}

/// Returns whether a later change is about the same thing as the change `of`, whose id is `id`.
fn is_same_subject(of: &Change, id: OpId, later: &Change) -> bool {
    match (of, later) {
        (Change::Set { field, .. }, Change::Set { field: other, .. }) => field == other,
        (Change::Comment { .. }, Change::EditComment { comment, .. }) => *comment == id,
        (Change::EditComment { comment, .. }, Change::EditComment { comment: other, .. }) => comment == other,
        // Whatever was done with a new item would be hidden with it.
        (Change::Create { .. } | Change::Restore, later) => !matches!(later, Change::Renumber { .. }),
        _ => false,
    }
}

fn changed_part(change: &Change) -> String {
    match change {
        Change::Set { field, .. } => format!("the field `{}`", model::text::escape_line(field)),
        Change::Comment { .. } | Change::EditComment { .. } => "the comment".to_owned(),
        _ => "a field".to_owned(),
    }
}

// A workflow has built-in statuses, which clearing a field would remove instead of restoring them; declared labels are
// stored in the same way.
fn refuse_settings(entity: &Entity) -> Result<(), Error> {
    let kind = entity.creation().map_or("", |creation| creation.kind.as_str());
    let (what, command) = match kind {
        workflow::ENTITY_KIND => ("a workflow", "cairn workflow"),
        label::ENTITY_KIND => ("the declared labels", "cairn label define` or `cairn label undefine"),
        _ => return Ok(()),
    };
    Err(Error::conflict(format!("your last change is to {what}, which `undo` cannot revert"))
        .hint(format!("change it with `{command}`")))
}
