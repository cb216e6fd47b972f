//! The exact result of every tool, one line per call. `just accept` records the files again; review the difference.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use dialects::taiga::TAIGA;
use serde_json::{Value, json};

use super::bench::{Bench, EMPTY_PROJECT};

/// A sequence of calls that gives every tool something to work on. `STORY` and similar words stand for ids.
fn story_of_a_project(bench: &Bench) -> Vec<(&'static str, Value)> {
    let person = bench.somebody();
    let status = |entity: &str| bench.status(entity, 1);
    vec![
        ("list_projects", json!({})),
        ("get_members", json!({})),
        ("get_statuses", json!({"entity": "epic"})),
        (
            "create_epic",
            json!({"subject": "Payments", "description": "All of it.", "color": "#36b37e", "tags": ["money"]}),
        ),
        (
            "create_user_story",
            json!({"subject": "Pay by card", "epicId": "EPIC", "priority": "high", "assignedToId": person}),
        ),
        (
            "create_task",
            json!({"userStoryId": "STORY", "subject": "Ask the bank", "priority": "low", "tags": ["call"]}),
        ),
        (
            "create_issue",
            json!({"subject": "Cards are refused", "severity": "Minor", "type": "Bug", "priority": "normal"}),
        ),
        ("update_epic", json!({"id": "EPIC", "statusId": status("epic"), "subject": "Paying"})),
        ("update_user_story", json!({"id": "STORY", "blocked": {"isBlocked": true, "reason": "No contract"}})),
        ("update_task", json!({"id": "TASK", "statusId": status("task"), "assignedToId": person})),
        ("update_issue", json!({"id": "ISSUE", "description": "Some of them.", "tags": ["cards"]})),
        ("get_epic", json!({"id": "EPIC"})),
        ("get_user_story", json!({"id": "STORY"})),
        ("get_task", json!({"id": "TASK"})),
        ("get_issue", json!({"id": "ISSUE"})),
        ("list_epics", json!({})),
        ("list_user_stories", json!({"epicId": "EPIC"})),
        ("list_tasks", json!({"userStoryId": "STORY"})),
        ("list_issues", json!({"severity": "Minor", "limit": 1})),
        ("search_epics", json!({"query": "paying"})),
        ("search_user_stories", json!({"query": "card"})),
        ("search_tasks", json!({"query": "bank"})),
        ("search_issues", json!({"query": "refused"})),
        ("delete_task", json!({"id": "TASK"})),
        ("delete_issue", json!({"id": "ISSUE"})),
        ("delete_user_story", json!({"id": "STORY"})),
        ("delete_epic", json!({"id": "EPIC"})),
    ]
}

/// A valid call of each tool that refers to a missing object where possible.
fn absent() -> Vec<(String, Value)> {
    const NOWHERE: u64 = 888_888;
    let mut calls = Vec::new();
    for tool in ["get_project", "set_active_project"] {
        calls.push((tool.to_owned(), json!({"projectId": NOWHERE})));
        calls.push((tool.to_owned(), json!({"projectSlug": "nowhere"})));
    }
    for (one, many) in [("epic", "epics"), ("user_story", "user_stories"), ("task", "tasks"), ("issue", "issues")] {
        calls.push((format!("get_{one}"), json!({"id": NOWHERE})));
        calls.push((format!("update_{one}"), json!({"id": NOWHERE, "subject": "x"})));
        calls.push((format!("delete_{one}"), json!({"id": NOWHERE})));
        calls.push((format!("list_{many}"), json!({"statusIds": [NOWHERE]})));
        calls.push((format!("search_{many}"), json!({"query": "x", "assigneeIds": [NOWHERE]})));
        let mut new = json!({"subject": "x", "assignedToId": NOWHERE});
        if one == "task" {
            new = json!({"subject": "x", "userStoryId": NOWHERE});
        }
        calls.push((format!("create_{one}"), new));
    }
    calls
}

/// For each tool: no arguments, an unknown one, and each argument with an invalid value.
fn refused() -> Vec<(String, Value)> {
    let mut calls = Vec::new();
    for tool in TAIGA.tools {
        let name = tool.name.trim_start_matches("taiga.");
        let schema = Value::Object((tool.input)());
        calls.push((name.to_owned(), json!({"surprise": true})));
        for (field, property) in schema["properties"].as_object().unwrap() {
            let wrong = if property["type"] == "object" { json!("wrong") } else { json!({"wrong": true}) };
            calls.push((name.to_owned(), json!({field: wrong})));
        }
    }
    calls
}

/// Runs calls and writes a line for each; ids of created objects are replaced by names.
fn record(bench: &Bench, calls: impl IntoIterator<Item = (impl Into<String>, Value)>) -> String {
    let mut lines = String::new();
    let mut ids: Vec<(&str, u64)> = Vec::new();
    for (tool, given) in calls {
        let tool = tool.into();
        let given = ids.iter().fold(given, |given, (word, id)| named(given, word, *id));
        let envelope = bench.call(&tool, &given);
        let id = envelope["data"]["id"].as_u64();
        let made = [
            ("create_epic", "EPIC"),
            ("create_user_story", "STORY"),
            ("create_task", "TASK"),
            ("create_issue", "ISSUE"),
        ];
        if let (Some((_, word)), Some(id)) = (made.iter().find(|(name, _)| *name == tool), id) {
            ids.push((word, id));
        }
        writeln!(lines, "{}", line(&tool, &given, envelope)).unwrap();
    }
    lines
}

fn named(mut given: Value, word: &str, id: u64) -> Value {
    for value in given.as_object_mut().unwrap().values_mut().filter(|value| **value == word) {
        *value = json!(id);
    }
    given
}

fn line(tool: &str, given: &Value, mut envelope: Value) -> String {
    if let Some(trace) = envelope.pointer_mut("/error/_traceId") {
        *trace = json!("UUID");
    }
    if let Some(pause) = envelope.pointer_mut("/error/retryAfterMs") {
        *pause = json!("PAUSE");
    }
    // The unreachable address differs in each run.
    if let Some(reason) = envelope.pointer_mut("/error/details/reason") {
        *reason = json!("REASON");
    }
    format!("{tool} {given}\n    {envelope}")
}

#[track_caller]
fn compare(name: &str, found: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/taiga").join(name);
    testkit::check_recorded(&path, found);
}

#[test]
fn answers_on_the_repository_are_as_recorded() {
    let bench = Bench::local();
    let text = record(&bench, story_of_a_project(&bench)) + &record(&bench, absent()) + &record(&bench, refused());
    compare("recorded-local.txt", &text);
}

#[test]
fn answers_of_a_server_are_as_recorded() {
    let bench = Bench::remote_project();
    let text = record(&bench, story_of_a_project(&bench)) + &record(&bench, absent());
    compare("recorded-server.txt", &text);
}

/// Argument errors have the same text on both back ends.
#[test]
fn refusals_do_not_depend_on_the_back_end() {
    assert_eq!(record(&Bench::local(), refused()), record(&Bench::remote_project(), refused()));
}

/// Errors about missing objects have the same text on both back ends.
#[test]
fn not_found_is_the_same_on_both_back_ends() {
    assert_eq!(record(&Bench::local(), absent()), record(&Bench::remote_project(), absent()));
}

/// Each tool on a server that asks for a pause, and on an unreachable one. Each call has its own state, since a server
/// that asked for a pause is not called again before it is over.
#[test]
fn trouble_with_the_server_is_as_recorded() {
    let bench = Bench::remote_project();
    let mut paused = String::new();
    for (tool, given) in each_tool() {
        let again = bench.again();
        bench.taiga().throttle_next(1, Duration::from_mins(1));
        writeln!(paused, "{}", line(tool, &given, again.call(tool, &given))).unwrap();
        bench.taiga().clear_faults();
    }
    bench.taiga().cut_next(usize::MAX / 2);
    let lost: Vec<String> = std::thread::scope(|scope| {
        let call = |(tool, given): (&'static str, Value)| {
            let again = bench.again();
            scope.spawn(move || line(tool, &given, again.call(tool, &given)))
        };
        let calls: Vec<_> = each_tool().into_iter().map(call).collect();
        calls.into_iter().map(|call| call.join().unwrap()).collect()
    });
    compare("recorded-trouble.txt", &format!("{paused}{}\n", lost.join("\n")));
}

/// A call of each tool that makes a request.
fn each_tool() -> Vec<(&'static str, Value)> {
    let mut calls = Vec::new();
    for tool in TAIGA.tools {
        let name = tool.name.trim_start_matches("taiga.");
        let given = match name {
            "get_project" | "set_active_project" => json!({"projectId": EMPTY_PROJECT}),
            "get_statuses" => json!({"entity": "task"}),
            "create_task" => json!({"subject": "x", "userStoryId": 1}),
            _ if name.starts_with("create") => json!({"subject": "x"}),
            _ if name.starts_with("update") => json!({"id": 1, "subject": "x"}),
            _ if name.starts_with("search") => json!({"query": "x"}),
            _ if name.starts_with("list") || name == "get_members" => json!({}),
            _ => json!({"id": 1}),
        };
        calls.push((name, given));
    }
    calls
}
