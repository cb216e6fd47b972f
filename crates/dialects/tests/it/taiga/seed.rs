//! The contract's own examples, chapters 16 to 18: what it shows is in the answer, value for value and in its order.

use serde_json::{Value, json};
use testkit::taiga::{Answer, Fault, ItemKind};

use super::bench::Bench;

/// Checks that an answer has all that an example has. What the contract's examples leave out may be there beside.
#[track_caller]
fn check(envelope: &Value, example: &str) {
    let example: Value = serde_json::from_str(example).expect("the example is JSON");
    assert_eq!(narrowed(envelope, &example).to_string(), example.to_string(), "{envelope}");
}

/// Leaves what an example has too. Where it has an id of a trace, any other will do.
fn narrowed(value: &Value, example: &Value) -> Value {
    let (Value::Object(fields), Value::Object(wanted)) = (value, example) else { return value.clone() };
    let kept = fields.iter().filter_map(|(name, value)| {
        let wanted = wanted.get(name)?;
        let shown = if name == "_traceId" { wanted.clone() } else { narrowed(value, wanted) };
        Some((name.clone(), shown))
    });
    Value::Object(kept.collect())
}

/// Chapter 17: a story as the server has it, with the example's values.
#[test]
fn the_example_of_a_success_is_answered() {
    let bench = Bench::remote();
    bench.data("set_active_project", json!({"projectId": 3}));
    let mut story = bench.taiga().items(ItemKind::Story, 3).remove(0);
    story["id"] = json!(42);
    story["subject"] = json!("Implement caching");
    story["status"] = json!(7);
    // A server tells fractions of a second; the contract does not.
    story["created_date"] = json!("2025-09-23T12:00:00.651Z");
    story["modified_date"] = json!("2025-09-23T12:10:00.7Z");
    bench.taiga().fault_on("GET", "/userstories/42", 1, Fault::Answer(Answer::json(200, &story)));
    check(
        &bench.call("get_user_story", &json!({"id": 42})),
        r#"{
          "ok": true,
          "data": {
            "id": 42,
            "projectId": 3,
            "subject": "Implement caching",
            "statusId": 7,
            "createdDate": "2025-09-23T12:00:00Z",
            "modifiedDate": "2025-09-23T12:10:00Z"
          }
        }"#,
    );
}

/// Chapter 18, whatever the back end.
#[test]
fn the_example_of_an_error_is_answered() {
    for bench in [Bench::local(), Bench::remote_project()] {
        let envelope = bench.call("create_issue", &json!({}));
        check(
            &envelope,
            r#"{
              "ok": false,
              "error": {
                "category": "validation",
                "message": "subject: Required",
                "httpStatus": 400,
                "details": { "subject": "Required" },
                "_traceId": "b2f0c3b4-2d8d-4d1e-9f2a-5d9f1d2b6c55"
              }
            }"#,
        );
        assert_eq!(envelope["error"].as_object().map(serde_json::Map::len), Some(5), "{envelope}");
    }
}

/// Chapter 16, row by row; the last is in `remote`, since how long a pause is left is another each time.
#[test]
fn the_scenarios_of_failure_are_answered() {
    let bench = Bench::remote();
    check(
        &bench.call("create_task", &json!({"userStoryId": 1, "subject": "x"})),
        r#"{"ok": false, "error": {"category": "validation", "message": "Active project not set"}}"#,
    );
    for bench in [Bench::local(), Bench::remote_project()] {
        let id = bench.make("create_user_story", json!({"subject": "x"}));
        check(
            &bench.call("update_user_story", &json!({"id": id, "statusId": 999_999})),
            r#"{"ok": false, "error": {"category": "validation", "message": "Invalid statusId"}}"#,
        );
    }
    bench.taiga().cut_next(10);
    check(
        &bench.call("get_project", &json!({"projectId": 1})),
        r#"{"ok": false, "error": {"category": "network", "message": "Network unreachable"}}"#,
    );
}

/// Chapter 6: the project is looked for (2) before the arguments are checked (3), by every tool that needs one.
#[test]
fn the_active_project_is_looked_for_before_the_arguments_are_checked() {
    let bench = Bench::remote();
    for tool in ["create_task", "list_epics", "get_issue", "update_user_story", "search_tasks", "get_statuses"] {
        check(
            &bench.call(tool, &json!({"nonsense": true})),
            r#"{"ok": false, "error": {"category": "validation", "message": "Active project not set"}}"#,
        );
    }
    for tool in ["list_projects", "get_project", "set_active_project"] {
        let envelope = bench.call(tool, &json!({"nonsense": true}));
        assert_eq!(envelope["error"]["details"]["nonsense"], "Unknown property", "{envelope}");
    }
}
