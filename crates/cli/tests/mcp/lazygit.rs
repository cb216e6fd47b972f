//! The `lazygit` dialect: every request in its contract gets the response shown there.

use std::path::Path;

use serde_json::{Value, json};
use testkit::TestRepository;

use crate::client::{Client, cairn, finish, program, run};

fn project() -> TestRepository {
    let repository = TestRepository::new();
    let code: Vec<String> = (1..=60).map(|n| format!("line {n}")).collect();
    let code = code.join("\n") + "\n";
    std::fs::create_dir(repository.path().join("src")).unwrap();
    std::fs::write(repository.path().join("src/main.go"), code).unwrap();
    repository
}

fn start(folder: &Path) -> Client {
    Client::start_with(folder, &["--dialect", "lazygit"])
}

fn send(folder: &Path, line: &str, comment: &str) {
    run(folder, &["inbox", "send", "--file", "src/main.go", "--line", line, "--comment", comment]);
}

fn check(client: &mut Client) -> String {
    let answer = client.call("check_lazygit_messages", &json!({}));
    assert_eq!(answer["result"].as_object().unwrap().len(), 1, "{answer}");
    answer["result"]["content"][0]["text"].as_str().unwrap().to_owned()
}

#[test]
fn the_contracts_own_session_is_answered_to_the_letter() {
    let project = project();
    let mut client = start(project.path());
    let answer = client.request("initialize", &json!({"protocolVersion": "2024-11-05", "capabilities": {}}));
    let expected = json!({
        "protocolVersion": "2024-11-05",
        "capabilities": {"resources": {"subscribe": true, "listChanged": true}, "tools": {"listChanged": false}},
        "serverInfo": {"name": "lazygit-mcp-bridge", "version": "1.0.0"},
    });
    assert_eq!(answer["result"], expected);
    // As in the contract's diagram, and sent by older clients.
    client.line(r#"{"jsonrpc":"2.0","method":"initialized"}"#);

    let tools = client.request("tools/list", &json!({}));
    let tool = &tools["result"]["tools"][0];
    assert_eq!(tools["result"]["tools"].as_array().unwrap().len(), 1);
    assert_eq!(tool["name"], "check_lazygit_messages");
    assert_eq!(tool["description"], "Check for new messages from lazygit");
    assert_eq!(tool["inputSchema"], json!({"type": "object", "properties": {}}));

    let nothing = json!({"content": [{"type": "text", "text": "No new messages from lazygit"}]});
    assert_eq!(client.call("check_lazygit_messages", &json!({}))["result"], nothing);
    send(project.path(), "42", "This function needs error handling");
    let text = "File: src/main.go\nLine: 42\nComment: This function needs error handling\n\nPlease improve this code.";
    let one = json!({"content": [{"type": "text", "text": text}]});
    let seen = client.request("resources/read", &json!({"uri": "lazygit://messages"}));
    let contents = json!({"contents": [{"uri": "lazygit://messages", "mimeType": "text/plain", "text": text}]});
    assert_eq!(seen["result"], contents, "reading takes nothing");
    assert_eq!(client.call("check_lazygit_messages", &json!({}))["result"], one);
    assert_eq!(client.call("check_lazygit_messages", &json!({}))["result"], nothing);

    let listed = client.request("resources/list", &json!({}));
    let resource = json!({
        "uri": "lazygit://messages",
        "name": "Lazygit Messages",
        "description": "Messages from lazygit for code improvement",
        "mimeType": "text/plain",
    });
    assert_eq!(listed["result"], json!({"resources": [resource]}));

    let unknown = client.request("nonsense", &json!({}));
    assert_eq!(unknown["error"], json!({"code": -32601, "message": "Method not found"}));
    for (method, params) in [
        ("tools/call", json!({"name": "nonsense"})),
        ("tools/call", json!({"name": "check_lazygit_messages", "arguments": []})),
        ("resources/read", json!({"uri": "lazygit://nonsense"})),
        ("resources/subscribe", json!({})),
        ("resources/subscribe", json!({"uri": "lazygit://nonsense"})),
    ] {
        let answer = client.request(method, &params);
        assert_eq!(answer["error"], json!({"code": -32602, "message": "Invalid params"}), "{method} {params}");
    }
    client.line("{half");
    assert_eq!(client.next()["error"], json!({"code": -32700, "message": "Parse error"}));
    client.line("{}");
    assert_eq!(client.next()["error"], json!({"code": -32600, "message": "Invalid request"}));
    let (rest, status) = client.finish();
    assert!(rest.is_empty() && status.success(), "{rest:?}");
}

/// Sends every request of the contract's text; each response is the one after it, except for keys that the contract
/// does not mention.
#[test]
fn every_example_of_the_contract_is_answered_as_it_is_written() {
    let project = project();
    let mut client = start(project.path());
    let mut asked = Value::Null;
    let mut n_answers = 0;
    for example in examples() {
        if example["method"] == "notifications/message" {
            // Sent to subscribers only, which the contract's last example covers; see `subscribers_hear…`.
            assert_eq!(example["params"]["message"], "New message from lazygit");
        } else if example.get("method").is_some() {
            asked = example;
        } else if example.get("error").is_some() {
            client.line(&json!({"jsonrpc": "2.0", "id": example["id"], "method": "no/such"}).to_string());
            assert_eq!(client.next(), example);
            n_answers += 1;
        } else {
            let shown = example["result"].to_string();
            if let Some((_, rest)) = shown.split_once("Comment: ") {
                send(project.path(), "42", rest.split_once("\\n").unwrap().0);
            }
            client.line(&asked.to_string());
            assert_eq!(without_additions(client.next()), example);
            if asked["method"] == "resources/read" {
                check(&mut client);
            }
            n_answers += 1;
        }
    }
    assert_eq!((n_answers, &asked["method"]), (7, &json!("resources/subscribe")));
    client.line(&asked.to_string());
    assert_eq!(client.next(), json!({"jsonrpc": "2.0", "id": asked["id"], "result": {}}));
}

fn examples() -> Vec<Value> {
    let blocks = include_str!("seeds/lazygit.md").split("```json\n").skip(1);
    blocks.map(|block| serde_json::from_str(block.split_once("```").unwrap().0).unwrap()).collect()
}

/// Removes keys that later protocol versions add to a tool.
fn without_additions(mut answer: Value) -> Value {
    for tool in answer["result"]["tools"].as_array_mut().into_iter().flatten() {
        let tool = tool.as_object_mut().unwrap();
        tool.remove("title");
        tool.remove("annotations");
    }
    // Removes keys that the lookup above created as null.
    let result = answer["result"].as_object_mut().unwrap();
    result.retain(|_, value| !value.is_null());
    answer
}

#[test]
fn several_messages_come_oldest_first_between_rules() {
    let project = project();
    send(project.path(), "1", "first");
    send(project.path(), "all", "second");
    let text = check(&mut start(project.path()));
    let rule = "-".repeat(50);
    let expected = format!(
        "File: src/main.go\nLine: 1\nComment: first\n\nPlease improve this code.\n{rule}\n\
         File: src/main.go\nComment: second\n\nPlease improve this code."
    );
    assert_eq!(text, expected);
}

#[test]
fn moved_and_deleted_code_is_reported() {
    let project = project();
    send(project.path(), "42", "move");
    send(project.path(), "7", "remove");
    let file = project.path().join("src/main.go");
    let code = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, format!("new\nnew\n{}", code.replace("line 7\n", "other\n"))).unwrap();
    let text = check(&mut start(project.path()));
    insta::assert_snapshot!(testkit::redact(&text), @"
    File: src/main.go
    Line: 42
    Comment: move
    Note: was line 42, now 44

    Please improve this code.
    --------------------------------------------------
    File: src/main.go
    Line: 7
    Comment: remove
    Note: was line 7; these lines are gone

    Please improve this code.
    ");
}

#[test]
fn subscribers_are_notified_of_each_new_message() {
    let project = project();
    let mut client = start(project.path());
    client.request("initialize", &json!({"protocolVersion": "2024-11-05", "capabilities": {}}));
    let subscribed = client.request("resources/subscribe", &json!({"uri": "lazygit://messages"}));
    assert_eq!(subscribed["result"], json!({}));
    send(project.path(), "42", "hello");
    let mut heard = [client.next(), client.next()];
    heard.sort_by_key(|notice| notice["method"].to_string());
    let log = json!({
        "level": "info",
        "logger": "lazygit",
        "message": "New message from lazygit",
        "data": {"file": "src/main.go", "line": "42"},
    });
    assert_eq!((&heard[0]["method"], &heard[0]["params"]), (&json!("notifications/message"), &log));
    let updated = json!({"uri": "lazygit://messages"});
    assert_eq!((&heard[1]["method"], &heard[1]["params"]), (&json!("notifications/resources/updated"), &updated));
    let left = client.request("resources/unsubscribe", &json!({"uri": "lazygit://messages"}));
    assert_eq!(left["result"], json!({}));
}

#[test]
fn the_bridge_works_under_its_old_name() {
    let project = project();
    let links = project.directory_path().join("bin");
    finish(cairn(project.path()).args(["compat", "link", "--dir"]).arg(&links));
    let bridge = links.join("lazygit-mcp-bridge");
    let bridge = bridge.to_str().unwrap();
    let comment = "quotes \" ' $(touch pwned) `id` 🎉";
    finish(program(bridge, project.path()).args([
        "send",
        "--file",
        "src/main.go",
        "--line",
        "3",
        "--comment",
        comment,
    ]));
    let mut server = program(bridge, project.path());
    server.arg("server").stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    let mut server = server.spawn().unwrap();
    let call =
        json!({"jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": {"name": "check_lazygit_messages"}});
    let mut input = server.stdin.take().unwrap();
    std::io::Write::write_all(&mut input, format!("{call}\n").as_bytes()).unwrap();
    drop(input);
    let output = server.wait_with_output().unwrap();
    assert!(output.status.success());
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains(&format!("Comment: {comment}\n")), "{text}");
}

#[test]
fn a_message_goes_to_one_of_two_servers() {
    let project = project();
    project.git(&["add", "."]);
    project.git(&["commit", "-qm", "code"]);
    let other = project.directory_path().join("other");
    project.git(&["worktree", "add", "-q", other.to_str().unwrap()]);
    let (mut here, mut there) = (start(project.path()), start(&other));
    send(&other, "5", "once");
    let texts = [check(&mut here), check(&mut there)];
    assert_eq!(texts.iter().filter(|text| text.contains("Comment: once")).count(), 1, "{texts:?}");
}

#[test]
fn changed_code_is_looked_for_where_its_function_is() {
    let project = TestRepository::new();
    let file = project.path().join("lib.rs");
    std::fs::write(&file, "fn other() {}\n\nfn pay(amount: u64) {\n    charge(amount);\n}\n").unwrap();
    run(project.path(), &["inbox", "send", "--file", "lib.rs", "--line", "4", "--comment", "check it"]);
    std::fs::write(&file, "fn pay(amount: u64) {\n    charge(checked(amount));\n}\n").unwrap();
    let text = check(&mut start(project.path()));
    insta::assert_snapshot!(testkit::redact(&text), @"
    File: lib.rs
    Line: 4
    Comment: check it
    Note: line 4 changed since; `pay` is now at 1-3

    Please improve this code.
    ");
}

/// Sends messages that contain their sender and number.
fn send_many(folder: &Path, sender: usize, n_messages: usize) {
    for n in 0..n_messages {
        let comment = format!("from {sender} number {n} end");
        run(folder, &["inbox", "send", "--file", "src/main.go", "--comment", &comment]);
    }
}

/// Returns sender, number and duplicate mark of each message in a response.
fn received(answer: &Value) -> Vec<(usize, usize, bool)> {
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    let rule = "-".repeat(50);
    let messages = text.split(&rule).filter_map(|message| {
        let words = message.split("Comment: from ").nth(1)?.split(" end").next()?;
        let (sender, number) = words.split_once(" number ")?;
        Some((sender.parse().unwrap(), number.parse().unwrap(), message.contains("Note: this message may have been")))
    });
    messages.collect()
}

#[test]
fn nothing_is_lost_while_servers_are_killed() {
    const N_SENDERS: usize = 8;
    const N_MESSAGES: usize = 200;
    const N_KILLS: usize = 20;
    let project = project();
    let folder = project.path();
    let mut heard: Vec<(usize, usize, bool)> = Vec::new();
    std::thread::scope(|scope| {
        let senders: Vec<_> =
            (0..N_SENDERS).map(|sender| scope.spawn(move || send_many(folder, sender, N_MESSAGES))).collect();
        let mut n_kills = 0;
        loop {
            let is_over = n_kills == N_KILLS && senders.iter().all(std::thread::ScopedJoinHandle::is_finished);
            let mut client = start(folder);
            for _ in 0..10 {
                heard.extend(received(&client.call("check_lazygit_messages", &json!({}))));
            }
            if is_over {
                break;
            }
            // One more request is in flight when the server is killed.
            client.line(
                r#"{"jsonrpc":"2.0","id":"last","method":"tools/call","params":{"name":"check_lazygit_messages"}}"#,
            );
            if n_kills < N_KILLS {
                finish(std::process::Command::new("kill").args(["-9", &client.pid().to_string()]));
                n_kills += 1;
                let (rest, _) = client.wait();
                heard.extend(rest.iter().flat_map(received));
            } else {
                let (rest, _) = client.finish();
                heard.extend(rest.iter().flat_map(received));
            }
        }
    });
    for sender in 0..N_SENDERS {
        let own: Vec<_> = heard.iter().filter(|(who, _, _)| *who == sender).collect();
        let mut first: Vec<usize> = Vec::new();
        for (_, number, is_marked) in own {
            assert!(!first.contains(number) || *is_marked, "{sender}: {number} came twice, unmarked");
            if !first.contains(number) {
                first.push(*number);
            }
        }
        assert_eq!(first, (0..N_MESSAGES).collect::<Vec<_>>(), "sender {sender}");
    }
}
