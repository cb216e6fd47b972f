//! Lists: filters, sorting, pages, and conditional requests.

use serde_json::{Value, json};

use super::{Server, numbers, served};
use crate::support::Project;

#[test]
fn lists_are_filtered_sorted_and_bounded() {
    let (project, server) = served(&["one", "two", "three"]);
    project.cairn.quiet(&["new", "task", "four", "--priority", "9"]);
    project.cairn.quiet(&["close", "1"]);
    let ask = |query: &str| numbers(&server.get(&format!("/api/items?{query}")));
    assert_eq!(ask("sort=number"), [2, 3, 4]);
    assert_eq!(ask("sort=number:desc&all=true"), [4, 3, 2, 1]);
    assert_eq!(ask("kind=issue&sort=number"), [2, 3]);
    assert_eq!(ask("kind=issue,task&sort=priority:desc,number"), [4, 2, 3]);
    assert_eq!(ask("filter=priority%20%3E%3D%205"), [4]);
    assert_eq!(ask("filter=author+%3D%3D+me&sort=number"), [2, 3, 4]);
    assert_eq!(ask("kind=&filter=&sort=number&limit=&cursor=&all="), [2, 3, 4]);
    assert_eq!(ask("limit=1&sort=number"), [2]);
    assert_eq!(numbers(&server.get("/api/search?text=one")), [1]);
    assert_eq!(numbers(&server.get("/api/ready?limit=1")), [4]);
}

#[test]
fn an_invalid_filter_has_a_position() {
    let (_project, server) = served(&[]);
    let answer = server.send("GET", "/api/items?filter=title%20%3D%3D%20", &[], None);
    let problem =
        answer.problem(400, "in the filter, expected a value at column 10, found end of filter\ntitle ==\n         ^");
    assert_eq!(problem["column"], json!(10), "{problem}");
    assert!(
        server
            .send("GET", "/api/items?filter=colr%20%3D%3D%201", &[], None)
            .problem(400, "in the filter, unknown field `colr` at column 1, expected a field\ncolr == 1\n^~~~")["column"]
            == 1
    );
}

#[test]
fn pages_show_each_item_once() {
    let project = Project::in_memory();
    let lines: Vec<String> = (1..=500)
        .map(|n| json!({"kind": "issue", "title": format!("item {n}"), "fields": {"priority": n % 3}}).to_string())
        .collect();
    let page = |server: &Server, path: &str| -> Vec<u64> {
        let mut seen = Vec::new();
        let mut cursor = String::new();
        loop {
            let list: Value = server.get(&format!("{path}&cursor={cursor}"));
            assert_eq!(list["total"], 500);
            seen.extend(numbers(&list));
            let Some(next) = list["nextCursor"].as_str() else { return seen };
            next.clone_into(&mut cursor);
        }
    };
    project.cairn.run_with_input(&["import", "-"], lines.join("\n").as_bytes());
    let server = Server::start(&project.cairn);
    let everything: Vec<u64> = (1..=500).collect();
    for path in ["/api/items?limit=37&sort=priority:desc", "/api/items?limit=200", "/api/search?text=item&limit=150"] {
        let mut seen = page(&server, path);
        seen.sort_unstable();
        assert_eq!(seen, everything, "{path}");
    }
    let cursor = server.get("/api/items?limit=10")["nextCursor"].as_str().unwrap().to_owned();
    for path in [format!("/api/items?limit=10&kind=task&cursor={cursor}"), "/api/items?cursor=nonsense".to_owned()] {
        server.send("GET", &path, &[], None).problem(400, "this cursor is damaged or belongs to another list");
    }
}

#[test]
fn an_unchanged_list_is_not_sent_again() {
    let (project, server) = served(&["one"]);
    let first = server.send("GET", "/api/items", &[], None);
    let tag = first.header("etag").to_owned();
    assert!(tag.starts_with("W/\""), "{tag}");
    assert_eq!(first.header("cache-control"), "private, no-cache");
    let again = || server.send("GET", "/api/items", &[("If-None-Match", &tag)], None);
    assert_eq!((again().status, again().body.as_str()), (304, ""));
    project.cairn.quiet(&["edit", "1", "--title", "two"]);
    assert_eq!(again().status, 200);
}

#[test]
fn limits_are_kept() {
    let (_project, server) = served(&[]);
    for limit in ["0", "201", "-1", "x"] {
        for path in ["/api/items?", "/api/ready?", "/api/search?text=a&"] {
            server.send("GET", &format!("{path}limit={limit}"), &[], None).any_problem(400);
        }
    }
    server.send("GET", "/api/search", &[], None).problem(400, "in the query: missing field `text`");
    server
        .send("GET", "/api/items?kind=cow", &[], None)
        .problem(400, "unknown kind `cow` (expected: issue, task, story, epic, milestone, board)");
    server.send("GET", "/api/items?colour=red", &[], None).problem(400, "in the query: colour: unknown field `colour`, expected one of `kind`, `filter`, `sort`, `limit`, `cursor`, `all`");
    server.send("GET", "/api/items?limit=1&limit=2", &[], None).problem(400, "in the query: duplicate field `limit`");
}
