//! Arguments that are rejected, with errors by field, before a back end is called.

use serde_json::{Value, json};

use super::bench::Bench;

#[track_caller]
fn refused(bench: &Bench, tool: &str, given: Value, details: Value) {
    let error = bench.error(tool, given);
    let parts: Vec<String> = details
        .as_object()
        .unwrap()
        .iter()
        .map(|(field, reason)| format!("{field}: {}", reason.as_str().unwrap()))
        .collect();
    let expected =
        json!({"category": "validation", "message": parts.join("; "), "httpStatus": 400, "details": details});
    assert_eq!(error, expected);
}

#[test]
fn every_invalid_field_is_reported() {
    let bench = Bench::local();
    refused(&bench, "create_task", json!({}), json!({"userStoryId": "Required", "subject": "Required"}));
    refused(
        &bench,
        "create_task",
        json!({"userStoryId": "1", "subject": "", "tags": ["", "x".repeat(41)], "priority": "urgent", "colour": 1}),
        json!({
            "userStoryId": "Must be a whole number",
            "subject": "Must not be empty",
            "tags.0": "Must not be empty",
            "tags.1": "Too long: at most 40 characters",
            "priority": "Must be one of lowest, low, normal, high, highest",
            "colour": "Unknown property",
        }),
    );
    refused(
        &bench,
        "update_task",
        json!({"id": 1, "blocked": {"reason": "x".repeat(501), "by": "me"}}),
        json!({
            "blocked.by": "Unknown property",
            "blocked.isBlocked": "Required",
            "blocked.reason": "Too long: at most 500 characters",
        }),
    );
}

/// Errors of the schema and of the text rules are reported together, one per field.
#[test]
fn errors_of_all_kinds_are_reported_together() {
    let bench = Bench::local();
    refused(
        &bench,
        "create_issue",
        json!({"subject": " ", "tags": ["a,b", "", "x".repeat(41)], "severity": "", "type": " "}),
        json!({
            "subject": "Must not be empty",
            "tags.0": "Must not contain a comma",
            "tags.1": "Must not be empty",
            "tags.2": "Too long: at most 40 characters",
            "severity": "Must not be empty",
            "type": "Must not be empty",
        }),
    );
}

#[test]
fn numbers_are_what_json_says_they_are() {
    let bench = Bench::local();
    let story = bench.make("create_user_story", json!({"subject": "One"}));
    assert_eq!(bench.data("get_user_story", json!({"id": 1.0}))["id"], story);
    let whole = |reason: &str| json!({"id": reason});
    for (id, reason) in [
        (json!("1"), "Must be a whole number"),
        (json!(1.5), "Must be a whole number"),
        (json!(null), "Must be a whole number"),
        (json!(true), "Must be a whole number"),
        (json!([1]), "Must be a whole number"),
        (json!(0), "Must be at least 1"),
        (json!(-1), "Must be at least 1"),
        (json!(9_007_199_254_740_992_u64), "Must be a whole number that is an id"),
        (json!(u64::MAX), "Must be a whole number that is an id"),
        (json!(1e300), "Must be a whole number that is an id"),
    ] {
        refused(&bench, "get_user_story", json!({"id": id}), whole(reason));
    }
    assert_eq!(bench.error("get_user_story", json!({"id": 9_007_199_254_740_991_u64}))["category"], "not_found");
}

#[test]
fn windows_are_bounded() {
    let bench = Bench::local();
    refused(&bench, "list_tasks", json!({"limit": 0}), json!({"limit": "Must be at least 1"}));
    refused(&bench, "list_tasks", json!({"limit": 201}), json!({"limit": "Must be at most 200"}));
    refused(&bench, "list_tasks", json!({"offset": -1}), json!({"offset": "Must be at least 0"}));
    refused(&bench, "list_tasks", json!({"limit": 2.5}), json!({"limit": "Must be a whole number"}));
    refused(&bench, "list_tasks", json!({"offset": 1e300}), json!({"offset": "Too large"}));
    let page = bench.data("list_tasks", json!({"limit": 200.0, "offset": 9_000_000_000_000_u64}));
    assert_eq!(page["meta"], json!({"limit": 200, "offset": 9_000_000_000_000_u64, "total": 0, "hasNext": false}));
}

#[test]
fn texts_are_checked_the_same_for_both_back_ends() {
    let bench = Bench::local();
    let check = |given: Value, details: Value| refused(&bench, "create_issue", given, details);
    check(json!({"subject": "   "}), json!({"subject": "Must not be empty"}));
    check(json!({"subject": "one\ntwo"}), json!({"subject": "Must be one line"}));
    check(json!({"subject": "a\u{0}b"}), json!({"subject": "Must not contain a NUL character"}));
    check(json!({"subject": "x".repeat(201)}), json!({"subject": "Too long: at most 200 characters"}));
    check(json!({"subject": "x", "tags": ["a,b"]}), json!({"tags.0": "Must not contain a comma"}));
    check(json!({"subject": "x", "tags": vec!["t"; 33]}), json!({"tags": "Too many: at most 32"}));
    check(json!({"subject": "x", "tags": "a"}), json!({"tags": "Must be an array"}));
    let long = "ü".repeat(100_001);
    check(json!({"subject": "x", "description": long}), json!({"description": "Too long: at most 100000 characters"}));
    let id = bench.make("create_issue", json!({"subject": "ü".repeat(200), "description": "ü".repeat(100_000)}));
    assert_eq!(bench.data("list_issues", json!({}))["items"][0]["id"], id);
    let reason = json!({"id": id, "blocked": {"isBlocked": true, "reason": "one\ntwo"}});
    refused(&bench, "update_issue", reason, json!({"blocked.reason": "Must be one line"}));
}

#[test]
fn an_update_changes_something() {
    let bench = Bench::local();
    for kind in ["epic", "user_story", "task", "issue"] {
        let nothing = json!({"arguments": "Nothing to change: give at least one field beside id"});
        refused(&bench, &format!("update_{kind}"), json!({"id": 1}), nothing);
        let missing = json!({"id": "Required"});
        refused(&bench, &format!("update_{kind}"), json!({"subject": "x", "tags": []}), missing);
    }
}

#[test]
fn a_project_is_named_one_way() {
    let bench = Bench::local();
    for tool in ["set_active_project", "get_project"] {
        refused(&bench, tool, json!({}), json!({"projectId": "Required, or projectSlug"}));
        let both = json!({"projectId": "Must not be given together with projectSlug"});
        refused(&bench, tool, json!({"projectId": 1, "projectSlug": "project"}), both);
    }
}

#[test]
fn invalid_filters_are_refused() {
    let bench = Bench::local();
    let both = json!({"unassigned": true, "assigneeIds": [1]});
    refused(&bench, "list_epics", both, json!({"unassigned": "Must not be given together with assigneeIds"}));
    let reason = "Must be a date, or a date and time with its zone, as in RFC 3339";
    for date in ["yesterday", "2026-02-30", "2026-01-01T10:00", ""] {
        refused(&bench, "list_epics", json!({"modifiedSince": date}), json!({"modifiedSince": reason}));
    }
    refused(&bench, "list_epics", json!({"match": "some"}), json!({"match": "Must be one of any, all"}));
    refused(&bench, "list_epics", json!({"epicId": 1}), json!({"epicId": "Unknown property"}));
    for kind in ["epics", "user_stories", "tasks", "issues"] {
        refused(&bench, &format!("search_{kind}"), json!({}), json!({"query": "Required"}));
        refused(&bench, &format!("search_{kind}"), json!({"query": " "}), json!({"query": "Must not be empty"}));
    }
    refused(
        &bench,
        "create_epic",
        json!({"subject": "x", "color": "red"}),
        json!({"color": "Must be a colour such as #36b37e"}),
    );
    let entities = json!({"entity": "Must be one of epic, user_story, task, issue"});
    refused(&bench, "get_statuses", json!({"entity": "sprint"}), entities);
}

#[test]
fn errors_stay_short_for_any_input() {
    let bench = Bench::local();
    let name = "n".repeat(10_000);
    let error = bench.error("list_projects", json!({name: 1}));
    assert!(error.to_string().len() < 1_000, "{}", error.to_string().len());
    let many: serde_json::Map<String, Value> = (0..5_000).map(|n| (format!("field{n}"), json!(n))).collect();
    let error = bench.error("list_projects", Value::Object(many));
    assert_eq!(error["details"].as_object().unwrap().len(), 20);
    assert!(error.to_string().len() < 3_000, "{}", error.to_string().len());
}
