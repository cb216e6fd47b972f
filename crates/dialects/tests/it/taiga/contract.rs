//! Behavior common to both back ends: the same calls, the same results.

use serde_json::{Value, json};

use super::bench::Bench;

/// Each test runs once for each back end.
macro_rules! on_both {
    ($($name:ident),* $(,)?) => {
        mod local {
            $(#[test]
            fn $name() {
                super::$name(&super::Bench::local());
            })*
        }

        mod remote {
            $(#[test]
            fn $name() {
                super::$name(&super::Bench::remote_project());
            })*
        }
    };
}

on_both!(
    work_of_each_kind_is_made_read_changed_and_deleted,
    a_story_is_put_into_an_epic_and_taken_out,
    tasks_belong_to_a_story,
    wrong_ids_change_nothing,
    absent_items_are_not_found,
    priorities_are_kept_and_are_no_tags,
    priority_tag_is_an_ordinary_tag_on_epics_and_issues,
    blocking_keeps_its_reason_until_it_ends,
    lists_are_filtered,
    statuses_are_listed_in_order,
);

/// The kind in tool names, and in `get_statuses`.
const KINDS: [(&str, &str); 4] = [("epic", "epic"), ("user_story", "user_story"), ("task", "task"), ("issue", "issue")];

fn plural(kind: &str) -> String {
    kind.strip_suffix('y').map_or_else(|| format!("{kind}s"), |stem| format!("{stem}ies"))
}

/// Creates an item of a kind with only the required fields.
fn make(bench: &Bench, kind: &str, subject: &str) -> u64 {
    let mut given = json!({"subject": subject});
    if kind == "task" {
        given["userStoryId"] = json!(bench.make("create_user_story", json!({"subject": "A story"})));
    }
    bench.make(&format!("create_{kind}"), given)
}

fn ids(page: &Value) -> Vec<u64> {
    page["items"].as_array().unwrap().iter().map(|item| item["id"].as_u64().unwrap()).collect()
}

fn work_of_each_kind_is_made_read_changed_and_deleted(bench: &Bench) {
    for (kind, entity) in KINDS {
        let listed = || ids(&bench.data(&format!("list_{}", plural(kind)), json!({})));
        let before = listed();
        let id = make(bench, kind, "  Implement caching ");
        let made = bench.data(&format!("get_{kind}"), json!({"id": id}));
        assert_eq!(made["subject"], "Implement caching");
        assert_eq!((&made["description"], &made["assignedToId"]), (&json!(""), &Value::Null));
        assert_eq!((&made["tags"], &made["blocked"]), (&json!([]), &json!({"isBlocked": false})));
        assert_eq!(made.get("title").is_some(), kind == "epic", "{made}");
        let (status, person) = (bench.status(entity, 1), bench.somebody());
        let change = json!({
            "id": id, "subject": "Implement a cache", "description": "Warm it *first*.\n", "assignedToId": person,
            "statusId": status, "tags": ["speed", "later"],
        });
        let changed = bench.data(&format!("update_{kind}"), change);
        assert_eq!(changed, bench.data(&format!("get_{kind}"), json!({"id": id})));
        assert_eq!((&changed["subject"], &changed["statusId"]), (&json!("Implement a cache"), &json!(status)));
        assert_eq!((&changed["description"], &changed["assignedToId"]), (&json!("Warm it *first*.\n"), &json!(person)));
        let mut tags: Vec<&str> = changed["tags"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        tags.sort_unstable();
        assert_eq!(tags, ["later", "speed"]);
        let cleared = bench.data(&format!("update_{kind}"), json!({"id": id, "assignedToId": null, "tags": []}));
        assert_eq!((&cleared["assignedToId"], &cleared["tags"]), (&Value::Null, &json!([])));
        assert_eq!(listed().into_iter().filter(|one| !before.contains(one)).collect::<Vec<_>>(), [id]);
        assert_eq!(bench.data(&format!("delete_{kind}"), json!({"id": id})), json!({"id": id, "deleted": true}));
        assert_eq!(bench.error(&format!("get_{kind}"), json!({"id": id}))["category"], "not_found");
        assert_eq!(bench.error(&format!("delete_{kind}"), json!({"id": id}))["category"], "not_found");
        assert_eq!(listed(), before);
    }
}

fn a_story_is_put_into_an_epic_and_taken_out(bench: &Bench) {
    let epic = bench.make("create_epic", json!({"subject": "Payments", "color": "#36B37E"}));
    let other = bench.make("create_epic", json!({"subject": "Other"}));
    let story = bench.data("create_user_story", json!({"subject": "Pay by card", "epicId": epic}));
    assert_eq!(story["epicId"], json!(epic));
    let id = story["id"].as_u64().unwrap();
    let listed = |epic: u64| ids(&bench.data("list_user_stories", json!({"epicId": epic})));
    assert_eq!((listed(epic), listed(other)), (vec![id], vec![]));
    assert_eq!(bench.data("update_user_story", json!({"id": id, "epicId": other}))["epicId"], json!(other));
    assert_eq!((listed(epic), listed(other)), (vec![], vec![id]));
    assert_eq!(bench.data("update_user_story", json!({"id": id, "epicId": null}))["epicId"], Value::Null);
    assert!(listed(other).is_empty());
    bench.data("update_user_story", json!({"id": id, "epicId": epic}));
    bench.data("delete_epic", json!({"id": epic}));
    assert_eq!(bench.data("get_user_story", json!({"id": id}))["epicId"], Value::Null);
}

fn tasks_belong_to_a_story(bench: &Bench) {
    let story = bench.make("create_user_story", json!({"subject": "Pay by card"}));
    let other = bench.make("create_user_story", json!({"subject": "Pay by bank"}));
    let task = bench.data("create_task", json!({"userStoryId": story, "subject": "Ask the bank"}));
    assert_eq!(task["userStoryId"], json!(story));
    let id = task["id"].as_u64().unwrap();
    let kept = bench.make("create_task", json!({"userStoryId": other, "subject": "Read the manual"}));
    assert_eq!(ids(&bench.data("list_tasks", json!({"userStoryId": story}))), [id]);
    bench.data("delete_user_story", json!({"id": story}));
    assert_eq!(bench.error("get_task", json!({"id": id}))["category"], "not_found");
    assert_eq!(bench.data("get_task", json!({"id": kept}))["subject"], "Read the manual");
}

fn wrong_ids_change_nothing(bench: &Bench) {
    const NOBODY: u64 = 4_000_000_000_000;
    let check = |tool: &str, given: Value, field: &str| {
        let error = bench.error(tool, given);
        assert_eq!((&error["category"], &error["message"]), (&json!("validation"), &json!(format!("Invalid {field}"))));
        assert!(error["details"][field].is_string(), "{error}");
    };
    for (kind, _) in KINDS {
        let id = make(bench, kind, "Stays");
        let before = bench.data(&format!("get_{kind}"), json!({"id": id}));
        check(&format!("update_{kind}"), json!({"id": id, "subject": "Gone", "statusId": NOBODY}), "statusId");
        check(&format!("update_{kind}"), json!({"id": id, "subject": "Gone", "assignedToId": NOBODY}), "assignedToId");
        check(&format!("list_{}", plural(kind)), json!({"statusIds": [NOBODY]}), "statusIds");
        check(&format!("list_{}", plural(kind)), json!({"assigneeIds": [NOBODY]}), "assigneeIds");
        assert_eq!(bench.data(&format!("get_{kind}"), json!({"id": id})), before);
    }
    check("create_task", json!({"subject": "A task", "userStoryId": NOBODY}), "userStoryId");
    check("list_tasks", json!({"userStoryId": NOBODY}), "userStoryId");
    check("create_user_story", json!({"subject": "A story", "epicId": NOBODY}), "epicId");
    check("list_user_stories", json!({"epicId": NOBODY}), "epicId");
    check("create_issue", json!({"subject": "An issue", "assignedToId": NOBODY}), "assignedToId");
    assert_eq!(bench.data("list_issues", json!({}))["meta"]["total"], 1);
}

fn absent_items_are_not_found(bench: &Bench) {
    for (kind, title) in [("epic", "Epic"), ("user_story", "User story"), ("task", "Task"), ("issue", "Issue")] {
        let expected = json!({"category": "not_found", "message": format!("{title} not found"), "httpStatus": 404});
        assert_eq!(bench.error(&format!("get_{kind}"), json!({"id": 9_999_999})), expected);
        assert_eq!(bench.error(&format!("delete_{kind}"), json!({"id": 9_999_999})), expected);
        assert_eq!(bench.error(&format!("update_{kind}"), json!({"id": 9_999_999, "subject": "x"})), expected);
    }
    let expected = json!({"category": "not_found", "message": "Project not found", "httpStatus": 404});
    for given in [json!({"projectId": 9_999_999}), json!({"projectSlug": "no-such-project"})] {
        assert_eq!(bench.error("get_project", given.clone()), expected);
        assert_eq!(bench.error("set_active_project", given), expected);
    }
}

fn priorities_are_kept_and_are_no_tags(bench: &Bench) {
    let story = bench.make("create_user_story", json!({"subject": "A story", "priority": "low"}));
    let task = json!({"userStoryId": story, "subject": "A task", "priority": "highest", "tags": ["one"]});
    let task = bench.data("create_task", task);
    assert_eq!((&task["priority"], &task["tags"]), (&json!("highest"), &json!(["one"])));
    for (tool, id) in [("user_story", json!(story)), ("task", task["id"].clone())] {
        for word in ["lowest", "low", "normal", "high", "highest"] {
            let changed = bench.data(&format!("update_{tool}"), json!({"id": id, "priority": word}));
            assert_eq!(changed["priority"], word);
            // New tags replace the old ones and keep the priority.
            let tagged = bench.data(&format!("update_{tool}"), json!({"id": id, "tags": ["two"]}));
            assert_eq!((&tagged["priority"], &tagged["tags"]), (&json!(word), &json!(["two"])));
        }
    }
    let plain = bench.make("create_user_story", json!({"subject": "Plain"}));
    assert_eq!(bench.data("get_user_story", json!({"id": plain}))["priority"], Value::Null);
    let error = bench.error("update_task", json!({"id": task["id"], "tags": ["fine", "Priority:high"]}));
    assert_eq!(error["details"], json!({"tags.1": "Stands for a priority; give priority instead"}));
    let issue = bench.make("create_issue", json!({"subject": "An issue", "priority": "high"}));
    assert_eq!(bench.data("get_issue", json!({"id": issue}))["priority"], "high");
}

/// Epics have no priority and issues have their own field: a tag like `priority:high` is an ordinary tag there.
fn priority_tag_is_an_ordinary_tag_on_epics_and_issues(bench: &Bench) {
    for (one, many) in [("epic", "epics"), ("issue", "issues")] {
        let id = make(bench, one, "Tagged");
        let tagged = bench.data(&format!("update_{one}"), json!({"id": id, "tags": ["priority:high", "two"]}));
        assert_eq!(tagged["tags"], json!(["priority:high", "two"]));
        assert_eq!(ids(&bench.data(&format!("list_{many}"), json!({"tags": ["priority:high"]}))), [id]);
    }
    for tool in ["list_tasks", "list_user_stories"] {
        let error = bench.error(tool, json!({"tags": ["priority:high"]}));
        let reason = "Stands for a priority, which lists cannot be narrowed by";
        assert_eq!(error["details"], json!({"tags.0": reason}));
    }
}

fn blocking_keeps_its_reason_until_it_ends(bench: &Bench) {
    for (kind, _) in KINDS {
        let id = make(bench, kind, "Held up");
        let set = |blocked: Value| bench.data(&format!("update_{kind}"), json!({"id": id, "blocked": blocked}));
        assert_eq!(set(json!({"isBlocked": true}))["blocked"], json!({"isBlocked": true}));
        let why = json!({"isBlocked": true, "reason": "The bank is closed"});
        assert_eq!(set(why.clone())["blocked"], why);
        assert_eq!(set(json!({"isBlocked": true}))["blocked"], why);
        assert_eq!(set(json!({"isBlocked": false}))["blocked"], json!({"isBlocked": false}));
    }
}

fn lists_are_filtered(bench: &Bench) {
    let person = bench.somebody();
    let begun = bench.status("issue", 2);
    let login = bench.make("create_issue", json!({"subject": "Login fails", "tags": ["web", "bug"]}));
    let logout =
        bench.make("create_issue", json!({"subject": "Logout works", "tags": ["web"], "assignedToId": person}));
    let slow = json!({"subject": "Slow", "description": "The login takes long.", "severity": "Minor"});
    let slow = bench.make("create_issue", slow);
    bench.data("update_issue", json!({"id": slow, "statusId": begun}));
    let check = |given: Value, expected: &[u64]| {
        let mut found = ids(&bench.data("list_issues", given.clone()));
        found.sort_unstable();
        assert_eq!(found, expected, "{given}");
    };
    check(json!({}), &[login, logout, slow]);
    check(json!({"tags": ["bug", "web"]}), &[login, logout]);
    check(json!({"tags": ["bug", "web"], "match": "all"}), &[login]);
    check(json!({"tags": ["BUG"]}), &[login]);
    check(json!({"tags": ["Bug", "WEB"], "match": "all"}), &[login]);
    check(json!({"tags": ["nothing"]}), &[]);
    check(json!({"statusIds": [begun]}), &[slow]);
    check(json!({"assigneeIds": [person]}), &[logout]);
    check(json!({"unassigned": true}), &[login, slow]);
    check(json!({"unassigned": false}), &[login, logout, slow]);
    check(json!({"severity": "minor"}), &[slow]);
    check(json!({"query": "login"}), &[login, slow]);
    check(json!({"query": "login", "tags": ["bug"]}), &[login]);
    check(json!({"modifiedSince": "2000-01-01"}), &[login, logout, slow]);
    check(json!({"modifiedSince": "2999-01-01T00:00:00Z"}), &[]);
    let found = bench.data("search_issues", json!({"query": "login", "limit": 1}));
    assert_eq!(found["meta"], json!({"limit": 1, "offset": 0, "total": 2, "hasNext": true}));
    assert!(found["items"][0].get("description").is_none(), "{found}");
}

fn statuses_are_listed_in_order(bench: &Bench) {
    let mut seen = Vec::new();
    for (_, entity) in KINDS {
        let statuses = bench.data("get_statuses", json!({"entity": entity}));
        let statuses = statuses["items"].as_array().unwrap().clone();
        let orders: Vec<i64> = statuses.iter().map(|status| status["order"].as_i64().unwrap()).collect();
        assert!(orders.is_sorted() && orders.len() >= 2);
        assert!(statuses.iter().any(|status| status["isClosed"] == true));
        for status in &statuses {
            let names: Vec<&String> = status.as_object().unwrap().keys().collect();
            assert_eq!(names, ["id", "name", "order", "isClosed", "category", "color"]);
            seen.push((entity, status["id"].as_u64().unwrap()));
        }
    }
    assert!(seen.iter().all(|(_, id)| *id > 0));
}
