//! Statuses of workflows, and the effect of changing them on items.

use app::ErrorKind;
use app::verb::{ListOptions, StatusChange};
use model::item::ItemKind;

use crate::harness::{TestProject, by_name, check_error};

fn category(name: &str) -> StatusChange {
    StatusChange { category: Some(name.into()), ..StatusChange::default() }
}

fn closed(closed: bool) -> StatusChange {
    StatusChange { closed: Some(closed), ..StatusChange::default() }
}

fn names(test: &TestProject, kind: ItemKind) -> Vec<String> {
    let workflow = test.project.workflows(Some(kind)).unwrap().remove(0);
    workflow.statuses.into_iter().map(|status| status.name).collect()
}

fn n_open(test: &TestProject) -> u64 {
    test.project.list(&ListOptions::default()).unwrap().total
}

#[test]
fn a_status_is_added_changed_and_removed() {
    let mut test = TestProject::new();
    test.project.set_status(ItemKind::Task, "parked", &category("draft")).unwrap();
    assert_eq!(names(&test, ItemKind::Task), ["backlog", "ready", "in_progress", "review", "done", "parked"]);
    assert!(!names(&test, ItemKind::Issue).contains(&"parked".to_owned()));
    test.writes_nothing(|test| test.project.set_status(ItemKind::Task, "parked", &category("draft")).unwrap());
    let change = StatusChange { order: Some(5), color: Some("FF0000".into()), ..StatusChange::default() };
    let workflow = test.project.set_status(ItemKind::Task, "parked", &change).unwrap();
    let first = &workflow.statuses[0];
    assert_eq!((first.name.as_str(), first.category.name(), first.color.as_str()), ("parked", "draft", "#ff0000"));
    test.project.remove_status(ItemKind::Task, "parked").unwrap();
    assert!(!names(&test, ItemKind::Task).contains(&"parked".to_owned()));
    assert_eq!(test.project.workflows(None).unwrap().len(), 6);
}

#[test]
fn items_move_when_their_status_changes_its_meaning() {
    let mut test = TestProject::with(ItemKind::Task, &["One", "Two"]);
    test.create(ItemKind::Issue, "Not a task");
    test.edit("2", &[("status", "review")]);
    assert_eq!(n_open(&test), 3);
    test.project.set_status(ItemKind::Task, "review", &closed(true)).unwrap();
    assert_eq!((n_open(&test), test.show("2").state.name()), (2, "closed"));
    test.project.set_status(ItemKind::Task, "backlog", &category("draft")).unwrap();
    assert_eq!((test.show("1").state.name(), test.show("3").state.name()), ("draft", "open"));
    test.project.set_status(ItemKind::Task, "review", &category("review")).unwrap();
    assert_eq!((n_open(&test), test.show("2").state.name()), (3, "open"));
    let stats = test.project.stats().unwrap();
    let task = stats.kinds.iter().find(|kind| kind.kind.name() == "task").unwrap();
    assert_eq!((task.open, task.closed), (2, 0));
}

#[test]
fn a_status_in_use_is_not_removed() {
    let mut test = TestProject::with(ItemKind::Task, &["One", "Two"]);
    let refused = test.writes_nothing(|test| test.project.remove_status(ItemKind::Task, "backlog"));
    check_error(refused, ErrorKind::Conflict, "2 items are in `backlog`", "move them first; `cairn list task --filter");
    test.edit("1", &[("status", "ready")]);
    let refused = test.writes_nothing(|test| test.project.remove_status(ItemKind::Task, "backlog"));
    check_error(refused, ErrorKind::Conflict, "1 item is in `backlog`", "move them first; `cairn list task --filter");
    test.edit("2", &[("status", "ready")]);
    test.project.remove_status(ItemKind::Task, "backlog").unwrap();
    assert_eq!(test.create(ItemKind::Task, "Three").status, "ready");
}

#[test]
fn the_last_status_is_not_removed() {
    let mut test = TestProject::new();
    test.project.remove_status(ItemKind::Board, "closed").unwrap();
    let refused = test.writes_nothing(|test| test.project.remove_status(ItemKind::Board, "open"));
    check_error(refused, ErrorKind::Conflict, "`open` is the only status of a board", "");
}

#[test]
fn invalid_statuses_are_refused() {
    let mut test = TestProject::new();
    let mut check = |name: &str, change: &StatusChange, message: &str| {
        let refused = test.writes_nothing(|test| test.project.set_status(ItemKind::Task, name, change));
        check_error(refused, ErrorKind::Invalid, message, "");
    };
    check("x", &category("odd"), "unknown category `odd` (expected: draft, todo");
    check(" ", &StatusChange::default(), "the status is empty");
    check("closed", &StatusChange::default(), "say what `closed` means with `--category`");
    check("x", &StatusChange { color: Some("red".into()), ..StatusChange::default() }, "invalid color `red`");
    let refused = test.writes_nothing(|test| test.project.remove_status(ItemKind::Task, "gone"));
    check_error(
        refused,
        ErrorKind::Invalid,
        "unknown status `gone` for a task (expected: backlog",
        "`cairn workflow set task NAME`",
    );
}

#[test]
fn deleted_items_do_not_hold_a_status() {
    let mut test = TestProject::with(ItemKind::Task, &["One"]);
    test.project.delete(&[by_name("1")], None).unwrap();
    test.project.remove_status(ItemKind::Task, "backlog").unwrap();
    let back = test.project.reopen(&[by_name("1")], None).unwrap().remove(0);
    assert_eq!((back.status.as_str(), back.state.name()), ("backlog", "open"));
}
