//! Plans the changes to one item.

use model::entity::Entity;
use model::field::{FieldChange, FieldValue, StatusRef};
use model::op::Change;
use model::text::check_body;
use model::workflow::Workflow;
use serde_json::Value;
use store::index::Row;

use super::labels::LabelChanges;
use super::{ChangeSet, assignees, check_depth, completed, refuse_parent_cycle};
use crate::error::{Detail, Error};
use crate::project::{PlanContext, mention, set};
use crate::resolve;

/// The planned changes to one item.
#[derive(Debug, Default)]
pub(crate) struct ItemChanges {
    /// The changes, in order; empty if the item already has the values.
    pub(crate) changes: Vec<Change>,
    /// The names of the fields that the caller changes, for the subject line, without derived fields.
    pub(crate) names: Vec<String>,
}

impl ItemChanges {
    fn push(&mut self, name: &str, change: Change) {
        if !self.names.iter().any(|known| known == name) {
            self.names.push(name.to_owned());
        }
        self.changes.push(change);
    }
}

/// Plans a change set for one item: validates it against the newest state and returns the operations still needed.
pub(crate) fn plan_edit(context: &PlanContext<'_>, row: &Row, set: &ChangeSet) -> Result<ItemChanges, Error> {
    check_revision(row, set.if_unchanged.as_deref())?;
    let planner = Planner {
        context,
        row,
        workflow: context.index.workflow(row.item.kind)?,
        // The only fold of the entity in this plan.
        entity: context.index.entity(row.item.id)?.unwrap_or_else(|| Entity::new(row.item.id)),
    };
    planner.plan(set)
}

struct Planner<'a> {
    context: &'a PlanContext<'a>,
    row: &'a Row,
    workflow: Workflow,
    entity: Entity,
}

impl Planner<'_> {
    fn plan(&self, set: &ChangeSet) -> Result<ItemChanges, Error> {
        let mut planned = ItemChanges::default();
        for change in &set.fields {
            self.push_field(&mut planned, change)?;
        }
        for change in &set.defaults {
            if self.current(change.field().stored()).is_null() {
                self.push_field(&mut planned, change)?;
            }
        }
        planned.changes.extend(self.completed(set, &planned)?);
        for (name, value) in &set.extra {
            self.push_extra(&mut planned, name, value)?;
        }
        let given = new_value_of(&planned.changes, "assignee").cloned();
        for change in assignees::changes(self.context, self.row, &self.entity, set, given.as_ref())? {
            planned.push("assignees", change);
        }
        for change in LabelChanges::check(&set.add_labels, &set.remove_labels)?.for_item(&self.entity, self.row)? {
            planned.push("labels", change);
        }
        if let Some(body) = &set.comment {
            let body = check_body("comment", body)?;
            planned.push("comment", Change::Comment { body });
        }
        Ok(planned)
    }

    fn push_field(&self, planned: &mut ItemChanges, change: &FieldChange) -> Result<(), Error> {
        let name = change.field().stored();
        let value = resolve::value(self.context, &self.workflow, self.row, change)?;
        if name == "parent" {
            refuse_parent_cycle(self.context.index, self.row, value.as_str().and_then(|text| text.parse().ok()))?;
        }
        if !self.has(name, &value) {
            planned.push(name, set(name, value));
        }
        Ok(())
    }

    fn push_extra(&self, planned: &mut ItemChanges, name: &str, value: &Value) -> Result<(), Error> {
        check_depth(name, value)?;
        if !self.has(name, value) {
            planned.push(name, set(name, value.clone()));
        }
        Ok(())
    }

    fn current(&self, name: &str) -> &Value {
        self.entity.value(name).unwrap_or(&Value::Null)
    }

    fn has(&self, name: &str, value: &Value) -> bool {
        // An unset flag counts as false.
        let is_unset_flag = self.current(name).is_null() && *value == Value::Bool(false);
        self.current(name) == value || is_unset_flag
    }

    /// Returns the change of `completed` for a new status, unless the same change set sets it.
    fn completed(&self, set: &ChangeSet, planned: &ItemChanges) -> Result<Option<Change>, Error> {
        let is_given = set.fields.iter().any(|change| change.field().stored() == "completed");
        let status = set.fields.iter().rev().find_map(|change| match change.value() {
            FieldValue::Status(status) => Some(status),
            _ => None,
        });
        let Some(status) = status.filter(|_| !is_given) else { return Ok(None) };
        let status = &resolve::without_state(&self.workflow, status);
        let name = resolve::status_of(&self.workflow, self.row, status)?;
        // Setting the current status changes nothing; closing or starting again corrects a wrong day.
        let is_repeated = new_value_of(&planned.changes, "status").is_none();
        if is_repeated && matches!(status, StatusRef::Named(_) | StatusRef::Reopened) {
            return Ok(None);
        }
        let is_closed = self.workflow.try_find(&name).is_some_and(|status| status.closed);
        Ok(completed::follow_status(is_closed.then_some(self.context.today), self.row.item.completed))
    }
}

fn new_value_of<'a>(changes: &'a [Change], name: &str) -> Option<&'a Value> {
    changes.iter().rev().find_map(|change| match change {
        Change::Set { field, value } if field == name => Some(value),
        _ => None,
    })
}

/// Fails if the item has changed since the caller read it.
pub(crate) fn check_revision(row: &Row, wanted: Option<&str>) -> Result<(), Error> {
    match wanted {
        Some(wanted) if wanted != row.item.revision => Err(Error::conflict(format!(
            "{} was changed: its revision is {}, not {}",
            mention(row),
            row.item.revision,
            model::text::escape_line(wanted)
        ))
        .hint(format!("read it again with `cairn show {}`, then decide", row.number))
        .tool_hint("read it again with `show`, then decide")
        .detail(Detail::Revision(row.item.revision.clone()))),
        _ => Ok(()),
    }
}
