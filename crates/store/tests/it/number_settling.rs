//! Items whose number is taken get another one that stays, whichever way they arrived.

use std::path::Path;
use std::sync::Arc;

use store::Store;
use store::git::{GitProgress, RefName};
use testkit::{Layout, TestRepository};

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
        store.append_lines("import 1 operations", issue(n).as_bytes()).unwrap();
        assert_eq!(store.index().unsettled().unwrap(), []);
    }
    assert_eq!(numbers(&store), [1, 2, 3, 4]);
    assert_eq!(fixture.git(&["log", "-1", "--format=%an %s", "refs/cairn/work"]), "cairn renumber: #1 → #4");
}

#[test]
fn sync_settles_what_the_log_left_open() {
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
