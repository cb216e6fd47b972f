//! Finds tasks to work on, claims them, and approves them.
//!
//! A task on a board is proposed until someone approves it. A task can be claimed if it is approved, or if it is on no
//! board and needs no approval.

use model::field::{self, FieldChange, StatusRef};
use model::filter::{Comparison, Expr, FlagField, MatchTest, OptionalField, PersonField, ReferenceField};
use model::item::ItemKind;
use model::person::{Person, PersonRef};
use model::sort::{SortField, SortKey};
use model::workflow::Category;
use serde_json::Value;
use store::index::ItemQuery;

use super::change::Verb;
use super::read::as_tasks;
use super::unknown::{board_of_argument, owner};
use super::{RequestedId, Task, TaskPage, free_text_status};
use crate::change::ChangeSet;
use crate::cursor;
use crate::error::Error;
use crate::people::People;
use crate::project::Project;

const URGENT_FIRST: [SortKey; 2] =
    [SortKey { by: SortField::Priority, descending: true }, SortKey { by: SortField::Number, descending: false }];
const BY_NUMBER: [SortKey; 1] = [SortKey { by: SortField::Number, descending: false }];

/// A task query.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskQuery {
    /// The set of tasks.
    pub which: TaskSelection,
    /// Only tasks on this board.
    pub board: Option<RequestedId>,
    /// Only tasks of this person.
    pub owner: Option<RequestedId>,
    /// Only approved tasks, or only the others.
    pub approved: Option<bool>,
    /// Maximum number of tasks.
    pub limit: usize,
    /// The cursor of the previous page.
    pub cursor: Option<String>,
}

/// A set of tasks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TaskSelection {
    /// All open tasks, by number.
    #[default]
    Open,
    /// All tasks, by number.
    All,
    /// Tasks that can be claimed now, the most urgent first.
    Available,
    /// Tasks that wait for approval, the most urgent first.
    Proposed,
}

impl Project {
    /// Returns a page of tasks.
    pub fn tasks(&self, wanted: &TaskQuery) -> Result<TaskPage, Error> {
        let expr = Expr::all(self.conditions(wanted)?);
        let name = format!("tasks {wanted:?}", wanted = TaskQuery { cursor: None, limit: 0, ..wanted.clone() });
        let after = wanted.cursor.as_deref().map(|text| cursor::read(&name, text)).transpose()?;
        let is_by_number = matches!(wanted.which, TaskSelection::Open | TaskSelection::All);
        let page = self.index().list(&ItemQuery {
            kinds: &[ItemKind::Task],
            filter: Some(&expr),
            include_closed: wanted.which == TaskSelection::All,
            ready: wanted.which == TaskSelection::Available,
            sort: if is_by_number { &BY_NUMBER } else { &URGENT_FIRST },
            after: after.as_ref(),
            limit: Some(wanted.limit),
            ..ItemQuery::default()
        })?;
        let next = page.next.map(|position| cursor::write(&name, &position));
        Ok(TaskPage { tasks: as_tasks(self.index(), page.rows, || People::of(self))?, total: page.total, next })
    }

    fn conditions(&self, wanted: &TaskQuery) -> Result<Vec<Expr>, Error> {
        let mut all = Vec::new();
        if let Some(id) = wanted.board {
            let board = board_of_argument(self.index(), id)?;
            let (field, test, value) = (ReferenceField::Board, MatchTest::Is, board.number.to_string());
            all.push(Comparison::Reference { field, test, value });
        }
        if let Some(id) = wanted.owner {
            all.push(owned_by(&owner(&People::of(self)?, id)?));
        }
        all.extend(wanted.approved.map(|value| Comparison::Flag { field: FlagField::Approved, value }));
        let mut all: Vec<Expr> = all.into_iter().map(Expr::Compare).collect();
        let is_approved = Expr::Compare(Comparison::Flag { field: FlagField::Approved, value: true });
        let is_loose = Expr::Compare(Comparison::Absent { field: OptionalField::Reference(ReferenceField::Board) });
        let is_free = Expr::any([is_approved, is_loose]);
        match wanted.which {
            TaskSelection::Open | TaskSelection::All => {}
            TaskSelection::Available => {
                let nobody =
                    Comparison::Person { field: PersonField::Assignee, test: MatchTest::Is, value: String::new() };
                all.extend([is_free, Expr::Compare(nobody)]);
            }
            TaskSelection::Proposed => all.push(Expr::negate(is_free)),
        }
        Ok(all)
    }

    /// Claims a task for the caller, with today as start date, and returns it. Fails if someone else has it or it is
    /// completed.
    pub fn claim_task(&mut self, id: RequestedId) -> Result<Task, Error> {
        self.alter(id, Verb::Named("claim"), |context, row, workflow| {
            if let Some(owner) = row.item.assignee.as_ref().filter(|owner| !is_same(owner, context.me)) {
                return Err(Error::conflict(format!("task {id} is already {}'s", owner.short())));
            }
            if row.category.closes() {
                return Err(Error::conflict(format!("task {id} is finished already")));
            }
            let mut set = ChangeSet::of_fields([FieldChange::assignee(PersonRef::Me)]);
            let is_begun = matches!(row.category, Category::Doing | Category::Review);
            if let Some(doing) = workflow.first_in(Category::Doing).filter(|_| !is_begun) {
                set.fields.push(FieldChange::status(StatusRef::Named(doing.name.clone())));
                set.extra.push((free_text_status::FIELD.to_owned(), Value::Null));
            }
            set.defaults.push(FieldChange::today(&field::STARTED));
            Ok(set)
        })
    }

    /// Approves a task, and returns it.
    pub fn accept_task(&mut self, id: RequestedId) -> Result<Task, Error> {
        let approved = ChangeSet::of_fields([FieldChange::literal(&field::APPROVED, true)]);
        self.alter(id, Verb::Named("accept"), |_, _, _| Ok(approved.clone()))
    }
}

fn owned_by(person: &Person) -> Comparison {
    let value = if person.email().is_empty() { person.name() } else { person.email() };
    Comparison::Person { field: PersonField::Assignee, test: MatchTest::Is, value: value.to_owned() }
}

fn is_same(one: &Person, other: &Person) -> bool {
    if one.email().is_empty() || other.email().is_empty() {
        return one.name().eq_ignore_ascii_case(other.name());
    }
    one.email().eq_ignore_ascii_case(other.email())
}
