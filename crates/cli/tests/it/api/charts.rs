//! Charts of the built program; the numbers are checked in the crate that computes them.

use serde_json::{Value, json};

use super::served;

#[test]
fn burndown_and_flow_end_with_today() {
    let (project, server) = served(&["one", "two", "three"]);
    project.cairn.quiet(&["new", "milestone", "M"]);
    project.cairn.quiet(&["new", "board", "B"]);
    project.cairn.quiet(&["edit", "1", "2", "3", "--milestone", "1", "--board", "1"]);
    project.cairn.quiet(&["close", "1"]);
    project.cairn.quiet(&["start", "2"]);
    let last = |view: &Value| view["days"].as_array().unwrap().last().unwrap().clone();
    let burndown = server.get("/api/milestones/1/burndown");
    assert_eq!((&last(&burndown)["total"], &last(&burndown)["open"]), (&json!(3), &json!(2)), "{burndown}");
    let flow = server.get("/api/boards/1/flow?days=7");
    let names: Vec<&str> =
        flow["statuses"].as_array().unwrap().iter().map(|status| status["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["backlog", "ready", "in_progress", "review", "done"]);
    assert_eq!(last(&flow)["counts"], json!([1, 0, 1, 0, 1]));
    assert!(flow["statuses"][0]["colour"].as_str().unwrap().starts_with('#'));

    server.send("GET", "/api/boards/4/flow", &[], None).problem(404, "item not found: `4`");
    server.send("GET", "/api/milestones/9/burndown", &[], None).problem(404, "item not found: `9`");
    server.send("GET", "/api/boards/1/flow?days=0", &[], None).problem(400, "a chart has 1 to 366 days, not 0");
    server.send("GET", "/api/boards/1/flow?days=9999", &[], None).problem(400, "a chart has 1 to 366 days, not 9999");
}
