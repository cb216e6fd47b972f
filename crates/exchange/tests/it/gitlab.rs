//! GitLab: the REST interface.

use exchange::ImportFormat::Gitlab;
use exchange::ImportOptions;
use serde_json::json;

use crate::harness::TestProject;

/// As `glab api projects/4/issues` prints it.
const ISSUES: &str = r#"[{"id":41,"iid":1,"project_id":4,"title":"Ut commodi","description":"Ratione dolores","state":"closed",
"created_at":"2016-01-04T15:31:46.176Z","updated_at":"2016-01-07T12:46:01.410Z","closed_at":"2016-01-06T15:31:46.176Z",
"closed_by":{"username":"root","name":"Administrator"},"labels":["foo","a, b"],"milestone":{"id":12,"iid":3,"project_id":4,"title":"v4.0","description":"Totam","state":"closed","due_date":"2016-02-01","start_date":"2016-01-01","created_at":"2016-01-04T15:31:39.996Z","updated_at":"2016-01-04T15:31:39.996Z","web_url":"https://gitlab.example.com/g/p/-/milestones/3"},
"assignees":[{"username":"grace","name":"Grace Hopper","id":3}],"author":{"username":"root","name":"Administrator","public_email":"root@example.com"},
"type":"ISSUE","issue_type":"incident","severity":"HIGH","due_date":"2016-07-22","weight":3,"confidential":true,"web_url":"https://gitlab.example.com/g/p/-/issues/1","references":{"full":"g/p#1"},"task_completion_status":{"count":0}}]"#;

/// As `glab api projects/4/issues/1/notes` prints it.
const NOTES: &str = r#"[{"id":302,"body":"closed","author":{"username":"root","name":"Administrator"},"created_at":"2016-01-06T09:22:45Z","system":true,"noteable_id":41,"noteable_type":"Issue","project_id":4,"noteable_iid":1},
{"id":305,"body":"Text of the comment","author":{"username":"grace","name":"Grace Hopper"},"created_at":"2016-01-05T09:56:03Z","system":false,"noteable_id":41,"noteable_type":"Issue","project_id":4,"noteable_iid":1}]"#;

#[test]
fn issues_and_notes_keep_every_field() {
    let mut test = TestProject::new();
    let paths = [test.file("issues.json", ISSUES), test.file("notes.json", NOTES)];
    let import = |test: &mut TestProject| {
        exchange::import(&mut test.project, Gitlab, &paths, &ImportOptions::default(), &mut |_| {}).unwrap().0
    };
    let view = import(&mut test);
    assert_eq!((view.created, view.comments), (2, 1));
    test.check(
        "1",
        &json!({"kind": "issue", "title": "Ut commodi", "description": "Ratione dolores", "status": "done",
        "completed": "2016-01-06", "labels": ["a b", "foo"], "milestone": "v4.0", "assignees": ["Grace Hopper"],
        "author": "Administrator <root@example.com>", "type": "incident", "severity": "high", "due": "2016-07-22",
        "extra": {"weight": 3}, "created": "2016-01-04T15:31:46.176Z",
        "imported": {"from": "gitlab", "id": "4#1", "url": "https://gitlab.example.com/g/p/-/issues/1"},
        "comments": [{"author": "Grace Hopper", "created": "2016-01-05T09:56:03Z", "body": "Text of the comment"}]}),
    );
    test.check("milestone/3", &json!({"state": "closed", "due": "2016-02-01", "started": "2016-01-01"}));
    let left: Vec<&str> = view.left_out.iter().map(|one| one.what.as_str()).collect();
    assert_eq!(left, ["confidentiality", "system note"]);
    assert_eq!((import(&mut test).updated, import(&mut test).comments), (0, 0));
}

#[test]
fn merge_requests_are_left_out() {
    let view = TestProject::new().import(Gitlab, r#"[{"iid": 2, "title": "x", "source_branch": "y"}]"#);
    assert_eq!((view.created, view.left_out[0].example.as_str()), (0, "!2"));
}

#[test]
fn labels_are_declared_with_their_colors() {
    let mut test = TestProject::new();
    let labels = r##"[{"id": 1, "name": "bug", "color": "#d9534f", "text_color": "#FFFFFF", "description": "Wrong"}]"##;
    assert_eq!(test.import(Gitlab, labels).labels, 1);
    let labels = test.project.labels().unwrap();
    assert_eq!((labels[0].color.as_deref(), labels[0].about.as_str()), (Some("#d9534f"), "Wrong"));
    // Without colors nothing is declared.
    let mut other = TestProject::new();
    let issue = r#"[{"iid": 7, "project_id": 4, "title": "Slow", "state": "opened", "labels": ["bug"]}]"#;
    assert_eq!(other.import(Gitlab, issue).labels, 0);
    assert!(!other.project.declares_labels().unwrap());
}

#[test]
fn epics_and_internal_notes_are_kept() {
    let mut test = TestProject::new();
    let issue = r#"[{"iid": 7, "project_id": 4, "title": "Slow", "state": "opened", "web_url": "https://gitlab.example.com/g/p/-/issues/7",
        "epic": {"id": 3, "iid": 5, "title": "Speed", "url": "/groups/g/-/epics/5"}, "notes": [{"id": 1, "body": "psst", "internal": true}]}]"#;
    let view = test.import(Gitlab, issue);
    assert_eq!((view.created, view.comments, view.left_out[0].what.as_str()), (2, 1, "confidentiality"));
    test.check("7", &json!({"parent": "Speed"}));
    test.check(
        "epic/3",
        &json!({"kind": "epic", "imported": {"url": "https://gitlab.example.com/groups/g/-/epics/5"}}),
    );
    test.import_changes_nothing(Gitlab, issue);
}

#[test]
fn overlapping_pages_are_read_once() {
    let issue = |iid: u8| {
        format!(
            r#"{{"id": {iid}, "iid": {iid}, "project_id": 4, "title": "{iid}", "state": "opened", "created_at": "2016-01-04T15:31:46Z"}}"#
        )
    };
    let mut test = TestProject::new();
    let view = test.import(Gitlab, &format!("[{},{}][{},{}]", issue(3), issue(2), issue(2), issue(1)));
    assert_eq!((view.created, view.left_out[0].what.as_str(), view.left_out[0].count), (3, "repeated issue", 1));
    let note = r#"{"id": 305, "body": "Once.", "created_at": "2016-01-05T09:56:03Z", "system": false, "noteable_type": "Issue", "project_id": 4, "noteable_iid": 2}"#;
    let view = test.import(Gitlab, &format!("[{note}][{note}]"));
    assert_eq!((view.comments, view.left_out[0].what.as_str()), (1, "repeated comment"));
    test.check("2", &json!({"comments": [{"body": "Once.", "former": []}]}));
}
