//! Markdown: what is exported is imported to the same.

use exchange::ImportFormat::{Jsonl, Markdown};
use exchange::{ExportFormat, ExportOptions, ImportOptions};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::harness::TestProject;

/// Everything of a project that an export keeps.
fn seen(test: &TestProject) -> Vec<Value> {
    let mut items = Vec::new();
    let options =
        app::verb::ListOptions { all: true, sort: vec!["number".into()], ..app::verb::ListOptions::default() };
    for item in test.project.list(&options).unwrap().items {
        let mut shown = serde_json::to_value(test.show(&item.id)).unwrap();
        // The state of the operations, and how a comment came here.
        shown.as_object_mut().unwrap().remove("revision");
        for comment in shown["comments"].as_array_mut().unwrap() {
            comment.as_object_mut().unwrap().remove("imported");
        }
        items.push(shown);
    }
    items
}

fn export(test: &TestProject) -> String {
    let mut bytes = Vec::new();
    exchange::export(&test.project, ExportFormat::Markdown, &ExportOptions::default(), &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

#[track_caller]
fn check_round_trip(lines: &str) {
    let mut given = TestProject::new();
    given.import(Jsonl, lines);
    let text = export(&given);
    let mut other = TestProject::new();
    other.import(Markdown, &text);
    assert_eq!(seen(&other), seen(&given), "{text}");
    other.import_changes_nothing(Markdown, &text);
    assert_eq!(export(&other), text);
    // A file for each item says the same.
    let folder = given.files.path().join("split");
    exchange::export_folder(&given.project, &ExportOptions::default(), &folder).unwrap();
    let mut third = TestProject::new();
    exchange::import(&mut third.project, Markdown, &[folder], &ImportOptions::default(), &mut |_| {}).unwrap();
    assert_eq!(seen(&third), seen(&given));
}

#[test]
fn every_field_comes_back() {
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
    test.refuses(Markdown, "# Title", "line 1: the file does not begin with `---`");
    test.refuses(Markdown, "---\ntitle: [\n---\n", "column 1: not valid YAML");
    test.refuses(Markdown, "---\nkind: task\n---\n", "line 1: the title is missing");
    test.refuses(Markdown, "---\ntitle: x\n---\n<!-- cairn:comment {] -->\n", "the line before a comment is not valid");
}

fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[a-zA-Z0-9 .,:#'\"-]{0,12}",
        Just("\n".to_owned()),
        Just("---\n".to_owned()),
        Just("<!-- cairn:item -->\n".to_owned()),
        Just("\\<!-- cairn:comment {} -->".to_owned()),
        Just("\u{2028}\u{85}é🎉".to_owned()),
    ];
    proptest::collection::vec(piece, 0..5).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_comes_back(title in "[a-zA-Z0-9#:'\"\u{85}é -]{1,20}", description in text(), comments in proptest::collection::vec(text(), 0..3)) {
        prop_assume!(!title.trim().is_empty());
        let comments: Vec<String> = comments.into_iter().filter(|text| !text.is_empty()).collect();
        check_round_trip(&json!({"id": "a", "title": title, "description": description, "comments": comments}).to_string());
    }
}
