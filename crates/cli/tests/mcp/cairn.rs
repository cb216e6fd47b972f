//! The `cairn` dialect: a small set of tools over all features.

use serde_json::{Value, json};
use testkit::TestRepository;

use crate::client::{Client, run};

fn start(repository: &TestRepository) -> Client {
    Client::start_with(repository.path(), &["--dialect", "cairn"])
}

/// Calls a tool; its structured content must equal its text.
fn call(client: &mut Client, name: &str, arguments: &Value) -> Value {
    let answer = client.call(name, arguments);
    let text = answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"));
    assert_eq!(serde_json::from_str::<Value>(text).unwrap(), answer["result"]["structuredContent"], "{answer}");
    answer["result"]["structuredContent"].clone()
}

#[test]
fn work_is_made_changed_and_found() {
    let repository = TestRepository::new();
    let mut client = start(&repository);
    let made = call(
        &mut client,
        "create",
        &json!({"kind": "issue", "title": "Login fails", "labels": ["bug"], "priority": 8, "description": "On iOS."}),
    );
    assert_eq!((&made["number"], &made["priority"], &made["kind"]), (&json!(1), &json!(8), &json!("issue")));
    let ready = call(&mut client, "ready", &json!({}));
    assert_eq!(ready["items"][0]["number"], 1);
    assert_eq!(made["description"], "On iOS.");
    let changed = call(&mut client, "update", &json!({"id": 1, "title": "Login fails on Safari", "priority": "7"}));
    assert_eq!((&changed["title"], &changed["priority"]), (&json!("Login fails on Safari"), &json!(7)));
    // Null counts as absent; an empty text clears a field.
    let changed = call(&mut client, "update", &json!({"id": "1", "priority": null, "description": "", "size": null}));
    assert_eq!((&changed["priority"], &changed["description"]), (&json!(7), &json!("")));
    call(&mut client, "comment", &json!({"id": "1", "text": "Also on Firefox."}));
    let found = call(&mut client, "search", &json!({"text": "firefox"}));
    assert_eq!(found["total"], 1);
    let listed = call(&mut client, "list", &json!({"filter": "labels ~ bug", "kind": "issue"}));
    assert_eq!(listed["items"][0]["title"], "Login fails on Safari");
    let sorted = call(&mut client, "list", &json!({"sort": "priority:desc"}));
    assert_eq!(sorted["total"], 1);
    let shown = call(&mut client, "show", &json!({"id": 1}));
    assert_eq!(shown, serde_json::from_str::<Value>(&run(repository.path(), &["show", "1", "--json"])).unwrap());
}

#[test]
fn context_answers_from_everything() {
    let repository = TestRepository::new();
    std::fs::write(repository.path().join("lib.rs"), "fn pay() {\n    charge();\n}\n").unwrap();
    repository.git(&["add", "."]);
    repository.git(&["commit", "-qm", "code"]);
    run(repository.path(), &["new", "task", "Check payments"]);
    run(repository.path(), &["link", "1", "--touches", "lib.rs:pay"]);
    run(repository.path(), &["inbox", "send", "--file", "lib.rs", "--line", "2", "--comment", "Twice?"]);
    let mut client = start(&repository);
    let context = call(&mut client, "context", &json!({"path": "lib.rs", "anchor": "pay"}));
    assert_eq!(context["items"][0]["title"], "Check payments");
    assert_eq!(context["messages"][0]["comment"], "Twice?");
    assert_eq!(context["annotations"]["regions"], json!([]));
    let taken = call(&mut client, "inbox", &json!({}));
    let id = taken["items"][0]["id"].as_str().unwrap().to_owned();
    let replied = call(&mut client, "inbox_reply", &json!({"id": id, "text": "Once is enough.", "resolves": true}));
    assert_eq!(replied["state"], "resolved");
    assert_eq!(call(&mut client, "inbox", &json!({}))["total"], 0);
}

#[test]
fn mistakes_are_told_where_the_model_reads_them() {
    let repository = TestRepository::new();
    let mut client = start(&repository);
    for (name, arguments) in [
        ("create", json!({"kind": "thing", "title": "x"})),
        ("create", json!({"kind": "task"})),
        ("create", json!({"kind": "task", "title": "x", "fields": {"size": "small"}})),
        ("create", json!({"kind": "task", "title": "x", "priority": [1]})),
        ("update", json!({"id": "1", "state": "closed"})),
        ("inbox", json!({"all": true})),
        ("context", json!({"file": "lib.rs"})),
        ("show", json!({"id": "99"})),
        ("list", json!({"limit": 0})),
        ("list", json!({"filter": "status =="})),
        ("inbox_reply", json!({"id": "nothing", "text": "x"})),
    ] {
        let answer = client.call(name, &arguments);
        assert_eq!(answer["result"]["isError"], true, "{name} {arguments} {answer}");
    }
}

#[test]
fn a_misspelt_argument_is_refused_and_nothing_is_written() {
    let repository = TestRepository::new();
    let mut client = start(&repository);
    for (name, arguments, said) in [
        ("create", json!({"kind": "task", "title": "x", "descriptions": "y"}), "did you mean `description`?"),
        ("update", json!({"id": 1, "assignees": "me"}), "did you mean `assignee`?"),
        ("list", json!({"filters": "status == open"}), "did you mean `filter`?"),
    ] {
        let answer = client.call(name, &arguments);
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        assert!(answer["result"]["content"][0]["text"].as_str().unwrap().contains(said), "{answer}");
    }
    assert_eq!(call(&mut client, "list", &json!({}))["total"], 0);
}

/// In `OpenAI`'s strict mode a model sends all arguments of a schema: null for those it would omit.
#[test]
fn a_call_with_every_argument_is_one_with_the_needed_ones() {
    let repository = TestRepository::new();
    std::fs::write(repository.path().join("lib.rs"), "fn pay() {}\n").unwrap();
    repository.git(&["add", "."]);
    repository.git(&["commit", "-qm", "code"]);
    run(repository.path(), &["inbox", "send", "--file", "lib.rs", "--comment", "Twice?"]);
    let mut client = start(&repository);
    let needed = json!({
        "context": {"path": "lib.rs"}, "search": {"text": "Made"}, "show": {"id": "1"}, "update": {"id": "1"},
        "create": {"kind": "task", "title": "Made"}, "comment": {"id": "1", "text": "Said"},
    });
    call(&mut client, "create", &json!({"kind": "task", "title": "Made", "priority": 3, "description": "Kept"}));
    let before = call(&mut client, "show", &json!({"id": 1}));
    let remark = call(&mut client, "inbox", &json!({}))["items"][0]["id"].clone();
    let listed = client.request("tools/list", &json!({}))["result"]["tools"].clone();
    for tool in listed.as_array().unwrap() {
        let name = tool["name"].as_str().unwrap();
        let mut arguments = needed.get(name).cloned().unwrap_or_else(|| json!({}));
        if name == "inbox_reply" {
            arguments = json!({"id": remark, "text": "No"});
        }
        let plain = (tool["annotations"]["readOnlyHint"] == true).then(|| call(&mut client, name, &arguments));
        for argument in tool["inputSchema"]["properties"].as_object().unwrap().keys() {
            if arguments.get(argument).is_none() {
                arguments[argument] = Value::Null;
            }
        }
        let strict = call(&mut client, name, &arguments);
        assert!(plain.is_none_or(|plain| plain == strict), "{name}: {strict}");
        if name == "update" {
            for field in ["title", "priority", "description", "status", "updated"] {
                assert_eq!(strict[field], before[field], "{field}");
            }
        }
    }
}

#[test]
fn drafts_are_seen_by_nobody_but_their_sender() {
    let repository = TestRepository::new();
    std::fs::write(repository.path().join("lib.rs"), "fn pay() {\n    charge();\n}\n").unwrap();
    repository.git(&["add", "."]);
    repository.git(&["commit", "-qm", "code"]);
    let drafted: Value = serde_json::from_str(&run(
        repository.path(),
        &["inbox", "draft", "--file", "lib.rs", "--line", "2", "--comment", "secret", "--json"],
    ))
    .unwrap();
    let mut client = start(&repository);
    let context = call(&mut client, "context", &json!({"path": "lib.rs"}));
    assert_eq!(context["messages"], json!([]), "{context}");
    assert_eq!(call(&mut client, "inbox", &json!({}))["total"], 0);
    let replied = client.call("inbox_reply", &json!({"id": drafted["id"], "text": "seen"}));
    assert!(replied["result"]["content"][0]["text"].as_str().unwrap().starts_with("no message is called"), "{replied}");
    let mut lazygit = Client::start_with(repository.path(), &["--dialect", "lazygit"]);
    let read = lazygit.request("resources/read", &json!({"uri": "lazygit://messages"}));
    assert!(!read.to_string().contains("secret"), "{read}");
    assert!(!run(repository.path(), &["context", "lib.rs"]).contains("secret"));
    assert!(!run(repository.path(), &["context", "lib.rs", "--json"]).contains("secret"));
    assert!(run(repository.path(), &["inbox", "list"]).contains("secret"), "the sender sees it");
    // Another user of this machine does not see it, and cannot send it.
    repository.git(&["config", "user.email", "eve@example.org"]);
    repository.git(&["config", "user.name", "Eve"]);
    assert!(!run(repository.path(), &["inbox", "list", "--all"]).contains("secret"));
    let sent: Value = serde_json::from_str(&run(repository.path(), &["inbox", "submit", "--json"])).unwrap();
    assert_eq!(sent["total"], 0, "{sent}");
}

#[test]
fn items_are_resources_and_numbers_complete() {
    let repository = TestRepository::new();
    run(repository.path(), &["new", "task", "First"]);
    let mut client = start(&repository);
    let listed = client.request("resources/list", &json!({}));
    assert_eq!(listed["result"]["resources"][0]["uri"], "cairn://item/1", "{listed}");
    let read = client.request("resources/read", &json!({"uri": "cairn://item/1"}));
    assert!(read["result"]["contents"][0]["text"].as_str().unwrap().contains("First"), "{read}");
    for method in ["resources/read", "resources/subscribe"] {
        let missing = client.request(method, &json!({"uri": "cairn://item/99"}));
        assert_eq!(missing["error"]["code"], -32002, "{missing}");
    }
    let reference = json!({"type": "ref/prompt", "name": "start-work"});
    let completed =
        client.request("completion/complete", &json!({"ref": reference, "argument": {"name": "number", "value": ""}}));
    assert_eq!(completed["result"]["completion"]["values"], json!(["1"]), "{completed}");
    std::fs::write(repository.path().join("lib.rs"), "fn a() {}\n").unwrap();
    repository.git(&["add", "."]);
    repository.git(&["commit", "-qm", "code"]);
    let reference = json!({"type": "ref/prompt", "name": "before-change"});
    let typed = json!({"ref": reference, "argument": {"name": "path", "value": "li"}});
    let completed = client.request("completion/complete", &typed);
    assert_eq!(completed["result"]["completion"]["values"], json!(["lib.rs"]), "{completed}");
    let prompt = client.request("prompts/get", &json!({"name": "start-work", "arguments": {"number": "1"}}));
    assert!(prompt["result"]["messages"][0]["content"]["text"].as_str().unwrap().contains("First"), "{prompt}");
}

#[test]
fn read_only_leaves_writing_tools_out() {
    let repository = TestRepository::new();
    let mut client = Client::start_with(repository.path(), &["--dialect", "cairn", "--read-only"]);
    let listed = client.request("tools/list", &json!({}));
    let names: Vec<&str> =
        listed["result"]["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["context", "ready", "list", "search", "show"]);
    assert_eq!(client.call("create", &json!({"kind": "task", "title": "x"}))["error"]["code"], -32602);
}

#[test]
fn subscribers_hear_of_changes_by_anyone() {
    let repository = TestRepository::new();
    run(repository.path(), &["new", "task", "First"]);
    let mut client = start(&repository);
    client.request("initialize", &json!({"protocolVersion": "2025-06-18", "capabilities": {}}));
    client.request("resources/subscribe", &json!({"uri": "cairn://item/1"}));
    // Before its first poll the server has nothing to compare with: change the item until it is noticed.
    for n in 0.. {
        run(repository.path(), &["edit", "1", "--title", &format!("Title {n}")]);
        let heard = client.next_within(std::time::Duration::from_secs(2));
        if let Some(notice) = heard {
            assert_eq!(notice["method"], "notifications/resources/updated", "{notice}");
            assert_eq!(notice["params"]["uri"], "cairn://item/1");
            return;
        }
        assert!(n < 60, "nothing is heard");
    }
}
