//! Shared refs in a database: filling, joining, refusing, lost connections, hubs.

use std::collections::BTreeSet;
use std::fs;
use std::sync::Arc;
use std::thread::ScopedJoinHandle;
use std::time::Duration;

use database::Options;
use store::git::{GitProgress, RefName, Repository};
use store::shared::{ShareOptions, WhenAway, verify_database};
use store::{Store, StoreError};
use testkit::postgres::{Postgres, TestDatabase};
use testkit::{Cut, CutPlace, TcpProxy, TestRepository};

use crate::notes_support::{self, ids, note};
use crate::shared_support::{Server, Servers, assert_sound, connect, connect_with, create, numbers, with_code};

fn alone(clone: &std::path::Path) -> Store {
    Store::open(clone, Arc::new(|_| {})).unwrap()
}

fn tip(server: &Server) -> String {
    server.git(&["rev-parse", "refs/cairn/work"])
}

#[test]
fn an_empty_database_is_filled_and_an_empty_clone_receives_all() {
    let Some(database) = TestDatabase::shared() else { return };
    let fixture = with_code();
    let mut store = alone(fixture.path());
    for _ in 0..50 {
        create(&mut store, "a").unwrap();
    }
    let commits = ids(3, 20);
    for commit in &commits {
        notes_support::write(&mut store, &RefName::NOTES, &[(*commit, note(commit, 1, "f", "why"))]);
    }
    let first = connect(fixture.path().to_owned(), &database.url(), ShareOptions::default()).unwrap();
    let second = connect(fixture.clone_beside("second", &[]), &database.url(), ShareOptions::default()).unwrap();
    assert_eq!(numbers(&mut second.store()), (1..=50).collect::<Vec<u64>>());
    assert_eq!(tip(&first), tip(&second));
    assert_eq!(second.store().notes(&RefName::NOTES).unwrap().list().unwrap().len(), 3);
    assert_sound(&second.clone);
    let check =
        verify_database(&Repository::discover(&first.clone).unwrap(), first.shared.as_ref().unwrap().database());
    let check = check.unwrap();
    assert!(check.is_sound(), "{check:?}");
    assert_eq!(check.refs.len(), 2);
}

#[test]
fn divergent_clones_are_joined_and_no_published_number_changes() {
    let Some(database) = TestDatabase::shared() else { return };
    let fixture = with_code();
    let clones = ["one", "two", "three"].map(|name| fixture.clone_beside(name, &[]));
    let mut published = Vec::new();
    for (n, clone) in clones.iter().enumerate() {
        let mut store = alone(clone);
        let created: Vec<_> = (0..=n).map(|_| create(&mut store, "a").unwrap()).collect();
        if n == 0 {
            published = created;
        }
    }
    let servers = clones.map(|clone| connect(clone, &database.url(), ShareOptions::default()).unwrap());
    for server in &servers {
        let mut store = server.store();
        assert_eq!(numbers(&mut store), (1..=6).collect::<Vec<u64>>());
        for (id, number) in &published {
            let row = store.index().item(*id).unwrap().unwrap();
            assert_eq!(row.number, *number);
        }
        assert_eq!(tip(server), tip(&servers[0]));
        assert_sound(&server.clone);
    }
}

#[test]
fn a_write_past_the_server_is_shared_by_its_next_read() {
    let Some(servers) = Servers::on_one_database(2) else { return };
    let [mut one, mut two] = [0, 1].map(|n| servers.all[n].store());
    create(&mut one, "through the server").unwrap();
    // Another program writes to the clone, as `cairn new` without a database does.
    let elsewhere = TestRepository::new();
    let work = "+refs/cairn/work:refs/cairn/work";
    elsewhere.git(&["fetch", "--quiet", servers.all[0].clone.to_str().unwrap(), work]);
    create(&mut alone(elsewhere.path()), "past the server").unwrap();
    servers.all[0].git(&["fetch", "--quiet", elsewhere.path().to_str().unwrap(), work]);
    create(&mut two, "through the other server").unwrap();
    assert_eq!(numbers(&mut one), [1, 2, 3]);
    assert_eq!(numbers(&mut two), [1, 2, 3]);
    assert_eq!(tip(&servers.all[0]), tip(&servers.all[1]));
    assert_sound(&servers.all[0].clone);
}

/// A server that is killed while it moves the ref of its clone leaves a lock on it, as a writer or as a reader.
#[test]
fn locks_of_a_killed_server_do_not_stop_the_next_one() {
    let Some(servers) = Servers::on_one_database(1) else { return };
    let clone = servers.fixture.clone_beside("killed", &[]);
    let url = servers.database.as_ref().unwrap().url();
    let since = std::time::UNIX_EPOCH.elapsed().unwrap().as_secs();
    for (n, lock) in ["write.lock", "follow.lock"].into_iter().enumerate() {
        create(&mut servers.all[0].store(), "a").unwrap();
        std::fs::create_dir_all(clone.join(".git/refs/cairn")).unwrap();
        std::fs::create_dir_all(clone.join(".git/cairn")).unwrap();
        std::fs::write(clone.join(".git/refs/cairn/work.lock"), "").unwrap();
        std::fs::write(clone.join(".git/cairn").join(lock), format!("pid 1 {since}\n")).unwrap();
        let next = connect(clone.clone(), &url, ShareOptions::default()).unwrap();
        assert_eq!(numbers(&mut next.store()).len(), n + 1, "{lock}");
    }
}

#[test]
fn another_project_is_refused() {
    let Some(servers) = Servers::on_one_database(1) else { return };
    create(&mut servers.all[0].store(), "a").unwrap();
    let other = TestRepository::new();
    other.git(&["commit", "--quiet", "--allow-empty", "--message", "other code"]);
    let url = servers.database.as_ref().unwrap().url();
    let refused = connect(other.path().to_owned(), &url, ShareOptions::default()).err().unwrap();
    assert!(matches!(refused, StoreError::Database(_)), "{refused}");
    let refused = refused.to_string();
    let (_, told) = refused.split_once("` ").unwrap();
    insta::assert_snapshot!(told, @"belongs to another project: neither its code nor its log has a commit of this repository");
    assert!(other.git(&["for-each-ref", "refs/cairn"]).is_empty(), "nothing was fetched");
}

#[test]
fn a_hub_synced_from_any_server_has_everything() {
    let Some(servers) = Servers::on_one_database(2) else { return };
    let hub = servers.fixture.clone_beside("hub.git", &["--bare"]);
    let outside = servers.fixture.clone_beside("outside", &[]);
    for server in &servers.all {
        server.git(&["remote", "set-url", "origin", hub.to_str().unwrap()]);
    }
    testkit::git_in(&outside, &["remote", "set-url", "origin", hub.to_str().unwrap()]);
    let sync = |store: &mut Store| store.sync("origin", &RefName::NOTES, GitProgress::Quiet).unwrap();
    let [mut one, mut two] = [0, 1].map(|n| servers.all[n].store());
    create(&mut one, "a").unwrap();
    sync(&mut one);
    let mut third = alone(&outside);
    sync(&mut third);
    create(&mut third, "outside").unwrap();
    create(&mut two, "b").unwrap();
    sync(&mut third);
    sync(&mut two);
    sync(&mut one);
    sync(&mut third);
    for store in [&mut one, &mut two, &mut third] {
        assert_eq!(numbers(store), [1, 2, 3]);
    }
    let tips = [&servers.all[0].clone, &servers.all[1].clone, &outside, &hub]
        .map(|clone| testkit::git_in(clone, &["rev-parse", "refs/cairn/work"]));
    assert!(tips.iter().all(|tip| *tip == tips[0]), "{tips:?}");
}

/// Cuts the connection at every message that a write sends, before and after the server has it: what was answered as
/// written is there once, and what failed is not there.
#[test]
fn a_connection_cut_at_any_message_gives_no_false_answer() {
    let (Some(server), Some(database)) = (Postgres::shared(), TestDatabase::shared()) else { return };
    let fixture = with_code();
    let proxy = TcpProxy::start(server.address());
    let through = connect(fixture.path().to_owned(), &database.url_at(&[proxy.address()]), ShareOptions::default());
    let through = through.unwrap();
    let witness = connect(fixture.clone_beside("witness", &[]), &database.url(), ShareOptions::default()).unwrap();
    let (mut store, mut witness) = (through.store(), witness.store());
    let mut n_expected = 0;
    for place in [CutPlace::BeforeServer, CutPlace::AfterServer] {
        for n_before in 0.. {
            proxy.cut(Cut { n_before, containing: "", place });
            let written = create(&mut store, "a");
            let was_cut = !proxy.is_cut_pending();
            proxy.pass();
            n_expected += usize::from(written.is_ok());
            assert_eq!(numbers(&mut witness).len(), n_expected, "{place:?} {n_before}: {written:?}");
            if !was_cut {
                break;
            }
        }
    }
    assert!(n_expected > 4, "cuts were survived");
    assert_eq!(numbers(&mut store), (1..=n_expected as u64).collect::<Vec<_>>());
    assert_sound(fixture.path());
}

/// The database goes away with the publication, and stays away: nobody is told that it was written or that it was not.
#[test]
fn an_outcome_that_cannot_be_found_out_is_reported_as_unknown() {
    let (Some(server), Some(database)) = (Postgres::shared(), TestDatabase::shared()) else { return };
    let fixture = with_code();
    let proxy = TcpProxy::start(server.address());
    let client = Options { resolve_timeout: Duration::from_millis(300), ..Options::default() };
    let url = database.url_at(&[proxy.address()]);
    let one = connect_with(fixture.path().to_owned(), &url, ShareOptions::default(), &client).unwrap();
    let mut store = one.store();
    create(&mut store, "a").unwrap();
    // Long enough for the answer to be on its way when the connections are cut.
    proxy.delay(Duration::from_millis(200));
    let error = std::thread::scope(|scope| {
        let writer = scope.spawn(|| create(&mut store, "b"));
        while database.sql("SELECT seq FROM cairn_refs WHERE name = 'refs/cairn/work'").as_str() < "3" {
            std::thread::yield_now();
        }
        proxy.refuse();
        writer.join().unwrap().unwrap_err()
    });
    assert!(matches!(error.unshared(), StoreError::OutcomeUnknown(_)), "{error}");
    proxy.pass();
    std::thread::sleep(Duration::from_millis(1100));
    // It took effect, once, and the next write follows it.
    assert_eq!(numbers(&mut store), [1, 2]);
    assert_eq!(create(&mut store, "c").unwrap().1, 3);
}

/// Another server publishes a long history, and a write waits for it in vain: it is certain that it was not made.
#[test]
fn a_write_that_waits_too_long_for_another_one_was_not_made() {
    let Some(database) = TestDatabase::shared() else { return };
    let fixture = with_code();
    let (statement_timeout, resolve_timeout) = (Duration::from_millis(300), Duration::from_millis(800));
    let client = Options { statement_timeout, resolve_timeout, ..Options::default() };
    let one = connect_with(fixture.path().to_owned(), &database.url(), ShareOptions::default(), &client).unwrap();
    let mut store = one.store();
    create(&mut store, "a").unwrap();
    std::thread::scope(|scope| {
        let publishing = "BEGIN; SELECT 1 FROM cairn_refs FOR UPDATE; SELECT pg_sleep(3); COMMIT";
        let other = scope.spawn(|| database.sql(publishing));
        while database.sql("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'").is_empty() {}
        let error = create(&mut store, "b").unwrap_err();
        assert!(matches!(error.unshared(), StoreError::Database(error) if error.is_away()), "{error}");
        other.join().unwrap();
    });
    assert_eq!(numbers(&mut store), [1]);
    assert_eq!(create(&mut store, "c").unwrap().1, 2);
}

/// A host whose database hangs accepts connections and says nothing.
#[test]
fn a_host_that_hangs_is_given_up_and_asked_last_from_then_on() {
    let Some(database) = TestDatabase::shared() else { return };
    let hung = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let timeout = Duration::from_millis(500);
    let options = Options { connect_timeout: timeout, ..Options::default() };
    let open = |hosts: &[std::net::SocketAddr]| {
        database::Database::lazy(database.url_at(hosts).parse().unwrap(), &options).unwrap()
    };
    let hosts = [hung.local_addr().unwrap(), database.server_address()];
    let error = open(&hosts[..1]).ping().unwrap_err();
    assert!(error.is_away(), "{error}");
    insta::assert_snapshot!(testkit::redact(&error.to_string()), @"the database is not available: no answer from `127.0.0.1:<port>` within 0.5 s");
    let both = open(&hosts);
    let start = std::time::Instant::now();
    both.ping().unwrap();
    assert!(start.elapsed() >= timeout, "the hosts are asked in order at first");
    let start = std::time::Instant::now();
    // A connection of its own.
    both.subscribe("anything").unwrap();
    assert!(start.elapsed() < timeout, "{:?}", start.elapsed());
}

#[test]
fn without_the_database_nothing_is_written_and_reads_can_go_on() {
    let (Some(server), Some(database)) = (Postgres::shared(), TestDatabase::shared()) else { return };
    let fixture = with_code();
    for (name, when_away) in [("strict", WhenAway::Fail), ("lenient", WhenAway::ReadFromClone)] {
        let proxy = TcpProxy::start(server.address());
        let options = ShareOptions { when_away, ..ShareOptions::default() };
        let one = connect(fixture.clone_beside(name, &[]), &database.url_at(&[proxy.address()]), options).unwrap();
        let mut store = one.store();
        create(&mut store, "a").unwrap();
        let before = numbers(&mut store);
        proxy.refuse();
        let read = store.refresh();
        assert_eq!(read.is_ok(), when_away == WhenAway::ReadFromClone, "{read:?}");
        let error = create(&mut store, "b").unwrap_err();
        assert!(matches!(error.unshared(), StoreError::Database(error) if error.is_away()), "{error}");
        proxy.pass();
        // The pool pauses after a failed attempt to connect.
        std::thread::sleep(Duration::from_millis(1100));
        assert_eq!(numbers(&mut store), before);
        create(&mut store, "b").unwrap();
    }
}

#[test]
fn a_server_that_may_lag_still_writes_on_the_newest_state() {
    let Some(servers) = Servers::on_one_database(1) else { return };
    let options = ShareOptions { max_staleness: Duration::from_hours(1), ..ShareOptions::default() };
    let url = servers.database.as_ref().unwrap().url();
    let lagging = connect(servers.fixture.clone_beside("lagging", &[]), &url, options).unwrap();
    let (mut newest, mut lagging) = (servers.all[0].store(), lagging.store());
    for n in 0..3 {
        assert_eq!(create(&mut newest, "a").unwrap().1, n * 2 + 1);
        assert_eq!(create(&mut lagging, "b").unwrap().1, n * 2 + 2);
    }
}

/// The ref of the clone is locked while the write is acknowledged: it is in the database only.
#[test]
fn a_server_that_may_lag_reads_its_own_write_even_if_its_clone_did_not_follow() {
    let Some(database) = TestDatabase::shared() else { return };
    let fixture = with_code();
    let options = ShareOptions { max_staleness: Duration::from_hours(1), ..ShareOptions::default() };
    let server = connect(fixture.clone_beside("server", &[]), &database.url(), options).unwrap();
    let mut store = server.store();
    create(&mut store, "a").unwrap();
    let lock = server.clone.join(".git/refs/cairn/work.lock");
    fs::write(&lock, "").unwrap();
    create(&mut store, "b").unwrap();
    fs::remove_file(&lock).unwrap();
    assert_eq!(numbers(&mut store), [1, 2]);
}

/// An acknowledged write is on disk, and servers that publish at the same time plan again, whatever a database is set to.
#[test]
fn settings_of_a_database_change_neither_durability_nor_isolation() {
    let Some(servers) = Servers::on_one_database(1) else { return };
    let database = servers.database.as_ref().unwrap();
    for setting in ["synchronous_commit = off", "default_transaction_isolation = 'serializable'"] {
        database.sql(&format!(
            "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET {}', current_database()); END $$",
            setting.replace('\'', "''")
        ));
    }
    database.sql("CREATE TABLE seen (settings text); GRANT INSERT ON seen TO cairn");
    database.sql(
        "CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
             INSERT INTO seen VALUES (concat_ws(', ', current_setting('synchronous_commit'),
                                                current_setting('transaction_isolation')));
             RETURN NULL;
         END $$",
    );
    database.sql("CREATE TRIGGER see AFTER UPDATE ON cairn_refs FOR EACH ROW EXECUTE FUNCTION see()");
    let later = servers.fixture.clone_beside("later", &[]);
    let later = connect(later, &database.url(), ShareOptions::default()).unwrap();
    create(&mut later.store(), "a").unwrap();
    assert_eq!(database.sql("SELECT DISTINCT settings FROM seen"), "on, read committed");
}

#[test]
fn a_clone_without_code_is_known_by_its_log() {
    let Some(database) = TestDatabase::shared() else { return };
    let first = TestRepository::new();
    let mut store = alone(first.path());
    create(&mut store, "a").unwrap();
    let older = TestRepository::new();
    let work = "+refs/cairn/work:refs/cairn/work";
    older.git(&["fetch", "--quiet", first.path().to_str().unwrap(), work]);
    create(&mut store, "b").unwrap();
    let other = TestRepository::new();
    create(&mut alone(other.path()), "of another project").unwrap();
    let [first, older, other] = [&first, &older, &other]
        .map(|clone| connect(clone.path().to_owned(), &database.url(), ShareOptions::default()));
    first.unwrap();
    assert_eq!(numbers(&mut older.unwrap().store()), [1, 2]);
    assert!(other.is_err(), "it shares no commit");
}

/// The first server of a project may be a clone without code: what the project is about is known once another one has it.
#[test]
fn the_code_of_a_project_is_known_as_soon_as_a_server_has_it() {
    let Some(database) = TestDatabase::shared() else { return };
    let first = TestRepository::new();
    create(&mut alone(first.path()), "a").unwrap();
    let connected = || connect(first.path().to_owned(), &database.url(), ShareOptions::default());
    drop(connected().unwrap());
    let code = with_code();
    first.git(&["fetch", "--quiet", code.path().to_str().unwrap(), "HEAD"]);
    first.git(&["update-ref", "HEAD", "FETCH_HEAD"]);
    drop(connected().unwrap());
    let other = TestRepository::new();
    other.git(&["commit", "--quiet", "--allow-empty", "--message", "other code"]);
    assert!(connect(other.path().to_owned(), &database.url(), ShareOptions::default()).is_err());
    connect(code.path().to_owned(), &database.url(), ShareOptions::default()).unwrap();
}

#[test]
fn other_servers_have_a_write_within_a_second() {
    let Some(servers) = Servers::on_one_database(2) else { return };
    create(&mut servers.all[0].store(), "a").unwrap();
    let expected = tip(&servers.all[0]);
    let start = std::time::Instant::now();
    // Only the ref of the clone is read: nobody asks the second server anything.
    while servers.all[1].git(&["for-each-ref", "--format=%(objectname)", "refs/cairn/work"]) != expected {
        assert!(start.elapsed() < Duration::from_secs(1), "the write did not arrive");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A turn only saves work: whoever waits too long for it writes without.
#[test]
fn a_server_that_hangs_during_its_turn_does_not_stop_the_others() {
    let Some(servers) = Servers::on_one_database(2) else { return };
    let [mut one, mut other] = [0, 1].map(|n| servers.all[n].store());
    // Each has noticed that the other one writes too.
    create(&mut one, "a").unwrap();
    create(&mut other, "a").unwrap();
    create(&mut one, "a").unwrap();
    let turn = servers.all[1].shared.as_ref().unwrap().database().take_turn(Duration::from_secs(1)).unwrap();
    let start = std::time::Instant::now();
    assert_eq!(create(&mut one, "without a turn").unwrap().1, 4);
    let waited = start.elapsed();
    assert!(waited >= Duration::from_secs(1) && waited < Duration::from_secs(20), "{waited:?}");
    drop(turn);
    let start = std::time::Instant::now();
    assert_eq!(create(&mut one, "in its turn").unwrap().1, 5);
    assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
}

/// It plans in its turn, but a server without turns would move the ref first, every time.
#[test]
fn a_server_that_always_loses_makes_the_others_take_turns() {
    let Some(servers) = Servers::on_one_database(2) else { return };
    let mut one = servers.all[0].store();
    create(&mut one, "before").unwrap();
    let turn = servers.all[1].shared.as_ref().unwrap().database().take_turn(Duration::from_secs(1)).unwrap();
    // No other server has published anything, so the first one does not wait.
    create(&mut one, "during a turn").unwrap();
    let start = std::time::Instant::now();
    assert_eq!(create(&mut one, "after it").unwrap().1, 3);
    assert!(start.elapsed() >= Duration::from_secs(1), "it did not wait for the turn: {:?}", start.elapsed());
    drop(turn);
}

/// A write that finds no others waiting has them behind it by the time of its turn.
#[test]
fn writes_that_wait_for_a_turn_share_a_commit() {
    let Some(servers) = Servers::on_one_database(2) else { return };
    let [mut one, mut other] = [0, 1].map(|n| servers.all[n].store());
    // Each has noticed that the other one writes too.
    create(&mut one, "a").unwrap();
    create(&mut other, "a").unwrap();
    create(&mut one, "a").unwrap();
    let mut stores: Vec<Store> = (0..4).map(|_| servers.all[0].store()).collect();
    let turn = servers.all[1].shared.as_ref().unwrap().database().take_turn(Duration::from_secs(1)).unwrap();
    let before = tip(&servers.all[0]);
    std::thread::scope(|scope| {
        let threads: Vec<_> = stores.iter_mut().map(|store| scope.spawn(|| create(store, "b").unwrap().1)).collect();
        // The first one has begun to wait for the turn of its server, and is not counted any more.
        while one.n_waiting() < threads.len() - 1 && !threads.iter().any(ScopedJoinHandle::is_finished) {
            std::thread::yield_now();
        }
        drop(turn);
        let numbers: BTreeSet<u64> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
        assert_eq!(numbers, (4..=7).collect());
    });
    let n_commits = servers.all[0].git(&["rev-list", "--count", &format!("{before}..{}", tip(&servers.all[0]))]);
    assert_eq!(n_commits, "1");
}

#[test]
fn a_damaged_object_is_found_and_not_imported() {
    let Some(servers) = Servers::on_one_database(1) else { return };
    create(&mut servers.all[0].store(), "a").unwrap();
    let database = servers.database.as_ref().unwrap();
    database.sql("UPDATE cairn_objects SET content = content || '\\x20' WHERE is_tip");
    let shared = servers.all[0].shared.as_ref().unwrap();
    let check = verify_database(&Repository::discover(&servers.all[0].clone).unwrap(), shared.database()).unwrap();
    assert!(!check.is_sound());
    let other = connect(servers.fixture.clone_beside("other", &[]), &database.url(), ShareOptions::default());
    let error = other.err().unwrap();
    assert!(matches!(error, StoreError::Read(store::git::ReadError::Damaged { .. })), "{error}");
}
