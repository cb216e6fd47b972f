//! The `mile` contract: shapes and error table.

use serde_json::{Value, json};
use testkit::TestRepository;

use crate::client::{Client, ISSUE, MILESTONE, project, run, text};

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

#[test]
fn list_has_exactly_the_contract_s_keys() {
    let repository = project();
    let mut client = Client::start(repository.path());
    let page = client.value("git_mile.list", &json!({"entity": "milestone"}));
    let expected = json!({
        "items": [{
            "id": MILESTONE,
            "title": "Milestone Alpha",
            "status": "open",
            "labels": ["alpha"],
            "stats": {"comment_count": 1, "open_issues": 2},
        }],
        "nextCursor": null,
    });
    assert_eq!(page, expected);
    let issues = client.value("git_mile.list", &json!({"entity": "issue"}));
    assert_eq!(keys(&issues["items"][0]), ["id", "title", "status", "labels", "stats"]);
    assert_eq!(keys(&issues["items"][0]["stats"]), ["comment_count"]);
}

#[test]
fn show_has_exactly_the_contract_s_keys() {
    let repository = project();
    let mut client = Client::start(repository.path());
    let expected = json!({
        "id": ISSUE,
        "title": "Login fails on Safari",
        "status": "open",
        "description": "The button does nothing.",
        "labels": ["bug"],
        "comments": [
            {"author": "Ada Lovelace <ada@example.com>", "body": "It also happens on Firefox.", "ts": "2026-11-16T00:14:31.835Z"},
            {"author": "Ada Lovelace <ada@example.com>", "body": "Only with cookies off.", "ts": "2026-11-16T00:14:31.881Z"},
        ],
        "stats": {"comment_count": 2},
    });
    for id in [ISSUE, &ISSUE[..13], "2", "#2"] {
        assert_eq!(client.value("git_mile.show", &json!({"entity": "issue", "id": id})), expected, "{id}");
    }
    let bare = client.value("git_mile.show", &json!({"entity": "issue", "id": "3"}));
    assert_eq!((&bare["description"], &bare["comments"], &bare["labels"]), (&json!(""), &json!([]), &json!([])));
}

#[test]
fn list_filters_sorts_and_pages() {
    let repository = project();
    let mut client = Client::start(repository.path());
    let mut titles = |arguments: Value| -> Vec<String> {
        let page = client.value("git_mile.list", &arguments);
        let items = page["items"].as_array().expect("a list");
        items.iter().map(|item| item["title"].as_str().expect("a title").to_owned()).collect()
    };
    let issue = |more: Value| {
        let mut arguments = json!({"entity": "issue"});
        arguments.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        arguments
    };
    assert_eq!(titles(issue(json!({}))), ["Login fails on Safari", "Write the release notes"]);
    assert_eq!(titles(issue(json!({"sort": ["title:desc"]}))), ["Write the release notes", "Login fails on Safari"]);
    assert_eq!(titles(issue(json!({"filter": "labels ~ \"BUG\""}))), ["Login fails on Safari"]);
    assert_eq!(titles(issue(json!({"filter": "(contains labels bug)"}))), ["Login fails on Safari"]);
    assert_eq!(titles(issue(json!({"filter": "status == \"closed\""}))), ["Old news"]);
    assert_eq!(titles(issue(json!({"includeClosed": true}))).len(), 3);
    assert_eq!(titles(issue(json!({"limit": 1.0, "unknown": "ignored"}))).len(), 1);

    let first = client.value("git_mile.list", &issue(json!({"limit": 1})));
    let cursor = first["nextCursor"].as_str().expect("there is another page").to_owned();
    let second = client.value("git_mile.list", &issue(json!({"limit": 1, "cursor": cursor})));
    assert_eq!(second["items"][0]["title"], "Write the release notes");
    assert_eq!(second["nextCursor"], Value::Null);
}

#[track_caller]
fn expect_error(answer: &Value, code: i64) {
    let error = &answer["error"];
    assert_eq!(error["code"], code, "{answer}");
    let message = error["message"].as_str().expect("a message");
    assert!(!message.is_empty());
    assert_eq!(error["data"], json!({"error": {"code": code.to_string(), "message": message}}));
    assert!(answer.get("result").is_none());
}

#[test]
fn undecodable_arguments_are_invalid_requests() {
    let repository = project();
    let mut client = Client::start(repository.path());
    for arguments in [
        json!({}),
        json!({"entity": 5}),
        json!({"entity": "issue", "filter": 5}),
        json!({"entity": "issue", "sort": "updated"}),
        json!({"entity": "issue", "sort": [1]}),
        json!({"entity": "issue", "limit": "20"}),
        json!({"entity": "issue", "limit": 1.5}),
        json!({"entity": "issue", "cursor": 1}),
        json!({"entity": "issue", "includeClosed": "yes"}),
    ] {
        expect_error(&client.call("git_mile.list", &arguments), -32600);
    }
    for arguments in [json!({"entity": "issue"}), json!({"id": "2"}), json!({"entity": "issue", "id": [2]})] {
        expect_error(&client.call("git_mile.show", &arguments), -32600);
    }
    for arguments in [json!([]), json!("entity"), json!(5), json!(true)] {
        expect_error(&client.call("git_mile.list", &arguments), -32600);
        expect_error(&client.call("git_mile.show", &arguments), -32600);
    }
    expect_error(&client.request("tools/call", &json!({"name": "git_mile.list"})), -32600);
}

#[test]
fn wrong_arguments_have_the_same_code_over_http() {
    let repository = project();
    let served = crate::http::Served::start(repository.path());
    let (status, answer) = served.post(&crate::http::call("git_mile.list", &json!([])), &[]);
    assert_eq!(status, 200);
    expect_error(&answer, -32600);
}

#[test]
fn an_id_may_be_an_integer() {
    let repository = project();
    let mut client = Client::start(repository.path());
    let by_text = client.value("git_mile.show", &json!({"entity": "issue", "id": "2"}));
    assert_eq!(client.value("git_mile.show", &json!({"entity": "issue", "id": 2})), by_text);
}

#[test]
fn failed_validation_is_invalid_parameters() {
    let repository = project();
    let mut client = Client::start(repository.path());
    let other = client.value("git_mile.list", &json!({"entity": "issue", "limit": 1}))["nextCursor"].clone();
    for arguments in [
        json!({"entity": "task"}),
        json!({"entity": "issue", "filter": "nonsense =="}),
        json!({"entity": "issue", "filter": "colour == red"}),
        json!({"entity": "issue", "sort": ["nonsense"]}),
        json!({"entity": "issue", "sort": ["updated:sideways"]}),
        json!({"entity": "issue", "limit": 0}),
        json!({"entity": "issue", "limit": 201}),
        json!({"entity": "issue", "limit": -1}),
        json!({"entity": "issue", "limit": 1e30}),
        json!({"entity": "issue", "cursor": "damaged"}),
        json!({"entity": "milestone", "limit": 1, "cursor": other}),
    ] {
        expect_error(&client.call("git_mile.list", &arguments), -32602);
    }
    let unknown = "00000000-0000-7000-8000-000000000000";
    for (entity, id) in [("issue", unknown), ("issue", "99"), ("issue", "one"), ("issue", MILESTONE), ("board", "1")] {
        expect_error(&client.call("git_mile.show", &json!({"entity": entity, "id": id})), -32602);
    }
    run(repository.path(), &["delete", "3"]);
    expect_error(&client.call("git_mile.show", &json!({"entity": "issue", "id": "3"})), -32602);
}

#[test]
fn unknown_tool_is_an_unknown_method() {
    let repository = project();
    let mut client = Client::start(repository.path());
    for name in ["git_mile.delete", "git_mile", ""] {
        expect_error(&client.call(name, &json!({})), -32601);
    }
}

#[test]
fn failing_call_is_an_error_result() {
    let repository = TestRepository::new();
    let nowhere = repository.directory_path();
    let mut client = Client::start(&nowhere);
    let answer = client.call("git_mile.list", &json!({"entity": "issue"}));
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    let body = text(&answer);
    assert_eq!(body["error"]["code"], "-32001");
    insta::assert_snapshot!(testkit::redact(body["error"]["message"].as_str().unwrap()), @"
    `.` is not in a git repository
    hint: go to a git repository, name one with `-C PATH`, or make one with `git init`
    ");
}

#[test]
fn unreadable_log_is_an_error_and_the_server_continues() {
    let repository = project();
    let mut client = Client::start(repository.path());
    let reference = repository.path().join(".git/refs/cairn/work");
    let tip = std::fs::read_to_string(&reference).expect("the ref is a file");
    for _ in 0..2 {
        client.value("git_mile.show", &json!({"entity": "issue", "id": ISSUE}));
        std::fs::write(&reference, "no commit\n").expect("it can be written");
        for (name, arguments) in
            [("git_mile.list", json!({"entity": "issue"})), ("git_mile.show", json!({"entity": "issue", "id": ISSUE}))]
        {
            let answer = client.call(name, &arguments);
            assert_eq!(answer["result"]["isError"], true, "{answer}");
            assert_eq!(text(&answer)["error"]["code"], "-32001");
        }
        std::fs::write(&reference, &tip).expect("it can be written");
    }
    client.value("git_mile.show", &json!({"entity": "issue", "id": ISSUE}));
}

#[test]
fn both_spellings_are_understood_and_one_is_listed() {
    let repository = project();
    for (options, listed) in [
        (&[][..], ["git_mile.list", "git_mile.show"]),
        (&["--tool-names", "underscore"], ["git_mile_list", "git_mile_show"]),
    ] {
        let mut client = Client::start_with(repository.path(), options);
        let answer = client.request("tools/list", &json!({}));
        let tools = answer["result"]["tools"].as_array().expect("a list");
        let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().expect("a name")).collect();
        assert_eq!(names, listed);
        for name in ["git_mile.list", "git_mile_list"] {
            client.value(name, &json!({"entity": "issue"}));
        }
    }
}

#[test]
fn writes_of_another_process_are_visible_at_once() {
    let repository = project();
    let mut client = Client::start(repository.path());
    let mut count = || client.value("git_mile.list", &json!({"entity": "issue"}))["items"].as_array().map(Vec::len);
    assert_eq!(count(), Some(2));
    run(repository.path(), &["new", "issue", "Brand new"]);
    assert_eq!(count(), Some(3));
    run(repository.path(), &["reindex"]);
    run(repository.path(), &["close", "2"]);
    assert_eq!(count(), Some(2));
}

/// The contract tracks its changes there, release by release.
#[test]
fn every_release_of_the_changelog_has_a_part_about_mcp() {
    let releases = include_str!("../../../../CHANGELOG.md").split("\n## ").skip(1);
    assert!(releases.clone().count() > 0 && releases.into_iter().all(|release| release.contains("\n### MCP\n")));
}
