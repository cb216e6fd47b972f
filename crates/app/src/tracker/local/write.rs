//! Makes, changes and deletes items. Every id is looked up first, so that a wrong one changes nothing.

use model::field::Field;
use model::item::ItemKind;
use model::patch::Patch;
use serde_json::{Value, json};
use store::index::Row;

use super::lookup::{Statuses, item_kind};
use super::read::{Reader, find, living, required};
use super::{Tried, extended};
use crate::error::ErrorKind;
use crate::people::People;
use crate::project::Project;
use crate::tracker::change::{Blocking, Change, Draft};
use crate::tracker::entry::{Entry, Id, Kind};
use crate::tracker::failure::Failure;
use crate::tracker::priority::Priority;
use crate::verb::{Edit, NewItem};

/// How often a change is planned anew because the item moved on meanwhile.
const TRIES: usize = 8;

/// Fields and what is written into them.
type Texts = Vec<(&'static Field, String)>;

/// Makes an item.
pub(super) fn create(project: &mut Project, kind: Kind, draft: &Draft) -> Tried<Entry> {
    let mut fields = Texts::new();
    push(&mut fields, "description", draft.description.clone());
    push(&mut fields, "assign", draft.assignee.map(|id| person(project, id)).transpose()?);
    push(&mut fields, "priority", draft.priority.map(|priority| priority.number().to_string()));
    push(&mut fields, "parent", draft.parent.map(|id| above(project, kind, id)).transpose()?);
    push(&mut fields, "colour", draft.colour.clone());
    push(&mut fields, "severity", draft.severity.clone());
    push(&mut fields, "type", draft.type_.clone());
    fields.extend(extended::fields(project, &draft.planning)?.into_iter().filter(|(_, text)| !text.is_empty()));
    let new = NewItem { kind: item_kind(kind), title: draft.subject.clone(), fields, labels: draft.tags.clone() };
    let made = project.create(&new)?;
    let mut others = Edit::default();
    if let Some(row) = Id::new(made.number).map(|id| living(project, kind, id)).transpose()?.flatten() {
        extended::assignees(project, &row.item, &draft.planning, &mut others)?;
    }
    if !others.add_assignees.is_empty() {
        project.edit(&[made.id], &others)?;
    }
    find(project, kind, Id::new(made.number).ok_or_else(|| Failure::not_found(kind.title()))?)
}

/// Changes an item. When someone else changes it between the look and the write, it is looked at again.
pub(super) fn update(project: &mut Project, kind: Kind, id: Id, change: &Change) -> Tried<Entry> {
    for _ in 0..TRIES {
        let row = required(project, kind, id)?;
        extended::check_version(&row, change.version)?;
        let edit = plan(project, kind, &row, change)?;
        match project.edit(&[row.item.id.to_string()], &edit) {
            Err(error) if error.kind == ErrorKind::Conflict => project.refresh()?,
            Err(error) => return Err(error.into()),
            Ok(_) => return Reader::new(project, kind)?.entry(required(project, kind, id)?),
        }
    }
    Err(Failure::conflict("It kept changing meanwhile; nothing was written. Read it again, then decide.").into())
}

/// Deletes an item, and the tasks of a story with it.
pub(super) fn delete(project: &mut Project, kind: Kind, id: Id) -> Tried<()> {
    let row = required(project, kind, id)?;
    let mut ids = vec![row.item.id.to_string()];
    if kind == Kind::Story {
        let children = project.index().children(row.item.id)?;
        let tasks = children.iter().filter(|child| child.item.kind == ItemKind::Task && !child.item.deleted);
        ids.extend(tasks.map(|task| task.item.id.to_string()));
    }
    project.delete(&ids, None)?;
    Ok(())
}

fn plan(project: &Project, kind: Kind, row: &Row, change: &Change) -> Tried<Edit> {
    let mut fields = Texts::new();
    push(&mut fields, "title", change.subject.clone());
    push(&mut fields, "description", change.description.clone());
    push(&mut fields, "status", change.status.map(|id| status(project, kind, id)).transpose()?);
    push(&mut fields, "assign", chosen(change.assignee, |id| person(project, id))?);
    push(&mut fields, "parent", chosen(change.epic, |id| above(project, kind, id))?);
    push(&mut fields, "priority", change.priority.and_then(|priority| new_priority(row, priority)));
    push(&mut fields, "colour", change.colour.clone());
    push(&mut fields, "severity", change.severity.clone());
    push(&mut fields, "type", change.type_.clone());
    fields.extend(extended::fields(project, &change.planning)?);
    let mut edit = Edit { fields, if_unchanged: Some(row.item.revision.clone()), ..Edit::default() };
    extended::assignees(project, &row.item, &change.planning, &mut edit)?;
    if let Some(wanted) = &change.tags {
        let has = |list: &[String], tag: &String| list.contains(tag);
        edit.add_labels = wanted.iter().filter(|tag| !has(&row.item.labels, tag)).cloned().collect();
        edit.remove_labels = row.item.labels.iter().filter(|tag| !has(wanted, tag)).cloned().collect();
    }
    if let Some(blocking) = &change.blocking {
        edit.extra.extend(blocked(row, blocking).map(|value| ("blocked".to_owned(), value)));
    }
    Ok(edit)
}

// Both 9 and 10 are `highest`: a word that is there already must not change the number behind it.
fn new_priority(row: &Row, priority: Priority) -> Option<String> {
    (Priority::from_number(row.item.priority) != Some(priority)).then(|| priority.number().to_string())
}

fn blocked(row: &Row, wanted: &Blocking) -> Option<Value> {
    match (wanted.is_blocked, &wanted.reason) {
        (false, _) => Some(Value::Null),
        (true, Some(reason)) => Some(json!(reason.trim())),
        (true, None) if row.item.blocked.is_some() => None,
        (true, None) => Some(Value::Bool(true)),
    }
}

fn chosen<T: Copy>(choice: Patch<T>, text: impl FnOnce(T) -> Tried<String>) -> Tried<Option<String>> {
    match choice {
        Patch::Keep => Ok(None),
        // An empty text clears a field.
        Patch::Clear => Ok(Some(String::new())),
        Patch::Set(value) => text(value).map(Some),
    }
}

fn push(fields: &mut Texts, name: &str, text: Option<String>) {
    let field = Field::try_find(name).expect("the table has every field that is named here");
    fields.extend(text.map(|text| (field, text)));
}

fn status(project: &Project, kind: Kind, id: Id) -> Tried<String> {
    let statuses = Statuses::of(project, kind)?;
    Ok(statuses.usable(id).ok_or_else(|| Failure::no_status("statusId", id))?.to_owned())
}

fn person(project: &Project, id: Id) -> Tried<String> {
    let unknown = || Failure::no_member("assignedToId", id);
    Ok(People::of(project)?.try_find(id).ok_or_else(unknown)?.to_string())
}

/// Finds what a story or a task is to be a part of.
fn above(project: &Project, kind: Kind, id: Id) -> Tried<String> {
    let above = if kind == Kind::Story { Kind::Epic } else { Kind::Story };
    let row = living(project, above, id)?.ok_or_else(|| Failure::no_parent(kind, id))?;
    Ok(row.item.id.to_string())
}
