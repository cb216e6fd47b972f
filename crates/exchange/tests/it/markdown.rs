//! Markdown: what is exported is imported to the same.

use exchange::ImportFormat::{Jsonl, Markdown};
use exchange::{ExportFormat, ExportOptions};
use serde_json::json;

use crate::harness::TestProject;
use crate::round_trip::{self, check_round_trip};

fn export(test: &TestProject) -> String {
    round_trip::export(test, ExportFormat::Markdown)
}

#[test]
fn every_field_survives_a_round_trip() {
    let lines = [
        json!({"id": "m", "kind": "milestone", "title": "May", "due": "2026-05-31"}),
        json!({"id": "b", "kind": "board", "title": "Wall"}),
        json!({"id": "e", "kind": "epic", "title": "All", "color": "#36b37e"}),
        json!({"id": "a", "number": 40, "kind": "task", "title": "Login: \"it\" # fails", "description": "---\n\nBody\n",
            "status": "done", "labels": ["bug", "a b"], "assignees": ["Bob <bob@example.com>", "Eve"],
            "author": "Octo <octo@example.com>", "priority": 8, "size": "small", "severity": "bad", "type": "bug",
            "milestone": "m", "board": "b", "parent": "e", "touches": ["src/login.rs:open"], "blocked": "vendor",
            "approved": true, "started": "2024-01-02", "expected": "2024-02-02", "due": "2024-03-03",
            "created": "2024-01-01T10:00:00.123Z", "updated": "2024-02-05T10:00:00Z", "closed": "2024-02-03T10:00:00Z",
            "extra": {"customer": {"name": "Acme", "n": [1, null, true]}}, "rank": "a5i",
            "comments": [{"id": "1", "author": "Bob", "created": "2024-01-03T10:00:00Z", "body": "<!-- cairn:comment x -->\n\\<!-- cairn:item -->"}]}),
        json!({"id": "c", "title": "Other", "blockedBy": ["a"], "relates": ["e"], "blocked": true}),
    ];
    check_round_trip(&lines.map(|line| line.to_string()).join("\n"));
}

#[test]
fn edited_file_updates_the_item() {
    let mut test = TestProject::new();
    test.import(Jsonl, r#"{"title": "One", "labels": ["a"], "priority": 3, "description": "Old"}"#);
    test.import_changes_nothing(Markdown, &export(&test));
    let edited = export(&test).replace("Old", "New").replace("[\"a\"]", "[\"b\"]").replace("priority: 3\n", "");
    let view = test.import(Markdown, &edited);
    assert_eq!((view.created, view.updated), (0, 1));
    test.check("1", &json!({"description": "New", "labels": ["b"], "priority": 0}));
}

#[test]
fn names_of_files_stay_in_the_folder() {
    let mut test = TestProject::new();
    let lines = "{\"title\": \"../../etc/passwd\"}\n{\"title\": \"/\"}\n{\"title\": \"..\"}\n{\"title\": \"Grüße\"}";
    test.import(Jsonl, lines);
    let folder = test.files.path().join("out");
    exchange::export_folder(&test.project, &ExportOptions::default(), &folder).unwrap();
    let mut names: Vec<String> =
        std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, ["issue-1-etc-passwd.md", "issue-2.md", "issue-3.md", "issue-4-grüße.md"]);
}

#[test]
fn malformed_files_are_refused_with_their_place() {
    let mut test = TestProject::new();
    test.refuses(Markdown, "# Title", "`<tmp>/input`: line 1: the file does not begin with `---`, its front matter");
    test.refuses(
        Markdown,
        "---\ntitle: [\n---\n",
        "`<tmp>/input`: line 3, column 1: not valid YAML: while parsing a node, did not find expected node content",
    );
    test.refuses(Markdown, "---\nkind: task\n---\n", "`<tmp>/input`: line 1: the title is missing");
    let second = "<!-- cairn:item -->\n---\ntitle: One\n---\n<!-- cairn:item -->\n---\ntitle: Two\nstatus: odd\n---\n";
    test.refuses(
        Markdown,
        second,
        "`<tmp>/input`: line 8, column 9: unknown status `odd` for an issue (expected: backlog, ready, in_progress, review, done)",
    );
    test.refuses(
        Markdown,
        &second.replace("status: odd", "priority: very"),
        "`<tmp>/input`: line 8, column 11: unknown priority `very` (expected: urgent, high, medium, low, none, or 0 to 10)",
    );
    test.refuses(
        Markdown,
        "---\ntitle: x\n---\n<!-- cairn:comment {] -->\n",
        "`<tmp>/input`: line 1: the line before a comment is not valid: key must be a string at line 1 column 2",
    );
}
