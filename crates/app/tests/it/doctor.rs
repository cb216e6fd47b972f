//! What `doctor` finds, and that it changes nothing.

use std::io::Cursor;

use app::view::{CheckOutcome, CheckView};
use model::item::ItemKind;
use serde_json::json;
use uuid::Uuid;

use crate::harness::{TestProject, open};

fn found(test: &mut TestProject, name: &str) -> Vec<CheckView> {
    let view = test.writes_nothing(|test| test.project.doctor().unwrap());
    assert!(view.ok, "{view:?}");
    view.checks.into_iter().filter(|check| check.name == name && check.outcome != CheckOutcome::Ok).collect()
}

#[test]
fn a_sound_project_lacks_a_remote_at_most() {
    let mut test = TestProject::with(ItemKind::Task, &["One"]);
    let view = test.project.doctor().unwrap();
    let odd: Vec<&str> =
        view.checks.iter().filter(|check| check.outcome != CheckOutcome::Ok).map(|check| check.name.as_str()).collect();
    assert_eq!((view.ok, odd), (true, vec!["remote"]));
    insta::assert_snapshot!(found(&mut test, "remote")[0].hint.as_ref().unwrap(), @"`git remote add origin URL`, then `cairn sync` shares the work");
}

#[test]
fn items_that_block_each_other_are_named() {
    let mut test = TestProject::new();
    let [one, two] = [1, 2].map(|n| Uuid::from_u128(n).to_string());
    let create = |id: &str, number: u64, other: &str| {
        json!({"v": 1, "id": Uuid::from_u128(number.into()), "entity": id, "lamport": number, "kind": "create",
            "item": "task", "number": number, "sets": {"blocks": [other]}})
    };
    let lines = format!("{}\n{}\n", create(&one, 1, &two), create(&two, 2, &one));
    test.project.import_operations(&mut Cursor::new(lines)).unwrap();
    insta::assert_snapshot!(found(&mut test, "links")[0].text, @"items block each other in a cycle: #1 → #2");
}

#[test]
fn foreign_commits_and_items_without_their_creation_are_named() {
    let mut test = TestProject::with(ItemKind::Task, &["One"]);
    let orphan = json!({"v": 1, "id": Uuid::from_u128(1), "entity": Uuid::from_u128(2), "lamport": 9, "kind": "set",
        "field": "title", "value": "later"});
    test.project.import_operations(&mut Cursor::new(orphan.to_string())).unwrap();
    insta::assert_snapshot!(found(&mut test, "history")[0].text, @"items without their creation: 1; only later changes of them were received");
    let foreign = test.fixture.git(&[
        "commit-tree",
        "-p",
        "refs/cairn/work",
        "-m",
        "hello \u{1b}",
        "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    ]);
    test.fixture.git(&["update-ref", "refs/cairn/work", &foreign]);
    test.project = open(test.fixture.path());
    let text = found(&mut test, "log")[0].text.replace(&foreign, "FOREIGN");
    insta::assert_snapshot!(testkit::redact(&text), @"FOREIGN: skipped: it has no operations and was not written by cairn");
}
