//! Behavior on a Taiga server only.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::taiga::{Answer, FakeTaiga, Fault, ItemKind, Latch, PASSWORD};
use tracker::{Proof, Secret, Servers};

use super::bench::{Bench, EMPTY_PROJECT, setup};

/// Creates a story in the fixture's project.
fn story(bench: &Bench) -> u64 {
    bench.make("create_user_story", json!({"subject": "Pay by card", "tags": ["money"]}))
}

/// The contract's chapter 16, first row: every tool that needs a project fails until one is set.
#[test]
fn without_an_active_project_tools_say_so() {
    let bench = Bench::remote();
    let expected = json!({"category": "validation", "message": "Active project not set", "httpStatus": 400});
    let mut calls = vec![("get_statuses".to_owned(), json!({"entity": "task"})), ("get_members".to_owned(), json!({}))];
    for (one, many) in [("epic", "epics"), ("user_story", "user_stories"), ("task", "tasks"), ("issue", "issues")] {
        let new = if one == "task" { json!({"subject": "x", "userStoryId": 1}) } else { json!({"subject": "x"}) };
        calls.extend([
            (format!("create_{one}"), new),
            (format!("get_{one}"), json!({"id": 1})),
            (format!("update_{one}"), json!({"id": 1, "subject": "x"})),
            (format!("delete_{one}"), json!({"id": 1})),
            (format!("list_{many}"), json!({})),
            (format!("search_{many}"), json!({"query": "x"})),
        ]);
    }
    assert_eq!(calls.len(), 26);
    bench.taiga().forget_requests();
    for (tool, given) in calls {
        assert_eq!(bench.error(&tool, given), expected, "{tool}");
    }
    assert_eq!(bench.taiga().requests(), [], "nothing was asked of the server");
}

#[test]
fn projects_are_those_of_the_user_and_one_is_remembered() {
    let bench = Bench::remote();
    let listed = bench.data("list_projects", json!({}));
    let slugs: Vec<&str> =
        listed["items"].as_array().unwrap().iter().map(|item| item["slug"].as_str().unwrap()).collect();
    assert_eq!(slugs, ["big-backlog", "harbour-logistics", "kiosk-kanban"]);
    assert_eq!(listed["meta"], json!({"limit": 50, "offset": 0, "total": 3, "hasNext": false}));
    let active = bench.data("set_active_project", json!({"projectSlug": "kiosk-kanban"}));
    assert_eq!(active, json!({"projectId": 2, "slug": "kiosk-kanban", "name": "Kiosk Kanban"}));
    assert_eq!(bench.data("get_project", json!({"projectId": 2}))["isActive"], true);
    assert_eq!(bench.data("get_project", json!({"projectId": 1}))["isActive"], false);
    // Another server process of the same repository.
    let again = bench.again();
    assert_eq!(again.data("list_user_stories", json!({}))["meta"]["total"], 6);
    assert_eq!(again.data("list_projects", json!({"limit": 1, "offset": 2}))["items"][0]["isActive"], true);
}

/// Ids are global on a server: items of another project are not found.
#[test]
fn work_of_another_project_is_not_found() {
    let bench = Bench::remote_project();
    let elsewhere = bench.taiga().items(ItemKind::Story, 1)[0]["id"].as_u64().unwrap();
    let before = bench.taiga().item(ItemKind::Story, elsewhere);
    for (tool, given) in [
        ("get_user_story", json!({"id": elsewhere})),
        ("update_user_story", json!({"id": elsewhere, "subject": "Mine now"})),
        ("delete_user_story", json!({"id": elsewhere})),
    ] {
        assert_eq!(bench.error(tool, given)["message"], "User story not found");
    }
    let error = bench.error("create_task", json!({"subject": "A task", "userStoryId": elsewhere}));
    assert_eq!(error["message"], "Invalid userStoryId");
    assert_eq!(bench.taiga().item(ItemKind::Story, elsewhere), before);
    assert_eq!(bench.taiga().count("PATCH", "/") + bench.taiga().count("DELETE", "/"), 0);
}

/// The contract's chapter 16, second row: an invalid id is rejected here, whatever the server would do.
#[test]
fn wrong_ids_are_refused_before_anything_is_sent() {
    let bench = Bench::remote_project();
    let id = story(&bench);
    bench.taiga().forget_requests();
    let error = bench.error("update_user_story", json!({"id": id, "statusId": 999_999}));
    assert_eq!((&error["category"], &error["message"]), (&json!("validation"), &json!("Invalid statusId")));
    assert_eq!(bench.taiga().count("PATCH", "/"), 0);
    let error = bench.error("create_issue", json!({"subject": "x", "severity": "Dreadful"}));
    assert_eq!(error["message"], "Invalid severity");
    assert!(error["details"]["severity"].as_str().unwrap().starts_with("Must be one of Wishlist, Minor"), "{error}");
    assert_eq!(bench.taiga().count("POST", "/"), 0);
}

/// Someone changes the same field between our read and our write: a conflict is reported, and their value stays.
#[test]
fn a_conflict_is_reported_and_overwrites_nothing() {
    let bench = Bench::remote_project();
    let story = story(&bench);
    let made = |tool: &str, given: Value| bench.make(tool, given);
    for (noun, kind, id) in [
        ("epic", ItemKind::Epic, made("create_epic", json!({"subject": "Payments"}))),
        ("user_story", ItemKind::Story, story),
        ("task", ItemKind::Task, made("create_task", json!({"subject": "Ask", "userStoryId": story}))),
        ("issue", ItemKind::Issue, made("create_issue", json!({"subject": "Refused"}))),
    ] {
        let error = overtaken(&bench, &format!("update_{noun}"), kind, id);
        let expected = json!({
            "category": "validation",
            "message": "Someone else changed this meanwhile; nothing was overwritten. Read it again, then decide.",
            "httpStatus": 400,
            "details": {"conflict": true},
        });
        assert_eq!(error, expected, "{noun}");
        assert_eq!(bench.data(&format!("get_{noun}"), json!({"id": id}))["subject"], "Theirs");
    }
}

/// Changes a subject after someone else did.
fn overtaken(bench: &Bench, tool: &str, kind: ItemKind, id: u64) -> Value {
    let latch = Latch::new();
    bench.taiga().fault_on("PATCH", "/", 1, Fault::Hold(latch.clone()));
    bench.taiga().forget_requests();
    std::thread::scope(|scope| {
        let error = scope.spawn(|| bench.error(tool, json!({"id": id, "subject": "Ours"})));
        // The read, and the write that is held back.
        bench.taiga().wait_for_requests(2);
        bench.taiga().edit("alice", kind, id, &json!({"subject": "Theirs"}));
        latch.open();
        error.join().unwrap()
    })
}

/// The contract's chapter 16, last row, and chapter 8.
#[test]
fn a_long_pause_is_an_error_and_a_short_one_is_waited_for() {
    let bench = Bench::remote_project();
    let id = story(&bench);
    bench.taiga().throttle_next(1, Duration::from_mins(1));
    let error = bench.error("update_user_story", json!({"id": id, "subject": "Later"}));
    let retry = error["retryAfterMs"].as_u64().unwrap();
    assert!((1..=60_000).contains(&retry), "{error}");
    let expected =
        json!({"category": "rate_limit", "message": "Rate limited", "httpStatus": 429, "retryAfterMs": retry});
    assert_eq!(error, expected);

    let bench = Bench::remote_project();
    bench.taiga().throttle_next(1, Duration::from_secs(1));
    let envelope = bench.call("list_user_stories", &json!({}));
    assert_eq!(envelope["ok"], true, "{envelope}");
    assert!(envelope["_rateLimit"]["retryAfterMs"].as_u64().unwrap() >= 1, "{envelope}");
}

/// The contract's chapter 16, third row.
#[test]
fn no_answer_is_a_network_error() {
    let bench = Bench::remote_project();
    bench.taiga().cut_next(10);
    let error = bench.error("create_issue", json!({"subject": "x"}));
    assert_eq!((&error["category"], &error["message"]), (&json!("network"), &json!("Network unreachable")));
    assert!(error.get("httpStatus").is_none());
    assert_eq!(bench.taiga().count("POST", "/issues"), 1, "a write is sent once");
    let error = bench.error("list_issues", json!({}));
    assert_eq!(error["message"], "Network unreachable");
}

#[test]
fn server_errors_map_to_categories() {
    let bench = Bench::remote_project();
    let id = story(&bench);
    let check = |status: u16, body: Value, expected: Value| {
        let answer = Answer::json(status, &body);
        bench.taiga().fault_on("PATCH", "/userstories", 1, Fault::Answer(answer));
        let error = bench.error("update_user_story", json!({"id": id, "subject": "x"}));
        for (key, value) in expected.as_object().unwrap() {
            assert_eq!(&error[key], value, "{status} {body}: {error}");
        }
        assert_eq!(error["httpStatus"], status);
    };
    let message = |text: &str| json!({"_error_message": text, "_error_type": "x"});
    check(403, message("No permission"), json!({"category": "auth"}));
    check(
        400,
        json!({"subject": ["Too odd"], "status": "Closed"}),
        json!({
            "category": "validation", "details": {"statusId": "Closed", "subject": "Too odd"},
            "message": "statusId: Closed; subject: Too odd",
        }),
    );
    for status in [409, 412, 422] {
        check(status, message("No"), json!({"category": "validation"}));
    }
    check(500, message("Oh"), json!({"category": "server"}));
    check(418, message("Teapot"), json!({"category": "unknown"}));
    let long = "x".repeat(50_000);
    bench.taiga().fault_on("PATCH", "/userstories", 1, Fault::Answer(Answer::json(400, &json!({"subject": [long]}))));
    let error = bench.error("update_user_story", json!({"id": id, "subject": "x"}));
    assert!(error.to_string().len() < 2_000, "{} bytes", error.to_string().len());
}

/// Taiga has no priority for stories and tasks: it is stored as a tag and not shown as one.
#[test]
fn priorities_are_tags_on_the_server_only() {
    let bench = Bench::remote_project();
    let story = bench.make("create_user_story", json!({"subject": "A story", "tags": ["Money"], "priority": "high"}));
    let tags = |bench: &Bench| {
        let item = bench.taiga().item(ItemKind::Story, story).unwrap();
        let mut names: Vec<String> =
            item["tags"].as_array().unwrap().iter().map(|tag| tag[0].as_str().unwrap().to_owned()).collect();
        names.sort_unstable();
        names
    };
    assert_eq!(tags(&bench), ["money", "priority:high"]);
    bench.data("update_user_story", json!({"id": story, "priority": "low"}));
    assert_eq!(tags(&bench), ["money", "priority:low"]);
    let shown = bench.data("update_user_story", json!({"id": story, "tags": []}));
    assert_eq!(tags(&bench), ["priority:low"]);
    assert_eq!((&shown["priority"], &shown["tags"]), (&json!("low"), &json!([])));
    // Someone else may have added another one: the most urgent counts.
    bench.taiga().edit("alice", ItemKind::Story, story, &json!({"tags": ["priority:low", "priority:highest"]}));
    assert_eq!(bench.data("get_user_story", json!({"id": story}))["priority"], "highest");
    let issue = bench.data("create_issue", json!({"subject": "An issue", "priority": "highest"}));
    assert_eq!((&issue["priority"], &issue["tags"]), (&json!("high"), &json!([])));
}

/// A read-only project has its own error text; a hint explains it.
#[test]
fn a_read_only_project_is_an_error() {
    let bench = Bench::remote_project();
    let refused = || bench.error("create_issue", json!({"subject": "x"}));
    bench.taiga().archive_project(EMPTY_PROJECT);
    let hint = "the project is archived: it can be read, but not changed";
    assert_eq!((&refused()["category"], &refused()["details"]), (&json!("auth"), &json!({"hint": hint})));
    bench.taiga().block_project(EMPTY_PROJECT);
    let hint = "the server's staff blocked the project: it can be read, but not changed";
    assert_eq!((&refused()["category"], &refused()["details"]), (&json!("auth"), &json!({"hint": hint})));
}

#[test]
fn a_story_without_its_epic_is_reported() {
    let bench = Bench::remote_project();
    let epic = bench.make("create_epic", json!({"subject": "Payments"}));
    bench.taiga().fault_on("POST", "/epics/", 1, Fault::Answer(Answer::json(500, &json!({"error": "Oh"}))));
    let error = bench.error("create_user_story", json!({"subject": "Half", "epicId": epic}));
    assert_eq!(error["category"], "server");
    let listed = bench.data("list_user_stories", json!({}));
    let made = listed["items"][0]["id"].as_u64().unwrap();
    assert!(error["details"]["id"].as_str().unwrap().starts_with(&format!("{made} was created")), "{error}");
}

/// A partially applied change: the error says what was done and what was not.
#[test]
fn a_partial_change_is_reported() {
    let bench = Bench::remote_project();
    let (id, epic) = (story(&bench), bench.make("create_epic", json!({"subject": "Payments"})));
    let fail =
        || bench.taiga().fault_on("POST", "/epics/", 1, Fault::Answer(Answer::json(500, &json!({"error": "Oh"}))));
    fail();
    let error = bench.error("update_user_story", json!({"id": id, "subject": "Pay later", "epicId": epic}));
    assert_eq!(error["details"], json!({"epicId": "not changed as asked; all other changes were made"}));
    assert_eq!(bench.data("get_user_story", json!({"id": id}))["subject"], "Pay later");
    fail();
    let error = bench.error("update_user_story", json!({"id": id, "epicId": epic}));
    assert_eq!(error.get("details"), None, "{error}");
}

/// A successful write is reported even if reading it back fails: after an error the caller would create it again.
#[test]
fn a_story_that_cannot_be_read_back_was_made() {
    let bench = Bench::remote_project();
    let (epic, other) =
        (bench.make("create_epic", json!({"subject": "One"})), bench.make("create_epic", json!({"subject": "Two"})));
    let oh = || Fault::Answer(Answer::json(500, &json!({"error": "Oh"})));
    bench.taiga().fault_on("GET", "/userstories/", 1, oh());
    let made = bench.data("create_user_story", json!({"subject": "Pay by card", "epicId": epic}));
    assert_eq!(made["epicId"], epic);
    let id = &made["id"];
    let read = bench.data("get_user_story", json!({"id": id}));
    assert_eq!(made, read);
    let latch = Latch::new();
    bench.taiga().fault_on("POST", "/epics/", 1, Fault::Hold(latch.clone()));
    bench.taiga().forget_requests();
    std::thread::scope(|scope| {
        let moved = scope.spawn(|| bench.data("update_user_story", json!({"id": id, "epicId": other})));
        // The story, the epic, and the link request that is held back.
        bench.taiga().wait_for_requests(3);
        bench.taiga().fault_on("GET", "/userstories/", 1, oh());
        latch.open();
        assert_eq!(moved.join().unwrap()["epicId"], other);
    });
}

/// A value added to the project after it was cached is found by the call that uses it.
#[test]
fn a_new_severity_is_taken_and_shown() {
    let bench = Bench::remote_project();
    bench.data("list_issues", json!({}));
    bench.taiga().add_severity(EMPTY_PROJECT, "Dreadful");
    let issue = bench.data("create_issue", json!({"subject": "It burns", "severity": "dreadful"}));
    assert_eq!(issue["severity"], "Dreadful");
}

#[test]
fn an_update_without_a_change_of_fields_only_moves_the_story() {
    let bench = Bench::remote_project();
    let (id, epic) = (story(&bench), bench.make("create_epic", json!({"subject": "Payments"})));
    bench.taiga().forget_requests();
    bench.data("update_user_story", json!({"id": id, "epicId": epic}));
    assert_eq!(bench.taiga().count("PATCH", "/"), 0);
}

/// In Taiga a story may be in several epics. One is shown; setting it leaves the story in that one only.
#[test]
fn a_story_in_two_epics_is_left_in_the_one_that_is_set() {
    let bench = Bench::remote();
    bench.data("set_active_project", json!({"projectId": 1}));
    assert_eq!(bench.data("get_user_story", json!({"id": 1}))["epicId"], 1);
    let second = json!({"epicId": 2});
    assert!(
        bench.data("list_user_stories", second.clone())["items"].as_array().unwrap().iter().any(|item| item["id"] == 1)
    );
    assert_eq!(bench.data("update_user_story", json!({"id": 1, "epicId": 2}))["epicId"], 2);
    let first = bench.data("list_user_stories", json!({"epicId": 1}));
    assert!(first["items"].as_array().unwrap().iter().all(|item| item["id"] != 1), "{first}");
    assert_eq!(bench.data("update_user_story", json!({"id": 1, "epicId": null}))["epicId"], Value::Null);
    assert_eq!(bench.data("list_user_stories", second)["meta"]["total"], 0);
}

/// An expired token is renewed; if that fails, the error has a hint.
#[test]
fn a_session_that_ended_is_an_auth_error() {
    let bench = Bench::remote_project();
    bench.taiga().expire_access_tokens();
    assert_eq!(bench.data("list_issues", json!({}))["meta"]["total"], 0);
    bench.taiga().expire_access_tokens();
    bench.taiga().expire_refresh_tokens();
    let error = bench.error("list_issues", json!({}));
    assert_eq!((&error["category"], &error["httpStatus"]), (&json!("auth"), &json!(401)));
    assert_eq!(
        error["details"],
        json!({"hint": "log in with `cairn taiga login URL`, or renew `CAIRN_TAIGA_TOKEN` where it is set"})
    );
}

/// New members and statuses are found by the first call that refers to them.
#[test]
fn lookups_are_few_and_never_too_old() {
    let bench = Bench::remote_project();
    bench.taiga().forget_requests();
    for _ in 0..5 {
        bench.data("get_members", json!({}));
        bench.data("get_statuses", json!({"entity": "issue"}));
    }
    assert_eq!(bench.taiga().count("GET", "/projects"), 0);
    bench.error("create_issue", json!({"subject": "x", "assignedToId": 7}));
    assert_eq!(bench.taiga().count("GET", &format!("/projects/{EMPTY_PROJECT}")), 1);
}

#[test]
fn logged_out_user_gets_an_auth_error() {
    let bench = Bench::remote_project();
    let servers = Servers::new(setup(&bench.repository));
    servers.log_out("harbour").unwrap();
    let again = bench.again();
    let error = again.error("list_issues", json!({}));
    let expected = json!({
        "category": "auth", "message": "you are not logged in to a Taiga called `harbour`", "httpStatus": 401,
        "details": {"hint": "`cairn taiga login URL` logs in to one"},
    });
    assert_eq!(error, expected);
    let proof = Proof::Token(Secret::new(bench.taiga().log_in("bob").access));
    servers.log_in(bench.taiga().url(), Some("harbour"), &proof).unwrap();
    // Another user, who is not a member of the stored project.
    let error = again.error("list_issues", json!({}));
    let hint = "the active project can no longer be read; call list_projects and set_active_project";
    assert_eq!((&error["category"], &error["details"]), (&json!("auth"), &json!({"hint": hint})));
}

/// Taiga filters epics by one assignee only, and rejects several.
#[test]
fn r16_5_epics_of_several_people_are_listed() {
    let bench = Bench::remote();
    bench.data("set_active_project", json!({"projectId": 1}));
    for (id, who) in [(1, json!(6)), (2, json!(7)), (3, json!(8)), (4, Value::Null)] {
        bench.taiga().edit("alice", ItemKind::Epic, id, &json!({"assigned_to": who}));
    }
    for tool in ["list_epics", "search_epics"] {
        let mut given = json!({"assigneeIds": [6, 7], "limit": 1, "offset": 1});
        if tool == "search_epics" {
            given["query"] = json!("e");
        }
        let page = bench.call(tool, &given);
        assert_eq!(page["ok"], true, "{page}");
    }
    let page = bench.data("list_epics", json!({"assigneeIds": [6, 7]}));
    let ids: Vec<u64> = page["items"].as_array().unwrap().iter().filter_map(|item| item["id"].as_u64()).collect();
    assert_eq!((ids, &page["meta"]["total"]), (vec![1, 2], &json!(2)));
}

/// Taiga returns an empty list to a user without permission.
#[test]
fn r16_11_list_that_may_not_be_viewed_is_an_error() {
    let bench = Bench::remote();
    bench.data("set_active_project", json!({"projectId": 1}));
    assert_eq!(bench.data("list_issues", json!({"limit": 1}))["meta"]["total"], 28);
    // As seen by a user whose role lost a permission, and who then left the project.
    let hides = |body: Value| Fault::Answer(Answer::json(200, &body));
    bench.taiga().fault_on("GET", "/issues", 1, hides(json!([])));
    let mut project = bench.taiga().call("alice", "GET", "/projects/1", &Value::Null);
    let rights = project["my_permissions"].as_array_mut().unwrap();
    rights.retain(|right| right != "view_issues");
    bench.taiga().fault_on("GET", "/projects/1", 1, hides(project));
    let error = bench.error("list_issues", json!({}));
    assert_eq!((&error["category"], &error["httpStatus"]), (&json!("auth"), &json!(403)));
}

/// A creation whose response was lost has succeeded: a retry would create a duplicate.
#[test]
fn r16_20_create_without_a_response_reports_a_possible_write() {
    let bench = Bench::remote_project();
    bench.taiga().fault_on("POST", "/issues", 1, Fault::CutAfter);
    let error = bench.error("create_issue", json!({"subject": "Once"}));
    assert_eq!((&error["category"], &error["message"]), (&json!("network"), &json!("Network unreachable")));
    insta::assert_snapshot!(error["details"]["hint"].as_str().unwrap(), @"it may have been created: look for its subject with search_issues before you create it again");
    assert_eq!(bench.taiga().items(ItemKind::Issue, super::bench::EMPTY_PROJECT).len(), 1);
}

/// Finding 18: two servers on one host are distinct, each with its own token and user.
#[test]
fn r16_18_servers_on_other_ports_of_a_host_do_not_replace_each_other() {
    let bench = Bench::local();
    let (first, second) = (FakeTaiga::start(), FakeTaiga::start_under("/agile"));
    let servers = Servers::new(setup(&bench.repository));
    let proof = |username: &str| Proof::Password { username: username.to_owned(), password: Secret::new(PASSWORD) };
    let one = servers.log_in(first.url(), None, &proof("alice")).unwrap();
    let other = servers.log_in(second.url(), None, &proof("bob")).unwrap();
    assert_ne!(one.name, other.name);
    let again = Servers::new(setup(&bench.repository));
    for (instance, username) in [(&one, "alice"), (&other, "bob")] {
        let kept = again.find(&instance.name).unwrap();
        assert_eq!(kept.url, instance.url);
        let account = again.account(&kept).unwrap();
        assert_eq!(account.client().me().unwrap().username, username);
    }
}

/// Finding 11: a list without permission to view is an error, not an empty list.
#[test]
fn r16_11_kind_that_may_not_be_viewed_is_an_auth_error() {
    let bench = Bench::remote_as("eve");
    bench.data("set_active_project", json!({"projectId": 1}));
    assert_eq!(bench.data("list_issues", json!({}))["meta"]["total"], 28);
    bench.taiga().revoke(1, "eve", "view_issues");
    // The permissions are cached; the empty list makes them be read again.
    for bench in [&bench, &bench.again()] {
        let error = bench.error("list_issues", json!({}));
        assert_eq!((&error["category"], &error["httpStatus"]), (&json!("auth"), &json!(403)));
    }
    assert_eq!(bench.data("list_user_stories", json!({}))["meta"]["total"], 52);
}
