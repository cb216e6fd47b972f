//! Several servers on one database: tokens, sessions, audit records, the inbox, and what happens while it is away.

use std::fs;
use std::sync::Arc;
use std::time::{Duration, Instant};

use database::{Database, Options};
use serde_json::json;
use testkit::TcpProxy;
use testkit::postgres::TestDatabase;
use web::Tokens;

use crate::site::{Answer, Site, create_tokens};

/// Two servers with clones of their own, and the proxy through which the second one reaches the database.
struct Two {
    stored: TestDatabase<'static>,
    tokens: Tokens,
    proxy: TcpProxy,
    one: Site,
    other: Site,
}

impl Two {
    fn start() -> Option<Self> {
        let stored = TestDatabase::shared()?;
        let proxy = TcpProxy::start(stored.server_address());
        let direct = open(&stored.url());
        let tokens = Tokens::shared(Arc::clone(&direct));
        let secrets = create_tokens(&tokens);
        let (one, other) =
            (Site::shared(&direct, secrets.clone()), Site::shared(&open(&stored.url_at(&[proxy.address()])), secrets));
        Some(Self { stored, tokens, proxy, one, other })
    }

    fn both(&self, ask: impl Fn(&Site) -> u16) -> [u16; 2] {
        [ask(&self.one), ask(&self.other)]
    }
}

fn open(url: &str) -> Arc<Database> {
    Arc::new(Database::open(url.parse().unwrap(), &Options::default()).unwrap())
}

fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(30), "waited in vain: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_revoked_token_is_refused_by_every_server_at_once() {
    let Some(two) = Two::start() else { return };
    assert_eq!(two.both(|site| site.get("/api/items", &site.writer).status), [200, 200]);
    two.tokens.revoke("writer").unwrap();
    assert_eq!(two.both(|site| site.get("/api/items", &site.writer).status), [401, 401]);
    assert_eq!(two.both(|site| site.get("/api/items", &site.reader).status), [200, 200]);
}

/// A load balancer sends the request after a login, or after a logout, to any server.
#[test]
fn a_browser_session_is_valid_on_every_server_until_it_ends_on_one() {
    let Some(two) = Two::start() else { return };
    let with = |cookie: &str| two.both(|site| site.send("GET", "/api/items", &[("cookie", cookie)], "").status);
    for _ in 0..3 {
        let cookie = two.one.log_in(&two.one.writer);
        assert_eq!(with(&cookie), [200, 200]);
        let own = [("cookie", cookie.as_str()), ("sec-fetch-site", "same-origin")];
        assert_eq!(two.other.send("POST", "/logout", &own, "").status, 303);
        assert_eq!(with(&cookie), [401, 401]);
    }
}

#[test]
fn a_message_is_in_the_inbox_of_every_server_and_answered_on_any() {
    let Some(two) = Two::start() else { return };
    for site in [&two.one, &two.other] {
        fs::write(site.repository.path().join("a.rs"), "fn a() {}\n").unwrap();
    }
    let remark = json!({"file": "a.rs", "lines": "1", "comment": "why?"});
    let sent = two.one.write("POST", "/api/inbox", &two.one.writer, &remark);
    assert_eq!(sent.status, 201, "{}", sent.body);
    let id = sent.json()["id"].as_str().unwrap().to_owned();
    let reply = json!({"text": "because", "resolves": true});
    let answered = two.other.write("POST", &format!("/api/inbox/{id}/replies"), &two.other.writer, &reply);
    assert_eq!(answered.status, 201, "{}", answered.body);
    let list = two.one.get("/api/inbox?all=true", &two.one.reader).json();
    assert_eq!((&list["total"], &list["items"][0]["state"]), (&1.into(), &"resolved".into()), "{list}");
}

#[test]
fn changes_on_every_server_are_in_one_audit_log() {
    let Some(two) = Two::start() else { return };
    for site in [&two.one, &two.other] {
        let made = site.write("POST", "/api/items", &site.writer, &json!({"kind": "issue", "title": "a"}));
        assert_eq!(made.status, 201, "{}", made.body);
    }
    let count = "SELECT count(*) FROM cairn_audit WHERE entry->>'what' = 'POST /api/items'";
    wait_until("both records are stored", || two.stored.sql(count) == "2");
    two.proxy.refuse();
    two.other.log_in_fails();
    let log = two.other.repository.git_dir().join("cairn/audit.log");
    wait_until("the clone has the record", || {
        fs::read_to_string(&log).is_ok_and(|text| text.contains("\"login\"") && text.contains("\"failed\""))
    });
}

#[test]
fn a_session_of_mcp_is_unknown_elsewhere_and_the_client_initializes_again() {
    let Some(two) = Two::start() else { return };
    let (first, session) = initialize(&two.one);
    assert_eq!((first.status, session.is_empty()), (200, false), "{}", first.body);
    let list = |site: &Site, session: &str| call(site, &json!({"method": "tools/list", "id": 2}), Some(session)).status;
    assert_eq!(list(&two.one, &session), 200);
    assert_eq!(list(&two.other, &session), 404);
    let (again, own) = initialize(&two.other);
    assert_eq!((again.status, list(&two.other, &own)), (200, 200));
    assert_eq!(list(&two.one, &session), 200, "the first session goes on");
}

#[test]
fn readiness_fails_while_the_database_is_away_and_liveness_does_not() {
    let Some(two) = Two::start() else { return };
    let health = |site: &Site| {
        (site.send("GET", "/health/live", &[], "").status, site.send("GET", "/health/ready", &[], "").status)
    };
    assert_eq!((health(&two.one), health(&two.other)), ((200, 200), (200, 200)));
    two.proxy.refuse();
    assert_eq!((health(&two.one), health(&two.other)), ((200, 200), (200, 503)));
    // Who was let in before is still known; what needs the database says so, and when to try again.
    let inbox = two.other.get("/api/inbox", &two.other.reader);
    inbox.problem(503, "the database is not available");
    assert_eq!((inbox.header("retry-after"), inbox.json()["hint"].is_string()), ("2", true));
    assert_eq!(two.one.get("/api/inbox", &two.one.reader).status, 200);
    two.proxy.pass();
    wait_until("the second server is ready again", || health(&two.other) == (200, 200));
    assert_eq!(two.other.get("/api/inbox", &two.other.reader).status, 200);
}

fn initialize(site: &Site) -> (Answer, String) {
    let about =
        json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
    let answer = call(site, &json!({"method": "initialize", "id": 1, "params": about}), None);
    let session = answer.header("mcp-session-id").to_owned();
    let told = call(site, &json!({"method": "notifications/initialized"}), Some(&session));
    assert_eq!(told.status, 202, "{}", told.body);
    (answer, session)
}

fn call(site: &Site, message: &serde_json::Value, session: Option<&str>) -> Answer {
    let mut message = message.clone();
    message["jsonrpc"] = "2.0".into();
    let mut headers = vec![("accept", "application/json, text/event-stream"), ("mcp-protocol-version", "2025-06-18")];
    headers.extend(session.map(|session| ("mcp-session-id", session)));
    site.write_with("POST", "/mcp/cairn", &site.writer, &headers, &message)
}
