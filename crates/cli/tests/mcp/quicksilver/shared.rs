//! The same items everywhere: a change to a task is visible to the command line, the other dialects and the board, and
//! vice versa.

use serde_json::{Value, json};
use testkit::TestRepository;

use super::Quick;
use crate::client::{Client, run, text};

fn list(repository: &TestRepository) -> Vec<Value> {
    let listed: Value = serde_json::from_str(&run(repository.path(), &["list", "--all", "--json"])).unwrap();
    listed["items"].as_array().unwrap().clone()
}

#[test]
fn task_is_the_same_item_everywhere() {
    let repository = TestRepository::new();
    let board = Quick::board(repository.path(), "Team");
    let quick = Quick::start(repository.path());
    let made =
        quick.task("create_task", &json!({"title": "Shared", "board_id": board, "size": "small", "priority": 3}));
    let listed = list(&repository);
    let item = listed.iter().find(|item| item["kind"] == "task").unwrap();
    assert_eq!((&item["number"], &item["title"], &item["size"]), (&made["id"], &json!("Shared"), &json!("small")));
    assert_eq!((&item["board"]["number"], &item["priority"]), (&json!(board), &json!(3)));
    let mut cairn = Client::start_with(repository.path(), &["--dialect", "cairn"]);
    let shown = cairn.call("show", &json!({"id": made["id"].to_string()}));
    let shown = &shown["result"]["structuredContent"]["items"][0];
    assert_eq!((&shown["id"], &shown["kind"]), (&item["id"], &json!("task")));
    cairn.call("update", &json!({"id": made["id"], "title": "Renamed", "status": "review"}));
    let task = quick.read("quicksilver://tasks/1");
    assert_eq!((&task["title"], &task["status"]), (&json!("Renamed"), &json!("review")));
    // `mile` has issues and milestones only, with the same numbers.
    run(repository.path(), &["new", "issue", "Next"]);
    let mut mile = Client::start(repository.path());
    let shown = mile.value("git_mile.show", &json!({"entity": "issue", "id": "2"}));
    assert_eq!(shown["title"], "Next");
    assert!(mile.call("git_mile.show", &json!({"entity": "issue", "id": "1"}))["error"].is_object());
}

#[test]
fn owner_is_a_person_of_the_project() {
    let repository = TestRepository::new();
    run(repository.path(), &["member", "add", "Bob <bob@example.org>"]);
    run(repository.path(), &["new", "task", "One", "--assign", "bob"]);
    run(repository.path(), &["new", "task", "Two"]);
    let quick = Quick::start(repository.path());
    let bob = quick.read("quicksilver://tasks/1")["owner_id"].clone();
    assert_eq!(bob, 1);
    assert_eq!(quick.task("update_task", &json!({"id": 2, "owner_id": bob}))["owner_id"], bob);
    assert_eq!(list(&repository)[0]["assignee"], "Bob <bob@example.org>");
    // A later member gets another number.
    run(repository.path(), &["member", "add", "Abe <abe@example.org>"]);
    assert_eq!(quick.read("quicksilver://tasks/1")["owner_id"], bob);
    assert_eq!(quick.task("update_task", &json!({"id": 2, "owner_id": null}))["owner_id"], Value::Null);
}

#[test]
fn stdio_serves_the_same_contract() {
    let repository = TestRepository::new();
    let mut client = Client::start_with(repository.path(), &["--dialect", "quicksilver", "--contract-strict"]);
    let hello = client.request("initialize", &json!({"protocolVersion": "2025-11-25"}));
    let expected = json!({"protocolVersion": "2025-06-18", "serverInfo": {"name": "quicksilver-mcp", "version": "0.1.0"},
        "capabilities": {"resources": {}, "tools": {}}});
    assert_eq!(hello["result"], expected);
    let made = text(&client.call("create_task", &json!({"title": "From a pipe"})));
    assert_eq!(made["uri"], "quicksilver://tasks/1");
    let listed = client.request("resources/list", &json!({}));
    let expected = json!({"resources": [{"uri": "quicksilver://tasks/1", "name": "Task 1: From a pipe",
        "description": "", "mimeType": "application/json"}], "nextCursor": null});
    assert_eq!(listed["result"], expected);
    let refused = client.call("create_task", &json!({}));
    assert_eq!(refused["error"], json!({"code": -32602, "message": "Invalid params", "data": "title is required"}));
    let missing = client.request("resources/read", &json!({"uri": "quicksilver://tasks/9"}));
    assert_eq!(missing["error"]["code"], -32002);
    client.line("nonsense");
    assert_eq!(client.next()["error"]["message"], "Parse error");
}
