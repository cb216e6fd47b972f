//! Start and end of a session, in both eras of the protocol.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::client::{Client, finish, program, project, text};

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

fn modern(mut params: Value) -> Value {
    params["_meta"] = json!({
        VERSION: "2026-07-28",
        CAPABILITIES: {},
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    });
    params
}

#[test]
fn initialize_answers_with_the_version_of_the_contract() {
    let repository = project();
    let client_info = json!({"name": "test", "version": "1"});
    for params in [
        json!({}),
        json!({"capabilities": {}}),
        json!({"clientInfo": client_info, "capabilities": {}, "protocolVersion": "2024-11-05"}),
        json!({"clientInfo": client_info, "capabilities": {}, "protocolVersion": "2025-11-25"}),
        json!({"clientInfo": client_info, "capabilities": {}, "protocolVersion": "2026-07-28"}),
        json!({"clientInfo": client_info, "capabilities": {}, "protocolVersion": "next"}),
    ] {
        let mut client = Client::start(repository.path());
        let result = &client.request("initialize", &params)["result"];
        assert_eq!(result["protocolVersion"], "2024-11-05");
        assert_eq!(result["serverInfo"]["name"], "git-mile");
        assert!(result["capabilities"]["tools"].is_object());
        // The requested version does not change the rules that follow.
        assert_eq!(client.request("ping", &json!({}))["result"], json!({}));
        assert_eq!(client.call("no_such_tool", &json!({}))["error"]["code"], -32601);
    }
}

#[test]
fn requests_before_initialize_are_served() {
    let repository = project();
    let mut client = Client::start(repository.path());
    client.line(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string());
    assert_eq!(client.value("git_mile.list", &json!({"entity": "issue"}))["items"].as_array().map(Vec::len), Some(2));
}

#[test]
fn modern_requests_follow_the_specification() {
    let repository = project();
    let mut client = Client::start(repository.path());
    let discovered = client.request("server/discover", &modern(json!({})))["result"].clone();
    assert_eq!(discovered["supportedVersions"], json!(["2024-11-05", "2026-07-28"]));
    let listed = client.request("tools/list", &modern(json!({})))["result"].clone();
    assert_eq!((&listed["resultType"], listed["tools"].as_array().map(Vec::len)), (&json!("complete"), Some(2)));
    assert!(listed["ttlMs"].is_number());
    let mut call = |name: &str, arguments: Value| {
        client.request("tools/call", &modern(json!({"name": name, "arguments": arguments})))
    };
    assert_eq!(call("git_mile.list", json!({"entity": "issue"}))["result"]["resultType"], "complete");
    assert_eq!(call("no_such_tool", json!({}))["error"]["code"], -32602);
    // Errors of a known tool are results that the model can read.
    for (arguments, code) in [(json!({}), "-32600"), (json!({"entity": "issue", "limit": 0}), "-32602")] {
        let answer = call("git_mile.list", arguments);
        assert_eq!(answer["result"]["isError"], true);
        assert_eq!(text(&answer)["error"]["code"], code);
    }
    assert_eq!(client.request("ping", &modern(json!({})))["error"]["code"], -32601);
    let unknown = json!({"_meta": {VERSION: "2099-01-01", CAPABILITIES: {}}});
    assert_eq!(client.request("tools/list", &unknown)["error"]["code"], -32022);
}

#[test]
fn shutdown_answers_null_after_all_others_and_ends() {
    let repository = project();
    let mut client = Client::start(repository.path());
    let call = |id: u32| {
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": {"name": "git_mile.list", "arguments": {"entity": "issue"}}})
    };
    let shutdown = json!({"jsonrpc": "2.0", "id": "end", "method": "shutdown"});
    client.write(format!("{}\n{}\n{shutdown}\n{}\n", call(1), call(2), call(3)).as_bytes());
    let (answers, status) = client.wait();
    assert!(status.success());
    assert_eq!(answers.len(), 3, "{answers:?}");
    assert_eq!(answers[2], json!({"jsonrpc": "2.0", "id": "end", "result": null}));
}

#[test]
fn end_of_input_finishes_running_requests() {
    let repository = project();
    let mut client = Client::start(repository.path());
    let mut lines = String::new();
    for id in 0..200 {
        let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": {"name": "git_mile.show", "arguments": {"entity": "issue", "id": "2"}}});
        writeln!(lines, "{call}").expect("a string takes all");
    }
    client.write(lines.as_bytes());
    let (answers, status) = client.finish();
    assert!(status.success());
    let mut ids: Vec<u64> = answers.iter().filter_map(|answer| answer["id"].as_u64()).collect();
    ids.sort_unstable();
    assert_eq!(ids, (0..200).collect::<Vec<u64>>());
}

#[test]
fn input_that_ends_at_once_is_no_failure() {
    let repository = project();
    let (answers, status) = Client::start(repository.path()).finish();
    assert!(answers.is_empty() && status.success());
}

#[cfg(unix)]
#[test]
fn signals_end_the_server_as_well_as_the_end_of_input() {
    let repository = project();
    for signal in ["-TERM", "-INT"] {
        let mut client = Client::start(repository.path());
        client.request("ping", &json!({}));
        finish(program("kill", repository.path()).args([signal, &client.pid().to_string()]));
        let (answers, status) = client.wait();
        assert!(answers.is_empty());
        assert_eq!(status.code(), Some(0), "{signal}");
    }
}
