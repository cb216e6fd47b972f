//! beads: `.beads/issues.jsonl`.

use exchange::ImportFormat::Beads;
use exchange::{ExportFormat, ExportOptions};
use serde_json::json;

use crate::harness::TestProject;

const ISSUES: &str = r#"{"version":"1.0","exported_at":"2025-06-01T00:00:00Z"}
{"id":"bd-a1","title":"Login","description":"All of it.","design":"OAuth","acceptance_criteria":"- [ ] works","notes":"soon","status":"in_progress","priority":0,"issue_type":"epic","assignee":"ada@example.com","created_at":"2025-01-01T09:00:00Z","created_by":"Grace","updated_at":"2025-01-05T09:00:00+01:00","started_at":"2025-01-02T09:00:00Z","due_at":"2025-03-01T00:00:00Z","labels":["auth"],"external_ref":"gh-9","estimated_minutes":90,"content_hash":"abc","metadata":{"files":["a.rs"]}}
{"id":"bd-a1.1","title":"Safari","status":"closed","priority":1,"issue_type":"bug","created_at":"2025-01-02T09:00:00Z","updated_at":"2025-01-09T09:00:00Z","closed_at":"2025-01-09T09:00:00Z","close_reason":"Fixed","dependencies":[{"issue_id":"bd-a1.1","depends_on_id":"bd-a1","type":"parent-child","created_at":"2025-01-02T09:00:00Z"},{"issue_id":"bd-a1.1","depends_on_id":"bd-b2","type":"blocks"},{"issue_id":"bd-a1.1","depends_on_id":"bd-b2","type":"authored-by"},{"issue_id":"bd-a1.1","depends_on_id":"bd-gone","type":"related"}],"comments":[{"id":7,"issue_id":"bd-a1.1","author":"alice","text":"numeric id","created_at":"2025-01-03T01:00:00Z"}]}
{"id":"bd-b2","title":"Cookies","status":"blocked","priority":4,"type":"chore","created_at":"2025-01-03T09:00:00Z","updated_at":"2025-01-03T09:00:00Z","dependencies":[{"issue_id":"bd-b2","depends_on_id":"bd-a1.1","type":"discovered-from"}]}
{"id":"bd-c3","title":"Gone","status":"tombstone","priority":2,"created_at":"2025-01-03T09:00:00Z","updated_at":"2025-01-03T09:00:00Z"}
{"id":"bd-d4","title":"muted","status":"open","priority":2,"issue_type":"event","created_at":"2025-01-03T09:00:00Z","updated_at":"2025-01-03T09:00:00Z"}
"#;

#[test]
fn issues_keep_every_field() {
    let mut test = TestProject::new();
    let view = test.import(Beads, ISSUES);
    assert_eq!((view.created, view.comments), (3, 1));
    test.check(
        "1",
        &json!({"kind": "epic", "title": "Login", "status": "in_progress", "priority": 9,
        "description": "All of it.\n\n## Design\n\nOAuth\n\n## Acceptance criteria\n\n- [ ] works\n\n## Notes\n\nsoon",
        "assignees": ["Ada Lovelace <ada@example.com>"], "author": "Grace", "labels": ["auth"],
        "created": "2025-01-01T09:00:00Z", "updated": "2025-01-05T08:00:00Z", "started": "2025-01-02",
        "due": "2025-03-01", "imported": {"from": "beads", "id": "bd-a1", "url": null, "status": null},
        "extra": {"external_ref": "gh-9", "estimated_minutes": 90, "metadata": {"files": ["a.rs"]}}}),
    );
    test.check("2", &json!({"kind": "issue", "type": "bug", "status": "done", "completed": "2025-01-09", "priority": 7,
        "parent": "Login", "blockedBy": ["Cookies"], "updated": "2025-01-09T09:00:00Z",
        "extra": {"close_reason": "Fixed"}, "comments": [{"author": "alice", "created": "2025-01-03T01:00:00Z", "body": "numeric id"}]}));
    test.check(
        "3",
        &json!({"kind": "task", "type": "chore", "status": "backlog", "blocked": {"is": true}, "priority": 1,
        "relates": ["Safari"], "extra": {"beads_links": {"discovered-from": ["bd-a1.1"]}}, "updated": "2025-01-03T09:00:00Z", "imported": {"status": "blocked"}}),
    );
    test.import_changes_nothing(Beads, ISSUES);
    let mut bytes = Vec::new();
    exchange::export(&test.project, ExportFormat::Beads, &ExportOptions::default(), &mut bytes).unwrap();
    let lines = String::from_utf8(bytes).unwrap();
    assert_eq!(lines.matches(r#""depends_on_id":"bd-a1.1","type":"discovered-from""#).count(), 1, "{lines}");
}

#[test]
fn items_are_found_by_their_ids_in_beads() {
    let mut test = TestProject::new();
    test.import(Beads, ISSUES);
    test.check("bd-a1.1", &json!({"title": "Safari"}));
    test.check("BD-B2", &json!({"title": "Cookies"}));
    assert!(test.project.show(&model::item_ref::ItemRef::parse("bd-gone")).is_err());
}

#[test]
fn skipped_parts_are_counted() {
    let mut test = TestProject::new();
    let view = test.import(Beads, ISSUES);
    let left: Vec<_> = view.left_out.iter().map(|one| (one.what.as_str(), one.count)).collect();
    let expected = [("deleted issue", 1), ("dependency", 1), ("record", 1), ("record of agents", 1), ("relates", 1)];
    assert_eq!(left, expected);
}

#[test]
fn malformed_lines_are_refused_with_line_and_column() {
    let mut test = TestProject::new();
    let good = r#"{"id":"a","title":"A"}"#;
    test.refuses(
        Beads,
        &format!("{good}\n{{\"id\":7}}"),
        "`<tmp>/input`: line 2, column 7: invalid type: integer `7`, expected a string",
    );
    test.refuses(
        Beads,
        &format!("{good}\n{{\"id\":\"b\""),
        "`<tmp>/input`: line 2, column 9: not valid JSON: EOF while parsing an object",
    );
    test.refuses(Beads, &format!("{good}\n{{\"id\":\"b\"}}"), "`<tmp>/input`: line 2: the issue has no `title`");
}

#[test]
fn comments_that_are_repeated_as_notes_are_kept_once() {
    let mut test = TestProject::new();
    let issues = r#"{"id":"bd-1","title":"First","status":"open","priority":2,"issue_type":"task","created_at":"2025-01-01T09:00:00Z","updated_at":"2025-01-01T09:00:00Z"}
{"id":"bd-2","title":"Second","notes":"One.\n\nTwo.","status":"blocked","priority":2,"issue_type":"task","created_at":"2025-01-01T09:00:00Z","updated_at":"2025-01-01T09:00:00Z","dependencies":[{"issue_id":"bd-2","depends_on_id":"bd-1","type":"blocks","created_at":"2025-01-01T09:00:00Z","created_by":"grace"}],"comments":[{"id":1,"issue_id":"bd-2","author":"grace","text":"One.","created_at":"2025-01-01T09:00:00Z"},{"id":2,"issue_id":"bd-2","author":"octo","text":"Two.","created_at":"2025-01-01T10:00:00Z"}]}"#;
    assert_eq!(test.import(Beads, issues).comments, 2);
    // It waits for the other issue, and no longer than that.
    let expected =
        json!({"description": "", "blocked": {"is": false}, "blockedBy": ["First"], "imported": {"status": "blocked"}});
    test.check("bd-2", &expected);
}
