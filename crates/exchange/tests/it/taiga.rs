//! Taiga: the export of a project.

use exchange::ImportFormat::Taiga;
use serde_json::json;

use crate::harness::TestProject;

const PROJECT: &str = r##"{"name": "Harbour", "slug": "harbour", "memberships": [{"email": "grace@example.com", "full_name": "Grace Hopper"}],
"us_statuses": [{"name": "New", "is_closed": false}, {"name": "Archived", "is_closed": true}],
"milestones": [{"name": "Sprint 1", "slug": "sprint-1", "owner": "grace@example.com", "estimated_start": "2024-05-01", "estimated_finish": "2024-05-14", "closed": true, "created_date": "2024-04-30T10:00:00+0000", "modified_date": "2024-05-15T10:00:00+0000"}],
"epics": [{"ref": 1, "subject": "Berths", "color": "#729fcf", "status": "New", "owner": "grace@example.com", "created_date": "2024-05-01T09:00:00Z", "related_user_stories": [{"user_story": 2, "order": 1}]}],
"user_stories": [{"ref": 2, "subject": "Book a berth", "description": "As a captain", "status": "Archived", "milestone": "Sprint 1", "owner": "grace@example.com", "assigned_to": "ada@example.com", "assigned_users": ["bob@example.com"],
 "created_date": "2024-05-01T10:00:00Z", "modified_date": "2024-05-03T10:00:00Z", "finish_date": "2024-05-02T10:00:00Z", "tags": ["berth"], "is_blocked": true, "blocked_note": "customs", "due_date": "2024-05-10",
 "history": [{"comment": "Agreed.", "created_at": "2024-05-01T11:00:00Z", "user": ["grace@example.com", "Grace"], "type": 1}, {"comment": "", "diff": {}}, {"comment": "gone", "delete_comment_date": "2024-05-02T00:00:00Z"}],
 "attachments": [{"name": "map.png"}]}],
"tasks": [{"ref": 3, "subject": "Draw", "user_story": 2, "status": "New", "created_date": "2024-05-01T10:00:00Z", "modified_date": "2024-05-01T10:00:00Z"}],
"issues": [{"ref": 4, "subject": "Leak", "type": "Bug", "priority": "High", "severity": "Critical", "status": "New", "created_date": "2024-05-01T10:00:00Z", "modified_date": "2024-05-01T10:00:00Z"}],
"wiki_pages": [{"slug": "home"}]}"##;

#[test]
fn project_keeps_every_field() {
    let mut test = TestProject::new();
    // Offsets without a colon, as some versions write them.
    let text = PROJECT.replace("+0000", "Z");
    let view = test.import(Taiga, &text);
    assert_eq!((view.created, view.comments), (5, 1));
    test.check(
        "milestone/1",
        &json!({"title": "Sprint 1", "state": "closed", "started": "2024-05-01", "due": "2024-05-14"}),
    );
    test.check("1", &json!({"kind": "epic", "colour": "#729fcf", "author": "Grace Hopper <grace@example.com>"}));
    test.check("2", &json!({"kind": "story", "title": "Book a berth", "description": "As a captain", "status": "done",
        "completed": "2024-05-02", "milestone": "Sprint 1", "parent": "Berths", "labels": ["berth"], "due": "2024-05-10",
        "assignees": ["Ada Lovelace <ada@example.com>", "bob@example.com"], "blocked": {"is": true, "reason": "customs"},
        "created": "2024-05-01T10:00:00Z", "updated": "2024-05-03T10:00:00Z",
        "imported": {"from": "taiga", "id": "harbour#2", "status": "Archived"},
        "comments": [{"author": "Grace Hopper <grace@example.com>", "created": "2024-05-01T11:00:00Z", "body": "Agreed."}]}));
    test.check("3", &json!({"kind": "task", "parent": "Book a berth"}));
    test.check("4", &json!({"kind": "issue", "type": "Bug", "priority": 7, "severity": "Critical"}));
    let left: Vec<&str> = view.left_out.iter().map(|one| one.what.as_str()).collect();
    assert_eq!(left, ["attachment", "wiki page"]);
    test.import_changes_nothing(Taiga, &text);
}

#[test]
fn malformed_files_are_refused() {
    let mut test = TestProject::new();
    test.refuses(Taiga, "[]", "`<tmp>/input`: line 1, column 1: invalid type: sequence, expected an object");
    test.refuses(
        Taiga,
        "{\"issues\": [{\"ref\": \"x\"}]}",
        r#"`<tmp>/input`: line 1, column 25: `issues`, element 1: invalid type: string "x", expected u64"#,
    );
    test.refuses(
        Taiga,
        "{\"issues\": [{\"subject\": \"x\"}]}",
        "`<tmp>/input`: line 1, column 29: `issues`, element 1: it has no `ref`",
    );
    test.refuses(
        Taiga,
        "{\"issues\": [\n",
        "`<tmp>/input`: line 2, column 1: not valid JSON: EOF while parsing a list",
    );
}

#[test]
fn points_attributes_and_names_of_people_are_kept() {
    let mut test = TestProject::new();
    let export = r#"{"slug": "shop", "user_stories": [{"ref": 2, "subject": "Story", "owner": "grace@example.com",
        "role_points": [{"role": "Back", "points": "3"}, {"role": "UX", "points": "0.5"}, {"role": "QA", "points": "?"}],
        "custom_attributes_values": {"Size": "XL"}, "history": [{"comment": "Hi", "user": ["grace@example.com", "Grace"]}]}]}"#;
    test.import(Taiga, export);
    test.check(
        "2",
        &json!({"author": "Grace <grace@example.com>", "extra": {"points": 3.5, "custom_attributes": {"Size": "XL"}},
        "comments": [{"author": "Grace <grace@example.com>"}]}),
    );
    test.import_changes_nothing(Taiga, export);
}
