//! Creates, changes and completes tasks, each in one commit.

use jiff::civil::Date;
use model::field::{self, FieldChange, StatusRef};
use model::item::ItemKind;
use model::op::Change;
use model::patch::Patch;
use model::text::check_line;
use model::workflow::{Category, State, Workflow};
use serde_json::Value;
use store::index::Row;

use super::read::task;
use super::unknown::{board_of_argument, find_task, owner};
use super::{RequestedId, Task, TaskChange, free_text_status};
use crate::change::{ChangeSet, ItemCreation, NewItem, plan_edit};
use crate::error::Error;
use crate::people::People;
use crate::project::{PlanContext, Project, WritePlan, subject};

impl Project {
    /// Creates a task and returns it.
    pub fn create_task(&mut self, title: &str, change: &TaskChange) -> Result<Task, Error> {
        let plan = |context: &PlanContext<'_>| {
            let (id, number) = (context.new_entity(), context.index.next_number(ItemKind::Task.space())?);
            let workflow = context.index.workflow(ItemKind::Task)?;
            let set = resolved(context, change, &workflow, &workflow.initial().name)?;
            let (fields, extra) = (set.fields, set.extra);
            let new = NewItem { fields, extra, ..NewItem::new(ItemKind::Task, title) };
            let creation = ItemCreation::plan(context, &new, number)?;
            Ok((WritePlan::new(creation.subject(), [(id, creation.into_change())]), number))
        };
        self.write(plan, show)
    }

    /// Changes a task and returns it. Moving it to another board withdraws the approval, unless the same change sets
    /// it.
    pub fn change_task(&mut self, id: RequestedId, change: &TaskChange) -> Result<Task, Error> {
        self.alter(id, Verb::Change, |context, row, workflow| {
            let mut set = resolved(context, change, workflow, &row.item.status)?;
            let moves = match change.board {
                Patch::Keep => false,
                Patch::Clear => row.item.board.is_some(),
                Patch::Set(id) => row.item.board != Some(board_of_argument(context.index, id)?.item.id),
            };
            if moves && !change.fields.iter().any(|change| change.field().name == "approved") {
                set.fields.push(FieldChange::literal(&field::APPROVED, false));
            }
            Ok(set)
        })
    }

    /// Completes a task, today by default, and returns it. It can be repeated with another day.
    pub fn complete_task(&mut self, id: RequestedId, day: Option<Date>) -> Result<Task, Error> {
        self.alter(id, Verb::Named("complete"), |context, row, workflow| {
            let is_done = row.state == State::Closed && row.category == Category::Done;
            let closing = workflow.closing().map(|status| status.name.clone());
            let status = if is_done { row.item.status.clone() } else { closing.ok_or_else(no_done_status)? };
            Ok(ChangeSet {
                extra: vec![(free_text_status::FIELD.to_owned(), Value::Null)],
                ..ChangeSet::of_fields([
                    FieldChange::status(StatusRef::Named(status)),
                    FieldChange::day(&field::COMPLETED, day.unwrap_or(context.today)),
                ])
            })
        })
    }

    /// Writes the change set of a plan.
    pub(super) fn alter(
        &mut self,
        id: RequestedId,
        verb: Verb,
        decide: impl Fn(&PlanContext<'_>, &Row, &Workflow) -> Result<ChangeSet, Error>,
    ) -> Result<Task, Error> {
        let plan = |context: &PlanContext<'_>| {
            let row = find_task(context.index, id)?;
            let workflow = context.index.workflow(ItemKind::Task)?;
            let planned = plan_edit(context, &row, &decide(context, &row, &workflow)?)?;
            let words = match verb {
                Verb::Change => format!("change {}", planned.names.join(", ")),
                Verb::Named(verb) => verb.to_owned(),
            };
            let changes = planned.changes.into_iter().map(|change: Change| (row.item.id, change));
            Ok((WritePlan::new(subject(&[&row], &words), changes), row.number))
        };
        self.write(plan, show)
    }
}

/// The verb in the subject line of a commit.
#[derive(Clone, Copy)]
pub(super) enum Verb {
    /// The names of the changed fields.
    Change,
    /// A fixed word.
    Named(&'static str),
}

/// Returns the task after the write.
fn show(context: &PlanContext<'_>, number: u64) -> Result<Task, Error> {
    task(context.index, number.into(), || people(context))
}

fn people(context: &PlanContext<'_>) -> Result<People, Error> {
    People::at(context.index, Some(context.me))
}

/// Resolves the numbers and the free text of a change. `status` is the task's current one.
fn resolved(
    context: &PlanContext<'_>,
    change: &TaskChange,
    workflow: &Workflow,
    status: &str,
) -> Result<ChangeSet, Error> {
    let mut set = ChangeSet::of_fields(change.fields.iter().cloned());
    match change.board {
        Patch::Keep => {}
        Patch::Clear => set.fields.push(FieldChange::clear(&field::BOARD)),
        Patch::Set(id) => {
            let board = board_of_argument(context.index, id)?;
            set.fields.push(FieldChange::item(&field::BOARD, board.item.id));
        }
    }
    match change.owner {
        Patch::Keep => {}
        Patch::Clear => set.fields.push(FieldChange::clear(&field::ASSIGN)),
        Patch::Set(id) => set.fields.push(FieldChange::assignee(owner(&people(context)?, id)?)),
    }
    if change.status != Patch::Keep {
        let text = change.status.clone().value();
        let text = text.map(|text| check_line("status", &text)).transpose()?;
        let (status, kept) = free_text_status::status_and_text(workflow, status, text.as_deref());
        set.fields.push(FieldChange::status(StatusRef::Named(status)));
        set.extra.push((free_text_status::FIELD.to_owned(), kept));
    }
    Ok(set)
}

fn no_done_status() -> Error {
    Error::conflict("no status of a task says that it is done")
        .hint("`cairn workflow set task NAME --category done` adds one")
}
