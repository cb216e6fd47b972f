//! Items whose number is taken get another one that stays, whichever way they arrived.

use std::path::Path;
use std::sync::Arc;

use store::Store;
use store::git::{GitProgress, RefName};
use testkit::{Layout, TestRepository};

use crate::git_support::append_lines;

fn open(path: &Path) -> Store {
    Store::open(path, Arc::new(|_| {})).unwrap()
}

/// A line that creates an issue with a claim on number 1.
fn issue(n: u8) -> String {
    let uuid = |first: u8| format!("{first:02x}0000{n:02x}-0000-7000-8000-000000000000");
    format!(
        "{{\"v\":1,\"id\":\"{}\",\"entity\":\"{}\",\"lamport\":1,\"by\":\"Ada\",\"kind\":\"create\",\"item\":\"issue\",\
         \"number\":1,\"fields\":{{\"title\":\"number {n}\"}}}}\n",
        uuid(1),
        uuid(2)
    )
}

fn numbers(store: &Store) -> Vec<u64> {
    let found = store.index().items_by_prefix("02").unwrap();
    found.iter().map(|row| row.number).collect()
}

#[test]
fn imported_item_keeps_the_number_it_was_given() {
    let fixture = TestRepository::new();
    let mut store = open(fixture.path());
    for n in 1..=4 {
        append_lines(&mut store, "import 1 operations", &issue(n));
        assert_eq!(store.index().unsettled().unwrap(), []);
    }
    assert_eq!(numbers(&store), [1, 2, 3, 4]);
    assert_eq!(fixture.git(&["log", "-1", "--format=%an %s", "refs/cairn/work"]), "cairn renumber: #1 → #4");
}

#[test]
fn sync_settles_provisional_numbers() {
    let hub = TestRepository::with(Layout::BARE);
    let fixture = TestRepository::new();
    // Both claims in one commit that Cairn did not write, so that they are not settled.
    let message = format!("by hand\n\n{}{}", issue(1), issue(2));
    let tree = fixture.git(&["hash-object", "-t", "tree", "-w", "/dev/null"]);
    let commit = fixture.git(&["commit-tree", "-m", &message, &tree]);
    fixture.git(&["update-ref", RefName::WORK.as_str(), &commit]);
    let mut store = open(fixture.path());
    assert_eq!(store.index().unsettled().unwrap().len(), 1);
    let notes = "refs/notes/test".parse().unwrap();
    let report = store.sync(hub.path().to_str().unwrap(), &notes, GitProgress::Quiet).unwrap();
    // It was shown under this number before.
    assert_eq!(report.renumbered, []);
    assert_eq!(store.index().unsettled().unwrap(), []);
    assert_eq!(numbers(&store), [1, 2]);
}

/// A line that sets the title of an issue.
fn retitled(n: u8) -> String {
    format!(
        "{{\"v\":1,\"id\":\"030000{n:02x}-0000-7000-8000-000000000000\",\"entity\":\"020000{n:02x}-0000-7000-8000-000000000000\",\
         \"lamport\":9,\"by\":\"Ada\",\"kind\":\"set\",\"field\":\"title\",\"value\":\"later\"}}\n"
    )
}

#[test]
fn first_build_in_several_batches_finds_numbers_and_changes_across_them() {
    let fixture = TestRepository::in_memory(Layout::PLAIN);
    // Each text takes a third of a batch, so the last two lines are in a later batch than the first.
    let body = "x".repeat(9 << 20);
    let with_body = |n: u8| issue(n).replace("\"fields\":{", &format!("\"fields\":{{\"description\":\"{body}\","));
    let lines = format!("{}{}{}{}{}", with_body(1), with_body(2), with_body(3), issue(4), retitled(1));
    let mut store = open(fixture.path());
    append_lines(&mut store, "import 5 operations", &lines);
    let seen = |store: &Store| {
        let rows = store.index().items_by_prefix("02").unwrap();
        rows.into_iter().map(|row| (row.item.id, row.number, row.item.title)).collect::<Vec<_>>()
    };
    let first = seen(&store);
    let mut numbers: Vec<u64> = first.iter().map(|(_, number, _)| *number).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, [1, 2, 3, 4]);
    assert_eq!(first[0].2, "later");
    store.rebuild().unwrap();
    assert_eq!(seen(&store), first);
}
