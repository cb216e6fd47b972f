//! Tasks and boards by integers, with a free-text status.

use app::ErrorKind;
use app::tasks::{Task, TaskChange, TaskQuery, TaskSelection};
use jiff::civil::date;
use model::item::ItemKind;
use model::patch::Patch;

use crate::harness::{TestProject, parsed};

fn with_board() -> TestProject {
    let mut test = TestProject::new();
    test.create(ItemKind::Board, "Team");
    test
}

fn numbers(test: &TestProject, which: TaskSelection) -> Vec<u64> {
    let query = TaskQuery { which, board: None, owner: None, approved: None, limit: 50, cursor: None };
    test.project.tasks(&query).unwrap().tasks.iter().map(|task| task.number).collect()
}

fn on_board() -> TaskChange {
    TaskChange { board: Patch::Set(1), ..TaskChange::default() }
}

fn said(test: &mut TestProject, text: &str) -> Task {
    let change = TaskChange { status: Patch::Set(text.to_owned()), ..TaskChange::default() };
    test.project.change_task(1, &change).unwrap()
}

#[test]
fn tasks_and_boards_are_counted_for_themselves() {
    let mut test = with_board();
    let fields = parsed(&[("size", "small"), ("priority", "7")]);
    let task = test.project.create_task("One", &TaskChange { fields, ..on_board() }).unwrap();
    assert_eq!((task.number, task.board, task.priority, task.status.as_deref()), (1, Some(1), 7, None));
    assert_eq!(test.project.board(1).unwrap().tasks, [1]);
    let moved = TaskChange { board: Patch::Clear, ..TaskChange::default() };
    assert_eq!(test.project.change_task(1, &moved).unwrap().board, None);
    assert_eq!(test.project.board(1).unwrap().tasks, [0; 0]);
}

#[test]
fn a_free_text_status_is_kept_and_moves_the_task() {
    let mut test = TestProject::new();
    test.project.create_task("One", &TaskChange::default()).unwrap();
    assert_eq!(said(&mut test, "waiting for Bob").status.as_deref(), Some("waiting for Bob"));
    assert_eq!(test.show("1").status, "backlog", "an unknown text does not move it");
    assert_eq!(said(&mut test, "In Progress").status.as_deref(), Some("In Progress"));
    assert_ne!(test.show("1").status, "backlog");
    let closed = said(&mut test, "completed");
    assert_eq!((closed.status.as_deref(), closed.completed), (Some("completed"), Some(date(2026, 3, 10))));
    let reset = TaskChange { status: Patch::Clear, ..TaskChange::default() };
    let open = test.project.change_task(1, &reset).unwrap();
    assert_eq!((open.status, open.completed), (None, None));
}

#[test]
fn work_is_proposed_accepted_claimed_and_completed() {
    let mut test = with_board();
    test.project.create_task("Proposed", &on_board()).unwrap();
    test.project.create_task("Free", &TaskChange::default()).unwrap();
    assert_eq!((numbers(&test, TaskSelection::Proposed), numbers(&test, TaskSelection::Available)), (vec![1], vec![2]));
    test.project.accept_task(1).unwrap();
    assert_eq!(numbers(&test, TaskSelection::Proposed), [0; 0]);
    assert_eq!(numbers(&test, TaskSelection::Available).len(), 2);
    let mine = test.project.claim_task(1).unwrap();
    assert_eq!((mine.owner.is_some(), mine.started), (true, Some(date(2026, 3, 10))));
    assert_eq!(numbers(&test, TaskSelection::Available), [2]);
    let done = test.project.complete_task(1, Some(date(2026, 3, 9))).unwrap();
    assert_eq!(done.completed, Some(date(2026, 3, 9)));
    assert_eq!(test.project.claim_task(1).unwrap_err().kind, ErrorKind::Conflict);
    assert_eq!((numbers(&test, TaskSelection::Open), numbers(&test, TaskSelection::All)), (vec![2], vec![1, 2]));
}

#[test]
fn unknown_ids_change_nothing() {
    let mut test = with_board();
    test.project.create_task("One", &TaskChange::default()).unwrap();
    test.writes_nothing(|test| {
        for id in [0, -1, 2, i128::from(u64::MAX) + 1] {
            assert_eq!(test.project.task(id).unwrap_err().kind, ErrorKind::NotFound, "{id}");
            assert_eq!(test.project.complete_task(id, None).unwrap_err().kind, ErrorKind::NotFound, "{id}");
            let owner = TaskChange { owner: Patch::Set(id.max(99)), ..TaskChange::default() };
            assert!(test.project.change_task(1, &owner).is_err(), "{id}");
            let board = TaskChange { board: Patch::Set(id.max(99)), ..TaskChange::default() };
            assert!(test.project.create_task("Two", &board).is_err(), "{id}");
        }
    });
}
