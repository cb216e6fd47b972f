//! Batches, which only version 2025-03-26 of the protocol has: an array of responses for an array of messages.

use serde_json::{Value, json};
use testkit::TestRepository;

use crate::client::{Client, run};
use crate::http::Served;

fn hello(version: &str) -> Value {
    json!({"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "batch", "version": "1"}})
}

/// A batch with requests, a notification, a failing tool, an unknown method and an invalid message.
fn mixed() -> Value {
    json!([
        {"jsonrpc": "2.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 99}},
        {"jsonrpc": "2.0", "id": "two", "method": "tools/list"},
        {"jsonrpc": "2.0", "id": 3, "method": "no/such"},
        {"jsonrpc": "2.0", "id": 4, "method": "initialize", "params": hello("2025-03-26")},
        7,
    ])
}

/// Checks the responses to `mixed`, in any order.
#[track_caller]
fn check_mixed(answers: &Value) {
    let answers = answers.as_array().unwrap_or_else(|| panic!("{answers}"));
    assert_eq!(answers.len(), 5, "{answers:?}");
    let find = |id: Value| answers.iter().find(|answer| answer["id"] == id).unwrap_or_else(|| panic!("no {id}"));
    assert_eq!(find(json!(1))["result"], json!({}));
    assert!(find(json!("two"))["result"]["tools"].is_array());
    assert_eq!(find(json!(3))["error"]["code"], -32601);
    assert_eq!(find(json!(4))["error"]["code"], -32600);
    assert_eq!(find(Value::Null)["error"]["code"], -32600);
}

fn start(repository: &TestRepository, dialect: &str, version: &str) -> Client {
    let mut client = Client::start_with(repository.path(), &["--dialect", dialect]);
    client.request("initialize", &hello(version));
    client
}

#[test]
fn a_batch_is_answered_by_one_array() {
    let repository = TestRepository::new();
    for dialect in ["cairn", "ultragit", "taiga"] {
        let mut client = start(&repository, dialect, "2025-03-26");
        client.line(&mixed().to_string());
        check_mixed(&client.next());
        // More than may be in flight at once; each is answered once.
        let pings = (0..300).map(|id| json!({"jsonrpc": "2.0", "id": id, "method": "ping"}));
        client.line(&Value::Array(pings.collect()).to_string());
        let answers = client.next();
        let mut ids: Vec<u64> = answers.as_array().unwrap().iter().map(|one| one["id"].as_u64().unwrap()).collect();
        ids.sort_unstable();
        assert!(ids.into_iter().eq(0..300));
        let (rest, status) = client.finish();
        assert!(rest.is_empty() && status.success(), "{rest:?}");
    }
}

#[test]
fn tools_of_a_batch_do_their_work() {
    let repository = TestRepository::new();
    let mut client = start(&repository, "cairn", "2025-03-26");
    let call = |id: u64, title: &str| {
        let params = json!({"name": "create", "arguments": {"kind": "task", "title": title}});
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
    };
    client.line(&json!([call(1, "One"), call(2, "Two")]).to_string());
    // Notifications of the new items may come before or after.
    let answers = std::iter::repeat_with(|| client.next()).find(Value::is_array).unwrap();
    assert!(answers.as_array().unwrap().iter().all(|answer| answer["result"]["isError"] != true), "{answers}");
    // Requests that were read are answered before the server exits.
    client.line(&json!([call(3, "Three"), {"jsonrpc": "2.0", "id": 4, "method": "shutdown"}]).to_string());
    let (mut rest, status) = client.finish();
    rest.retain(Value::is_array);
    assert_eq!((rest.len(), rest[0].as_array().map(Vec::len), status.success()), (1, Some(2), true), "{rest:?}");
    let listed: Value = serde_json::from_str(&run(repository.path(), &["list", "--json"])).unwrap();
    assert_eq!(listed["total"], 3);
}

#[test]
fn notifications_have_no_answer_and_an_empty_batch_is_no_request() {
    let repository = TestRepository::new();
    let mut client = start(&repository, "cairn", "2025-03-26");
    let notification = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    client.line(&json!([notification, notification]).to_string());
    assert_eq!(client.request("ping", &json!({}))["result"], json!({}));
    client.line("[]");
    let refused = client.next();
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&Value::Null, &json!(-32600)));
    assert_eq!(client.request("ping", &json!({}))["result"], json!({}));
}

#[test]
fn other_versions_have_no_batches() {
    let repository = TestRepository::new();
    let versions = ["2024-11-05", "2025-06-18", "2025-11-25"].map(|version| ("cairn", version));
    for (dialect, version) in versions.into_iter().chain([("mile", "2025-03-26"), ("quicksilver", "2025-03-26")]) {
        let mut client = start(&repository, dialect, version);
        client.line(&mixed().to_string());
        let refused = client.next();
        assert_eq!((&refused["id"], &refused["error"]["code"]), (&Value::Null, &json!(-32600)), "{dialect} {version}");
        assert_eq!(client.request("ping", &json!({}))["result"], json!({}));
    }
}

#[test]
fn a_batch_over_http_is_answered_by_one_array() {
    let repository = TestRepository::new();
    let served = Served::start_with(repository.path(), &["--without-token"], "cairn");
    let post = |path: &str, headers: &[(&str, &str)], body: &Value| {
        let (status, head, answer) = served.send_to(path, "POST", headers, &body.to_string());
        (status, head, serde_json::from_str::<Value>(&answer).unwrap_or_default())
    };
    let notification = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let begin = |version: &str| {
        let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello(version)});
        let (_, head, _) = post("/mcp/cairn", &[], &hello);
        let line = head.lines().find(|line| line.starts_with("mcp-session-id: ")).expect("a session");
        line.trim_start_matches("mcp-session-id: ").to_owned()
    };
    let session = begin("2025-03-26");
    let headers = [("Mcp-Session-Id", session.as_str())];
    let (status, _, answers) = post("/mcp/cairn", &headers, &mixed());
    assert_eq!(status, 200);
    check_mixed(&answers);
    let (status, _, answer) = post("/mcp/cairn", &headers, &json!([notification, notification]));
    assert_eq!((status, answer), (202, Value::Null));
    let pings: Value = (0..200).map(|id| json!({"jsonrpc": "2.0", "id": id, "method": "ping"})).collect();
    assert_eq!(post("/mcp/cairn", &headers, &pings).2.as_array().map(Vec::len), Some(200));

    // Without a session the header gives the version; a missing header means the version before it was introduced.
    for headers in [&[][..], &[("MCP-Protocol-Version", "2025-03-26")]] {
        let (status, _, answers) = post("/mcp/ultragit", headers, &mixed());
        assert_eq!(status, 200, "{answers}");
        check_mixed(&answers);
        assert_eq!(post("/mcp/ultragit", headers, &json!([notification])).0, 202);
    }
    let newer = begin("2025-06-18");
    let version = ("MCP-Protocol-Version", "2025-06-18");
    for (path, headers) in [
        ("/mcp/cairn", vec![("Mcp-Session-Id", newer.as_str()), version]),
        ("/mcp/ultragit", vec![version]),
        ("/mcp/mile", vec![]),
        ("/mcp/lazygit", vec![]),
        ("/mcp/quicksilver", vec![version]),
    ] {
        for body in [mixed(), json!([])] {
            let (status, _, answer) = post(path, &headers, &body);
            assert_eq!((status, &answer["error"]["code"]), (400, &json!(-32600)), "{path} {answer}");
        }
    }
}
