//! Transitions in the workflow: start, close, reopen.

use app::ChangeSet;
use app::ErrorKind;
use app::verb::{Closing, StatusChange};
use model::item::ItemKind;

use crate::harness::{TestProject, by_name, check_error, ids, parsed};

#[test]
fn starting_takes_an_item_up_today_by_me() {
    let mut test = TestProject::with(ItemKind::Task, &["One"]);
    let item = test.project.start(&ids(&["1"]), None).unwrap().remove(0);
    assert_eq!((item.status.as_str(), item.category.name()), ("in_progress", "doing"));
    assert_eq!(item.assignee.as_deref(), Some("Ada Lovelace <ada@example.com>"));
    assert_eq!(item.started.unwrap().to_string(), "2026-03-10");
    test.writes_nothing(|test| test.project.start(&ids(&["1"]), None).unwrap());
}

#[test]
fn starting_keeps_who_has_it_and_when_it_began() {
    let mut test = TestProject::with(ItemKind::Task, &["One"]);
    test.edit("1", &[("assign", "Bob"), ("started", "2026-01-01")]);
    let item = test.project.start(&ids(&["1"]), None).unwrap().remove(0);
    assert_eq!((item.assignee.as_deref(), item.started.unwrap().to_string().as_str()), (Some("Bob"), "2026-01-01"));
}

#[test]
fn closing_finishes_and_reopening_takes_it_back() {
    let mut test = TestProject::with(ItemKind::Task, &["One", "Two"]);
    let closing = Closing { comment: Some("enough".into()), ..Closing::default() };
    let items = test.project.close(&ids(&["1", "2"]), &closing).unwrap();
    for item in &items {
        assert_eq!((item.status.as_str(), item.state.name(), item.comment_count), ("done", "closed", 1));
        assert_eq!(item.completed.unwrap().to_string(), "2026-03-10");
    }
    test.writes_nothing(|test| test.project.close(&ids(&["1"]), &Closing::default()).unwrap());
    let item = test.project.reopen(&ids(&["1"]), None).unwrap().remove(0);
    assert_eq!((item.status.as_str(), item.completed), ("backlog", None));
    test.writes_nothing(|test| test.project.reopen(&ids(&["1"]), None).unwrap());
}

#[test]
fn starting_a_closed_item_opens_it() {
    let mut test = TestProject::with(ItemKind::Task, &["One"]);
    test.project.close(&ids(&["1"]), &Closing::default()).unwrap();
    let item = test.project.start(&ids(&["1"]), None).unwrap().remove(0);
    assert_eq!((item.state.name(), item.completed), ("open", None));
}

#[test]
fn closing_goes_to_a_closed_status_only() {
    let mut test = TestProject::with(ItemKind::Task, &["One"]);
    let dropped = StatusChange { category: Some("dropped".into()), ..StatusChange::default() };
    test.project.set_status(ItemKind::Task, "wont_do", &dropped).unwrap();
    let close = |status: &str| Closing { status: Some(status.into()), ..Closing::default() };
    let refused = test.writes_nothing(|test| test.project.close(&ids(&["1"]), &close("review")));
    check_error(refused, ErrorKind::Invalid, "`review` is not a closed status", "`cairn workflow`");
    let refused = test.writes_nothing(|test| test.project.close(&ids(&["1"]), &close("gone")));
    check_error(
        refused,
        ErrorKind::Invalid,
        "unknown status `gone` for a task (expected: ",
        "`cairn workflow set task NAME`",
    );
    let item = test.project.close(&ids(&["1"]), &close("wont do")).unwrap().remove(0);
    assert_eq!((item.status.as_str(), item.category.name(), item.state.name()), ("wont_do", "dropped", "closed"));
}

#[test]
fn a_kind_without_a_status_for_it_cannot_be_started() {
    let mut test = TestProject::with(ItemKind::Milestone, &["One"]);
    let refused = test.writes_nothing(|test| test.project.start(&ids(&["milestone/1"]), None));
    let hint = "`cairn workflow set milestone NAME --category doing`";
    check_error(refused, ErrorKind::Conflict, "no status of a milestone says that someone is at it", hint);
}

#[test]
fn a_deleted_item_can_be_reopened_only() {
    let mut test = TestProject::with(ItemKind::Task, &["One"]);
    test.project.close(&ids(&["1"]), &Closing::default()).unwrap();
    test.project.delete(&ids(&["1"]), None).unwrap();
    let refused = test.writes_nothing(|test| test.project.start(&ids(&["1"]), None));
    check_error(refused, ErrorKind::Conflict, "was deleted", "`cairn reopen 1`");
    let refused = test.writes_nothing(|test| test.project.close(&ids(&["1"]), &Closing::default()));
    check_error(refused, ErrorKind::Conflict, "was deleted", "`cairn reopen 1`");
    let item = test.project.reopen(&ids(&["1"]), None).unwrap().remove(0);
    assert_eq!((item.deleted, item.state.name()), (false, "open"));
}

#[test]
fn a_stale_revision_is_refused_by_every_verb_that_takes_one() {
    let mut test = TestProject::with(ItemKind::Task, &["One"]);
    let stale = test.show("1").revision;
    test.edit("1", &[("priority", "1")]);
    let one = ids(&["1"]);
    let old = || Some(stale.clone());
    let edit = ChangeSet { fields: parsed(&[("priority", "2")]), if_unchanged: old(), ..ChangeSet::default() };
    let closing = Closing { if_unchanged: old(), ..Closing::default() };
    let link = app::verb::LinkTarget::Touches("src/lib.rs".into());
    let refused = test.writes_nothing(|test| {
        let project = &mut test.project;
        [
            project.edit(&one, &edit).map(drop),
            project.start(&one, Some(&stale)).map(drop),
            project.close(&one, &closing).map(drop),
            project.reopen(&one, Some(&stale)).map(drop),
            project.delete(&one, Some(&stale)).map(drop),
            project.comment(&by_name("1"), "x", Some(&stale)).map(drop),
            project.link(&by_name("1"), &link, Some(&stale)).map(drop),
            project.unlink(&by_name("1"), &link, Some(&stale)).map(drop),
        ]
    });
    for result in refused {
        check_error(result, ErrorKind::Conflict, "task #1 `One` has moved on: it is in revision", "`cairn show 1`");
    }
}
