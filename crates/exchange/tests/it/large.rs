//! Large imports: several commits that appear together.

use exchange::ImportFormat::{Csv, Github, Jira, Jsonl, Taiga};
use serde_json::json;

use crate::harness::TestProject;

fn lines(n_items: usize, last: &str) -> String {
    let mut lines: Vec<String> = (1..=n_items).map(|n| format!("{{\"id\":{n},\"title\":\"Item {n}\"}}")).collect();
    lines.push(last.to_owned());
    lines.join("\n")
}

#[test]
fn commits_of_one_import_appear_together() {
    let mut test = TestProject::new();
    let view = test.import(Jsonl, &lines(25_000, ""));
    assert_eq!(view.created, 25_000);
    let count = testkit::git_in(test.fixture.path(), &["rev-list", "--count", "refs/cairn/work"]);
    assert_eq!(count.trim(), "2");
    test.check("25000", &json!({"title": "Item 25000"}));
    // The error is in the last line, when the first commit is already made; nothing of it is visible.
    let mut other = TestProject::new();
    other.refuses(Jsonl, &lines(25_000, "{\"title\": \"x\", \"status\": \"odd\"}"), "`<tmp>/input`: line 25001, column 26: unknown status `odd` for an issue (expected: backlog, ready, in_progress, review, done)");
    assert_eq!(other.tip(), "");
}

#[test]
fn element_without_an_end_is_refused() {
    let long = "x".repeat(65 * 1024 * 1024);
    let mut test = TestProject::new();
    let mut check = |format, text: String, message: &str| test.refuses(format, &text, message);
    let json = "`<tmp>/input`: an element is longer than 64 MiB at line 1 column <id>";
    let xml = "`<tmp>/input`: line 1, column <id>: not valid XML: I/O error: an element is longer than 64 MiB";
    let csv = "`<tmp>/input`: an element is longer than 64 MiB; a quoted cell may not end";
    check(Github, format!("[{{\"number\": 1, \"title\": \"{long}"), json);
    check(Taiga, format!("{{\"slug\": \"x\", \"issues\": [{{\"ref\": 1, \"subject\": \"{long}"), json);
    check(Jira, format!("<rss><item><key>A-1</key><summary>{long}"), xml);
    check(Csv, format!("id,title\n1,\"{long}"), csv);
}

#[test]
fn line_without_an_end_is_refused() {
    let mut test = TestProject::new();
    let long = format!("{{\"title\": \"{}\"}}", "x".repeat(17 * 1024 * 1024));
    test.refuses(Jsonl, &long, "`<tmp>/input`: line 1: the line is longer than 16 MiB");
}
