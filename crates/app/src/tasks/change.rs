//! Making, changing and finishing a task, each as one entry of the diary.

use std::collections::BTreeMap;

use jiff::civil::Date;
use model::field::Field;
use model::id::EntityId;
use model::item::ItemKind;
use model::number::NumberSpace;
use model::op::Change;
use model::patch::Patch;
use model::person::Person;
use model::text::check_line;
use model::workflow::{Category, State, Workflow};
use serde_json::Value;
use store::index::Row;

use super::read::task;
use super::unknown::{board_of_argument, find_task, no_such_owner};
use super::{RequestedId, Task, TaskChange, said};
use crate::error::Error;
use crate::people::People;
use crate::project::{PlanContext, Project, WritePlan, set};
use crate::resolve;

impl Project {
    /// Makes a task and returns it.
    pub fn create_task(&mut self, title: &str, change: &TaskChange) -> Result<Task, Error> {
        let title = check_line("title", title).map_err(Error::invalid)?;
        let plan = |context: &PlanContext<'_>| {
            let (id, number) = (context.new_entity(), context.index.next_number(NumberSpace::Work)?);
            let workflow = context.index.workflow(ItemKind::Task)?;
            let initial = workflow.initial().name.clone();
            let mut fields = BTreeMap::from([("title".to_owned(), Value::from(title.clone()))]);
            fields.insert("status".to_owned(), initial.clone().into());
            for (field, value) in wanted(context, change, &workflow, &initial)? {
                if !value.is_null() {
                    fields.insert(field, value);
                }
            }
            let create = Change::Create {
                kind: ItemKind::Task.name().to_owned(),
                number: Some(number),
                fields,
                sets: BTreeMap::new(),
            };
            let subject = format!("{} #{number}: create `{title}`", ItemKind::Task);
            Ok((WritePlan { subject, changes: vec![(id, create)] }, number))
        };
        self.write_then_read(plan, show)
    }

    /// Changes a task and returns it. Whoever moves it to another board takes the agreement to it away, unless the same
    /// change says otherwise; whoever opens it again takes the day away on which it was finished.
    pub fn change_task(&mut self, id: RequestedId, change: &TaskChange) -> Result<Task, Error> {
        self.alter(id, |context, row, workflow| {
            let mut fields = wanted(context, change, workflow, &row.item.status)?;
            let moves = fields.iter().any(|(field, value)| field == "board" && *value != board_value(row));
            if moves && !change.fields.iter().any(|(field, _)| field.name == "approved") {
                fields.push(("approved".to_owned(), false.into()));
            }
            let status = fields.iter().find(|(field, _)| field == "status").and_then(|(_, value)| value.as_str());
            let opens =
                row.state == State::Closed && status.is_some_and(|status| workflow.meaning(status).0 != State::Closed);
            if opens {
                fields.push(("completed".to_owned(), Value::Null));
            }
            Ok(("change", fields))
        })
    }

    /// Finishes a task, today unless said, and returns it. It can be done again, to name another day.
    pub fn complete_task(&mut self, id: RequestedId, day: Option<Date>) -> Result<Task, Error> {
        self.alter(id, |context, row, workflow| {
            let is_done = row.state == State::Closed && row.category == Category::Done;
            let closing = workflow.closing().map(|status| status.name.clone());
            let status = if is_done { row.item.status.clone() } else { closing.ok_or_else(no_done_status)? };
            let day = day.unwrap_or(context.today).to_string();
            Ok((
                "complete",
                vec![
                    ("status".to_owned(), status.into()),
                    (said::FIELD.to_owned(), Value::Null),
                    ("completed".to_owned(), day.into()),
                ],
            ))
        })
    }

    /// Writes the fields that a plan decides on and that differ from what is there.
    pub(super) fn alter(
        &mut self,
        id: RequestedId,
        plan: impl Fn(&PlanContext<'_>, &Row, &Workflow) -> Result<(&'static str, Vec<(String, Value)>), Error>,
    ) -> Result<Task, Error> {
        let plan = |context: &PlanContext<'_>| {
            let row = find_task(context.index, id)?;
            let workflow = context.index.workflow(ItemKind::Task)?;
            let (verb, fields) = plan(context, &row, &workflow)?;
            let changes = differing(context, row.item.id, fields)?;
            let words: Vec<&str> = changes.iter().map(|(field, _)| field.as_str()).collect();
            let words = if verb == "change" { format!("change {}", words.join(", ")) } else { verb.to_owned() };
            let changes = changes.iter().map(|(field, value)| (row.item.id, set(field, value.clone()))).collect();
            Ok((WritePlan::on(&[&row], &words, changes), row.number))
        };
        self.write_then_read(plan, show)
    }
}

/// Shows the task that was written.
fn show(context: &PlanContext<'_>, number: u64) -> Result<Task, Error> {
    task(context.index, number.into(), || everyone(context))
}

fn everyone(context: &PlanContext<'_>) -> Result<People, Error> {
    People::at(context.index, Some(context.me))
}

/// Finds who has an id.
pub(super) fn owner(people: &People, id: RequestedId) -> Result<Person, Error> {
    let found = u64::try_from(id).ok().and_then(|number| people.try_find_number(number));
    found.ok_or_else(|| no_such_owner(id, people))
}

/// Returns what every field that a change names is to be.
fn wanted(
    context: &PlanContext<'_>,
    change: &TaskChange,
    workflow: &Workflow,
    status: &str,
) -> Result<Vec<(String, Value)>, Error> {
    let mut fields = Vec::new();
    for (field, text) in &change.fields {
        fields.push((field.stored().to_owned(), resolve::value(context, ItemKind::Task, field, text)?));
    }
    match change.board {
        Patch::Keep => {}
        Patch::Clear => fields.push(("board".to_owned(), Value::Null)),
        Patch::Set(id) => {
            let board = board_of_argument(context.index, id)?;
            fields.push(("board".to_owned(), board.item.id.to_string().into()));
        }
    }
    match change.owner {
        Patch::Keep => {}
        Patch::Clear => fields.push(("assignee".to_owned(), Value::Null)),
        Patch::Set(id) => fields.push(("assignee".to_owned(), owner(&everyone(context)?, id)?.to_string().into())),
    }
    if change.status != Patch::Keep {
        let text = change.status.clone().value();
        let text = text.map(|text| check_line("status", &text).map_err(Error::invalid)).transpose()?;
        let (status, kept) = said::written(workflow, status, text.as_deref());
        fields.extend([("status".to_owned(), status.into()), (said::FIELD.to_owned(), kept)]);
    }
    Ok(fields)
}

fn board_value(row: &Row) -> Value {
    row.item.board.map_or(Value::Null, |id| id.to_string().into())
}

fn differing(
    context: &PlanContext<'_>,
    id: EntityId,
    fields: Vec<(String, Value)>,
) -> Result<Vec<(String, Value)>, Error> {
    let entity = context.index.entity(id)?;
    let current = |name: &str| entity.as_ref().and_then(|entity| entity.value(name)).cloned().unwrap_or(Value::Null);
    let is_flag = |name: &str| Field::try_find(name).is_some_and(|field| field.name == "approved");
    // A flag that was never set is as good as one that was taken back.
    let is_same = |name: &str, value: &Value| {
        let current = current(name);
        current == *value || is_flag(name) && current.is_null() && *value == Value::Bool(false)
    };
    Ok(fields.into_iter().filter(|(name, value)| !is_same(name, value)).collect())
}

fn no_done_status() -> Error {
    Error::conflict("no status of a task says that it is done")
        .hint("`cairn workflow set task NAME --category done` adds one")
}
