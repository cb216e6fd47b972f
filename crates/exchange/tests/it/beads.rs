//! beads: `.beads/issues.jsonl`.

use exchange::ImportFormat::Beads;
use exchange::{ExportFormat, ExportOptions, ImportOptions};
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

#[test]
fn missing_priority_is_the_highest() {
    // Files of December 2025 leave a priority of 0 out.
    let mut test = TestProject::new();
    let line = r#"{"id":"bd-1","title":"Data loss","status":"open","issue_type":"bug","created_at":"2025-12-01T09:00:00Z","updated_at":"2025-12-01T09:00:00Z"}"#;
    test.import(Beads, line);
    test.check("bd-1", &json!({"priority": 9}));
    test.import_changes_nothing(Beads, line);
}

#[test]
fn records_of_agents_and_templates_are_left_out() {
    let mut test = TestProject::new();
    let line = |n: u8, more: &str| {
        format!("{{\"id\":\"bd-{n}\",\"title\":\"T\",\"status\":\"open\",\"priority\":2,{more}}}\n")
    };
    let lines = [
        line(1, r#""issue_type":"agent""#),
        line(2, r#""issue_type":"merge-request""#),
        line(3, r#""issue_type":"task","is_template":true"#),
        line(4, r#""issue_type":"task","ephemeral":1"#),
        // The first moment of 1970 is a time that was never set.
        line(
            5,
            r#""issue_type":"task","created_by":"","owner":"grace@example.com","created_at":"1970-01-01T00:00:00Z","updated_at":"2026-03-01T09:00:00Z""#,
        ),
    ];
    let view = test.import(Beads, &lines.concat());
    assert_eq!(view.created, 1);
    let left: Vec<_> = view.left_out.iter().map(|one| (one.what.as_str(), one.count)).collect();
    assert_eq!(left, [("record of agents", 2), ("template or ephemeral issue", 2)]);
    test.check("bd-5", &json!({"author": "grace@example.com", "created": "2026-03-01T09:00:00Z"}));
}

#[test]
fn backup_is_a_folder_of_tables() {
    let mut test = TestProject::new();
    let issue = |id: &str, kind: &str| {
        format!(
            r#"{{"acceptance_criteria":"","assignee":null,"close_reason":"","closed_at":null,"created_at":"2026-02-27T09:00:00Z","created_by":"","design":"","due_at":null,"ephemeral":0,"external_ref":null,"id":"{id}","is_template":0,"issue_type":"{kind}","metadata":"{{}}","notes":"","owner":"grace@example.com","priority":2,"spec_id":"","status":"open","title":"{id}","updated_at":"2026-02-28T09:00:00Z"}}"#
        ) + "\n"
    };
    test.file(".beads/backup/issues.jsonl", &(issue("bd-1", "epic") + &issue("bd-2", "task") + &issue("bd-3", "task")));
    let dependency = |other: &str, kind: &str| {
        format!(
            r#"{{"created_at":"2026-02-27T09:00:00Z","depends_on_id":"{other}","issue_id":"bd-2","type":"{kind}"}}"#
        ) + "\n"
    };
    test.file(
        ".beads/backup/dependencies.jsonl",
        &(dependency("bd-1", "parent-child") + &dependency("bd-3", "blocks")),
    );
    test.file(
        ".beads/backup/labels.jsonl",
        "{\"issue_id\":\"bd-2\",\"label\":\"web\"}\n{\"issue_id\":\"bd-2\",\"label\":\"ui\"}\n",
    );
    let comment = r#"{"author":"bob","created_at":"2026-02-28T00:15:35Z","id":1,"issue_id":"bd-2","text":"Why?"}"#;
    test.file(".beads/backup/comments.jsonl", comment);
    test.file(".beads/backup/events.jsonl", "{\"id\":1}\n{\"id\":2}\n");
    let mut import = || {
        let folder = test.files.path().to_owned();
        exchange::import(&mut test.project, Beads, &[folder], &ImportOptions::default(), &mut |_| {}).unwrap().0
    };
    let (first, second) = (import(), import());
    assert_eq!((first.created, first.comments), (3, 1));
    assert_eq!((second.updated, second.comments, second.unchanged), (0, 0, 3));
    let left: Vec<_> = first.left_out.iter().map(|one| (one.what.as_str(), one.count)).collect();
    assert_eq!(left, [("event", 2)]);
    let expected = json!({"parent": "bd-1", "blockedBy": ["bd-3"], "labels": ["ui", "web"], "author": "grace@example.com",
        "updated": "2026-02-28T09:00:00Z", "extra": {}, "comments": [{"author": "bob", "body": "Why?"}]});
    test.check("bd-2", &expected);
    let empty = tempfile::tempdir().unwrap();
    let error =
        exchange::import(&mut test.project, Beads, &[empty.path().to_owned()], &ImportOptions::default(), &mut |_| {});
    assert!(error.unwrap_err().message.ends_with("is not a folder of beads"));
}
