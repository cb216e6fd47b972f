//! Numbers of imported items.

use std::io::Cursor;

use model::item::ItemKind;
use serde_json::json;
use uuid::Uuid;

use crate::harness::TestProject;

/// Returns a line of an export: an item that claims a number.
fn claim(item: u128, number: u64) -> String {
    let op = json!({"v": 1, "id": Uuid::from_u128(100 + item), "entity": Uuid::from_u128(item), "lamport": 1000 + item,
        "kind": "create", "item": "task", "number": number, "fields": {"title": format!("Item {item}")}});
    format!("{op}\n")
}

#[test]
fn an_imported_item_whose_number_is_taken_gets_one_for_good() {
    let mut test = TestProject::with(ItemKind::Task, &["One", "Two"]);
    let lines = [claim(1, 2), claim(2, 2)].concat();
    test.project.import_operations(&mut Cursor::new(lines)).unwrap();
    let number = |test: &TestProject, item: u128| test.show(&Uuid::from_u128(item).to_string()).number;
    assert_eq!((number(&test, 1), number(&test, 2)), (3, 4));
    assert_eq!(test.create(ItemKind::Task, "Five").number, 5);
    assert_eq!((number(&test, 1), number(&test, 2)), (3, 4), "a number changed under its item");
    assert_eq!(test.show("3").former_numbers, [2]);
    assert_eq!(test.show("2").formerly_this_number.unwrap().len(), 2);
}

#[test]
fn a_forged_number_is_kept_and_numbering_continues() {
    let mut test = TestProject::with(ItemKind::Task, &["One"]);
    test.project
        .import_operations(&mut Cursor::new([claim(1, 4_000_000_000), claim(2, 1 << 53), claim(3, u64::MAX)].concat()))
        .unwrap();
    assert_eq!(test.show("4000000000").title, "Item 1");
    assert_eq!(test.show("#9007199254740992").title, "Item 2");
    assert_eq!(test.show("2").title, "Item 3");
    assert_eq!(test.create(ItemKind::Task, "Two").number, 3);
}
