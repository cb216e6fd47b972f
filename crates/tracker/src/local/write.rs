//! Creates, changes and deletes items. All ids are resolved first, so that an invalid one changes nothing.

use app::ErrorKind;
use app::Project;
use app::people::People;
use app::{ChangeSet, NewItem};
use model::field::{self, Field, FieldChange, StatusRef};
use model::id::EntityId;
use model::item::ItemKind;
use model::item_ref::ItemRef;
use model::patch::Patch;
use model::person::Person;
use serde_json::{Value, json};
use store::index::Row;

use super::lookup::Statuses;
use super::read::{Reader, find, living, required};
use super::{LocalResult, extended};
use crate::Kind;
use crate::change::{Blocking, Draft, EntryChange};
use crate::entry::{Entry, Id};
use crate::failure::{Conflict, IdPosition, Problem, Subject};
use crate::mapping::local_kind;
use crate::priority::Priority;

/// Maximum attempts of an update with concurrent changes to the item.
const MAX_TRIES: usize = 8;

pub(super) fn create(project: &mut Project, kind: Kind, draft: &Draft) -> LocalResult<Entry> {
    let mut fields = Fields::default();
    fields.text(&field::DESCRIPTION, draft.description.as_deref())?;
    fields.0.extend(draft.assignee.map(|id| person(project, id)).transpose()?.map(FieldChange::assignee));
    fields.0.extend(draft.priority.map(set_priority));
    fields.0.extend(draft.parent.map(|id| above(project, kind, id)).transpose()?.map(parent));
    fields.text(&field::COLOR, draft.color.as_deref())?;
    fields.text(&field::SEVERITY, draft.severity.as_deref())?;
    fields.text(&field::TYPE, draft.type_.as_deref())?;
    fields.0.extend(extended::fields(project, &draft.planning)?);
    let new = NewItem {
        fields: fields.0,
        labels: draft.tags.clone(),
        ..NewItem::new(local_kind(kind), draft.subject.clone())
    };
    let made = project.create(&new)?;
    let mut others = ChangeSet::default();
    if let Some(row) = Id::new(made.number).map(|id| living(project, kind, id)).transpose()?.flatten() {
        extended::assignees(project, &row.item, &draft.planning, &mut others)?;
    }
    if !others.add_assignees.is_empty() {
        project.edit(&[ItemRef::parse(&made.id)], &others)?;
    }
    find(project, kind, Id::new(made.number).ok_or(Problem::NotFound(Subject::Work(kind)))?)
}

/// Changes an item; retries if someone else changes it between the read and the write.
pub(super) fn update(project: &mut Project, kind: Kind, id: Id, change: &EntryChange) -> LocalResult<Entry> {
    for _ in 0..MAX_TRIES {
        let row = required(project, kind, id)?;
        extended::check_version(&row, change.version)?;
        let edit = plan(project, kind, &row, change)?;
        match project.edit(&[row.item.id.into()], &edit) {
            // The edit is bound to the revision of `row`; a conflict means that it was read too early.
            Err(error) if error.kind == ErrorKind::Conflict => project.refresh()?,
            Err(error) => return Err(error.into()),
            Ok(_) => return Reader::new(project, kind)?.entry(required(project, kind, id)?),
        }
    }
    Err(Problem::Conflict(Conflict::KeptChanging).into())
}

/// Deletes an item; a story with its tasks.
pub(super) fn delete(project: &mut Project, kind: Kind, id: Id) -> LocalResult<()> {
    let row = required(project, kind, id)?;
    let mut ids = vec![ItemRef::Id(row.item.id)];
    if kind == Kind::Story {
        let children = project.index().children(row.item.id)?;
        let tasks = children.iter().filter(|child| child.item.kind == ItemKind::Task && !child.item.deleted);
        ids.extend(tasks.map(|task| ItemRef::Id(task.item.id)));
    }
    project.delete(&ids, None)?;
    Ok(())
}

fn plan(project: &Project, kind: Kind, row: &Row, change: &EntryChange) -> LocalResult<ChangeSet> {
    let mut fields = Fields::default();
    fields.text(&field::TITLE, change.subject.as_deref())?;
    fields.text(&field::DESCRIPTION, change.description.as_deref())?;
    if let Some(id) = change.status {
        fields.0.push(FieldChange::status(StatusRef::Named(status(project, kind, id)?)));
    }
    match change.assignee {
        Patch::Keep => {}
        Patch::Clear => fields.0.push(FieldChange::clear(&field::ASSIGN)),
        Patch::Set(id) => fields.0.push(FieldChange::assignee(person(project, id)?)),
    }
    match change.epic {
        Patch::Keep => {}
        Patch::Clear => fields.0.push(FieldChange::clear(&field::PARENT)),
        Patch::Set(id) => fields.0.push(parent(above(project, kind, id)?)),
    }
    // Both 9 and 10 are `highest`: setting the word an item already has must not change its number.
    let new_priority = change.priority.filter(|new| Priority::from_number(row.item.priority) != Some(*new));
    fields.0.extend(new_priority.map(set_priority));
    fields.text(&field::COLOR, change.color.as_deref())?;
    fields.text(&field::SEVERITY, change.severity.as_deref())?;
    fields.text(&field::TYPE, change.type_.as_deref())?;
    fields.0.extend(extended::fields(project, &change.planning)?);
    let if_unchanged = Some(row.item.revision.clone());
    let mut edit = ChangeSet { fields: fields.0, if_unchanged, ..ChangeSet::default() };
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

fn blocked(row: &Row, wanted: &Blocking) -> Option<Value> {
    match wanted {
        Blocking::No => Some(Value::Null),
        Blocking::Yes { reason: Some(reason) } => Some(json!(reason.trim())),
        Blocking::Yes { reason: None } if row.item.blocked.is_some() => None,
        Blocking::Yes { reason: None } => Some(Value::Bool(true)),
    }
}

/// A list of field changes under construction.
#[derive(Default)]
struct Fields(Vec<FieldChange>);

impl Fields {
    fn text(&mut self, field: &'static Field, text: Option<&str>) -> LocalResult<()> {
        let change = text.map(|text| FieldChange::parse(field, text)).transpose()?;
        self.0.extend(change);
        Ok(())
    }
}

fn set_priority(priority: Priority) -> FieldChange {
    FieldChange::literal(&field::PRIORITY, priority.number())
}

fn parent(id: EntityId) -> FieldChange {
    FieldChange::item(&field::PARENT, id)
}

fn status(project: &Project, kind: Kind, id: Id) -> LocalResult<String> {
    let statuses = Statuses::of(project, kind)?;
    Ok(statuses.usable(id).ok_or(Problem::UnknownStatus(id, IdPosition::Single))?.to_owned())
}

fn person(project: &Project, id: Id) -> LocalResult<Person> {
    Ok(People::of(project)?.try_find(id.get()).ok_or(Problem::UnknownMember(id, IdPosition::Single))?)
}

/// Finds the new parent of a story or a task.
fn above(project: &Project, kind: Kind, id: Id) -> LocalResult<EntityId> {
    let above = if kind == Kind::Story { Kind::Epic } else { Kind::Story };
    let row = living(project, above, id)?.ok_or(Problem::UnknownParent { of: kind, id })?;
    Ok(row.item.id)
}
