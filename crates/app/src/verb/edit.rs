//! Changes fields and labels of items.

use model::field::Field;
use model::id::EntityId;
use model::op::Change;
use serde_json::Value;
use store::format::v1::is_too_deep;
use store::index::{Index, Row};

use super::assignees;
use super::label::LabelChanges;
use crate::error::{Detail, Error};
use crate::project::{PlanContext, Project, WritePlan, mention, set};
use crate::resolve;
use crate::view::{ItemView, one_item_view};

/// What to change.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Edit {
    /// Fields and what the person wrote for them; an empty text clears a field.
    pub fields: Vec<(&'static Field, String)>,
    /// Fields this version does not know, as JSON; null clears one.
    pub extra: Vec<(String, Value)>,
    /// Labels to add.
    pub add_labels: Vec<String>,
    /// Labels to take away.
    pub remove_labels: Vec<String>,
    /// People to assign beside whoever is assigned already.
    pub add_assignees: Vec<String>,
    /// People who no longer work on it.
    pub remove_assignees: Vec<String>,
    /// Refuse when the item is no longer in this revision.
    pub if_unchanged: Option<String>,
}

impl Project {
    /// Changes items, all in one entry of the diary, and returns them. Values that are there already are not written.
    pub fn edit(&mut self, ids: &[String], edit: &Edit) -> Result<Vec<ItemView>, Error> {
        let labels = LabelChanges::check(&edit.add_labels, &edit.remove_labels)?;
        let changed = self.write(|context| {
            let rows = context.find_all_living(ids)?;
            let mut changes = Vec::new();
            let mut words = Vec::new();
            for row in &rows {
                check_revision(row, edit.if_unchanged.as_deref())?;
                let fields = field_changes(context, row, edit)?;
                let followed = completion(context, row, &fields)?;
                for change in fields {
                    remember(&mut words, change_words(&change));
                    changes.push((row.item.id, change));
                }
                changes.extend(followed.map(|change| (row.item.id, change)));
                let entity = context.index.entity(row.item.id)?;
                let given = changes.iter().rev().find_map(|(id, change)| match change {
                    Change::Set { field, value } if *id == row.item.id && field == "assignee" => Some(value.clone()),
                    _ => None,
                });
                for change in assignees::changes(context, row, entity.as_ref(), edit, given.as_ref())? {
                    remember(&mut words, "assignees".to_owned());
                    changes.push((row.item.id, change));
                }
                for change in labels.for_item(context.index, row)? {
                    remember(&mut words, "labels".to_owned());
                    changes.push((row.item.id, change));
                }
            }
            let rows: Vec<&Row> = rows.iter().collect();
            let verb = format!("change {}", words.join(", "));
            Ok((WritePlan::on(&rows, &verb, changes), ids_of(&rows)))
        })?;
        views(self.index(), &changed)
    }
}

fn remember(words: &mut Vec<String>, word: String) {
    if !words.contains(&word) {
        words.push(word);
    }
}

fn change_words(change: &Change) -> String {
    match change {
        Change::Set { field, .. } => field.clone(),
        _ => "labels".to_owned(),
    }
}

fn field_changes(context: &PlanContext<'_>, row: &Row, edit: &Edit) -> Result<Vec<Change>, Error> {
    let mut changes = Vec::new();
    let entity = context.index.entity(row.item.id)?;
    let current = |name: &str| entity.as_ref().and_then(|entity| entity.value(name)).cloned().unwrap_or(Value::Null);
    for (field, text) in &edit.fields {
        let value = resolve::value(context, row.item.kind, field, text)?;
        if field.stored() == "parent" {
            refuse_parent_ring(context.index, row, &value)?;
        }
        if current(field.stored()) != value {
            changes.push(set(field.stored(), value));
        }
    }
    for (name, value) in &edit.extra {
        if is_too_deep(value) {
            return Err(Error::invalid(format!("the value of `{name}` is nested too deep to be kept")));
        }
        if current(name) != *value {
            changes.push(set(name, value.clone()));
        }
    }
    Ok(changes)
}

/// Follows a status: what is closed has a day on which that came about, what is not has none. A day that is given stands.
fn completion(context: &PlanContext<'_>, row: &Row, fields: &[Change]) -> Result<Option<Change>, Error> {
    let given = |name: &str| {
        fields.iter().find_map(|change| match change {
            Change::Set { field, value } if field == name => Some(value),
            _ => None,
        })
    };
    let Some(status) = given("status").and_then(Value::as_str) else { return Ok(None) };
    if given("completed").is_some() {
        return Ok(None);
    }
    let is_closed = context.index.workflow(row.item.kind)?.try_find(status).is_some_and(|status| status.closed);
    Ok(match (is_closed, row.item.completed) {
        (true, None) => Some(set("completed", resolve::today_as_value(context.today))),
        (false, Some(_)) => Some(set("completed", Value::Null)),
        _ => None,
    })
}

/// Refuses to make an item a part of itself, however far down.
pub(super) fn refuse_parent_ring(index: &Index, row: &Row, parent: &Value) -> Result<(), Error> {
    let mut next: Option<EntityId> = parent.as_str().and_then(|text| text.parse().ok());
    // A ring that was merged in must not keep us here.
    for _ in 0..1000 {
        let Some(id) = next else { return Ok(()) };
        if id == row.item.id {
            return Err(Error::conflict(format!("{} would be a part of itself", mention(row))));
        }
        next = index.item(id)?.and_then(|row| row.item.parent);
    }
    Ok(())
}

/// Refuses when the item has moved on since the caller saw it.
pub(super) fn check_revision(row: &Row, wanted: Option<&str>) -> Result<(), Error> {
    match wanted {
        Some(wanted) if wanted != row.item.revision => Err(Error::conflict(format!(
            "{} has moved on: it is in revision {}, not {}",
            mention(row),
            row.item.revision,
            model::text::escape_line(wanted)
        ))
        .hint(format!("read it again with `cairn show {}`, then decide", row.number))
        .detail(Detail::Revision(row.item.revision.clone()))),
        _ => Ok(()),
    }
}

pub(super) fn ids_of(rows: &[&Row]) -> Vec<EntityId> {
    rows.iter().map(|row| row.item.id).collect()
}

/// Shows items after a write.
pub(super) fn views(index: &Index, ids: &[EntityId]) -> Result<Vec<ItemView>, Error> {
    let mut views = Vec::new();
    for id in ids {
        if let Some(row) = index.item(*id)? {
            views.push(one_item_view(index, row)?);
        }
    }
    Ok(views)
}
