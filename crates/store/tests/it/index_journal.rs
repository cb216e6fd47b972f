//! The write-ahead log of the index: a busy process may let it grow, and nobody else pays for that.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use model::id::EntityId;
use model::op::Change;
use model::person::Person;
use store::index::Index;
use store::{Store, StoreError, WriteMeta, WritePlan};
use testkit::TestRepository;
use uuid::Uuid;

/// The size over which a process that just started empties the log.
const MAX_WAL: u64 = 1024 * 1024;

fn open(path: &Path) -> Store {
    Store::open(path, Arc::new(|_| {})).unwrap()
}

fn create(store: &mut Store) {
    let mut next_id = Uuid::now_v7;
    let mut meta = WriteMeta { at: Timestamp::UNIX_EPOCH, by: Person::new("Ada", ""), next_id: &mut next_id };
    let plan = |_: &Index| {
        let fields = BTreeMap::from([("title".to_owned(), "A title".into())]);
        let change = Change::Create { kind: "issue".to_owned(), number: None, fields, sets: BTreeMap::new() };
        Ok::<_, StoreError>((WritePlan::new("create", [(EntityId::new(Uuid::now_v7()), change)]), ()))
    };
    store.write(&mut meta, plan, |_, ()| Ok(())).unwrap();
}

fn wal_size(store: &Store) -> u64 {
    let mut path = Store::index_file(store.repository()).unwrap().into_os_string();
    path.push("-wal");
    fs::metadata(path).unwrap().len()
}

#[test]
fn another_process_empties_a_long_log_with_its_first_write() {
    let fixture = TestRepository::new();
    let mut busy = open(fixture.path());
    let mut longest = 0;
    for _ in 0..150 {
        create(&mut busy);
        longest = longest.max(wal_size(&busy));
    }
    assert!(longest > MAX_WAL, "{longest}: this test needs more writes");
    let mut other = open(fixture.path());
    create(&mut other);
    assert!(wal_size(&other) <= MAX_WAL, "{}", wal_size(&other));
}
