//! Several servers of one database, as the built program runs them: wiring of flags, tokens and sessions.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use testkit::postgres::TestDatabase;
use testkit::{Cairn, TestRepository};

use crate::served::{Answer, Served, refused};
use crate::support::{Project, cairn};

pub(crate) fn create_token(cairn: &Cairn, url: &str, name: &str) -> String {
    cairn.json(&["token", "create", name, "--database", url])["token"].as_str().unwrap().to_owned()
}

#[test]
fn tokens_of_a_database_need_neither_a_clone_nor_a_server() {
    let Some(database) = TestDatabase::shared() else { return };
    let folder = tempfile::tempdir().unwrap();
    let (outside, url) = (cairn(folder.path()), database.url());
    create_token(&outside, &url, "ada");
    let listed = outside.json(&["token", "list", "--database", &url]);
    assert_eq!((&listed[0]["name"], &listed[0]["person"]), (&"ada".into(), &"ada".into()), "{listed}");
    let mut command = outside.command(&["--json", "token", "revoke", "ADA"]);
    let ran = testkit::Ran::of(command.env("CAIRN_DATABASE", &url).spawn().unwrap());
    assert_eq!(ran.json()["name"], "ada", "{ran}");
    assert_eq!(outside.json(&["token", "list", "--database", &url]), json!([]));
    assert_eq!(outside.run(&["token", "list"]).code(), Some(3), "without a database a clone is needed");
}

/// The second server may answer with what it knew an hour ago: only an announcement can wake it.
#[test]
fn a_write_through_one_server_wakes_the_live_board_of_another_within_a_second() {
    let Some(database) = TestDatabase::shared() else { return };
    let (fixture, url) = (with_code(), database.url());
    let clones = ["one", "two"].map(|name| cairn(&fixture.clone_beside(name, &[])));
    let token = create_token(&clones[0], &url, "ada");
    let writing = Served::start(&clones[0], &["--database", &url]);
    let watching = Served::start(&clones[1], &["--database", &url, "--max-staleness", "3600000"]);
    let mut events = watch_events(&watching, &token);
    for n in 1..=3 {
        let start = Instant::now();
        let arguments = json!({"title": "news"});
        assert_eq!(writing.tool(Some(&token), "create", &arguments).status, 200);
        let number = format!("\"#{n}\"");
        // Comments keep an idle stream alive, so its end would not come by itself.
        let mut lines = events.by_ref().map_while(Result::ok).take_while(|_| start.elapsed() < Duration::from_secs(20));
        let heard = lines.find(|line| line.starts_with("data:") && line.contains(&number));
        assert!(heard.is_some() && start.elapsed() < Duration::from_secs(1), "{heard:?} after {:?}", start.elapsed());
    }
}

/// Names are looked up before the write is planned: on the newest state, too.
#[test]
fn a_name_that_was_made_on_one_server_is_known_to_writes_on_another() {
    let Some(database) = TestDatabase::shared() else { return };
    let (fixture, url) = (with_code(), database.url());
    let clones = ["one", "two"].map(|name| cairn(&fixture.clone_beside(name, &[])));
    let token = create_token(&clones[0], &url, "ada");
    let [one, two] = [0, 1].map(|n| Served::start(&clones[n], &["--database", &url]));
    let headers = [("Authorization", &*format!("Bearer {token}")), ("Content-Type", "application/json")];
    for n in 0..10 {
        let milestone = format!("milestone {n}");
        let made = one.tool(Some(&token), "create", &json!({"kind": "milestone", "title": milestone}));
        assert!(made.status == 200 && made.json()["result"]["isError"] != true, "{made:?}");
        let new = json!({"kind": "task", "title": "a", "fields": {"milestone": milestone}});
        let answer = two.send("POST", "/api/items", &headers, &new.to_string());
        assert_eq!(answer.status, 201, "{n}: {answer:?}");
        let answer = one.tool(Some(&token), "create", &json!({"kind": "board", "title": milestone}));
        assert!(answer.json()["result"]["isError"] != true, "{answer:?}");
        let answer = two.tool(Some(&token), "create", &json!({"kind": "task", "title": "b", "board": milestone}));
        assert!(answer.json()["result"]["isError"] != true, "{n}: {answer:?}");
    }
}

/// Listens to the events of a server; returns its lines, after the first event.
fn watch_events(served: &Served, token: &str) -> impl Iterator<Item = std::io::Result<String>> {
    let mut stream = TcpStream::connect(&served.authority).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let bearer = format!("Bearer {token}");
    testkit::http::begin(&mut stream, &served.authority, "GET", "/api/events", &[("Authorization", &bearer)], None);
    let mut lines = BufReader::new(stream).lines();
    let first = lines.by_ref().map_while(Result::ok).find(|line| line.starts_with("data:"));
    assert!(first.is_some(), "no first event");
    lines
}

#[test]
fn address_of_a_database_is_checked_and_its_password_never_shown() {
    let project = Project::new();
    let mut refusals = Vec::new();
    for (url, code) in [("nonsense", 2), ("postgres://ada:hunter2@127.0.0.1:1/project", 1)] {
        for words in [&["token", "list", "--database", url][..], &["serve", "--addr", "127.0.0.1:0", "--database", url]]
        {
            let (status, said) = refused(&project.cairn, words);
            assert_eq!(status, Some(code), "{words:?}: {said}");
            assert!(!said.contains("hunter2"), "{said}");
            refusals.push(testkit::redact(&said));
        }
    }
    insta::assert_snapshot!(refusals.concat(), @"
    error: invalid database address: it is invalid
    hint: write `postgres://USER@HOST:PORT/DATABASE`; several hosts with commas
    error: invalid database address: it is invalid
    hint: write `postgres://USER@HOST:PORT/DATABASE`; several hosts with commas
    error: the database is not available (`127.0.0.1:<port>/project`): error connecting to server: Connection refused (os error 111)
    hint: nothing is lost; try again in a few seconds, when the database is back
    error: the database is not available (`127.0.0.1:<port>/project`): error connecting to server: Connection refused (os error 111)
    hint: nothing is lost; try again in a few seconds, when the database is back
    ");
}

#[test]
fn a_token_opens_all_servers_until_it_is_revoked() {
    let Some(database) = TestDatabase::shared() else { return };
    let (fixture, url) = (with_code(), database.url());
    let clones = ["one", "two"].map(|name| cairn(&fixture.clone_beside(name, &[])));
    let token = create_token(&clones[0], &url, "ada");
    let servers = [0, 1].map(|n| Served::start(&clones[n], &["--database", &url]));
    let ask = |served: &Served| served.ask("GET", "/api/items", Some(&token)).status;
    assert_eq!(servers.each_ref().map(ask), [200, 200]);
    let session = initialize(&servers[0], &token);
    let list = |served: &Served| rpc(served, &token, Some(&session), &json!({"id": 2, "method": "tools/list"})).status;
    assert_eq!(servers.each_ref().map(list), [200, 404]);
    // A client that is told 404 initializes again, at whichever server answers.
    let again = initialize(&servers[1], &token);
    assert_eq!(rpc(&servers[1], &token, Some(&again), &json!({"id": 3, "method": "tools/list"})).status, 200);
    clones[1].quiet(&["token", "revoke", "ada", "--database", &url]);
    assert_eq!(servers.each_ref().map(ask), [401, 401]);
    for served in servers {
        let (status, said) = served.finish();
        assert!(status.success() && !said.contains("panicked"), "{said}");
    }
}

pub(crate) fn with_code() -> TestRepository {
    let fixture = TestRepository::new();
    fixture.git(&["commit", "--quiet", "--allow-empty", "--message", "code"]);
    fixture
}

/// Opens a session and returns its id.
fn initialize(served: &Served, token: &str) -> String {
    let about =
        json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
    let answer = rpc(served, token, None, &json!({"id": 1, "method": "initialize", "params": about}));
    let session = answer.header("mcp-session-id").unwrap_or_else(|| panic!("{answer:?}")).to_owned();
    let told = rpc(served, token, Some(&session), &json!({"method": "notifications/initialized"}));
    assert_eq!(told.status, 202, "{told:?}");
    session
}

fn rpc(served: &Served, token: &str, session: Option<&str>, message: &Value) -> Answer {
    let mut message = message.clone();
    message["jsonrpc"] = "2.0".into();
    let bearer = format!("Bearer {token}");
    let mut headers = vec![
        ("Authorization", bearer.as_str()),
        ("Content-Type", "application/json"),
        ("Accept", "application/json, text/event-stream"),
        ("MCP-Protocol-Version", "2025-06-18"),
    ];
    headers.extend(session.map(|session| ("Mcp-Session-Id", session)));
    served.send("POST", "/mcp/cairn", &headers, &message.to_string())
}
