//! Reads tasks and boards.

use std::collections::HashMap;

use model::id::EntityId;
use model::item::ItemKind;
use model::workflow::Workflow;
use store::index::{Index, Row, TitledItem};

use super::unknown::{find_board, find_task};
use super::{Board, RequestedId, Task, free_text_status};
use crate::error::Error;
use crate::people::People;
use crate::project::Project;

/// One page of tasks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskPage {
    /// The tasks, in order.
    pub tasks: Vec<Task>,
    /// Number of tasks on all pages.
    pub total: u64,
    /// The cursor of the next page; `None` on the last one.
    pub next: Option<String>,
}

impl Project {
    /// Returns a task.
    pub fn task(&self, id: RequestedId) -> Result<Task, Error> {
        task(self.index(), id, || People::of(self))
    }

    /// Returns a board with the numbers of its tasks.
    pub fn board(&self, id: RequestedId) -> Result<Board, Error> {
        let row = find_board(self.index(), id)?;
        let tasks = self.index().numbers_on(row.item.id, ItemKind::Task)?;
        let Row { item, number, .. } = row;
        Ok(Board { number, name: item.title, tasks, created: item.created, updated: item.updated })
    }

    /// Returns the titles of items of a kind, including closed ones, with numbers above `above`, ascending.
    pub fn titles(&self, kind: ItemKind, above: u64, limit: usize) -> Result<Vec<TitledItem>, Error> {
        Ok(self.index().titles(kind, above, limit)?)
    }
}

/// Finds a task. `people` is called only if it has an assignee.
pub(super) fn task(
    index: &Index,
    id: RequestedId,
    people: impl FnOnce() -> Result<People, Error>,
) -> Result<Task, Error> {
    let row = find_task(index, id)?;
    as_tasks(index, vec![row], people)?.pop().ok_or_else(|| Error::not_found(format!("task not found: `{id}`")))
}

/// Converts rows into tasks; shared data is looked up once.
pub(super) fn as_tasks(
    index: &Index,
    rows: Vec<Row>,
    people: impl FnOnce() -> Result<People, Error>,
) -> Result<Vec<Task>, Error> {
    let workflow = index.workflow(ItemKind::Task)?;
    let has_owner = rows.iter().any(|row| row.item.assignee.is_some());
    let people = if has_owner { Some(people()?) } else { None };
    let boards = board_numbers(index, &rows)?;
    Ok(rows.into_iter().map(|row| as_task(row, &workflow, people.as_ref(), &boards)).collect())
}

// A board that this clone does not have counts as none.
fn board_numbers(index: &Index, rows: &[Row]) -> Result<HashMap<EntityId, u64>, Error> {
    let mut numbers = HashMap::new();
    for id in rows.iter().filter_map(|row| row.item.board) {
        if !numbers.contains_key(&id)
            && let Some(board) = index.item(id)?.filter(|row| row.item.kind == ItemKind::Board && !row.item.deleted)
        {
            numbers.insert(id, board.number);
        }
    }
    Ok(numbers)
}

fn as_task(row: Row, workflow: &Workflow, people: Option<&People>, boards: &HashMap<EntityId, u64>) -> Task {
    let Row { item, number, .. } = row;
    Task {
        number,
        status: free_text_status::read(workflow, &item),
        board: item.board.and_then(|id| boards.get(&id).copied()),
        owner: item.assignee.as_ref().zip(people).and_then(|(person, people)| people.number(person)),
        title: item.title,
        description: item.description,
        size: item.size,
        priority: item.priority,
        approved: item.approved,
        started: item.started,
        expected: item.expected,
        completed: item.completed,
        created: item.created,
        updated: item.updated,
    }
}
