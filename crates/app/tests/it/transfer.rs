//! Export and import: nothing is lost or duplicated.

use std::io::Cursor;

use app::Project;
use app::verb::ListOptions;
use model::item::ItemKind;
use proptest::prelude::*;
use serde_json::json;
use store::format::v1;
use store::index::CLOCK_JUMP;
use uuid::Uuid;

use crate::harness::{TestProject, by_name, cases, refusal};
use crate::random_log::line;

fn export(project: &Project) -> Vec<u8> {
    let mut bytes = Vec::new();
    let n_lines = project.export(&mut bytes).unwrap();
    assert_eq!(n_lines, bytes.split_inclusive(|byte| *byte == b'\n').count());
    bytes
}

/// Returns the visible state of a project.
fn seen(project: &Project) -> String {
    let every = ListOptions { all: true, deleted: true, sort: vec!["number".into()], ..ListOptions::default() };
    let items = project.list(&every).unwrap().items;
    let whole: Vec<_> = items.iter().map(|item| project.show(&by_name(&item.id)).unwrap()).collect();
    format!("{whole:#?}\n{:#?}\n{:#?}", project.members().unwrap(), project.workflows(None).unwrap())
}

#[track_caller]
fn assert_same(own: &str, other: &str) {
    let differing = own.lines().zip(other.lines()).find(|(own, other)| own != other);
    assert!(own == other, "{differing:?}");
}

proptest! {
    #![proptest_config(cases(32))]

    #[test]
    fn an_export_imports_to_the_same_and_only_once(lines in proptest::collection::vec(line(), 1..50)) {
        let mut given = TestProject::with(ItemKind::Task, &["One"]);
        for lines in lines.chunks(20) {
            let mut readable: Vec<&[u8]> = lines.iter().map(|line| line.0.trim_ascii()).collect();
            readable.retain(|line| v1::read(line).is_ok());
            if given.project.import_operations(&mut Cursor::new(readable.join(&b'\n'))).is_err() {
                readable.retain(|line| v1::read(line).unwrap().stamp.lamport < CLOCK_JUMP);
                given.project.import_operations(&mut Cursor::new(readable.join(&b'\n'))).unwrap();
            }
        }
        let exported = export(&given.project);
        let mut other = TestProject::new();
        let first = other.project.import_operations(&mut Cursor::new(&exported)).unwrap();
        prop_assert_eq!(first.known, 0);
        assert_eq!(String::from_utf8_lossy(&export(&other.project)), String::from_utf8_lossy(&exported));
        assert_same(&seen(&other.project), &seen(&given.project));
        let again = other.writes_nothing(|other| other.project.import_operations(&mut Cursor::new(&exported)).unwrap());
        prop_assert_eq!((again.operations, again.known), (0, first.operations));
    }
}

#[test]
fn a_large_import_goes_into_files_and_comes_back() {
    let mut given = TestProject::new();
    let body = "x".repeat(200_000);
    for n in 0..9 {
        given.create(ItemKind::Task, &format!("Item {n}"));
        given.project.comment(&by_name((n + 1).to_string()), &format!("{n} {body}"), None).unwrap();
    }
    let exported = export(&given.project);
    let mut other = TestProject::new();
    other.project.import_operations(&mut Cursor::new(&exported)).unwrap();
    let files = other.fixture.git(&["ls-tree", "-r", "--name-only", "refs/cairn/work"]);
    assert!(files.lines().any(|file| file == "ops/000001.jsonl"), "{files}");
    assert_eq!(export(&other.project), exported);
    assert_same(&seen(&other.project), &seen(&given.project));
}

#[test]
fn an_operation_too_far_ahead_of_the_clock_is_refused() {
    let mut test = TestProject::with(ItemKind::Task, &["One"]);
    let mut import = |lamport: u64| {
        let op = json!({"v": 1, "id": Uuid::from_u128(1), "entity": Uuid::from_u128(2), "lamport": lamport,
            "kind": "create", "item": "task", "number": 2});
        test.project.import_operations(&mut Cursor::new(op.to_string())).map(|view| view.operations)
    };
    insta::assert_snapshot!(refusal(import(CLOCK_JUMP + 2)), @"
    Invalid: operation 00000000-0000-0000-0000-000000000001 has a clock too far in the future
    hint: an export of the whole project has the operations in between
    ");
    assert_eq!(import(CLOCK_JUMP + 1).unwrap(), 1);
    assert_eq!(test.show("2").kind.name(), "task");
}

#[test]
fn items_among_operations_are_refused() {
    let mut test = TestProject::with(ItemKind::Task, &["One"]);
    let mut lines = export(&test.project);
    lines.extend(b"{\"title\": \"Two\"}\n");
    let refused = test.writes_nothing(|test| test.project.import_operations(&mut Cursor::new(&lines)));
    insta::assert_snapshot!(refusal(refused), @"
    Invalid: line 2: not an operation of an export: missing field `v`
    hint: import items and the operations of an export from two files, so that each is imported completely or not at all
    ");
}

#[test]
fn malformed_line_is_named_by_line_and_column() {
    let mut test = TestProject::with(ItemKind::Task, &["One"]);
    let mut lines = export(&test.project);
    lines.extend(b"\n{\"v\": 1,, }\n");
    let refused = test.writes_nothing(|test| test.project.import_operations(&mut Cursor::new(&lines)));
    insta::assert_snapshot!(refusal(refused), @"
    Invalid: line 3, column 9: not an operation of an export: key must be a string
    hint: import items and the operations of an export from two files, so that each is imported completely or not at all
    ");
}

#[test]
fn operations_are_imported_in_any_order_and_several_commits() {
    let mut given = TestProject::new();
    let body = "x".repeat(3 << 20);
    for n in 1..=9 {
        given.create(ItemKind::Task, &format!("Item {n}"));
        given.project.comment(&by_name(n.to_string()), &format!("{n} {body}"), None).unwrap();
    }
    let exported = export(&given.project);
    let mut lines: Vec<&[u8]> = exported.split_inclusive(|byte| *byte == b'\n').collect();
    lines.reverse();
    lines.extend_from_within(..3);
    let mut other = TestProject::new();
    let view = other.project.import_operations(&mut Cursor::new(lines.concat())).unwrap();
    assert_eq!((view.operations, view.known), (18, 3));
    assert_eq!(other.fixture.git(&["rev-list", "--count", "refs/cairn/work"]), "3");
    assert_eq!(export(&other.project), exported);
    assert_same(&seen(&other.project), &seen(&given.project));
}

#[test]
fn check_of_operations_counts_and_writes_nothing() {
    let given = TestProject::with(ItemKind::Task, &["One", "Two"]);
    let exported = export(&given.project);
    let mut other = TestProject::new();
    let count = |project: &Project| {
        let view = project.check_operations(&mut Cursor::new(&exported)).unwrap();
        (view.operations, view.known)
    };
    assert_eq!(other.writes_nothing(|other| count(&other.project)), (2, 0));
    other.project.import_operations(&mut Cursor::new(&exported)).unwrap();
    assert_eq!(other.writes_nothing(|other| count(&other.project)), (0, 2));
}
