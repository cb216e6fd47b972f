//! Exports: filters, spreadsheets, other trackers, pages and calendars.

use exchange::ImportFormat::{Beads, Csv, Jsonl};
use exchange::{ExportFormat, ExportOptions};
use serde_json::{Value, json};
use testkit::{lines_with, tags_with};

use crate::harness::TestProject;

const ITEMS: &str = r#"{"id": "e", "kind": "epic", "title": "All", "created": "2024-01-01T00:00:00Z"}
{"id": "a", "title": "=cmd|' /C calc'!A0", "labels": ["bug"], "priority": 7, "type": "bug", "parent": "e", "due": "2026-04-01", "description": "<script>alert(1)</script>", "author": "Eve <eve@example.com>", "created": "2024-01-01T00:00:00Z", "comments": [{"author": "Bob <bob@example.com>", "created": "2024-01-02T00:00:00Z", "body": "<b>hi</b>"}]}
{"id": "b", "kind": "task", "title": "Done", "state": "closed", "created": "2024-01-01T00:00:00Z", "closed": "2024-01-03T00:00:00Z", "blockedBy": ["a"], "due": "2026-05-01"}
{"kind": "board", "title": "Wall"}"#;

fn export(test: &TestProject, format: ExportFormat, filter: Option<&str>) -> String {
    let mut bytes = Vec::new();
    let options = ExportOptions { filter: filter.map(str::to_owned) };
    exchange::export(&test.project, format, &options, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

fn given() -> TestProject {
    let mut test = TestProject::new();
    test.import(Jsonl, ITEMS);
    test
}

#[test]
fn formulas_are_guarded_in_tables() {
    let table = export(&given(), ExportFormat::Csv, None);
    insta::assert_snapshot!(lines_with(&table, "=cmd"), @"<id>,2,issue,'=cmd|' /C calc'!A0,backlog,open,7,bug,,,bug,,Eve <eve@example.com>,,,All,,,2026-04-01,,<moment>,<moment>,1,<script>alert(1)</script>");
    assert_eq!(table.lines().count(), 5);
    let mut other = TestProject::new();
    other.import(Csv, &table);
    other.check("2", &json!({"title": "=cmd|' /C calc'!A0"}));
    let filtered = export(&given(), ExportFormat::Csv, Some("kind == task"));
    assert_eq!(filtered.lines().count(), 2);
}

#[test]
fn filter_applies_to_operations() {
    let lines = export(&given(), ExportFormat::Jsonl, Some("kind == epic"));
    assert_eq!(lines.lines().count(), 1);
    let mut other = TestProject::new();
    assert_eq!(other.import(Jsonl, &lines).operations, 1);
    other.check("1", &json!({"title": "All"}));
}

#[test]
fn export_to_beads_is_imported_to_the_same() {
    let given = given();
    let lines = export(&given, ExportFormat::Beads, None);
    assert_eq!(lines.lines().count(), 3, "a board is not an issue: {lines}");
    let mut other = TestProject::new();
    other.import(Beads, &lines);
    for number in ["1", "2", "3"] {
        let shown = serde_json::to_value(given.show(number)).unwrap();
        let same = ["kind", "title", "description", "state", "labels", "type", "author", "created", "due", "completed"];
        let expected: serde_json::Map<String, Value> =
            same.iter().map(|key| ((*key).to_owned(), shown[*key].clone())).collect();
        other.check(number, &Value::Object(expected));
    }
    other.check("2", &json!({"parent": "All", "priority": 7, "comments": [{"author": "Bob <bob@example.com>", "body": "<b>hi</b>"}]}));
    other.check("3", &json!({"blockedBy": ["=cmd|' /C calc'!A0"]}));
    // Items from beads keep their ids.
    let again = export(&other, ExportFormat::Beads, None);
    let ids = |text: &str| {
        text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["id"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(ids(&again), ids(&lines));
}

#[test]
fn requests_for_github_have_times_and_comments() {
    let lines = export(&given(), ExportFormat::Github, None);
    let requests: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(requests.len(), 3);
    let bug = &requests[1];
    assert_eq!(bug["issue"]["body"], "> by Eve\n\n<script>alert(1)</script>");
    assert_eq!(bug["issue"]["labels"], json!(["bug"]));
    assert_eq!(bug["comments"][0], json!({"created_at": "2024-01-02T00:00:00Z", "body": "> by Bob\n\n<b>hi</b>"}));
    assert_eq!(
        (&requests[2]["issue"]["closed"], &requests[2]["issue"]["closed_at"]),
        (&json!(true), &json!("2024-01-03T00:00:00Z"))
    );
    assert!(!lines.contains("@example.com"), "{lines}");
}

#[test]
fn page_is_escaped_and_has_no_addresses() {
    let page = export(&given(), ExportFormat::Html, None);
    assert!(!page.contains("<script") && !page.contains("@example.com"), "{page}");
    insta::assert_snapshot!(tags_with(&page, "script"), @"<pre>&lt;script&gt;alert(1)&lt;/script&gt;");
    insta::assert_snapshot!(lines_with(&page, "<h2>"), @"
    <h2>backlog <small>2</small></h2>
    <h2>done <small>1</small></h2>
    ");
}

#[test]
fn calendar_has_the_due_dates_of_open_items() {
    let calendar = export(&given(), ExportFormat::Ics, None);
    assert_eq!(calendar.matches("BEGIN:VEVENT").count(), 1);
    insta::assert_snapshot!(lines_with(&calendar, "DTSTART"), @"DTSTART;VALUE=DATE:20260401");
    assert!(calendar.starts_with("BEGIN:VCALENDAR\r\n") && calendar.ends_with("END:VCALENDAR\r\n"));
}

#[test]
fn requests_for_github_keep_its_limits() {
    let mut test = TestProject::new();
    let (title, label, line) = ("t".repeat(300), "l".repeat(60), format!("{}\n", "x".repeat(9_999)));
    let items = [
        json!({"title": title, "labels": [label, "Task", "a"], "kind": "task", "description": line.repeat(14), "author": "Eve",
            "created": "2024-01-01T00:00:00Z"}),
        // The day on which it was closed began before it was created.
        json!({"title": "Same day", "state": "closed", "created": "2024-01-03T10:00:00Z", "closed": "2024-01-03T11:00:00Z",
            "updated": "2024-01-05T00:00:00Z"}),
    ];
    test.import(Jsonl, &items.map(|item| item.to_string()).join("\n"));
    let lines = export(&test, ExportFormat::Github, None);
    let requests: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (issue, comments) = (&requests[0]["issue"], requests[0]["comments"].as_array().unwrap());
    assert_eq!(issue["title"].as_str().unwrap().chars().count(), 256);
    assert_eq!(issue["labels"], json!(["Task", "a", format!("{}…", "l".repeat(49))]));
    let texts: Vec<&str> = std::iter::once(issue).chain(comments).map(|one| one["body"].as_str().unwrap()).collect();
    assert_eq!(texts.len(), 3);
    assert!(texts.iter().all(|text| text.chars().count() <= 65_536), "{:?}", texts.iter().map(|text| text.len()));
    assert_eq!(texts.concat(), format!("> by Eve\n\n# {title}\n\n{}", line.repeat(14)).trim_end());
    assert_eq!(requests[1]["issue"]["closed_at"], "2024-01-03T10:00:00Z");
    let beads = export(&test, ExportFormat::Beads, Some("state == closed"));
    assert!(beads.contains(r#""closed_at":"2024-01-03T10:00:00Z""#), "{beads}");
}

#[test]
fn tables_have_the_line_ends_of_rfc_4180() {
    let table = export(&given(), ExportFormat::Csv, None);
    assert_eq!((table.matches("\r\n").count(), table.matches('\n').count()), (5, 5), "{table:?}");
}
