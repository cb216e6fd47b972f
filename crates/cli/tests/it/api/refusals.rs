//! Rejected requests: always a problem document.

use serde_json::json;

use super::{Server, served};
use crate::support::Project;

/// Creates a token and serves the project to its owner.
fn served_to(project: &Project, words: &[&str]) -> Server {
    let made = project.cairn.json(&[&["token", "create"], words].concat());
    Server::start_for(&project.cairn, made["token"].as_str().unwrap())
}

#[test]
fn readers_may_look_and_change_nothing() {
    let project = Project::with_items(&["one"]);
    let server = served_to(&project, &["bob", "--role", "reader"]);
    assert_eq!(server.get("/api/items/1")["title"], "one");
    assert_eq!(server.get("/api/project")["visitor"]["role"], "reader");
    let tip = project.tip();
    for (method, path, body) in [
        ("POST", "/api/items", Some(r#"{"kind": "task", "title": "a"}"#)),
        ("PATCH", "/api/items/1", Some(r#"{"fields": {"title": "a"}}"#)),
        ("DELETE", "/api/items/1", None),
        ("POST", "/api/items/1/reopen", None),
        ("POST", "/api/items/1/comments", Some(r#"{"text": "a"}"#)),
        ("POST", "/api/items/1/links", Some(r#"{"kind": "touches", "to": "a"}"#)),
        ("POST", "/api/inbox", Some(r#"{"file": "a", "comment": "b"}"#)),
        ("POST", "/api/inbox/0000/replies", Some(r#"{"text": "a"}"#)),
    ] {
        server.send(method, path, &[], body).problem(403, "this token is read-only; this request needs write access");
    }
    assert_eq!(project.tip(), tip);
}

#[test]
fn changes_are_made_in_the_name_of_the_token() {
    let project = Project::with_items(&["one"]);
    let server = served_to(&project, &["bob", "--as", "Bob <bob@example.com>"]);
    assert_eq!(server.get("/api/project")["visitor"]["person"], "Bob <bob@example.com>");
    let made =
        server.write("POST", "/api/items", &json!({"kind": "task", "title": "two", "fields": {"assignee": "me"}}));
    assert_eq!(made.json()["author"], "Bob <bob@example.com>");
    assert_eq!(made.json()["assignee"], "Bob <bob@example.com>");
    let mine = server.get("/api/items?filter=author%20%3D%3D%20me");
    assert_eq!((&mine["total"], &mine["items"][0]["title"]), (&json!(1), &json!("two")));
}

#[test]
fn unauthenticated_requests_get_the_same_problem_shape() {
    let project = Project::with_items(&["one"]);
    let server = Server::start_for(&project.cairn, "nonsense");
    for path in ["/api/items", "/api/items/1", "/api/nothing"] {
        let refused = server.send("GET", path, &[], None);
        refused.problem(401, "send a token: `Authorization: Bearer …`");
        assert_eq!(refused.header("www-authenticate"), "Bearer");
    }
}

#[test]
fn unknown_paths_and_methods_are_named() {
    let (_project, server) = served(&["one"]);
    for path in ["/api", "/api/", "/api/nothing", "/api/items/1/nothing", "/api/items/"] {
        server.send("GET", path, &[], None).problem(404, "path not found");
    }
    for (path, allowed) in
        [("/api/items", "GET, POST, PATCH, HEAD"), ("/api/items/1/reopen", "POST"), ("/api/stats", "GET, HEAD")]
    {
        let refused = server.send("PUT", path, &[], Some("{}"));
        refused.problem(405, &format!("`PUT` is not allowed for this path (allowed: {allowed})"));
        assert_eq!(refused.header("allow"), allowed, "{path}");
    }
}

#[test]
fn items_that_are_not_there_are_not_found() {
    let (_project, server) = served(&["one"]);
    for name in ["2", "99999999999999999999", "0123abcd", "one", "%3Cscript%3E", "-"] {
        server.send("GET", &format!("/api/items/{name}"), &[], None).any_problem(404);
        server.send("DELETE", &format!("/api/items/{name}"), &[], None).any_problem(404);
        server.write("PATCH", &format!("/api/items/{name}"), &json!({})).any_problem(404);
    }
    server.send("GET", "/api/items/%FF", &[], None).problem(400, "the path is not UTF-8");
}

#[test]
fn bodies_must_be_json_of_the_right_shape() {
    let (project, server) = served(&["one"]);
    let tip = project.tip();
    for (body, part) in [
        ("", "in the body: EOF while parsing a value at line 1 column 0"),
        ("{", "in the body: EOF while parsing an object at line 1 column 1"),
        (r#"["issue", "title", {}, []]"#, "in the body: it must be a JSON object"),
        ("null", "in the body: it must be a JSON object"),
        (r#"{"kind": "issue"}"#, "in the body: missing field `title` at line 1 column 17"),
        (
            r#"{"kind": "issue", "title": 1}"#,
            "in the body: invalid type: integer `1`, expected a string at line 1 column 28",
        ),
        (
            r#"{"kind": "cow", "title": "a"}"#,
            "unknown kind `cow` (expected: issue, task, story, epic, milestone, board)",
        ),
        (r#"{"kind": "issue", "title": ""}"#, "the title is empty"),
        (
            r#"{"kind": "issue", "title": "a", "colour": "red"}"#,
            "in the body: unknown field `colour`, expected one of `kind`, `title`, `fields`, `labels`, `create` at line 1 column 40",
        ),
        (r#"{"kind": "issue", "title": "a", "fields": {"shape": "round"}}"#, "unknown field `shape`"),
        (
            r#"{"kind": "issue", "title": "a", "fields": {"priority": "99"}}"#,
            "unknown priority `99` (expected: urgent, high, medium, low, none, or 0 to 10)",
        ),
        (
            r#"{"kind": "issue", "title": "a", "fields": {"priority": 9}}"#,
            "in the body: invalid type: integer `9`, expected a string at line 1 column 56",
        ),
        (
            r#"{"kind": "issue", "title": "a", "fields": {"status": "asleep"}}"#,
            "unknown status `asleep` for an issue (expected: backlog, ready, in_progress, review, done)",
        ),
        (
            r#"{"kind": "issue", "title": "a", "labels": ["a b\nc"]}"#,
            "the label must be one line; put longer text into the description",
        ),
    ] {
        server.send("POST", "/api/items", &[], Some(body)).problem(400, part);
    }
    for kind in ["text/plain", "application/x-www-form-urlencoded", ""] {
        server.send("POST", "/api/items", &[("Content-Type", kind)], Some("{}")).problem(415, "the body must be JSON");
    }
    // One byte over the limit: the body is read completely, so that the response is not cut off.
    let long = "x".repeat(4 * 1024 * 1024 + 1);
    server.send("POST", "/api/items", &[], Some(&long)).problem(413, "the body is too long");
    assert_eq!(project.tip(), tip, "nothing was written");
}
