//! Statuses of workflows, and the effect of changing them on items.

use app::verb::{ListOptions, StatusChange};
use model::item::ItemKind;

use crate::harness::{TestProject, by_name, refusal};

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
    const BEFORE: [&str; 5] = ["backlog", "ready", "in_progress", "review", "done"];
    let mut test = TestProject::new();
    test.project.set_status(ItemKind::Task, "parked", &category("draft")).unwrap();
    assert_eq!(names(&test, ItemKind::Task), ["backlog", "ready", "in_progress", "review", "done", "parked"]);
    assert_eq!(names(&test, ItemKind::Issue), BEFORE);
    test.writes_nothing(|test| test.project.set_status(ItemKind::Task, "parked", &category("draft")).unwrap());
    let change = StatusChange { order: Some(5), color: Some("FF0000".into()), ..StatusChange::default() };
    let workflow = test.project.set_status(ItemKind::Task, "parked", &change).unwrap();
    let first = &workflow.statuses[0];
    assert_eq!((first.name.as_str(), first.category.name(), first.color.as_str()), ("parked", "draft", "#ff0000"));
    test.project.remove_status(ItemKind::Task, "parked").unwrap();
    assert_eq!(names(&test, ItemKind::Task), BEFORE);
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
    insta::assert_snapshot!(refusal(refused), @r#"
    Conflict: 2 items are in `backlog`
    hint: move them first; `cairn list task --filter 'status == "backlog"'` shows them
    "#);
    test.edit("1", &[("status", "ready")]);
    let refused = test.writes_nothing(|test| test.project.remove_status(ItemKind::Task, "backlog"));
    insta::assert_snapshot!(refusal(refused), @r#"
    Conflict: 1 item is in `backlog`
    hint: move them first; `cairn list task --filter 'status == "backlog"'` shows them
    "#);
    test.edit("2", &[("status", "ready")]);
    test.project.remove_status(ItemKind::Task, "backlog").unwrap();
    assert_eq!(test.create(ItemKind::Task, "Three").status, "ready");
}

#[test]
fn the_last_status_is_not_removed() {
    let mut test = TestProject::new();
    test.project.remove_status(ItemKind::Board, "closed").unwrap();
    let refused = test.writes_nothing(|test| test.project.remove_status(ItemKind::Board, "open"));
    insta::assert_snapshot!(refusal(refused), @"Conflict: `open` is the only status of a board");
}

#[test]
fn invalid_statuses_are_refused() {
    let mut test = TestProject::new();
    let mut refused = |name: &str, change: &StatusChange| {
        refusal(test.writes_nothing(|test| test.project.set_status(ItemKind::Task, name, change)))
    };
    insta::assert_snapshot!(refused("x", &category("odd")), @"Invalid: unknown category `odd` (expected: draft, todo, doing, review, done, dropped)");
    insta::assert_snapshot!(refused(" ", &StatusChange::default()), @"Invalid: the status is empty");
    insta::assert_snapshot!(refused("closed", &StatusChange::default()), @"Invalid: say what `closed` means with `--category`");
    insta::assert_snapshot!(refused("x", &StatusChange { color: Some("red".into()), ..StatusChange::default() }), @"Invalid: invalid color `red`; six hexadecimal digits such as #36b37e");
    let refused = test.writes_nothing(|test| test.project.remove_status(ItemKind::Task, "gone"));
    insta::assert_snapshot!(refusal(refused), @"
    Invalid: unknown status `gone` for a task (expected: backlog, ready, in_progress, review, done)
    hint: `cairn workflow set task NAME` adds one
    ");
}

#[test]
fn deleted_items_do_not_hold_a_status() {
    let mut test = TestProject::with(ItemKind::Task, &["One"]);
    test.project.delete(&[by_name("1")], None).unwrap();
    test.project.remove_status(ItemKind::Task, "backlog").unwrap();
    let back = test.project.reopen(&[by_name("1")], None).unwrap().remove(0);
    assert_eq!((back.status.as_str(), back.state.name()), ("backlog", "open"));
}
