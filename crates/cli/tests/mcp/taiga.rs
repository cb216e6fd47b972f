//! The `taiga` dialect over a real connection: what only the protocol shows.

use serde_json::{Value, json};
use testkit::TestRepository;

use crate::client::Client;

fn start(repository: &TestRepository) -> Client {
    Client::start_with(repository.path(), &["--dialect", "taiga"])
}

#[test]
fn the_server_says_who_it_is_and_negotiates() {
    let repository = TestRepository::new();
    let mut client = start(&repository);
    let hello = |version: &str| json!({"protocolVersion": version, "capabilities": {}});
    let answer = client.request("initialize", &hello("2025-06-18"));
    assert_eq!(answer["result"]["protocolVersion"], "2025-06-18");
    assert_eq!(answer["result"]["serverInfo"]["name"], "taiga-mcp");
    assert_eq!(answer["result"]["capabilities"]["logging"], json!({}));
}

/// A model reads all definitions before it reads the question: 6,000 tokens of four bytes are what they may cost.
#[test]
fn all_definitions_fit_into_six_thousand_tokens() {
    let repository = TestRepository::new();
    let tools = start(&repository).request("tools/list", &json!({}))["result"]["tools"].clone();
    assert_eq!(tools.as_array().map(Vec::len), Some(29));
    let bytes = tools.to_string().len();
    assert!(bytes / 4 <= 6_000, "{bytes} bytes are {} tokens", bytes / 4);
    for tool in tools.as_array().into_iter().flatten() {
        let description = tool["description"].as_str().unwrap_or_default();
        assert!(description.split_whitespace().count() >= 3 && description.ends_with('.'), "{tool}");
        assert!(tool["annotations"]["readOnlyHint"].is_boolean(), "{tool}");
    }
}

#[test]
fn both_spellings_are_understood_and_an_unknown_tool_is_an_error() {
    let repository = TestRepository::new();
    let mut client = start(&repository);
    for name in ["taiga.list_projects", "taiga_list_projects"] {
        assert_eq!(client.value(name, &json!({}))["data"]["meta"]["total"], 1);
    }
    let answer = client.call("taiga.list_sprints", &json!({}));
    assert_eq!(answer["error"]["code"], -32602);
    assert_eq!(answer["error"]["message"], "Unknown tool: taiga.list_sprints");
}

#[test]
fn failures_say_so_where_clients_and_models_look() {
    let repository = TestRepository::new();
    let mut client = start(&repository);
    let answer = client.call("taiga.create_issue", &json!({}));
    let result = &answer["result"];
    assert_eq!(result["isError"], true);
    assert_eq!(crate::client::text(&answer), result["structuredContent"]);
    let error = &result["structuredContent"]["error"];
    assert_eq!((&error["message"], &error["details"]), (&json!("subject: Required"), &json!({"subject": "Required"})));
}

/// Each call is logged at debug level, with the trace id that its error carries.
#[test]
fn calls_are_logged_for_who_wants_to_know() {
    let repository = TestRepository::new();
    let mut client = start(&repository);
    client.request("logging/setLevel", &json!({"level": "debug"}));
    let logged = |client: &mut Client, arguments: Value| {
        let call = json!({"name": "taiga.create_issue", "arguments": arguments});
        client.line(&json!({"jsonrpc": "2.0", "id": 99, "method": "tools/call", "params": call}).to_string());
        (client.next(), client.next())
    };
    for (arguments, outcome) in [(json!({"subject": "One"}), "success"), (json!({}), "failure")] {
        let (message, answer) = logged(&mut client, arguments);
        assert_eq!(
            (&message["method"], &message["params"]["level"]),
            (&json!("notifications/message"), &json!("debug"))
        );
        let text = message["params"]["data"]["message"].as_str().unwrap();
        let time = text.strip_prefix(&format!("[MCP] taiga.create_issue ({outcome}) ")).unwrap();
        assert!(time.parse::<u64>().is_ok(), "{text}");
        if outcome == "failure" {
            let trace = &answer["result"]["structuredContent"]["error"]["_traceId"];
            assert_eq!(&message["params"]["data"]["traceId"], trace);
        }
    }
    client.request("logging/setLevel", &json!({"level": "info"}));
    assert_eq!(client.value("taiga.list_issues", &json!({}))["data"]["meta"]["total"], 1);
}
