//! Recorded files: a session in the documentation, and the tools as clients see them. `just accept` records both again;
//! review the difference.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::client::{Client, ISSUE, MILESTONE, project};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn requests() -> Vec<Value> {
    let call = |id: u32, name: &str, arguments: Value| json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": name, "arguments": arguments}});
    let hello = json!({
        "protocolVersion": "2024-11-05",
        "capabilities": {},
        "clientInfo": {"name": "inspector", "version": "0.5.1"},
    });
    vec![
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}),
        call(3, "git_mile.list", json!({"entity": "milestone", "filter": "status == \"open\"", "limit": 20})),
        call(4, "git_mile.list", json!({"entity": "issue", "sort": ["updated:desc"], "limit": 1})),
        call(5, "git_mile.show", json!({"entity": "milestone", "id": MILESTONE})),
        call(6, "git_mile.show", json!({"entity": "issue", "id": ISSUE})),
        call(7, "git_mile.list", json!({"entity": "issue", "filter": "colour == red"})),
        call(8, "git_mile.close", json!({})),
        json!({"jsonrpc": "2.0", "id": 9, "method": "ping"}),
        json!({"jsonrpc": "2.0", "id": 10, "method": "shutdown"}),
    ]
}

#[test]
fn recorded_session_replays_frame_by_frame() {
    let path = root().join("docs/reference/examples/mcp-session-list-show.json");
    if testkit::is_updating() {
        record(&path);
    }
    let recorded = std::fs::read_to_string(&path).expect("the session is there");
    let frames: Vec<Value> = serde_json::from_str(&recorded).expect("the session is JSON");
    let sent = frames.iter().filter(|frame| frame["direction"] == "client").map(|frame| frame["payload"].clone());
    assert_eq!(sent.collect::<Vec<_>>(), requests());

    let repository = project();
    let mut client = Client::start(repository.path());
    for frame in &frames {
        let mut payload = frame["payload"].clone();
        if frame["direction"] == "client" {
            client.line(&payload.to_string());
            continue;
        }
        // A release does not change the contract.
        if let Some(version) = payload.pointer_mut("/result/serverInfo/version") {
            *version = json!(env!("CARGO_PKG_VERSION"));
        }
        assert_eq!(client.next(), payload);
    }
    let (rest, status) = client.wait();
    assert!(rest.is_empty() && status.success());
}

fn record(path: &Path) {
    let repository = project();
    let mut client = Client::start(repository.path());
    let mut frames = Vec::new();
    for request in requests() {
        client.line(&request.to_string());
        let is_answered = request.get("id").is_some();
        frames.push(json!({"direction": "client", "payload": request}));
        if is_answered {
            frames.push(json!({"direction": "server", "payload": client.next()}));
        }
    }
    write(path, &json!(frames));
}

#[test]
fn tools_are_what_the_snapshot_says() {
    let path = root().join("crates/cli/tests/mcp/mile-tools.json");
    let repository = project();
    let mut client = Client::start(repository.path());
    let tools = client.request("tools/list", &json!({}))["result"]["tools"].clone();
    testkit::check_recorded(&path, &(serde_json::to_string_pretty(&tools).unwrap() + "\n"));
}

#[test]
fn every_tool_says_what_it_is_and_does() {
    let repository = project();
    let mut client = Client::start(repository.path());
    let tools = client.request("tools/list", &json!({}))["result"]["tools"].clone();
    for tool in tools.as_array().expect("a list") {
        let words = |name: &str| tool[name].as_str().map_or(0, |text| text.split_whitespace().count());
        assert!(words("title") >= 2 && words("description") >= 10, "{tool}");
        let schema = &tool["inputSchema"];
        assert_eq!(schema["type"], "object");
        for (name, argument) in schema["properties"].as_object().expect("arguments") {
            assert!(argument["type"].is_string() && argument["description"].is_string(), "{name}: {argument}");
        }
        for hint in ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] {
            assert!(tool["annotations"][hint].is_boolean(), "{hint}: {tool}");
        }
    }
}

fn write(path: &Path, value: &Value) {
    let text = serde_json::to_string_pretty(value).expect("JSON") + "\n";
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("it can be made");
    std::fs::write(path, text).expect("it can be written");
}
