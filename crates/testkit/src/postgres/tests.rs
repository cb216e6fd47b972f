//! The server itself: databases, crashes, a standby, and what remains afterwards.

use std::process::Command;
use std::time::{Duration, Instant};

use super::*;

#[test]
fn databases_are_empty_separate_and_not_owned_by_a_superuser() {
    let (Some(one), Some(other)) = (TestDatabase::shared(), TestDatabase::shared()) else { return };
    one.sql("CREATE TABLE kept (a int)");
    assert_eq!(other.sql("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"), "0");
    assert_eq!(one.sql("SELECT rolsuper FROM pg_roles WHERE rolname = 'cairn'"), "f");
    let owner = "SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = current_database()";
    assert_eq!(one.sql(owner), "cairn");
}

#[test]
fn committed_rows_survive_a_crash() {
    let Some(server) = Postgres::start() else { return };
    let database = server.database();
    database.sql("CREATE TABLE kept (a int); INSERT INTO kept VALUES (7)");
    server.crash();
    assert!(server.try_sql("postgres", "SELECT 1").is_err());
    server.restart();
    assert_eq!(database.sql("SELECT a FROM kept"), "7");
}

#[test]
fn a_promoted_standby_has_every_commit() {
    let Some(primary) = Postgres::start() else { return };
    let database = primary.database();
    let standby = primary.start_synchronous_standby();
    database.sql("CREATE TABLE kept (a int)");
    database.sql("INSERT INTO kept SELECT generate_series(1, 100)");
    assert!(standby.try_sql("postgres", "CREATE TABLE refused (a int)").is_err());
    primary.crash();
    standby.promote();
    assert_eq!(database.sql_on(&standby, "INSERT INTO kept VALUES (101); SELECT count(*) FROM kept"), "101");
}

#[test]
fn nothing_remains_of_a_dropped_server() {
    let Some(server) = Postgres::start() else { return };
    let (directory, address) = (server.directory().to_owned(), server.address());
    drop(server);
    assert!(!directory.exists() && std::net::TcpStream::connect(address).is_err());
}

/// Runs this test again in a process of its own, which is killed while its server runs.
#[test]
fn nothing_remains_of_a_killed_process() {
    const PLACE: &str = "TESTKIT_POSTGRES_PLACE";
    if let Some(place) = std::env::var_os(PLACE) {
        let server = Postgres::start().expect("the other process found it");
        std::fs::write(place, server.directory().to_str().expect("UTF-8")).expect("a file");
        std::thread::sleep(Duration::from_mins(10));
        return;
    }
    if Programs::find().is_none() {
        return skip("PostgreSQL is not installed (`apt-get install postgresql`)");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().join("place");
    let mut test = Command::new(std::env::current_exe().expect("this program"));
    test.args(["--exact", "postgres::tests::nothing_remains_of_a_killed_process"]).env(PLACE, &place);
    let mut test = test.spawn().expect("it was started once");
    let directory =
        wait_for("the server to start", || std::fs::read_to_string(&place).ok().filter(|it| !it.is_empty()));
    assert!(Path::new(&directory).exists());
    test.kill().expect("it is running");
    let _ = test.wait();
    wait_for("the server to be removed", || (!Path::new(&directory).exists()).then_some(()));
}

fn wait_for<T>(what: &str, mut attempt: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = attempt() {
            return found;
        }
        assert!(start.elapsed() < Duration::from_mins(1), "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}
