//! Tasks and boards: settable fields, results, and rejected values.

use serde_json::{Value, json};
use testkit::TestRepository;

use super::{Quick, fault};
use crate::client::run;

fn today(repository: &TestRepository) -> Value {
    // Today's date of the program, in the machine's time zone.
    run(repository.path(), &["new", "task", "Clock", "--due", "today"]);
    let shown: Value = serde_json::from_str(&run(repository.path(), &["show", "1", "--json"])).unwrap();
    shown["due"].clone()
}

#[test]
fn new_task_has_only_what_was_given() {
    let repository = TestRepository::new();
    let quick = Quick::start(repository.path());
    let mut task = quick.task("create_task", &json!({"title": " Plain ", "unknown": [1], "status": "done"}));
    for name in ["created_at", "updated_at"] {
        let moment = task[name].take();
        let moment = moment.as_str().unwrap();
        assert!(moment.len() == 20 && moment.ends_with('Z'), "{moment}");
    }
    let expected = json!({"id": 1, "title": "Plain", "description": null, "status": null, "size": null, "priority": 0,
        "board_id": null, "owner_id": null, "approved": false, "started_at": null, "expected_at": null,
        "completed_at": null, "created_at": null, "updated_at": null});
    assert_eq!(task, expected);
}

#[test]
fn set_fields_read_back_and_null_clears_them() {
    let repository = TestRepository::new();
    let board = Quick::board(repository.path(), "Development");
    let quick = Quick::start(repository.path());
    let made = quick.task("create_task", &json!({"title": "One", "board_id": board.to_string(), "priority": "7"}));
    assert_eq!((&made["board_id"], &made["priority"]), (&json!(board), &json!(7)));
    let id = made["id"].clone();
    let change = json!({"id": id.to_string(), "title": "Two", "description": "More\nlines", "size": "xlarge",
        "priority": 10, "approved": true});
    let changed = quick.task("update_task", &change);
    for name in ["title", "description", "size", "priority", "approved"] {
        assert_eq!(changed[name], change[name]);
    }
    assert_eq!(changed["board_id"], json!(board));
    assert_eq!(quick.read(&format!("quicksilver://tasks/{id}")), changed);
    let clear = json!({"id": id, "description": null, "size": null, "priority": null, "board_id": null, "approved": null,
        "owner_id": null, "status": null});
    let cleared = quick.task("update_task", &clear);
    for (name, value) in [
        ("description", Value::Null),
        ("size", Value::Null),
        ("priority", json!(0)),
        ("board_id", Value::Null),
        ("approved", json!(false)),
    ] {
        assert_eq!(cleared[name], value, "{name}");
    }
}

#[test]
fn validation_errors_name_the_field_and_the_allowed_values() {
    let repository = TestRepository::new();
    run(repository.path(), &["new", "task", "First"]);
    run(repository.path(), &["new", "issue", "No task"]);
    let quick = Quick::start(repository.path());
    let before = run(repository.path(), &["log"]);
    for (name, arguments, sentence) in [
        ("create_task", json!({"title": "  "}), "title is required"),
        ("create_task", json!({"title": 7}), "title must be a string"),
        ("create_task", json!({"title": "x\ny"}), "the title must be one line; put longer text into the description"),
        ("create_task", json!({"title": "x", "size": "huge"}), "size must be one of small, medium, large, xlarge"),
        ("create_task", json!({"title": "x", "size": "S"}), "size must be one of small, medium, large, xlarge"),
        ("create_task", json!({"title": "x", "priority": 11}), "priority must be a whole number from 0 to 10"),
        ("create_task", json!({"title": "x", "priority": -1}), "priority must be a whole number from 0 to 10"),
        ("create_task", json!({"title": "x", "priority": 1.5}), "priority must be a whole number from 0 to 10"),
        ("create_task", json!({"title": "x", "priority": "high"}), "priority must be a whole number from 0 to 10"),
        (
            "create_task",
            json!({"title": "x", "board_id": 99}),
            "board_id is 99, and there is no such board: there are no boards yet",
        ),
        (
            "create_task",
            json!({"title": "x", "board_id": 2}),
            "board_id is 2, and there is no such board: there are no boards yet",
        ),
        ("create_task", json!({"title": "x", "board_id": "one"}), "board_id must be an integer, the id of one"),
        (
            "create_task",
            json!({"title": "x", "board_id": -1}),
            "board_id is -1, and there is no such board: there are no boards yet",
        ),
        (
            "create_task",
            json!({"title": "x", "owner_id": 7}),
            "owner_id is 7, and nobody here has that id: 1 is Ada Lovelace",
        ),
        ("create_task", json!({"title": "x", "description": ["y"]}), "description must be a string"),
        ("update_task", json!({"title": "x"}), "id is required"),
        ("update_task", json!({"id": "first"}), "id must be an integer"),
        ("update_task", json!({"id": 1, "title": null}), "title is required"),
        ("update_task", json!({"id": 1, "approved": "yes"}), "approved must be true or false"),
        ("update_task", json!({"id": 1, "status": 7}), "status must be a string"),
        (
            "update_task",
            json!({"id": 1, "owner_id": 99}),
            "owner_id is 99, and nobody here has that id: 1 is Ada Lovelace",
        ),
        ("complete_task", json!({}), "id is required"),
        (
            "complete_task",
            json!({"id": 1, "completed_at": "soon"}),
            "completed_at must be an ISO 8601 date such as 2025-01-14",
        ),
        (
            "complete_task",
            json!({"id": 1, "completed_at": "2025-02-30"}),
            "completed_at must be an ISO 8601 date such as 2025-01-14",
        ),
        ("complete_task", json!({"id": 1, "completed_at": 2025}), "completed_at must be a string"),
    ] {
        let (status, code, told) = quick.fault(name, &arguments);
        assert_eq!((status, code), (400, -32602), "{name} {arguments}: {told}");
        assert_eq!(told, sentence, "{name} {arguments}");
    }
    // Number 2 is an issue; task numbers start at 1.
    for id in [json!(99), json!("99"), json!(2), json!(0), json!(-5)] {
        for name in ["update_task", "complete_task"] {
            let (status, code, told) = quick.fault(name, &json!({"id": id, "title": "x"}));
            assert_eq!((status, code), (404, -32002), "{name} {id}: {told}");
        }
    }
    assert_eq!(run(repository.path(), &["log"]), before);
}

#[test]
fn status_is_free_text_that_the_workflow_follows() {
    let repository = TestRepository::new();
    let quick = Quick::start(repository.path());
    quick.task("create_task", &json!({"title": "One"}));
    let status = || {
        let shown: Value = serde_json::from_str(&run(repository.path(), &["show", "1", "--json"])).unwrap();
        shown["status"].as_str().unwrap().to_owned()
    };
    for (said, workflow) in [
        ("in_progress", "in_progress"),
        ("In Progress", "in_progress"),
        ("waiting for the lawyers", "in_progress"),
        ("open", "backlog"),
        ("review", "review"),
        ("🙂 fine", "review"),
        ("backlog", "backlog"),
        ("done", "done"),
    ] {
        assert_eq!(quick.task("update_task", &json!({"id": 1, "status": said}))["status"], said);
        assert_eq!(
            (quick.read("quicksilver://tasks/1")["status"].clone(), status()),
            (json!(said), workflow.to_owned())
        );
    }
    // Changes by others are visible, whatever free text was set before.
    quick.task("update_task", &json!({"id": 1, "status": "waiting"}));
    run(repository.path(), &["edit", "1", "--status", "review"]);
    assert_eq!(quick.read("quicksilver://tasks/1")["status"], "review");
    assert_eq!(quick.task("update_task", &json!({"id": 1, "status": null}))["status"], Value::Null);
    assert_eq!(status(), "backlog");
}

#[test]
fn completing_takes_a_day_and_can_be_repeated() {
    let repository = TestRepository::new();
    let today = today(&repository);
    let quick = Quick::start(repository.path());
    let complete = |arguments: Value| {
        let task = quick.task("complete_task", &arguments);
        (task["status"].clone(), task["completed_at"].clone())
    };
    let done = |day: &str| (json!("done"), json!(day));
    let first = complete(json!({"id": 1}));
    assert_eq!(first, (json!("done"), today.clone()));
    assert_eq!(complete(json!({"id": 1})), first);
    assert_eq!(complete(json!({"id": "1", "completed_at": "2025-01-14"})), done("2025-01-14"));
    assert_eq!(complete(json!({"id": 1, "completed_at": "2025-01-15T23:59:59+02:00"})), done("2025-01-15"));
    assert_eq!(complete(json!({"id": 1, "completed_at": null})), (json!("done"), today));
    let opened = quick.task("update_task", &json!({"id": 1, "status": "open"}));
    assert_eq!((&opened["status"], &opened["completed_at"]), (&json!("open"), &Value::Null));
}

#[test]
fn moving_to_another_board_takes_the_agreement_away() {
    let repository = TestRepository::new();
    let (one, two) = (Quick::board(repository.path(), "One"), Quick::board(repository.path(), "Two"));
    let quick = Quick::start(repository.path());
    let id = quick.task("create_task", &json!({"title": "T", "board_id": one}))["id"].clone();
    let update = |mut change: Value| {
        change["id"] = id.clone();
        let task = quick.task("update_task", &change);
        (task["board_id"].clone(), task["approved"].clone())
    };
    assert_eq!(update(json!({"approved": true})), (json!(one), json!(true)));
    assert_eq!(update(json!({"board_id": one})), (json!(one), json!(true)));
    assert_eq!(update(json!({"board_id": two})), (json!(two), json!(false)));
    assert_eq!(update(json!({"board_id": one, "approved": true})), (json!(one), json!(true)));
    assert_eq!(update(json!({"board_id": null})), (Value::Null, json!(false)));
}

#[test]
fn board_is_read_with_the_ids_of_its_tasks() {
    let repository = TestRepository::new();
    let (one, two) = (Quick::board(repository.path(), "One"), Quick::board(repository.path(), "Two"));
    let quick = Quick::start(repository.path());
    for title in ["a", "b", "c"] {
        quick.task("create_task", &json!({"title": title, "board_id": one}));
    }
    quick.task("complete_task", &json!({"id": 2}));
    quick.task("update_task", &json!({"id": 1, "board_id": two}));
    run(repository.path(), &["new", "issue", "No task", "--board", "One"]);
    let mut board = quick.read("quicksilver://boards/1");
    let keys: Vec<String> = board.as_object().unwrap().keys().cloned().collect();
    assert_eq!(keys, ["id", "name", "task_ids", "created_at", "updated_at"]);
    board["created_at"].take();
    board["updated_at"].take();
    assert_eq!(board, json!({"id": 1, "name": "One", "task_ids": [2, 3], "created_at": null, "updated_at": null}));
    let told = fault(&quick.ask("resources/read", &json!({"uri": "quicksilver://tasks/4"})));
    assert_eq!((told.0, told.1), (404, -32002));
}

#[test]
fn list_goes_through_every_task_and_then_every_board() {
    let repository = TestRepository::new();
    let board = Quick::board(repository.path(), "Board");
    let quick = Quick::start(repository.path());
    for n in 0..450 {
        quick.task("create_task", &json!({"title": format!("Task {n}")}));
    }
    quick.task("complete_task", &json!({"id": 7}));
    run(repository.path(), &["delete", "8"]);
    run(repository.path(), &["new", "board", "Last"]);
    for (options, end) in [(&[][..], None), (&["--contract-strict"][..], Some(Value::Null))] {
        let quick = Quick::start_with(repository.path(), options);
        let (mut uris, mut sizes, mut params) = (Vec::new(), Vec::new(), json!({}));
        let last = loop {
            let (_, answer) = quick.ask("resources/list", &params);
            let resources = answer["result"]["resources"].as_array().unwrap();
            sizes.push(resources.len());
            uris.extend(resources.iter().map(|resource| resource["uri"].as_str().unwrap().to_owned()));
            match answer["result"].get("nextCursor") {
                Some(Value::String(cursor)) => params["cursor"] = json!(cursor),
                last => break last.cloned(),
            }
        };
        assert_eq!((sizes, last), (vec![200, 200, 51], end));
        let tasks = (1..=450).filter(|number| *number != 8).map(|number| format!("quicksilver://tasks/{number}"));
        let boards = [board, 2].map(|number| format!("quicksilver://boards/{number}"));
        assert_eq!(uris, tasks.chain(boards).collect::<Vec<_>>());
    }
}

#[test]
fn a_listed_task_without_a_description_has_the_key_all_the_same() {
    let repository = TestRepository::new();
    let quick = Quick::start(repository.path());
    quick.task("create_task", &json!({"title": "Plain"}));
    let (_, answer) = quick.ask("resources/list", &json!({}));
    let expected = json!([{"uri": "quicksilver://tasks/1", "name": "Task 1: Plain", "mimeType": "application/json",
        "description": ""}]);
    assert_eq!(answer["result"]["resources"], expected, "{answer}");
}
