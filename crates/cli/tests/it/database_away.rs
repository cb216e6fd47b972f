//! The built server while its database is away: writes say so and when to try again, and none is lost or doubled.

use std::thread::ScopedJoinHandle;
use std::time::{Duration, Instant};

use serde_json::json;
use testkit::TcpProxy;
use testkit::postgres::{Postgres, TestDatabase};

use crate::served::{Answer, Served};
use crate::several_servers::{create_token, with_code};
use crate::support::cairn;

/// A server behind a proxy that can cut it off from its database.
struct CutOff {
    served: Served,
    token: String,
    proxy: TcpProxy,
    // Dropped last.
    _database: TestDatabase<'static>,
    _fixture: testkit::TestRepository,
}

impl CutOff {
    fn start(options: &[&str]) -> Option<Self> {
        let database = TestDatabase::shared()?;
        let fixture = with_code();
        let cairn = cairn(fixture.path());
        let token = create_token(&cairn, &database.url(), "ada");
        let proxy = TcpProxy::start(database.server_address());
        let url = database.url_at(&[proxy.address()]);
        let served = Served::start(&cairn, &[&["--database", &url], options].concat());
        Some(Self { served, token, proxy, _database: database, _fixture: fixture })
    }

    fn create(&self, title: &str) -> Answer {
        let bearer = format!("Bearer {}", self.token);
        let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
        self.served.send("POST", "/api/items", &headers, &json!({"kind": "task", "title": title}).to_string())
    }

    /// Creates an item with the tool of the `cairn` dialect; returns the text of the answer and whether it is an error.
    fn create_by_tool(&self, title: &str) -> (String, bool) {
        let answer = self.served.tool(Some(&self.token), "create", &json!({"title": title}));
        assert_eq!(answer.status, 200, "{answer:?}");
        let result = &answer.json()["result"];
        (result["content"][0]["text"].as_str().unwrap().to_owned(), result["isError"] == true)
    }

    fn list(&self) -> Answer {
        self.served.ask("GET", "/api/items", Some(&self.token))
    }

    fn titles(&self) -> Vec<String> {
        let listed = self.list();
        assert_eq!(listed.status, 200, "{listed:?}");
        let items = listed.json()["items"].as_array().unwrap().clone();
        let mut titles: Vec<String> = items.iter().map(|item| item["title"].as_str().unwrap().to_owned()).collect();
        titles.sort();
        titles
    }

    fn health(&self) -> [u16; 2] {
        ["/health/live", "/health/ready"].map(|path| self.served.ask("GET", path, None).status)
    }

    fn wait_until_ready(&self) {
        let start = Instant::now();
        while self.health() != [200, 200] {
            assert!(start.elapsed() < Duration::from_secs(30), "it does not get ready again");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Checks everything that must hold while writes are refused.
    fn check_writes_are_refused(&self) {
        let refused = self.create("refused");
        assert_eq!((refused.status, refused.header("retry-after")), (503, Some("2")), "{refused:?}");
        let problem = refused.json();
        assert_eq!(problem["hint"], "nothing was written; try again when the database answers", "{problem}");
        assert!(problem["detail"].as_str().unwrap().starts_with("the database is not available"), "{problem}");
        let (text, is_error) = self.create_by_tool("refused");
        assert!(is_error, "{text}");
        // Between them are the address and the words of the driver, which depend on the moment.
        let ((problem, _), (_, hint)) = (text.split_once(" (`").unwrap(), text.rsplit_once('\n').unwrap());
        insta::allow_duplicates! {
            insta::assert_snapshot!(format!("{problem}\n{hint}"), @"
            the database is not available
            hint: nothing was written; call it again in a moment
            ");
        }
        assert_eq!(self.health(), [200, 503]);
    }
}

#[test]
fn requests_fail_while_the_database_is_away_and_say_when_to_try_again() {
    let Some(server) = CutOff::start(&[]) else { return };
    assert_eq!(server.create("before").status, 201);
    server.proxy.refuse();
    server.check_writes_are_refused();
    let read = server.list();
    assert_eq!((read.status, read.header("retry-after")), (503, Some("2")), "{read:?}");
    server.proxy.pass();
    server.wait_until_ready();
    assert_eq!(server.create("after").status, 201);
    assert!(!server.create_by_tool("after, by a tool").1);
    assert_eq!(server.titles(), ["after", "after, by a tool", "before"]);
}

#[test]
fn reads_go_on_from_the_clone_if_the_server_may() {
    let Some(server) = CutOff::start(&["--read-without-database"]) else { return };
    assert_eq!(server.create("before").status, 201);
    server.proxy.refuse();
    server.check_writes_are_refused();
    assert_eq!(server.titles(), ["before"]);
    let tool = server.served.tool(Some(&server.token), "list", &json!({}));
    assert_eq!(tool.json()["result"]["structuredContent"]["items"][0]["title"], "before", "{tool:?}");
    server.proxy.pass();
    server.wait_until_ready();
    assert_eq!(server.create("after").status, 201);
    assert_eq!(server.titles(), ["after", "before"]);
}

/// The database goes away while clients write: each write is acknowledged and there, or refused and not there.
#[test]
fn a_restart_of_the_database_under_load_makes_no_false_answer() {
    let Some(server) = CutOff::start(&[]) else { return };
    let told = std::thread::scope(|scope| {
        let server = &server;
        let writers = (0..4).map(|writer| {
            scope.spawn(move || {
                let titles = (0..25).map(|n| format!("{writer}-{n}"));
                titles.map(|title| (server.create(&title).status, title)).collect::<Vec<_>>()
            })
        });
        let writers: Vec<_> = writers.collect();
        for _ in 0..3 {
            std::thread::sleep(Duration::from_millis(100));
            server.proxy.refuse();
            std::thread::sleep(Duration::from_millis(50));
            server.proxy.pass();
        }
        writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect::<Vec<_>>()
    });
    server.wait_until_ready();
    assert!(told.iter().all(|(status, _)| [201, 503].contains(status)), "{told:?}");
    let mut created: Vec<String> =
        told.into_iter().filter(|(status, _)| *status == 201).map(|(_, title)| title).collect();
    created.sort();
    let found = server.served.ask("GET", "/api/items?limit=200", Some(&server.token)).json();
    let mut found: Vec<String> =
        found["items"].as_array().unwrap().iter().map(|item| item["title"].as_str().unwrap().to_owned()).collect();
    found.sort();
    assert_eq!(found, created);
}

/// Commits hang while a synchronous standby is gone. Clients that write wait; everybody else is served.
#[test]
fn writes_that_hang_do_not_stop_reads() {
    let Some(postgres) = Postgres::start() else { return };
    let database = postgres.database();
    let fixture = with_code();
    let cairn = cairn(fixture.path());
    let token = create_token(&cairn, &database.url(), "ada");
    let served = Served::start(&cairn, &["--database", &database.url()]);
    let wait_for_standby = |names: &str| {
        postgres.sql("postgres", &format!("ALTER SYSTEM SET synchronous_standby_names = '{names}'"));
        postgres.sql("postgres", "SELECT pg_reload_conf()");
    };
    wait_for_standby("gone");
    let bearer = format!("Bearer {token}");
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
    let body = json!({"kind": "task", "title": "waits for the standby"}).to_string();
    std::thread::scope(|scope| {
        let (served, token) = (&served, &token);
        let by_api = || served.send("POST", "/api/items", &headers, &body).status;
        let by_tool = || served.tool(Some(token), "create", &json!({"title": "waits for the standby"})).status;
        let writers: Vec<_> = (0..80).flat_map(|_| [scope.spawn(by_api), scope.spawn(by_tool)]).collect();
        while database.sql("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'").is_empty() {
            std::thread::sleep(Duration::from_millis(10));
        }
        // The others arrive.
        std::thread::sleep(Duration::from_secs(1));
        let reader = scope.spawn(|| {
            let read = ["/api/items", "/health/ready"].map(|path| served.ask("GET", path, Some(token)).status);
            (read, served.tool(Some(token), "list", &json!({})).status)
        });
        let start = Instant::now();
        while !reader.is_finished() && start.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(10));
        }
        let (is_served, has_written) = (reader.is_finished(), writers.iter().any(ScopedJoinHandle::is_finished));
        // Before anything can fail: the writers end.
        wait_for_standby("");
        assert!(is_served && !has_written, "served: {is_served}, written: {has_written}");
        assert_eq!(reader.join().unwrap(), ([200, 200], 200));
        let statuses: Vec<u16> = writers.into_iter().map(|writer| writer.join().unwrap()).collect();
        assert!(statuses.iter().all(|status| [200, 201].contains(status)), "{statuses:?}");
    });
}
