//! Runs every command of the contract's examples and compares the responses.

use std::fmt::Write as _;
use std::process::Stdio;

use serde_json::{Value, json};
use testkit::TestRepository;

use super::{Quick, TOKEN};
use crate::client::program;

const EXAMPLES: &str = include_str!("examples.md");

/// A command of the examples and its response; `None` if the contract does not show it.
struct Example {
    command: String,
    answer: Option<Value>,
}

/// Parses the commands with the responses that follow them.
fn examples() -> Vec<Example> {
    let mut found: Vec<Example> = Vec::new();
    for block in EXAMPLES.split("```").skip(1).step_by(2) {
        let (language, code) = block.split_once('\n').unwrap_or_default();
        match language {
            "bash" => found.extend(code.split("curl ").skip(1).map(|command| Example {
                command: command.split("\n\n#").next().unwrap_or_default().trim().to_owned(),
                answer: None,
            })),
            // The first response after a command belongs to it; others are examples of errors.
            "json" => {
                let last = found.last_mut().expect("an answer to something");
                let answer: Value = serde_json::from_str(code).unwrap_or_else(|error| panic!("{error}: {code}"));
                if last.answer.is_none() && answer["id"] == last.body()["id"] && !answer["id"].is_null() {
                    last.answer = Some(answer);
                }
            }
            _ => {}
        }
    }
    found
}

impl Example {
    fn headers(&self) -> Vec<(&str, &str)> {
        let headers = self.command.split("-H \"").skip(1).filter_map(|rest| rest.split_once('"')?.0.split_once(": "));
        headers.collect()
    }

    fn body(&self) -> Value {
        let body = self.command.split_once("-d '").and_then(|(_, rest)| rest.split_once('\'')).expect("a body").0;
        serde_json::from_str(body).expect("JSON")
    }
}

/// Creates the project of the examples: task 1 of owner 1 on board 1, and task 42 is the next one.
fn scene(repository: &TestRepository, quick: &Quick) {
    assert_eq!(Quick::board(repository.path(), "Development"), 1);
    let login = json!({"title": "Fix bug in login", "description": "Users cannot log in", "board_id": 1, "priority": 2,
        "size": "medium"});
    assert_eq!(quick.task("create_task", &login)["id"], 1);
    for n in 2..42 {
        assert_eq!(quick.task("create_task", &json!({"title": format!("Task {n}")}))["id"], n);
    }
    crate::client::run(repository.path(), &["edit", "1", "--assign", "me"]);
    let task = quick.task("update_task", &json!({"id": 1, "status": "open"}));
    assert_eq!(task["owner_id"], 1);
}

/// Replaces all timestamps by `2025-01-14T10:00:00Z`.
fn timeless(text: &str) -> String {
    let mut parts = text.split("_at\":\"");
    let mut same = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (moment, rest) = part.split_once('"').unwrap_or((part, ""));
        let is_moment = moment.len() == 20 && moment.ends_with('Z') && moment.as_bytes()[10] == b'T';
        let shown = if is_moment { "2025-01-14T10:00:00Z" } else { moment };
        let _ = write!(same, "_at\":\"{shown}\"{rest}");
    }
    same
}

#[track_caller]
fn check(example: &Example, status: u16, body: &str) {
    let command = &example.command;
    let Some(answer) = &example.answer else {
        // The contract shows no body; only a notification has none.
        let is_notification = example.body().get("id").is_none();
        assert_eq!((status, body.is_empty()), (if is_notification { 202 } else { 200 }, is_notification), "{command}");
        return;
    };
    let expected = answer;
    let got: Value = serde_json::from_str(body).unwrap_or_else(|_| panic!("{command}: {body}"));
    assert_eq!((status, &got["id"]), (200, &expected["id"]), "{command}: {body}");
    let (wanted, result) = (&expected["result"], &got["result"]);
    if let Some(resources) = wanted["resources"].as_array() {
        let all = result["resources"].as_array().expect("a list");
        for resource in resources {
            let found = all.iter().find(|one| one["uri"] == resource["uri"]).expect("it is listed");
            // The contract's list and its task have different descriptions of the same task.
            assert!(resource["description"].as_str().unwrap().starts_with(found["description"].as_str().unwrap()));
            let mut resource = resource.clone();
            resource["description"] = found["description"].clone();
            assert_eq!(*found, resource);
        }
    } else if let Some(tools) = wanted["tools"].as_array() {
        let all = result["tools"].as_array().expect("a list");
        assert_eq!(all.len(), tools.len());
        for (tool, got) in tools.iter().zip(all) {
            let shown =
                json!({"name": got["name"], "description": got["description"], "inputSchema": got["inputSchema"]});
            assert_eq!(shown, *tool);
        }
    } else {
        let texts = [wanted, result].map(|value| {
            let value = value.get("contents").or_else(|| value.get("content")).unwrap_or(value);
            value[0]["text"].as_str().map(timeless)
        });
        match texts {
            [Some(wanted), Some(got)] if wanted.contains("...") => {
                let (first, last) = wanted.split_once("...").expect("it was found");
                assert!(got.starts_with(first), "{got}");
                assert!(got.contains(last.trim_end_matches('}')), "{got}");
            }
            [Some(wanted), Some(got)] => assert_eq!(got, wanted, "{command}"),
            _ => assert_eq!(result, wanted, "{command}"),
        }
    }
}

#[test]
fn every_example_is_answered_as_the_contract_has_it() {
    let repository = TestRepository::new();
    let quick = Quick::start(repository.path());
    scene(&repository, &quick);
    let examples = examples();
    assert_eq!((examples.len(), examples.iter().filter(|example| example.answer.is_some()).count()), (13, 7));
    for example in examples {
        let body = example.body().to_string();
        let (status, _, answer) = quick.served.send_raw("/mcp", "POST", &example.headers(), &body);
        check(&example, status, &answer);
    }
    let done = quick.read("quicksilver://tasks/42");
    assert_eq!(
        (&done["completed_at"], &done["status"], &done["owner_id"]),
        (&json!("2025-01-14"), &json!("done"), &json!(1))
    );
}

#[test]
fn the_examples_work_in_a_shell() {
    let repository = TestRepository::new();
    let is_curl_there = program("curl", repository.path()).arg("--version").stdout(Stdio::null()).status();
    if !is_curl_there.is_ok_and(|status| status.success()) {
        return testkit::skip("there is no `curl` here");
    }
    let quick = Quick::start(repository.path());
    scene(&repository, &quick);
    for example in examples() {
        let command = example.command.replace("localhost:3000", quick.served.authority());
        assert!(command.contains(TOKEN));
        let script = format!("curl --silent --noproxy '*' --write-out '\\n%{{http_code}}' {command}");
        let output = program("sh", repository.path()).args(["-c", &script]).output().expect("it starts");
        let output = String::from_utf8(output.stdout).expect("UTF-8");
        let (body, status) = output.rsplit_once('\n').unwrap_or_else(|| panic!("{script}: {output}"));
        check(&example, status.parse().expect("a status"), body);
    }
}
