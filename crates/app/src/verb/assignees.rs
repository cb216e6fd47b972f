//! Who works on an item: one assignee before all others, and a set beside, to which each clone adds and from which each removes only
//! what it saw.

use model::entity::Entity;
use model::item::ASSIGNEES;
use model::member::Member;
use model::op::Change;
use model::person::Person;
use serde_json::Value;
use store::index::Row;

use super::edit::Edit;
use crate::error::Error;
use crate::project::{PlanContext, mention, set};
use crate::resolve;

/// Returns what must change so that people are added to an item, and others taken away. `entity` is the item as it is now, `given`
/// the assignee that the same edit sets.
pub(super) fn changes(
    context: &PlanContext<'_>,
    row: &Row,
    entity: Option<&Entity>,
    edit: &Edit,
    given: Option<&Value>,
) -> Result<Vec<Change>, Error> {
    let before = match given {
        Some(value) => value.as_str().map(Person::parse),
        None => row.item.assignee.clone(),
    };
    let mut main = before.clone();
    let mut changes = Vec::new();
    for text in &edit.remove_assignees {
        let person = resolve::person(context, text)?;
        if !row.item.assignees.iter().any(|one| is_same(one, &person)) {
            return Err(Error::not_found(format!("{} is not assigned to `{}`", mention(row), person.short())));
        }
        if main.as_ref().is_some_and(|main| is_same(main, &person)) {
            main = None;
        }
        changes.extend(removals(entity, &person));
    }
    for text in &edit.add_assignees {
        let person = resolve::person(context, text)?;
        let is_there = row.item.assignees.iter().any(|one| is_same(one, &person));
        match &main {
            _ if is_there => {}
            None => main = Some(person),
            Some(_) => changes.push(Change::Add { field: ASSIGNEES.to_owned(), value: person.to_string() }),
        }
    }
    if main != before {
        let value = main.map_or(Value::Null, |person| person.to_string().into());
        changes.insert(0, set("assignee", value));
    }
    Ok(changes)
}

/// Returns what takes someone out of the set.
pub(crate) fn removals(entity: Option<&Entity>, person: &Person) -> Vec<Change> {
    let Some(entity) = entity else { return Vec::new() };
    let theirs = entity.set_members(ASSIGNEES).into_iter().filter(|text| is_same(&Person::parse(text), person));
    let remove = |text: &str| Change::Remove {
        field: ASSIGNEES.to_owned(),
        value: text.to_owned(),
        seen: entity.tags(ASSIGNEES, text),
    };
    theirs.map(remove).collect()
}

fn is_same(one: &Person, other: &Person) -> bool {
    Member::id_of(one) == Member::id_of(other)
}
