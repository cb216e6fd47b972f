//! Work that can be started, its order, and why the rest cannot.

use std::io::Cursor;

use std::collections::BTreeSet;

use app::verb::LinkTarget::Blocks;
use app::verb::{CloseOptions, ListOptions};
use app::view::ReadyView;
use model::item::ItemKind;
use proptest::prelude::*;
use serde_json::json;
use uuid::Uuid;

use crate::harness::{TestProject, by_name, cases, ids};

fn numbers(ready: &ReadyView) -> Vec<u64> {
    ready.items.iter().map(|item| item.number).collect()
}

fn reasons(ready: &ReadyView, number: u64) -> Vec<String> {
    let waiting = ready.waiting.as_ref().unwrap().iter().find(|one| one.item.number == Some(number));
    waiting.map(|one| one.reasons.clone()).unwrap_or_default()
}

#[test]
fn the_most_urgent_comes_first_then_the_oldest() {
    let mut test = TestProject::with(ItemKind::Task, &["One", "Two", "Three", "Four"]);
    test.edit("2", &[("priority", "5")]);
    test.edit("4", &[("priority", "10")]);
    let ready = test.project.ready(None).unwrap();
    assert_eq!((numbers(&ready), ready.total, ready.waiting.is_none()), (vec![4, 2, 1, 3], 4, true));
    let first = test.project.ready(Some(2)).unwrap();
    assert_eq!((numbers(&first), first.total), (vec![4, 2], 4));
}

#[test]
fn blocked_tasks_name_the_reason() {
    let mut test = TestProject::with(ItemKind::Task, &["Free", "Waits", "Held up", "Begun", "Closed", "Deleted"]);
    test.create(ItemKind::Epic, "No work");
    test.project.link(&by_name("1"), &Blocks("2".into()), None).unwrap();
    test.project.link(&by_name("4"), &Blocks("2".into()), None).unwrap();
    test.edit("3", &[("blocked", "no parts")]);
    test.project.start(&ids(&["4"]), None).unwrap();
    test.project.close(&ids(&["5"]), &CloseOptions::default()).unwrap();
    test.project.delete(&ids(&["6"]), None).unwrap();
    let ready = test.project.ready_explained(None).unwrap();
    assert_eq!(numbers(&ready), [1]);
    assert_eq!(reasons(&ready, 2), ["it waits for #1, #4"]);
    assert_eq!(reasons(&ready, 3), ["it is blocked: no parts"]);
    assert_eq!(reasons(&ready, 4), ["it is in `in_progress` by Ada Lovelace"]);
    assert_eq!(ready.waiting.unwrap().len(), 3);
    assert_eq!(ready.cycles, Some(Vec::new()));
}

#[test]
fn a_closed_or_deleted_blocker_holds_nothing_up() {
    let mut test = TestProject::with(ItemKind::Task, &["One", "Two", "Three"]);
    test.project.link(&by_name("1"), &Blocks("3".into()), None).unwrap();
    test.project.link(&by_name("2"), &Blocks("3".into()), None).unwrap();
    test.project.close(&ids(&["1"]), &CloseOptions::default()).unwrap();
    assert_eq!(numbers(&test.project.ready(None).unwrap()), [2]);
    test.project.delete(&ids(&["2"]), None).unwrap();
    assert_eq!(numbers(&test.project.ready(None).unwrap()), [3]);
    test.project.reopen(&ids(&["1"]), None).unwrap();
    assert_eq!(numbers(&test.project.ready(None).unwrap()), [1]);
}

/// Returns lines of an import: tasks 1 to n, each with a status, a blocked flag, and the tasks it blocks.
fn tasks(tasks: &[(u8, bool, Vec<usize>)]) -> Vec<u8> {
    let id = |n: usize| Uuid::from_u128(n as u128).to_string();
    let mut lines = Vec::new();
    for (n, (status, is_held_up, blocks)) in tasks.iter().enumerate() {
        let status = ["backlog", "ready", "in_progress", "done", "odd"][usize::from(*status)];
        let blocked = if *is_held_up { json!("held up") } else { json!(null) };
        let blocks: Vec<String> = blocks.iter().map(|other| id(*other)).collect();
        let op = json!({"v": 1, "id": Uuid::from_u128(1000 + n as u128), "entity": id(n), "lamport": n, "kind": "create",
            "item": "task", "number": n + 1, "fields": {"title": "T", "status": status, "blocked": blocked},
            "sets": {"blocks": blocks}});
        lines.extend(format!("{op}\n").into_bytes());
    }
    lines
}

proptest! {
    #![proptest_config(cases(24))]

    /// Includes merged cycles, and links of an item to itself.
    #[test]
    fn every_open_task_is_ready_or_has_a_reason(
        given in proptest::collection::vec((0..5_u8, any::<bool>(), proptest::collection::vec(0..8_usize, 0..3)), 1..8),
    ) {
        let mut test = TestProject::new();
        test.project.import_operations(&mut Cursor::new(tasks(&given))).unwrap();
        let ready = test.project.ready_explained(None).unwrap();
        let open = test.project.list(&ListOptions::default()).unwrap();
        let taken: BTreeSet<u64> = numbers(&ready).into_iter().collect();
        let waiting: BTreeSet<u64> =
            ready.waiting.as_ref().unwrap().iter().filter_map(|one| one.item.number).collect();
        prop_assert!(taken.is_disjoint(&waiting));
        let all: BTreeSet<u64> = taken.union(&waiting).copied().collect();
        prop_assert_eq!(all, open.items.iter().map(|item| item.number).collect::<BTreeSet<u64>>());
        for cycle in ready.cycles.unwrap() {
            let numbers: Vec<u64> = cycle.iter().filter_map(|one| one.number).collect();
            for (n, blocker) in numbers.iter().enumerate() {
                let blocked = numbers[(n + 1) % numbers.len()];
                let blocks = &given[usize::try_from(*blocker).unwrap() - 1].2;
                prop_assert!(blocks.contains(&(usize::try_from(blocked).unwrap() - 1)), "#{} #{}", blocker, blocked);
            }
        }
    }
}
