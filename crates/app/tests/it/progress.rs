//! Transitions in the workflow: start, close, reopen.

use app::ChangeSet;
use app::ErrorKind;
use app::verb::{CloseOptions, StatusChange};
use model::field::{FieldChange, StatusRef};
use model::item::ItemKind;

use crate::harness::{TestProject, by_name, ids, parsed, refusal};

#[test]
fn starting_sets_the_date_and_the_acting_person() {
    let mut test = TestProject::with(ItemKind::Task, &["One"]);
    let item = test.project.start(&ids(&["1"]), None).unwrap().remove(0);
    assert_eq!((item.status.as_str(), item.category.name()), ("in_progress", "doing"));
    assert_eq!(item.assignee.as_deref(), Some("Ada Lovelace <ada@example.com>"));
    assert_eq!(item.started.unwrap().to_string(), "2026-03-10");
    test.writes_nothing(|test| test.project.start(&ids(&["1"]), None).unwrap());
}

#[test]
fn starting_keeps_the_assignee_and_the_start_date() {
    let mut test = TestProject::with(ItemKind::Task, &["One"]);
    test.edit("1", &[("assign", "Bob"), ("started", "2026-01-01")]);
    let item = test.project.start(&ids(&["1"]), None).unwrap().remove(0);
    assert_eq!((item.assignee.as_deref(), item.started.unwrap().to_string().as_str()), (Some("Bob"), "2026-01-01"));
}

#[test]
fn closing_sets_the_completion_date_and_reopening_clears_it() {
    let mut test = TestProject::with(ItemKind::Task, &["One", "Two"]);
    let closing = CloseOptions { comment: Some("enough".into()), ..CloseOptions::default() };
    let items = test.project.close(&ids(&["1", "2"]), &closing).unwrap();
    for item in &items {
        assert_eq!((item.status.as_str(), item.state.name(), item.comment_count), ("done", "closed", 1));
        assert_eq!(item.completed.unwrap().to_string(), "2026-03-10");
    }
    test.writes_nothing(|test| test.project.close(&ids(&["1"]), &CloseOptions::default()).unwrap());
    let item = test.project.reopen(&ids(&["1"]), None).unwrap().remove(0);
    assert_eq!((item.status.as_str(), item.completed), ("backlog", None));
    test.writes_nothing(|test| test.project.reopen(&ids(&["1"]), None).unwrap());
}

#[test]
fn starting_a_closed_item_opens_it() {
    let mut test = TestProject::with(ItemKind::Task, &["One"]);
    test.project.close(&ids(&["1"]), &CloseOptions::default()).unwrap();
    let item = test.project.start(&ids(&["1"]), None).unwrap().remove(0);
    assert_eq!((item.state.name(), item.completed), ("open", None));
}

#[test]
fn closing_goes_to_a_closed_status_only() {
    let mut test = TestProject::with(ItemKind::Task, &["One"]);
    let dropped = StatusChange { category: Some("dropped".into()), ..StatusChange::default() };
    test.project.set_status(ItemKind::Task, "wont_do", &dropped).unwrap();
    let close = |status: &str| CloseOptions { status: Some(status.into()), ..CloseOptions::default() };
    let refused = test.writes_nothing(|test| test.project.close(&ids(&["1"]), &close("review")));
    insta::assert_snapshot!(refusal(refused), @"
    Invalid: `review` is not a closed status
    hint: `cairn workflow` shows which statuses are closed
    ");
    let refused = test.writes_nothing(|test| test.project.close(&ids(&["1"]), &close("gone")));
    insta::assert_snapshot!(refusal(refused), @"
    Invalid: unknown status `gone` for a task (expected: backlog, ready, in_progress, review, done, wont_do)
    hint: `cairn workflow set task NAME` adds one
    ");
    let item = test.project.close(&ids(&["1"]), &close("wont do")).unwrap().remove(0);
    assert_eq!((item.status.as_str(), item.category.name(), item.state.name()), ("wont_do", "dropped", "closed"));
}

#[test]
fn a_kind_without_a_status_for_it_cannot_be_started() {
    let mut test = TestProject::with(ItemKind::Milestone, &["One"]);
    let refused = test.writes_nothing(|test| test.project.start(&ids(&["milestone/1"]), None));
    insta::assert_snapshot!(refusal(refused), @"
    Conflict: a milestone has no status of the category doing
    hint: `cairn workflow set milestone NAME --category doing` adds one
    ");
}

#[test]
fn a_deleted_item_can_be_reopened_only() {
    let mut test = TestProject::with(ItemKind::Task, &["One"]);
    test.project.close(&ids(&["1"]), &CloseOptions::default()).unwrap();
    test.project.delete(&ids(&["1"]), None).unwrap();
    let refused = test.writes_nothing(|test| test.project.start(&ids(&["1"]), None));
    insta::assert_snapshot!(refusal(refused), @"
    Conflict: task #1 `One` was deleted
    hint: `cairn reopen 1` brings it back
    ");
    let refused = test.writes_nothing(|test| test.project.close(&ids(&["1"]), &CloseOptions::default()));
    insta::assert_snapshot!(refusal(refused), @"
    Conflict: task #1 `One` was deleted
    hint: `cairn reopen 1` brings it back
    ");
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
    let closing = CloseOptions { if_unchanged: old(), ..CloseOptions::default() };
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
        insta::allow_duplicates! {
            insta::assert_snapshot!(testkit::redact(&refusal(result)), @"
            Conflict: task #1 `One` was changed: its revision is <id>, not <id>
            hint: read it again with `cairn show 1`, then decide
            ");
        }
    }
}

fn claim(test: &mut TestProject, who: &str) -> Result<app::view::ItemView, app::Error> {
    test.project.act_as(Some(model::person::Person::parse(who)));
    test.project.claim(&ids(&["1"]), &ChangeSet::default()).map(|mut items| items.remove(0))
}

#[test]
fn claiming_starts_and_assigns_an_item_once() {
    let mut test = TestProject::with(ItemKind::Task, &["One"]);
    let item = claim(&mut test, "Bob <bob@example.com>").unwrap();
    assert_eq!((item.status.as_str(), item.assignee.as_deref()), ("in_progress", Some("Bob <bob@example.com>")));
    assert_eq!(item.started.unwrap().to_string(), "2026-03-10");
    let refused = test.writes_nothing(|test| claim(test, "Eve <eve@example.com>"));
    insta::assert_snapshot!(refusal(refused), @"
    Conflict: task #1 `One` is taken: in progress since 2026-03-10, by Bob <bob@example.com>
    hint: choose another one: `cairn ready` lists what can be started
    ");
    // Agents that act as the same person do not both begin.
    let refused = test.writes_nothing(|test| claim(test, "Bob <bob@example.com>"));
    insta::assert_snapshot!(refusal(refused), @"
    Conflict: task #1 `One` is taken: in progress since 2026-03-10, by Bob <bob@example.com> (you)
    hint: choose another one: `cairn ready` lists what can be started
    ");
}

#[test]
fn only_free_items_can_be_claimed() {
    let mut test = TestProject::with(ItemKind::Task, &["One"]);
    test.edit("1", &[("assign", "Bob")]);
    let refused = test.writes_nothing(|test| claim(test, "Eve"));
    insta::assert_snapshot!(refusal(refused), @"
    Conflict: task #1 `One` is taken: assigned, by Bob
    hint: choose another one: `cairn ready` lists what can be started
    ");
    claim(&mut test, "Bob").unwrap();
    test.project.close(&ids(&["1"]), &CloseOptions::default()).unwrap();
    let refused = test.writes_nothing(|test| claim(test, "Bob")).unwrap_err();
    assert_eq!((refused.kind, refused.message.as_str()), (ErrorKind::Conflict, "task #1 `One` is closed"));
    test.edit("1", &[("status", "in_progress"), ("assign", "")]);
    assert_eq!(claim(&mut test, "Eve").unwrap().assignee.as_deref(), Some("Eve"), "nobody had it");
}

#[test]
fn a_state_is_a_status_only_where_no_status_has_its_name() {
    let set = |test: &mut TestProject, word: &str| {
        let change = FieldChange::status(StatusRef::NamedOrState(word.to_owned()));
        test.project.edit(&ids(&["1"]), &ChangeSet::of_fields([change])).map(|mut items| items.remove(0))
    };
    let mut test = TestProject::with(ItemKind::Task, &["One"]);
    let closed = set(&mut test, "closed").unwrap();
    assert_eq!((closed.status.as_str(), closed.completed.is_some()), ("done", true));
    test.writes_nothing(|test| set(test, "Closed").unwrap());
    let opened = set(&mut test, "open").unwrap();
    assert_eq!((opened.status.as_str(), opened.completed), ("backlog", None));
    test.writes_nothing(|test| set(test, "open").unwrap());
    assert_eq!(set(&mut test, "review").unwrap().status, "review");
    insta::assert_snapshot!(refusal(set(&mut test, "shut")), @"
    Invalid: unknown status `shut` for a task (expected: backlog, ready, in_progress, review, done)
    hint: `cairn workflow set task NAME` adds one
    ");
    let done = StatusChange { category: Some("done".into()), ..StatusChange::default() };
    test.project.set_status(ItemKind::Task, "Closed", &done).unwrap();
    assert_eq!(set(&mut test, "closed").unwrap().status, "Closed");
}
