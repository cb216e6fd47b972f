//! A database that has lost its last publications: an asynchronous standby took over, or a backup was restored. The
//! servers go on, and what their clones have is shared again.

use std::collections::BTreeSet;

use store::Store;
use store::git::Repository;
use store::shared::{ShareOptions, verify_database};
use testkit::postgres::TestDatabase;

use crate::shared_support::{Server, Servers, assert_sound, connect, create, numbers};

const WORK: &str = "(SELECT id FROM cairn_refs WHERE name = 'refs/cairn/work')";

fn n_objects(database: &TestDatabase<'_>) -> i64 {
    database.sql("SELECT seq FROM cairn_refs WHERE name = 'refs/cairn/work'").parse().unwrap()
}

/// Makes the log in the database what it was when it had so many objects.
fn go_back(database: &TestDatabase<'_>, n_objects: i64) {
    database.sql(&format!(
        "BEGIN; DELETE FROM cairn_objects WHERE ref = {WORK} AND seq > {n_objects}; \
         UPDATE cairn_refs SET seq = {n_objects}, \
         tip = (SELECT id FROM cairn_objects WHERE ref = {WORK} AND seq = {n_objects}) WHERE id = {WORK}; COMMIT"
    ));
}

fn create_all(store: &mut Store, title: &str, n_items: usize) {
    for _ in 0..n_items {
        create(store, title).unwrap();
    }
}

/// Servers whose database has lost the last two of four items.
fn with_lost_items() -> Option<(Servers, Store)> {
    let servers = Servers::on_one_database(1)?;
    let mut store = servers.all[0].store();
    create_all(&mut store, "kept", 2);
    let n_kept = n_objects(servers.database.as_ref()?);
    create_all(&mut store, "lost by the database", 2);
    go_back(servers.database.as_ref()?, n_kept);
    Some((servers, store))
}

fn assert_shared_by_all(servers: &[&Server], n_items: u64) {
    for server in servers {
        let found: BTreeSet<u64> = numbers(&mut server.store()).into_iter().collect();
        assert_eq!(found, (1..=n_items).collect());
        assert_sound(&server.clone);
        let repository = Repository::discover(&server.clone).unwrap();
        let check = verify_database(&repository, server.shared.as_ref().unwrap().database()).unwrap();
        assert!(check.is_sound(), "{check:?}");
    }
    let tips: BTreeSet<String> = servers.iter().map(|server| server.git(&["rev-parse", "refs/cairn/work"])).collect();
    assert_eq!(tips.len(), 1, "{tips:?}");
}

#[test]
fn a_server_shares_again_what_the_database_has_lost_and_writes_on() {
    let Some((servers, mut store)) = with_lost_items() else { return };
    assert_eq!(numbers(&mut store), [1, 2, 3, 4]);
    assert_eq!(create(&mut store, "after").unwrap().1, 5);
    let url = servers.database.as_ref().unwrap().url();
    let other = connect(servers.fixture.clone_beside("other", &[]), &url, ShareOptions::default()).unwrap();
    assert_shared_by_all(&[&servers.all[0], &other], 5);
}

#[test]
fn a_write_is_the_first_to_notice() {
    let Some((servers, mut store)) = with_lost_items() else { return };
    assert_eq!(create(&mut store, "after").unwrap().1, 5);
    assert_shared_by_all(&[&servers.all[0]], 5);
}

/// Another server has written more since than was lost: the number of objects alone does not tell.
#[test]
fn what_the_database_has_lost_is_joined_with_what_was_written_since() {
    let Some((servers, mut store)) = with_lost_items() else { return };
    let url = servers.database.as_ref().unwrap().url();
    let other = connect(servers.fixture.clone_beside("other", &[]), &url, ShareOptions::default()).unwrap();
    let mut others = other.store();
    create_all(&mut others, "written since", 4);
    assert_eq!(numbers(&mut store).len(), 8);
    assert_eq!(create(&mut store, "after").unwrap().1, 9);
    assert_shared_by_all(&[&servers.all[0], &other], 9);
}

/// The same number of objects, but others.
#[test]
fn a_history_of_the_same_length_is_not_taken_for_the_known_one() {
    let Some((servers, mut store)) = with_lost_items() else { return };
    let url = servers.database.as_ref().unwrap().url();
    let other = connect(servers.fixture.clone_beside("other", &[]), &url, ShareOptions::default()).unwrap();
    let mut others = other.store();
    create_all(&mut others, "written since", 2);
    assert_eq!(numbers(&mut store).len(), 6);
    assert_shared_by_all(&[&servers.all[0], &other], 6);
}
