//! Creating and changing items: create, edit, label, comment, delete, show, log.

use app::ChangeSet;
use app::verb::{CloseOptions, ListOptions};
use app::view::ItemView;
use app::{Error, ErrorKind};
use model::item::ItemKind;
use serde_json::json;

use crate::harness::{TestProject, by_name, ids, new_item, parsed, people, refusal, texts};

#[test]
fn a_new_item_has_the_next_number_the_first_status_and_its_author() {
    let mut test = TestProject::with(ItemKind::Issue, &["One"]);
    let item = test.create(ItemKind::Milestone, "  Two  ");
    assert_eq!((item.number, item.title.as_str(), item.status.as_str()), (1, "Two", "open"));
    assert_eq!(test.create(ItemKind::Epic, "Three").number, 2);
    assert_eq!(item.author, "Ada Lovelace <ada@example.com>");
    assert_eq!((test.show("1").status.as_str(), test.show("1").state.name()), ("backlog", "open"));
    assert_eq!((item.created, item.revision.len()), (item.updated, 12));
}

#[test]
fn every_field_can_be_given_set_and_cleared() {
    let check = |field: &str, value: &str, stored: &serde_json::Value| {
        let mut test = TestProject::with(ItemKind::Board, &["Board"]);
        test.create(ItemKind::Milestone, "Release");
        let given = test.project.create(&new_item(ItemKind::Issue, "Given", &[(field, value)])).unwrap();
        test.create(ItemKind::Issue, "Edited");
        let edited = test.edit("2", &[(field, value)]);
        let shown = |item| serde_json::to_value(item).unwrap()[key(field)].clone();
        assert_eq!((shown(&given), shown(&edited)), (stored.clone(), stored.clone()), "{field} {value}");
        test.writes_nothing(|test| test.edit("2", &[(field, value)]));
        if !matches!(field, "title" | "status") {
            let plain = test.create(ItemKind::Issue, "Plain");
            assert_eq!(shown(&test.edit("2", &[(field, "")])), shown(&plain), "{field} cleared");
        }
    };
    check("title", "Given", &json!("Given"));
    check("description", "One\n\ntwo", &json!("One\n\ntwo"));
    check("status", "In Progress", &json!("in_progress"));
    check("assign", "me", &json!("Ada Lovelace <ada@example.com>"));
    check("priority", "7", &json!(7));
    check("size", "XL", &json!("xlarge"));
    check("severity", "high", &json!("high"));
    check("type", "bug", &json!("bug"));
    check("blocked", "no parts", &json!({"is": true, "reason": "no parts"}));
    check("approved", "yes", &json!(true));
    check("started", "yesterday", &json!("2026-03-09"));
    check("expected", "2026-04-01", &json!("2026-04-01"));
    check("completed", "today", &json!("2026-03-10"));
    check("due", "tomorrow", &json!("2026-03-11"));
    check("colour", "36B37E", &json!("#36b37e"));
}

#[test]
fn an_item_has_a_day_of_completion_while_its_status_is_a_closed_one() {
    let mut test = TestProject::with(ItemKind::Task, &["One"]);
    let mut completed =
        |fields: &[(&str, &str)]| serde_json::to_value(test.edit("1", fields)).unwrap()["completed"].clone();
    assert_eq!(completed(&[("status", "in_progress")]), json!(null));
    assert_eq!(completed(&[("status", "done")]), json!("2026-03-10"));
    assert_eq!(completed(&[("status", "backlog")]), json!(null));
    assert_eq!(completed(&[("status", "done"), ("completed", "2026-03-01")]), json!("2026-03-01"));
    assert_eq!(completed(&[("title", "Two")]), json!("2026-03-01"));
    assert_eq!(test.project.stats().unwrap().closed_last_month, 1);
}

fn key(field: &str) -> &str {
    if field == "assign" { "assignee" } else { field }
}

#[test]
fn a_board_and_a_milestone_are_found_by_title_and_a_parent_by_id() {
    let mut test = TestProject::with(ItemKind::Board, &["Wall"]);
    let milestone = test.create(ItemKind::Milestone, "Größe 1.0");
    test.create(ItemKind::Issue, "Work");
    let item = test.edit("1", &[("board", "wall"), ("milestone", "GRÖSSE 1.0"), ("parent", &milestone.id)]);
    assert_eq!(item.board.unwrap().number, Some(1));
    assert_eq!((item.milestone.unwrap().number, item.parent.unwrap().name()), (Some(1), "milestone/1".to_owned()));
    assert_eq!(test.show("milestone/1").children.unwrap()[0].name(), "#1");
}

#[test]
fn invalid_values_are_refused_and_nothing_is_written() {
    let mut test = TestProject::with(ItemKind::Issue, &["One", "Two"]);
    let mut refused = |field: &str, value: &str| {
        let edited = refusal(test.writes_nothing(|test| test.try_edit("1", &[(field, value)])));
        let created = refusal(test.writes_nothing(|test| test.try_create("New", &[(field, value)])));
        assert_eq!(edited, created);
        edited
    };
    insta::assert_snapshot!(refused("priority", "11"), @"Invalid: unknown priority `11` (expected: urgent, high, medium, low, none, or 0 to 10)");
    insta::assert_snapshot!(refused("size", "huge"), @"Invalid: unknown size `huge` (expected: small, medium, large, xlarge)");
    insta::assert_snapshot!(refused("status", "gone"), @"
    Invalid: unknown status `gone` for an issue (expected: backlog, ready, in_progress, review, done)
    hint: `cairn workflow set issue NAME` adds one
    ");
    insta::assert_snapshot!(refused("due", "2026-02-30"), @"Invalid: invalid date `2026-02-30` for due: no such day");
    insta::assert_snapshot!(refused("colour", "red"), @"Invalid: invalid color `red`; six hexadecimal digits such as #36b37e");
    insta::assert_snapshot!(refused("approved", "maybe"), @"Invalid: invalid value `maybe` for approved (expected: yes or no)");
    insta::assert_snapshot!(refused("parent", "no such"), @"
    Invalid: item not found: `no such`
    hint: an item is named by its number (`42`, `milestone/5`, `board/1`), its id, or a prefix of its id
    ");
    insta::assert_snapshot!(refused("parent", "one"), @"
    Invalid: item not found: `one`
    hint: did you mean issue #1 `One`?
    ");
    insta::assert_snapshot!(refused("title", "\0"), @"Invalid: the title contains a NUL character");
    insta::assert_snapshot!(refused("description", "a\0b"), @"Invalid: the description contains a NUL character");
}

#[test]
fn an_item_that_does_not_exist_is_not_found() {
    let mut test = TestProject::with(ItemKind::Issue, &["One"]);
    let refused = test.writes_nothing(|test| test.try_edit("1", &[("milestone", "1")]));
    insta::assert_snapshot!(refusal(refused), @"
    NotFound: item not found: `1`
    hint: `cairn list milestone --all` shows every one
    ");
    insta::assert_snapshot!(refusal(test.project.show(&by_name("7"))), @"
    NotFound: item not found: `7`
    hint: `cairn list --all --deleted` shows every item
    ");
    insta::assert_snapshot!(refusal(test.project.show(&by_name("#7"))), @"
    NotFound: item not found: `7`
    hint: `cairn list --all --deleted` shows every item
    ");
    insta::assert_snapshot!(refusal(test.project.show(&by_name("beef"))), @"
    NotFound: item not found: `beef`
    hint: `cairn list --all --deleted` shows every item
    ");
    insta::assert_snapshot!(refusal(test.project.show(&by_name("\u{1b}[31m"))), @r"
    Invalid: item not found: `\e[31m`
    hint: an item is named by its number (`42`, `milestone/5`, `board/1`), its id, or a prefix of its id
    ");
    let edited = test.writes_nothing(|test| test.try_edit("99999999999999999999", &[("title", "x")]));
    insta::assert_snapshot!(refusal(edited), @"
    NotFound: item not found: `99999999999999999999`
    hint: `cairn list --all --deleted` shows every item
    ");
}

#[test]
fn an_item_is_found_by_number_id_and_unique_prefix() {
    let mut test = TestProject::with(ItemKind::Issue, &["One"]);
    let item = test.show("1");
    for name in ["1", "#1", " 1 ", &item.id, &item.id.to_uppercase(), &item.id[..20], &item.id.replace('-', "")] {
        assert_eq!(test.show(name).id, item.id, "{name}");
    }
    test.create(ItemKind::Issue, "Two");
    let error = test.project.show(&by_name(&item.id[..8])).unwrap_err();
    insta::assert_snapshot!(testkit::redact(&error.message), @"
    `<id>` is the beginning of 2 ids:
      <id>  issue #1 `One`
      <id>  issue #2 `Two`
    ");
    assert_eq!((error.kind, error.hint.as_deref()), (ErrorKind::Invalid, Some("give more of the id, or the number")));
}

#[test]
fn a_number_counts_in_its_own_space() {
    let mut test = TestProject::with(ItemKind::Milestone, &["Beta"]);
    test.create(ItemKind::Board, "Wall");
    insta::assert_snapshot!(refusal(test.project.show(&by_name("1"))), @"
    NotFound: item not found: `1`
    hint: did you mean `milestone/1`, the milestone `Beta`?
    ");
    test.create(ItemKind::Task, "Work");
    let title = |id: &str| test.show(id).title;
    assert_eq!([title("1"), title("milestone/1"), title("board/1")], ["Work", "Beta", "Wall"].map(str::to_owned));
    let item = test.edit("1", &[("milestone", "1"), ("board", "board/1"), ("assign", "person/1")]);
    assert_eq!((item.milestone.unwrap().name(), item.board.unwrap().name()), ("milestone/1".into(), "board/1".into()));
    assert_eq!(item.assignee.as_deref(), Some("Ada Lovelace <ada@example.com>"));
    let refused = test.writes_nothing(|test| test.try_edit("1", &[("milestone", "board/1")]));
    insta::assert_snapshot!(refusal(refused), @"
    Invalid: board #1 `Wall` is not a milestone
    hint: `cairn list milestone` shows every milestone
    ");
    insta::assert_snapshot!(refusal(test.project.show(&by_name("person/1"))), @"
    NotFound: item not found: `person/1`
    hint: a person is not an item; `cairn member list` shows everyone
    ");
    let refused = test.writes_nothing(|test| test.try_edit("1", &[("assign", "person/9")]));
    insta::assert_snapshot!(refusal(refused), @"
    NotFound: person not found: `person/9`
    hint: `cairn member list` shows everyone
    ");
    let closed = test.project.close(&ids(&["milestone/1", "1"]), &CloseOptions::default()).unwrap();
    assert_eq!(closed.iter().map(|item| item.kind.name()).collect::<Vec<_>>(), ["milestone", "task"]);
    assert_eq!(test.project.log(1).unwrap().entries[0].text, "close milestone/1, #1");
}

#[test]
fn several_items_are_changed_together_or_not_at_all() {
    let mut test = TestProject::with(ItemKind::Issue, &["One", "Two", "Three"]);
    let edit = ChangeSet { fields: parsed(&[("priority", "5")]), ..ChangeSet::default() };
    let refused = test.writes_nothing(|test| test.project.edit(&ids(&["1", "2", "9"]), &edit));
    insta::assert_snapshot!(refusal(refused), @"
    NotFound: item not found: `9`
    hint: `cairn list --all --deleted` shows every item
    ");
    let items = test.project.edit(&ids(&["2", "1", "#2"]), &edit).unwrap();
    assert_eq!(items.iter().map(|item| (item.number, item.priority)).collect::<Vec<_>>(), [(2, 5), (1, 5)]);
    let entry = &test.project.log(1).unwrap().entries[0];
    assert_eq!(entry.text, "change priority #2, #1");
}

#[test]
fn a_field_this_version_does_not_know_is_kept_and_can_be_cleared() {
    let mut test = TestProject::with(ItemKind::Issue, &["One"]);
    let mut set = |value: serde_json::Value| -> Result<_, Error> {
        let edit = ChangeSet { extra: vec![("mood".to_owned(), value)], ..ChangeSet::default() };
        Ok(test.project.edit(&ids(&["1"]), &edit)?[0].extra.clone())
    };
    assert_eq!(set(json!({"of": ["day"]})).unwrap()["mood"], json!({"of": ["day"]}));
    assert!(set(json!(null)).unwrap().is_empty());
}

fn label(test: &mut TestProject, add: &[&str], remove: &[&str]) -> Result<Vec<String>, Error> {
    let edit = ChangeSet { add_labels: texts(add), remove_labels: texts(remove), ..ChangeSet::default() };
    Ok(test.project.edit(&ids(&["1"]), &edit)?.remove(0).labels)
}

#[test]
fn labels_are_added_and_removed_in_order_without_duplicates() {
    let mut test = TestProject::with(ItemKind::Issue, &["One"]);
    assert_eq!(label(&mut test, &["ui", "bug", "ui"], &[]).unwrap(), ["bug", "ui"]);
    test.writes_nothing(|test| label(test, &["bug"], &[]).unwrap());
    assert_eq!(label(&mut test, &["größe"], &["bug"]).unwrap(), ["größe", "ui"]);
    assert_eq!(label(&mut test, &["bug"], &[]).unwrap(), ["bug", "größe", "ui"]);
}

#[test]
fn invalid_labels_are_refused() {
    let mut test = TestProject::with(ItemKind::Issue, &["One"]);
    label(&mut test, &["ui"], &[]).unwrap();
    let mut refused = |add: &[&str], remove: &[&str]| refusal(test.writes_nothing(|test| label(test, add, remove)));
    insta::assert_snapshot!(refused(&[], &["bug"]), @"
    NotFound: #1 has no label `bug`
    hint: it has: ui
    ");
    insta::assert_snapshot!(refused(&["a"], &["a"]), @"Invalid: the label `a` is both added and removed");
    insta::assert_snapshot!(refused(&["a,b"], &[]), @"Invalid: the label `a,b` contains a comma, which separates labels; give them one by one");
    insta::assert_snapshot!(refused(&[" "], &[]), @"Invalid: the label is empty");
}

#[test]
fn an_edited_comment_keeps_its_earlier_texts() {
    let mut test = TestProject::with(ItemKind::Issue, &["One"]);
    test.project.comment(&by_name("1"), "first\n", None).unwrap();
    let item = test.project.comment(&by_name("1"), "second", None).unwrap();
    let comments = item.comments.unwrap();
    assert_eq!(comments.iter().map(|comment| comment.body.as_str()).collect::<Vec<_>>(), ["first", "second"]);
    let item = test.project.edit_comment(&by_name("1"), "1", "better", None).unwrap();
    let comments = item.comments.unwrap();
    assert_eq!((comments[0].body.as_str(), comments[0].former[0].body.as_str()), ("better", "first"));
    let item = test.project.edit_comment(&by_name("1"), &comments[1].id, "best", None).unwrap();
    assert_eq!((item.comments.unwrap()[1].body.as_str(), item.comment_count), ("best", 2));
}

#[test]
fn a_deleted_comment_has_no_text_until_it_is_edited() {
    let mut test = TestProject::with(ItemKind::Issue, &["One"]);
    test.project.comment(&by_name("1"), "first", None).unwrap();
    test.project.comment(&by_name("1"), "second", None).unwrap();
    let texts = |item: ItemView| item.comments.unwrap().into_iter().map(|comment| comment.body).collect::<Vec<_>>();
    assert_eq!(texts(test.project.delete_comment(&by_name("1"), "1", None).unwrap()), ["", "second"]);
    let again = test.writes_nothing(|test| test.project.delete_comment(&by_name("1"), "1", None).unwrap());
    assert_eq!(texts(again), ["", "second"]);
    assert_eq!(texts(test.project.edit_comment(&by_name("1"), "1", "first", None).unwrap()), ["first", "second"]);
    let refused = test.writes_nothing(|test| test.project.delete_comment(&by_name("1"), "3", None));
    insta::assert_snapshot!(refusal(refused), @r"
    NotFound: `3` does not name one comment of issue #1 `One`
    hint: `cairn show 1 --json` shows the ids of its comments
    ");
}

#[test]
fn invalid_comments_are_refused() {
    let mut test = TestProject::with(ItemKind::Issue, &["One"]);
    let refused = test.writes_nothing(|test| test.project.comment(&by_name("1"), " \n", None));
    insta::assert_snapshot!(refusal(refused), @"Invalid: the comment is empty");
    let refused = test.writes_nothing(|test| test.project.edit_comment(&by_name("1"), "1", "x", None));
    insta::assert_snapshot!(refusal(refused), @"
    NotFound: `1` does not name one comment of issue #1 `One`
    hint: `cairn show 1 --json` shows the ids of its comments
    ");
}

#[test]
fn a_deleted_item_is_hidden_immutable_and_restored_completely() {
    let mut test = TestProject::with(ItemKind::Issue, &["One", "Two"]);
    test.project.comment(&by_name("1"), "kept", None).unwrap();
    let deleted = test.project.delete(&ids(&["1"]), None).unwrap();
    assert!(deleted[0].deleted);
    test.writes_nothing(|test| test.project.delete(&ids(&["1"]), None).unwrap());
    let refused = test.writes_nothing(|test| test.try_edit("1", &[("title", "x")]));
    insta::assert_snapshot!(refusal(refused), @"
    Conflict: issue #1 `One` was deleted
    hint: `cairn reopen 1` brings it back
    ");
    let refused = test.writes_nothing(|test| test.project.comment(&by_name("1"), "x", None));
    insta::assert_snapshot!(refusal(refused), @"
    Conflict: issue #1 `One` was deleted
    hint: `cairn reopen 1` brings it back
    ");
    assert_eq!(test.project.list(&app::verb::ListOptions::default()).unwrap().total, 1);
    assert_eq!(test.project.log_of(&by_name("1")).unwrap().operations.last().unwrap().text, "deleted it");
    let back = test.project.reopen(&ids(&["1"]), None).unwrap().remove(0);
    assert_eq!((back.deleted, back.state.name(), back.comments.unwrap().len()), (false, "open", 1));
}

#[test]
fn a_number_of_a_deleted_item_is_not_given_again() {
    let mut test = TestProject::with(ItemKind::Issue, &["One", "Two"]);
    test.project.delete(&ids(&["2"]), None).unwrap();
    assert_eq!(test.create(ItemKind::Issue, "Three").number, 3);
}

#[test]
fn log_entries_are_sentences() {
    let mut test = TestProject::with(ItemKind::Issue, &["One", "Two"]);
    test.edit("1", &[("priority", "3"), ("parent", "2")]);
    test.edit("1", &[("priority", ""), ("description", "a\nb")]);
    label(&mut test, &["bug"], &[]).unwrap();
    label(&mut test, &[], &["bug"]).unwrap();
    test.project.comment(&by_name("1"), "\n\nsaid \u{1b}[31m", None).unwrap();
    let log = test.project.log_of(&by_name("1")).unwrap();
    let texts: Vec<&str> = log.operations.iter().map(|op| op.text.as_str()).collect();
    assert_eq!(
        texts,
        [
            "created the issue One",
            "set its priority to low",
            "made it a sub-item of #2 Two",
            "set its priority to none",
            "edited its description (2 lines)",
            "labeled it as bug",
            "removed it from the label bug",
            "commented: said \\e[31m",
        ]
    );
    let entries = test.project.log(3).unwrap();
    assert_eq!(entries.total, 7);
    let texts: Vec<&str> = entries.entries.iter().map(|entry| entry.text.as_str()).collect();
    assert_eq!(texts, ["issue #1: comment", "issue #1: change labels", "issue #1: change labels"]);
    let sentences: Vec<&str> = entries.entries.iter().flat_map(|entry| &entry.sentences).map(String::as_str).collect();
    assert_eq!(
        sentences,
        [
            "Ada Lovelace commented on #1 One",
            "Ada Lovelace removed #1 One from the label bug",
            "Ada Lovelace labeled #1 One as bug",
        ]
    );
}

#[test]
fn empty_project_has_empty_statistics() {
    let test = TestProject::new();
    assert_eq!(test.project.log(5).unwrap().total, 0);
    assert_eq!(test.project.list(&app::verb::ListOptions::default()).unwrap().items, []);
    assert_eq!(test.project.ready_explained(None).unwrap().total, 0);
    assert_eq!(test.project.stats().unwrap().operations, 0);
}

/// An item has several assignees: a main one, and a set of others.
#[test]
fn assignees_are_added_and_removed() {
    let mut test = TestProject::with(ItemKind::Issue, &["One"]);
    let mut change = |add: &[&str], remove: &[&str]| {
        let edit = ChangeSet { add_assignees: people(add), remove_assignees: people(remove), ..ChangeSet::default() };
        let item = test.project.edit(&ids(&["1"]), &edit).map(|mut items| items.pop().unwrap());
        item.map(|item| (item.assignee, item.assignees))
    };
    let (ada, bob, eve) = ("Ada <ada@example.org>", "Bob <bob@example.org>", "Eve <eve@example.org>");
    let some = |who: &str| Some(who.to_owned());
    assert_eq!(change(&[bob], &[]).unwrap(), (some(bob), texts(&[bob])), "the first one is the assignee");
    assert_eq!(change(&[eve, ada], &[]).unwrap(), (some(bob), texts(&[bob, ada, eve])));
    assert_eq!(change(&[ada], &[]).unwrap(), (some(bob), texts(&[bob, ada, eve])), "once is enough");
    assert_eq!(change(&[], &[eve]).unwrap(), (some(bob), texts(&[bob, ada])));
    assert_eq!(change(&[], &[bob]).unwrap(), (None, texts(&[ada])));
    insta::assert_snapshot!(refusal(change(&[], &[eve])), @"NotFound: issue #1 `One` is not assigned to `Eve`");
    for (filter, expect) in [("assignee == ada", 1), ("assignee == bob", 0), ("assignee != none", 1)] {
        let options = ListOptions { filter: Some(filter.to_owned()), ..ListOptions::default() };
        assert_eq!(test.project.list(&options).unwrap().total, expect, "{filter}");
    }
}
