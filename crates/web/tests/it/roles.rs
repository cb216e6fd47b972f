//! What a role may do, through the API and through tools.

use serde_json::{Value, json};

use crate::site::Site;

#[test]
fn readers_read_and_change_nothing() {
    let site = Site::new(&["One"]);
    let before = site.get("/api/items/1", &site.reader).json();
    for (method, path, body) in [
        ("POST", "/api/items", json!({"kind": "task", "title": "a"})),
        ("PATCH", "/api/items/1", json!({"fields": {"title": "a"}})),
        ("DELETE", "/api/items/1", Value::Null),
        ("POST", "/api/items/1/reopen", Value::Null),
        ("POST", "/api/items/1/comments", json!({"text": "a"})),
        ("POST", "/api/items/1/links", json!({"kind": "touches", "to": "a"})),
        ("POST", "/api/inbox", json!({"file": "a", "comment": "b"})),
        ("POST", "/api/views", json!({"name": "Mine", "filter": "priority >= high"})),
        ("PATCH", "/api/views/Mine", json!({"name": "Other"})),
        ("DELETE", "/api/views/Mine", Value::Null),
    ] {
        site.write(method, path, &site.reader, &body).problem(403, "this token is read-only");
    }
    assert_eq!(site.get("/api/items/1", &site.reader).json(), before);
    assert_eq!(site.get("/api/project", &site.reader).json()["visitor"]["role"], "reader");
}

#[test]
fn writers_write_in_the_name_of_their_person() {
    let site = Site::new(&[]);
    let made = site.write("POST", "/api/items", &site.writer, &json!({"kind": "task", "title": "Two"}));
    assert_eq!((made.status, &made.json()["author"]), (201, &json!("Grace <grace@example.com>")), "{}", made.body);
}

#[test]
fn tools_follow_the_role_too() {
    let site = Site::new(&["One"]);
    let call = |token: &str, name: &str, arguments: Value| {
        let params = json!({"name": name, "arguments": arguments});
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let accept = [("accept", "application/json, text/event-stream"), ("mcp-protocol-version", "2025-06-18")];
        let answer = site.write_with("POST", "/mcp/quicksilver", token, &accept, &call);
        let data = answer.body.lines().rev().find_map(|line| line.strip_prefix("data: ")).unwrap_or(&answer.body);
        (answer.status, serde_json::from_str::<Value>(data).unwrap())
    };
    let (status, refused) = call(&site.reader, "create_task", json!({"title": "x"}));
    assert_eq!((status, &refused["error"]["message"]), (403, &json!("Forbidden")), "{refused}");
    insta::assert_snapshot!(refused["error"]["data"].as_str().unwrap(), @"this token is read-only; `create_task` needs write access");
    let (status, made) = call(&site.writer, "create_task", json!({"title": "x"}));
    assert!(status == 200 && made.get("error").is_none(), "{made}");
    assert_eq!(site.get("/api/items", &site.reader).json()["total"], 2);
}
