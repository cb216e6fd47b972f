//! Long lists of changes that appear together: the index that is built beside the first of them, and the SQL indexes that are
//! created again for those that follow.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use model::id::{EntityId, OpId};
use model::op::Change;
use model::person::Person;
use rusqlite::Connection;
use serde_json::{Value, json};
use store::{Origin, Step, Store, StoreError, WriteMeta, WritePlan};
use testkit::{Layout, TestRepository};
use uuid::Uuid;

fn open(fixture: &TestRepository) -> Store {
    Store::open(fixture.path(), Arc::new(|_| {})).unwrap()
}

fn id(n: u128) -> EntityId {
    EntityId::new(Uuid::from_u128(n))
}

fn create(n: u64, fields: &Value) -> Change {
    let fields = fields.as_object().unwrap().clone().into_iter().collect::<BTreeMap<_, _>>();
    let sets = BTreeMap::from([("labels".to_owned(), vec!["bug".to_owned()])]);
    Change::Create { kind: "issue".to_owned(), number: Some(n), fields, sets }
}

fn imported(n: u128, change: Change, by: Person, at: &str) -> Step {
    let origin = Origin { at: at.parse().unwrap(), by, imported: Some("jsonl".into()), id: None };
    Step::imported(id(n), change, origin)
}

fn write(store: &mut Store, plans: Vec<Vec<Step>>) {
    let mut next_id = Uuid::now_v7;
    let mut meta = WriteMeta { at: Timestamp::UNIX_EPOCH, by: Person::new("Ada", ""), next_id: &mut next_id };
    let written = store.write_sequence(&mut meta, |_, write| {
        for steps in plans {
            write(WritePlan { subject: "import".to_owned(), steps })?;
        }
        Ok::<_, StoreError>(())
    });
    written.unwrap();
}

/// Checks that the index has what one read from the log has.
#[track_caller]
fn check_index(store: &Store, n_items: u64) {
    assert!(store.verify_index().unwrap().is_true);
    let tallies = store.index().tallies().unwrap();
    assert_eq!(tallies.iter().map(|kind| kind.open + kind.closed + kind.deleted).sum::<u64>(), n_items);
}

/// Returns the names of the SQL indexes of items.
fn sql_indexes(fixture: &TestRepository) -> Vec<String> {
    let repository = store::git::Repository::discover(fixture.path()).unwrap();
    let connection = Connection::open(Store::index_file(&repository).unwrap()).unwrap();
    let sql = "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'item' ORDER BY name";
    let mut statement = connection.prepare(sql).unwrap();
    statement.query_map((), |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap()
}

#[test]
fn index_of_the_first_list_equals_one_read_from_the_log() {
    let fixture = TestRepository::in_memory(Layout::PLAIN);
    let mut store = open(&fixture);
    let deep = (0..70).fold(json!(1), |value, _| json!([value]));
    let set = |field: &str, value: Value| Change::Set { field: field.to_owned(), value };
    let first = vec![
        // A name with an `@` is read as an address, and nanoseconds are cut off.
        imported(
            1,
            create(1, &json!({"title": "One", "status": "backlog"})),
            Person::new("@ada", ""),
            "2024-01-01T00:00:00.123456789Z",
        ),
        imported(
            1,
            Change::Comment { body: "hi\r\n\u{2028}".to_owned() },
            Person::new("", "bob"),
            "2024-01-02T00:00:00Z",
        ),
        // Numbers that no decimal has exactly, and a value that is nested too deep.
        imported(
            2,
            create(2, &json!({"title": "Two", "status": "backlog", "estimate": 0.1_f64 + 0.2, "big": 1e300})),
            Person::new("Ada", "ada@example.com"),
            "2024-01-01T00:00:00Z",
        ),
        imported(2, set("nested", deep), Person::new("Ada", "ada@example.com"), "2024-01-01T00:00:01Z"),
        // The same number as another item.
        imported(
            3,
            create(2, &json!({"title": "Three", "status": "done"})),
            Person::new("Grace", ""),
            "0001-01-01T00:00:00Z",
        ),
        Step::own(
            id(4),
            create(4, &json!({"title": "Four", "status": "backlog", "none": null, "list": [1, {"a": true}]})),
        ),
    ];
    let second = vec![
        // Of an entity of an earlier commit.
        Step::own(id(1), set("status", json!("done"))),
        Step::own(id(4), Change::Delete),
        Step::own(id(5), create(5, &json!({"title": "Five", "status": "backlog"}))),
    ];
    write(&mut store, vec![first, Vec::new(), second]);
    check_index(&store, 5);
    check_index(&open(&fixture), 5);
    assert_eq!(sql_indexes(&fixture).len(), 11);
    // Nothing but the index is left of the build.
    let folder = fixture.path().join(".git/cairn");
    let builds = std::fs::read_dir(folder)
        .unwrap()
        .filter(|file| file.as_ref().unwrap().file_name().to_string_lossy().ends_with(".db"));
    assert_eq!(builds.count(), 1);
}

#[test]
fn failed_first_list_leaves_the_index_as_it_was() {
    let fixture = TestRepository::in_memory(Layout::PLAIN);
    let mut store = open(&fixture);
    let before = Store::index_file(store.repository()).unwrap();
    let mut next_id = Uuid::now_v7;
    let mut meta = WriteMeta { at: Timestamp::UNIX_EPOCH, by: Person::new("Ada", ""), next_id: &mut next_id };
    let failed: Result<(), StoreError> = store.write_sequence(&mut meta, |_, write| {
        write(WritePlan::new("import", [(id(1), create(1, &json!({"title": "One"})))]))?;
        Err(StoreError::Contended)
    });
    assert!(failed.is_err());
    assert_eq!(Store::index_file(store.repository()), Some(before));
    check_index(&store, 0);
    let builds = std::fs::read_dir(fixture.path().join(".git/cairn")).unwrap();
    assert_eq!(builds.filter(|file| file.as_ref().unwrap().file_name().to_string_lossy().ends_with(".db")).count(), 1);
}

#[test]
fn long_list_for_a_small_project_creates_the_sql_indexes_again() {
    let fixture = TestRepository::in_memory(Layout::PLAIN);
    let mut store = open(&fixture);
    let created =
        |n: u64| Step::own(id(u128::from(n)), create(n, &json!({"title": format!("Item {n}"), "status": "backlog"})));
    write(&mut store, vec![(1..=3).map(created).collect()]);
    let before = sql_indexes(&fixture);
    let comment = |n: u64| Step::own(id(u128::from(n)), Change::Comment { body: "Late.".to_owned() });
    write(&mut store, vec![(4..=2_600).map(created).collect(), (1..=2_600).map(comment).collect()]);
    assert_eq!(sql_indexes(&fixture), before);
    check_index(&store, 2_600);
    let ids: Vec<OpId> = store.index().ops(id(2)).unwrap().into_iter().map(|op| op.stamp.id).collect();
    assert_eq!(ids.len(), 2);
}
