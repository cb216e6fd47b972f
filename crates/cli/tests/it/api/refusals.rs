//! What is refused, and how: always in the one form for that.

use serde_json::json;

use super::served;

#[test]
fn unknown_paths_and_methods_are_named() {
    let (_project, server) = served(&["one"]);
    for path in ["/api", "/api/", "/api/nothing", "/api/items/1/nothing", "/api/items/"] {
        server.send("GET", path, &[], None).problem(404, "nothing at this path");
    }
    for (path, allowed) in
        [("/api/items", "GET, POST, HEAD"), ("/api/items/1/reopen", "POST"), ("/api/stats", "GET, HEAD")]
    {
        let refused = server.send("PUT", path, &[], Some("{}"));
        refused.problem(405, "PUT");
        assert_eq!(refused.header("allow"), allowed, "{path}");
    }
}

#[test]
fn items_that_are_not_there_are_not_found() {
    let (_project, server) = served(&["one"]);
    for name in ["2", "99999999999999999999", "0123abcd", "one", "%3Cscript%3E", "-"] {
        server.send("GET", &format!("/api/items/{name}"), &[], None).problem(404, "");
        server.send("DELETE", &format!("/api/items/{name}"), &[], None).problem(404, "");
        server.write("PATCH", &format!("/api/items/{name}"), &json!({})).problem(404, "");
    }
    server.send("GET", "/api/items/%FF", &[], None).problem(400, "UTF-8");
}

#[test]
fn bodies_must_be_json_of_the_right_shape() {
    let (project, server) = served(&["one"]);
    let tip = project.tip();
    for (body, part) in [
        ("", "EOF"),
        ("{", "EOF"),
        (r#"["issue", "title", {}, []]"#, "must be a JSON object"),
        ("null", "must be a JSON object"),
        (r#"{"kind": "issue"}"#, "missing field `title`"),
        (r#"{"kind": "issue", "title": 1}"#, "invalid type"),
        (r#"{"kind": "cow", "title": "a"}"#, "no kind of item"),
        (r#"{"kind": "issue", "title": ""}"#, "empty"),
        (r#"{"kind": "issue", "title": "a", "colour": "red"}"#, "unknown field `colour`"),
        (r#"{"kind": "issue", "title": "a", "fields": {"shape": "round"}}"#, "no field"),
        (r#"{"kind": "issue", "title": "a", "fields": {"priority": "99"}}"#, "no priority"),
        (r#"{"kind": "issue", "title": "a", "fields": {"priority": 9}}"#, "expected a string"),
        (r#"{"kind": "issue", "title": "a", "fields": {"status": "asleep"}}"#, "no status"),
        (r#"{"kind": "issue", "title": "a", "labels": ["a b\nc"]}"#, "label"),
    ] {
        server.send("POST", "/api/items", &[], Some(body)).problem(400, part);
    }
    for kind in ["text/plain", "application/x-www-form-urlencoded", ""] {
        server.send("POST", "/api/items", &[("Content-Type", kind)], Some("{}")).problem(415, "JSON");
    }
    let long = format!(r#"{{"kind": "issue", "title": "{}"}}"#, "x".repeat(5 * 1024 * 1024));
    server.send("POST", "/api/items", &[], Some(&long)).problem(413, "bytes");
    assert_eq!(project.tip(), tip, "nothing was written");
}
