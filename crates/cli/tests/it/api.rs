//! The JSON API of the built program: each route with valid and invalid requests, concurrent writers, and live updates.

mod charts;
mod client;
mod events;
mod items;
mod lists;
mod refusals;

use client::{Answer, Heard, Listener, Server};
use serde_json::{Value, json};

use crate::support::Project;

/// Creates a project with items, and serves it.
fn served(titles: &[&str]) -> (Project, Server) {
    let project = Project::with_items(titles);
    let server = Server::start(&project.cairn);
    (project, server)
}

/// Commits a file.
fn commit(project: &Project, file: &str, text: &str) {
    let place = project.repository.path().join(file);
    std::fs::create_dir_all(place.parent().unwrap()).unwrap();
    std::fs::write(place, text).unwrap();
    project.repository.git(&["add", file]);
    project.repository.git(&["commit", "--quiet", "-m", "a change"]);
}

/// Returns the item numbers of a list.
fn numbers(list: &Value) -> Vec<u64> {
    list["items"].as_array().unwrap().iter().map(|item| item["number"].as_u64().unwrap()).collect()
}

#[test]
fn project_resource_has_its_state_and_the_principal() {
    let (project, server) = served(&["one"]);
    let view = server.get("/api/project");
    assert_eq!((&view["state"], &view["visitor"]["role"]), (&json!(project.tip()), &json!("admin")));
    assert_eq!(view["visitor"]["person"], "Ada Lovelace <ada@example.com>");
    assert!(!view["name"].as_str().unwrap().is_empty());
}

#[test]
fn shapes_are_those_of_the_command_line() {
    let (project, server) = served(&["one", "two"]);
    project.cairn.quiet(&["comment", "1", "said"]);
    let same = |path: &str, arguments: &[&str]| assert_eq!(server.get(path), project.cairn.json(arguments), "{path}");
    same("/api/items/1", &["show", "1"]);
    same("/api/items?limit=50", &["list"]);
    same("/api/search?text=two", &["search", "two"]);
    same("/api/ready", &["ready"]);
    same("/api/workflows", &["workflow"]);
    same("/api/members", &["member"]);
    same("/api/items/1/history", &["log", "1"]);
    same("/api/inbox", &["inbox", "list"]);
    assert_eq!(server.get("/api/stats")["operations"], project.cairn.json(&["stats"])["operations"]);
}

#[test]
fn description_is_the_one_in_the_reference() {
    let (project, server) = served(&[]);
    let described = server.get("/api/openapi.json");
    assert_eq!(described, project.cairn.ok(&["reference", "openapi"]).json());
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/openapi.json");
    let page: Value = serde_json::from_str(&std::fs::read_to_string(page).unwrap()).unwrap();
    assert!(described == page, "stale: run `cargo xtask generate`");
}
