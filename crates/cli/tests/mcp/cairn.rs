//! The `cairn` dialect: a small set of tools over all features.

use serde_json::{Value, json};
use testkit::{TestRepository, redact};

use crate::client::{Client, run};

fn start(repository: &TestRepository) -> Client {
    Client::start_with(repository.path(), &["--dialect", "cairn"])
}

/// Calls a tool, which must succeed, and returns its structured content. The text is not a second copy of it.
fn call(client: &mut Client, name: &str, arguments: &Value) -> Value {
    let answer = client.call(name, arguments);
    assert_ne!(answer["result"]["isError"], true, "{answer}");
    let text = answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"));
    assert!(serde_json::from_str::<Value>(text).is_err(), "{text}");
    answer["result"]["structuredContent"].clone()
}

/// Calls a tool and returns its text.
fn text(client: &mut Client, name: &str, arguments: &Value) -> String {
    let answer = client.call(name, arguments);
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

#[test]
fn work_is_made_changed_and_found() {
    let repository = TestRepository::new();
    let mut client = start(&repository);
    let given =
        json!({"kind": "issue", "title": "Login fails", "labels": ["bug"], "priority": 8, "description": "On iOS."});
    let made = call(&mut client, "create", &given)["items"][0].clone();
    assert_eq!((&made["number"], &made["priority"], &made["kind"]), (&json!(1), &json!(8), &json!("issue")));
    let ready = call(&mut client, "ready", &json!({}));
    assert_eq!((&ready["items"][0]["number"], &ready["total"], &ready["returned"]), (&json!(1), &json!(1), &json!(1)));
    let changed = call(&mut client, "update", &json!({"id": 1, "title": "Login fails on Safari", "priority": "7"}));
    assert_eq!(
        (&changed["items"][0]["title"], &changed["items"][0]["priority"]),
        (&json!("Login fails on Safari"), &json!(7))
    );
    // Null counts as absent; an empty text clears a field.
    call(&mut client, "update", &json!({"id": "1", "priority": null, "description": "", "size": null}));
    call(&mut client, "comment", &json!({"id": "1", "text": "Also on Firefox."}));
    assert_eq!(call(&mut client, "search", &json!({"text": "firefox"}))["total"], 1);
    let listed = call(&mut client, "list", &json!({"filter": "labels ~ bug", "kind": "issue"}));
    assert_eq!(listed["items"][0]["title"], "Login fails on Safari");
    assert_eq!(call(&mut client, "list", &json!({"sort": "priority:desc"}))["total"], 1);
    let shown = call(&mut client, "show", &json!({"id": 1}))["items"][0].clone();
    let expected: Value = serde_json::from_str(&run(repository.path(), &["show", "1", "--json"])).unwrap();
    assert!(shown.get("description").is_none() && expected["description"] == "", "{shown}");
    for (key, value) in shown.as_object().unwrap().iter().filter(|(key, _)| *key != "comments") {
        assert_eq!(value, &expected[key], "{key}");
    }
    assert_eq!(shown["comments"][0]["body"], expected["comments"][0]["body"]);
}

/// Returns the short form of a message's id.
fn short(message: &Value) -> &str {
    let id = message["id"].as_str().unwrap();
    &id[id.len() - 6..]
}

#[test]
fn context_answers_from_everything() {
    let repository = TestRepository::new();
    std::fs::write(repository.path().join("lib.rs"), "fn pay() {\n    charge();\n}\n").unwrap();
    repository.git(&["add", "."]);
    repository.git(&["commit", "-qm", "code"]);
    run(repository.path(), &["new", "task", "Check payments"]);
    run(repository.path(), &["link", "1", "--touches", "lib.rs:pay"]);
    let send = ["inbox", "send", "--file", "lib.rs", "--line", "2", "--comment", "Twice?", "--json"];
    let sent: Value = serde_json::from_str(&run(repository.path(), &send)).unwrap();
    let mut client = start(&repository);
    let context = text(&mut client, "context", &json!({"path": "lib.rs", "anchor": "pay"}));
    insta::assert_snapshot!(redact(&context).replace(short(&sent), "<id>"), @"
    # lib.rs `pay` lines 1-3
    ## Messages
    - <id> fix by Ada Lovelace, lines 2: Twice?
    ## Open items
    - #1 task backlog Check payments
    ## Last commits
    - <id> 2026-01-01 Ada Lovelace: code
    ");
    let piped = run(repository.path(), &["context", "lib.rs", "pay"]);
    assert_eq!(piped.trim_end(), context.trim_end(), "the command line shows the same");
    let taken = call(&mut client, "inbox", &json!({}));
    let id = taken["items"][0]["id"].as_str().unwrap().to_owned();
    let replied = call(&mut client, "inbox_reply", &json!({"id": id, "text": "Once is enough.", "resolves": true}));
    assert_eq!(replied["items"][0]["state"], "resolved");
    assert_eq!(call(&mut client, "inbox", &json!({}))["total"], 0);
}

#[test]
fn errors_are_results_that_the_model_reads() {
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
        ("list", json!({"limit": 201})),
        ("list", json!({"filter": "status =="})),
        ("inbox_reply", json!({"id": "nothing", "text": "x"})),
    ] {
        let answer = client.call(name, &arguments);
        assert_eq!(answer["result"]["isError"], true, "{name} {arguments} {answer}");
    }
}

#[test]
fn a_misspelled_argument_is_refused_and_nothing_is_written() {
    let repository = TestRepository::new();
    let mut client = start(&repository);
    let refusals = [
        ("create", json!({"kind": "task", "title": "x", "descriptions": "y"})),
        ("update", json!({"id": 1, "assignees": "me"})),
        ("list", json!({"filters": "status == open"})),
    ]
    .map(|(name, arguments)| {
        let answer = client.call(name, &arguments);
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        answer["result"]["content"][0]["text"].as_str().unwrap().to_owned()
    });
    insta::assert_snapshot!(refusals.join("\n"), @"
    unknown argument `descriptions`; did you mean `description`?
    unknown argument `assignees`; did you mean `assignee`?
    unknown argument `filters`; did you mean `filter`?
    ");
    assert_eq!(call(&mut client, "list", &json!({}))["total"], 0);
}

/// In `OpenAI`'s strict mode a model sends all arguments of a schema: null or an empty value for those it would omit.
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
        "create": {"title": "Made"}, "comment": {"id": "1", "text": "Said"},
        "link": {"id": "1", "type": "touches", "to": "lib.rs"}, "annotate": {"path": "lib.rs", "intent": "pays"},
    });
    call(&mut client, "create", &json!({"kind": "task", "title": "Made", "priority": 3, "description": "Kept"}));
    let before = call(&mut client, "show", &json!({"id": 1}))["items"][0].clone();
    let remark = call(&mut client, "inbox", &json!({}))["items"][0]["id"].clone();
    let listed = client.request("tools/list", &json!({}))["result"]["tools"].clone();
    for tool in listed.as_array().unwrap() {
        let name = tool["name"].as_str().unwrap();
        let mut arguments = needed.get(name).cloned().unwrap_or_else(|| json!({}));
        if name == "inbox_reply" {
            arguments = json!({"id": remark, "text": "No"});
        }
        if name == "sync" {
            continue;
        }
        let plain = (tool["annotations"]["readOnlyHint"] == true).then(|| call(&mut client, name, &arguments));
        for (argument, property) in tool["inputSchema"]["properties"].as_object().unwrap() {
            if arguments.get(argument).is_none() {
                arguments[argument] = nothing(property);
            }
        }
        let strict = call(&mut client, name, &arguments);
        assert!(plain.is_none_or(|plain| plain == strict), "{name}: {strict}");
        if name == "update" {
            let after = call(&mut client, "show", &json!({"id": 1}))["items"][0].clone();
            assert_eq!((&after, strict["returned"].as_u64()), (&before, Some(1)));
        }
    }
}

/// Returns the value of an argument that a model would omit.
fn nothing(property: &Value) -> Value {
    if property["enum"].is_array() {
        return json!("task");
    }
    match property["type"].as_str() {
        Some("string") => json!(""),
        Some("array") => json!([]),
        Some("boolean") => json!(false),
        Some("integer") => json!(0),
        _ => Value::Null,
    }
}

#[test]
fn drafts_are_visible_to_their_sender_only() {
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
    let context = text(&mut client, "context", &json!({"path": "lib.rs"}));
    assert!(!context.contains("secret"), "{context}");
    assert_eq!(call(&mut client, "inbox", &json!({}))["total"], 0);
    let replied = client.call("inbox_reply", &json!({"id": drafted["id"], "text": "seen"}));
    assert!(replied["result"]["content"][0]["text"].as_str().unwrap().starts_with("message not found"), "{replied}");
    let mut lazygit = Client::start_with(repository.path(), &["--dialect", "lazygit"]);
    let read = lazygit.request("resources/read", &json!({"uri": "lazygit://messages"}));
    assert!(!read.to_string().contains("secret"), "{read}");
    assert!(!run(repository.path(), &["context", "lib.rs"]).contains("secret"));
    assert!(!run(repository.path(), &["context", "lib.rs", "--json"]).contains("secret"));
    let listed = run(repository.path(), &["inbox", "list"]);
    insta::assert_snapshot!(listed.replace(short(&drafted), "<id>"), @"
    ID      STATE  KIND  WHERE     COMMENT
    <id>  draft  fix   lib.rs:2  secret
    ");
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
    assert_eq!(listed["result"]["resources"][0]["uri"], "cairn://inbox", "{listed}");
    assert_eq!(listed["result"]["resources"][1]["uri"], "cairn://item/1", "{listed}");
    let read = client.request("resources/read", &json!({"uri": "cairn://item/1"}));
    insta::assert_snapshot!(redact(read["result"]["contents"][0]["text"].as_str().unwrap()), @r#"{"id":"<id>","number":1,"kind":"task","title":"First","description":"","status":"backlog","state":"open","category":"todo","labels":[],"assignee":null,"assignees":[],"author":"Ada Lovelace <ada@example.com>","priority":0,"size":null,"severity":null,"type":null,"board":null,"milestone":null,"parent":null,"blocks":[],"blockedBy":[],"relates":[],"touches":[],"blocked":{"is":false,"reason":null},"approved":false,"started":null,"expected":null,"completed":null,"due":null,"colour":null,"rank":"a1","commentCount":0,"created":"<moment>","updated":"<moment>","imported":null,"formerNumbers":[],"deleted":false,"revision":"<id>","extra":{},"comments":[],"children":[],"formerlyThisNumber":[],"commits":[]}"#);
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
    for reference in [
        json!({"type": "ref/prompt", "name": "before-edit"}),
        json!({"type": "ref/resource", "uri": "cairn://file/{path}"}),
    ] {
        let typed = json!({"ref": reference, "argument": {"name": "path", "value": "li"}});
        let completed = client.request("completion/complete", &typed);
        assert_eq!(completed["result"]["completion"]["values"], json!(["lib.rs"]), "{completed}");
    }
    let read = client.request("resources/read", &json!({"uri": "cairn://file/lib.rs"}));
    assert_eq!(read["result"]["contents"][0]["mimeType"], "text/markdown");
    assert!(read["result"]["contents"][0]["text"].as_str().unwrap().starts_with("# lib.rs\n"), "{read}");
    let send = ["inbox", "send", "--file", "lib.rs", "--comment", "Twice?", "--json"];
    let sent: Value = serde_json::from_str(&run(repository.path(), &send)).unwrap();
    let read = client.request("resources/read", &json!({"uri": "cairn://inbox"}));
    insta::assert_snapshot!(redact(read["result"]["contents"][0]["text"].as_str().unwrap()), @r#"{"items":[{"id":"<id>","thread":"<id>","state":"sent","kind":"fix","file":"lib.rs","lines":null,"side":"new","comment":"Twice?","commit":null,"excerpt":null,"excerptHash":null,"anchor":null,"code":null,"author":"Ada Lovelace <ada@example.com>","at":"<moment>","deliveredAt":null,"again":false,"replies":[]}],"total":1}"#);
    assert_eq!(call(&mut client, "inbox", &json!({}))["total"], 1, "reading a resource takes nothing");
    let prompt = client.request("prompts/get", &json!({"name": "before-edit", "arguments": {"path": "lib.rs"}}));
    let text = prompt["result"]["messages"][0]["content"]["text"].as_str().unwrap();
    insta::assert_snapshot!(redact(text).replace(short(&sent), "<id>"), @"
    This is known about `lib.rs`. Before anything is changed, say in a few sentences what the code is for, what must stay true, what relies on it, and which open items and messages are about it.

    # lib.rs
    ## Messages
    - <id> fix by Ada Lovelace: Twice?
    ## Last commits
    - <id> 2026-01-01 Ada Lovelace: code
    ");
    let prompt = client.request("prompts/get", &json!({"name": "start-work", "arguments": {"number": "1"}}));
    insta::assert_snapshot!(redact(prompt["result"]["messages"][0]["content"]["text"].as_str().unwrap()), @"
    Work on this item of the project. Claim it with `update` and `claim`; if someone has it, take another one. Call `context` for each file before you change it, and say in a few sentences what you will do. Name the item in the commit message (`Fixes #N`), record reasons with `annotate`, and findings with `comment`.

    #1 task backlog First
    id: <id>
    state: open
    author: Ada Lovelace <ada@example.com>
    created: <moment>
    updated: <moment>
    revision: <id>
    ");
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
fn subscribers_are_notified_of_every_change() {
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

/// Sends a request and answers each question of the server with `action`; returns the response and the questions.
fn ask_with(client: &mut Client, params: &Value, action: &str) -> (Value, Vec<Value>) {
    client.line(&json!({"jsonrpc": "2.0", "id": "asked", "method": "tools/call", "params": params}).to_string());
    let mut questions = Vec::new();
    loop {
        let message = client.next();
        if message["method"] == "elicitation/create" {
            let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": {"action": action, "content": {}}});
            client.line(&answer.to_string());
            questions.push(message["params"]["message"].clone());
        } else if message["id"] == "asked" {
            return (message, questions);
        }
    }
}

#[test]
fn a_client_that_can_ask_its_person_asks_before_a_delete() {
    let repository = TestRepository::new();
    run(repository.path(), &["new", "task", "First"]);
    let mut client = start(&repository);
    let capabilities = json!({"elicitation": {}});
    client.request(
        "initialize",
        &json!({"protocolVersion": "2025-11-25", "capabilities": capabilities,
        "clientInfo": {"name": "asking", "version": "1"}}),
    );
    client.line(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    let delete = json!({"name": "update", "arguments": {"id": 1, "deleted": true}});
    let (declined, questions) = ask_with(&mut client, &delete, "decline");
    assert_eq!(questions, [json!("Delete #1 First?")]);
    assert_eq!(declined["result"]["isError"], true, "{declined}");
    assert_eq!(call(&mut client, "list", &json!({}))["total"], 1);
    let (accepted, _) = ask_with(&mut client, &delete, "accept");
    assert_eq!(accepted["result"]["content"][0]["text"], "#1 task backlog First deleted", "{accepted}");
    assert_eq!(call(&mut client, "list", &json!({}))["total"], 0);
}

#[test]
fn a_long_call_reports_progress() {
    let repository = TestRepository::new();
    repository.git(&["commit", "--quiet", "--allow-empty", "--message=Start"]);
    let hub = repository.directory_path().join("hub.git");
    repository.git(&["init", "--quiet", "--bare", hub.to_str().unwrap()]);
    repository.git(&["remote", "add", "origin", hub.to_str().unwrap()]);
    run(repository.path(), &["new", "task", "First"]);
    let mut client = start(&repository);
    client.request("initialize", &json!({"protocolVersion": "2025-11-25", "capabilities": {}}));
    let params = json!({"name": "sync", "arguments": {}, "_meta": {"progressToken": "p"}});
    client.line(&json!({"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": params}).to_string());
    let progress = client.next();
    assert_eq!(
        (&progress["method"], &progress["params"]["progressToken"]),
        (&json!("notifications/progress"), &json!("p"))
    );
    let answer = std::iter::repeat_with(|| client.next()).find(|message| message["id"] == 9).unwrap();
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert_eq!(text, "origin: received 0 changes, sent 1", "{answer}");
}

#[test]
fn of_processes_that_claim_at_once_one_wins() {
    const N_AGENTS: usize = 4;
    let repository = TestRepository::new();
    run(repository.path(), &["new", "task", "First"]);
    let start_together = std::sync::Barrier::new(N_AGENTS);
    let answers: Vec<Value> = std::thread::scope(|scope| {
        let agents: Vec<_> = (0..N_AGENTS)
            .map(|_| {
                scope.spawn(|| {
                    let mut client = start(&repository);
                    client.call("list", &json!({}));
                    start_together.wait();
                    client.call("update", &json!({"id": 1, "claim": true}))["result"].clone()
                })
            })
            .collect();
        agents.into_iter().map(|agent| agent.join().unwrap()).collect()
    });
    let (lost, won): (Vec<&Value>, Vec<&Value>) = answers.iter().partition(|answer| answer["isError"] == true);
    assert_eq!((won.len(), lost.len()), (1, N_AGENTS - 1), "{answers:?}");
    let item: Value = serde_json::from_str(&run(repository.path(), &["show", "1", "--json"])).unwrap();
    let day = &item["started"].as_str().unwrap()[..10];
    for answer in lost {
        let text = answer["content"][0]["text"].as_str().unwrap();
        insta::allow_duplicates! {
            insta::assert_snapshot!(text.replace(day, "<day>"), @"
            task #1 `First` is taken: in progress since <day>, by Ada Lovelace <ada@example.com> (you)
            hint: choose another one from `ready`
            ");
        }
    }
}
