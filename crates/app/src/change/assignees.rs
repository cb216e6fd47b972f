//! The assignees of an item: one main assignee, and an add-wins set of others.

use model::entity::Entity;
use model::item::ASSIGNEES;
use model::member::Member;
use model::op::Change;
use model::person::Person;
use serde_json::Value;
use store::index::Row;

use super::ChangeSet;
use crate::error::Error;
use crate::project::{PlanContext, mention, set};
use crate::resolve;

/// Returns the changes that add and remove assignees. `entity` is the current item, `given` the main assignee in the
/// same change set.
pub(super) fn changes(
    context: &PlanContext<'_>,
    row: &Row,
    entity: &Entity,
    wanted: &ChangeSet,
    given: Option<&Value>,
) -> Result<Vec<Change>, Error> {
    let before = match given {
        Some(value) => value.as_str().map(Person::parse),
        None => row.item.assignee.clone(),
    };
    let mut main = before.clone();
    let mut changes = Vec::new();
    for person in &wanted.remove_assignees {
        let person = resolve::person(context, person)?;
        if !row.item.assignees.iter().any(|one| is_same(one, &person)) {
            return Err(Error::not_found(format!("{} is not assigned to `{}`", mention(row), person.short())));
        }
        if main.as_ref().is_some_and(|main| is_same(main, &person)) {
            main = None;
        }
        changes.extend(remove_assignee(entity, &person));
    }
    for person in &wanted.add_assignees {
        let person = resolve::person(context, person)?;
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

/// Returns the changes that remove a person from the set.
pub fn remove_assignee(entity: &Entity, person: &Person) -> Vec<Change> {
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
