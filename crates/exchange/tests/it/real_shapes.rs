//! Oddities of GitHub, GitLab and other sources that a large project meets: nulls, deleted accounts, bots, other servers,
//! narrower files, elements that are no issues.

use exchange::ImportFormat::{Backlog, Beads, Csv, Github, Gitlab, Jira, Jsonl, Linear, Taiga};
use exchange::{ExportFormat, ImportOptions, ImportView};
use model::item_ref::ItemRef;
use serde_json::json;

use crate::harness::TestProject;
use crate::round_trip::export;

fn left(view: &ImportView) -> Vec<(&str, usize, &str)> {
    view.left_out.iter().map(|one| (one.what.as_str(), one.count, one.example.as_str())).collect()
}

#[test]
fn deleted_accounts_and_bots_of_gh_are_named() {
    let mut test = TestProject::new();
    // `gh` prints an empty login for an account that is gone, and `app/` before that of a bot.
    let issues = r#"[{"number":1,"title":"a","state":"OPEN","url":"https://github.com/o/p/issues/1","author":{"is_bot":true,"login":"app/"},
        "comments":[{"author":{"login":""},"body":"gone","createdAt":"2024-01-01T00:00:00Z"}]},
        {"number":2,"title":"b","state":"OPEN","url":"https://github.com/o/p/issues/2","author":{"is_bot":true,"login":"app/dependabot"}}]"#;
    test.import(Github, issues);
    test.check("1", &json!({"author": "ghost", "comments": [{"author": "ghost"}]}));
    test.check("2", &json!({"author": "dependabot[bot]"}));
}

#[test]
fn lists_may_be_null() {
    let mut test = TestProject::new();
    // As Forgejo and Gitea print it.
    let issue = r#"[{"id": 9, "number": 1, "title": "a", "state": "open", "html_url": "https://codeberg.org/o/p/issues/1", "labels": null,
        "assignee": {"login": "ada", "full_name": "Ada Lovelace", "email": "ada@example.com"}, "assignees": null, "pull_request": null, "milestone": null,
        "user": {"login": "bob", "full_name": "Bob", "email": ""}, "comments": 0, "created_at": "2022-11-16T12:00:00+01:00"}]"#;
    test.import(Github, issue);
    test.check("1", &json!({"author": "Bob", "assignees": ["Ada Lovelace <ada@example.com>"], "labels": []}));
    let gitlab = r#"[{"iid": 7, "project_id": 4, "title": "b", "state": "opened", "labels": null, "assignees": null, "notes": null, "confidential": null}]"#;
    test.import(Gitlab, gitlab);
    let beads = r#"{"id": "bd-1", "title": "c", "description": null, "design": null, "notes": null, "acceptance_criteria": null,
        "labels": null, "dependencies": null, "comments": null, "closed_at": "0001-01-01T00:00:00Z", "created_at": "2025-01-01T00:00:00Z"}"#;
    test.import(Beads, &beads.replace('\n', ""));
    test.check("bd-1", &json!({"title": "c", "state": "open"}));
    let taiga = r#"{"slug": "x", "issues": [{"ref": 1, "subject": "d", "status": "New", "assigned_users": null, "history": null, "attachments": null,
        "role_points": null, "is_blocked": null, "created_date": "2014-07-16T14:18:30+0000"}],
        "epics": [{"ref": 2, "subject": "e", "related_user_stories": [{"user_story": 1, "source_project_slug": "other"}]}],
        "user_stories": [{"ref": 1, "subject": "other one", "assigned_to": null}]}"#;
    let view = test
        .try_import(Taiga, &taiga.replace(r#""user_stories": [{"ref": 1"#, r#""user_stories": [{"ref": 3"#))
        .unwrap();
    assert_eq!(view.created, 3);
    test.check("TG-1", &json!({"title": "d", "created": "2014-07-16T14:18:30Z", "parent": null}));
}

#[test]
fn comments_of_an_enterprise_server_are_read() {
    let mut test = TestProject::new();
    let issues = r#"[{"number": 3, "title": "a", "state": "open", "html_url": "https://git.corp.example/o/p/issues/3",
        "parent_issue_url": "https://git.corp.example/api/v3/repos/o/p/issues/4"},
        {"number": 4, "title": "b", "state": "open", "html_url": "https://git.corp.example/o/p/issues/4"}]"#;
    test.import(Github, issues);
    let comments = r#"[{"id": 5, "html_url": "https://git.corp.example/o/p/issues/3#issuecomment-5", "body": "hi", "user": {"login": "x"},
        "issue_url": "https://git.corp.example/api/v3/repos/o/p/issues/3", "created_at": "2024-01-01T00:00:00Z"}]"#;
    assert_eq!(test.import(Github, comments).comments, 1);
    test.check("3", &json!({"parent": "b", "comments": [{"body": "hi"}]}));
    // Gitea, below a path.
    let comments = r#"[{"id": 6, "html_url": "https://corp.example/git/o/p/issues/3#issuecomment-6", "body": "there", "user": {"login": "x"},
        "issue_url": "https://corp.example/git/api/v1/repos/o/p/issues/3", "created_at": "2024-01-02T00:00:00Z"}]"#;
    assert_eq!(test.import(Github, comments).comments, 1);
}

#[test]
fn narrower_file_clears_nothing() {
    let mut test = TestProject::new();
    let whole = r#"[{"number": 1, "title": "One", "body": "Text", "state": "closed", "state_reason": "completed", "html_url": "https://github.com/o/p/issues/1",
        "labels": [{"name": "bug"}], "assignees": [{"login": "bob"}], "type": {"name": "Bug"}, "closed_at": "2024-01-03T00:00:00Z", "created_at": "2024-01-01T00:00:00Z",
        "updated_at": "2024-01-03T00:00:00Z", "parent_issue_url": "https://api.github.com/repos/o/p/issues/2", "user": {"login": "ada"},
        "milestone": {"number": 1, "title": "1.0", "state": "closed", "description": "First", "due_on": "2024-01-02T08:00:00Z", "closed_at": "2024-01-02T00:00:00Z"}},
        {"number": 2, "title": "All", "state": "open", "html_url": "https://github.com/o/p/issues/2", "user": {"login": "ada"}}]"#;
    test.import(Github, whole);
    let check = |test: &TestProject, title: &str| {
        test.check("1", &json!({"title": title, "description": "Text", "status": "done", "completed": "2024-01-03", "labels": ["bug"], "assignees": ["bob"],
            "type": "Bug", "parent": "All", "milestone": "1.0"}));
        test.check("milestone/1", &json!({"state": "closed", "description": "First", "due": "2024-01-02"}));
    };
    // `gh` gives neither the state of a milestone nor the parent, and only what it was asked for.
    let narrow = r#"[{"number": 1, "title": "Uno", "url": "https://github.com/o/p/issues/1", "milestone": {"number": 1, "title": "1.0"}}]"#;
    test.import(Github, narrow);
    check(&test, "Uno");
    test.import(Github, r#"[{"number": 1, "title": "Eins", "url": "https://github.com/o/p/issues/1"}]"#);
    check(&test, "Eins");
    // What is empty is cleared.
    let emptied = r#"[{"number": 1, "title": "Eins", "url": "https://github.com/o/p/issues/1", "body": "", "labels": [], "assignees": [], "milestone": null,
        "state": "OPEN", "closedAt": null}]"#;
    test.import(Github, emptied);
    test.check(
        "1",
        &json!({"description": "", "labels": [], "assignees": [], "milestone": null, "status": "backlog", "completed": null, "parent": "All"}),
    );
}

#[test]
fn parts_of_an_issue_without_a_place_are_reported() {
    let mut test = TestProject::new();
    let issue = r#"[{"number": 1, "title": "a", "state": "open", "html_url": "https://github.com/o/p/issues/1", "locked": true, "comments": 0,
        "issue_dependencies_summary": {"blocked_by": 1, "total_blocked_by": 2, "blocking": 0, "total_blocking": 0}}]"#;
    assert_eq!(left(&test.import(Github, issue)), [("blocked by", 1, "#1"), ("lock", 1, "#1")]);
    let issue = r#"[{"iid": 7, "project_id": 4, "title": "b", "state": "opened", "discussion_locked": true, "upvotes": 2, "downvotes": 0, "blocking_issues_count": 1,
        "time_stats": {"time_estimate": 3600, "total_time_spent": 0}, "iteration": {"id": 1, "title": "Week 3"}, "health_status": "on_track"}]"#;
    let view = test.import(Gitlab, issue);
    assert_eq!(left(&view), [("blocks", 1, "#7"), ("lock", 1, "#7"), ("votes", 1, "#7")]);
    test.check("7", &json!({"extra": {"iteration": "Week 3", "health_status": "on_track", "time_estimate": 3600}}));
}

#[test]
fn only_issues_of_gitlab_become_issues() {
    let mut test = TestProject::new();
    test.import(Gitlab, r#"[{"iid": 3, "project_id": 4, "title": "Slow", "state": "opened"}]"#);
    let others = r#"[
        {"id": 12, "iid": 3, "project_id": 4, "title": "10.0", "description": "Version", "state": "active", "due_date": "2013-11-29", "start_date": "2013-11-10",
         "web_url": "https://gitlab.example.com/g/p/-/milestones/3", "expired": false},
        {"id": 301, "body": "of a merge request", "noteable_type": "MergeRequest", "noteable_iid": 3, "project_id": 4, "author": {"username": "x"}},
        {"id": 29, "iid": 4, "group_id": 7, "title": "Faster", "description": "All", "state": "opened", "author": {"username": "x", "name": "X"},
         "web_url": "https://gitlab.example.com/groups/g/-/epics/4", "labels": ["speed"]},
        {"id": "6a9c", "individual_note": false, "notes": [{"id": 5, "body": "Why?", "noteable_type": "Issue", "noteable_iid": 3, "project_id": 4, "author": {"username": "x"}},
         {"id": 6, "body": "closed", "system": true, "noteable_type": "Issue", "noteable_iid": 3, "project_id": 4}]}]"#;
    let view = test.import(Gitlab, others);
    assert_eq!((view.created, view.updated, view.comments), (2, 0, 1));
    test.check("3", &json!({"kind": "issue", "title": "Slow", "comments": [{"body": "Why?", "author": "X"}]}));
    test.check("milestone/3", &json!({"title": "10.0", "due": "2013-11-29", "started": "2013-11-10", "state": "open"}));
    test.check("epic/29", &json!({"kind": "epic", "title": "Faster", "author": "X", "labels": ["speed"]}));
    assert_eq!(left(&view), [("comment of a merge request", 1, "!3"), ("system note", 1, "4#3")]);
    test.import_changes_nothing(Gitlab, others);
}

#[test]
fn texts_that_the_log_refuses_do_not_stop_an_import() {
    let mut test = TestProject::new();
    let long = "x".repeat(1_200);
    let issues = json!([
        {"number": 1, "title": "a\u{0}b", "body": "c\u{0}d", "state": "open", "html_url": "https://github.com/o/p/issues/1",
            "labels": [{"name": "la\u{0}bel"}, {"name": long}], "type": {"name": "t\u{0}"}},
        {"number": 2, "title": long, "state": "open", "html_url": "https://github.com/o/p/issues/2"},
        {"number": 3, "title": " \n", "body": "", "state": "open", "html_url": "https://github.com/o/p/issues/3"},
        {"number": 4, "title": "big", "body": "é".repeat(3 * 1024 * 1024), "state": "open", "html_url": "https://github.com/o/p/issues/4"},
    ]);
    let view = test.import(Github, &issues.to_string());
    assert_eq!(view.created, 4);
    let labels = test.show("1").labels;
    assert_eq!((labels[0].as_str(), labels[1].chars().count()), ("label", 1_000));
    test.check("1", &json!({"title": "ab", "description": "cd", "type": "t"}));
    assert_eq!(test.show("2").title.chars().count(), 1_000);
    assert!(test.show("2").description.contains(&long), "the whole title is kept");
    test.check("3", &json!({"title": "(no title)"}));
    assert!(test.show("4").description.len() <= 4 * 1024 * 1024);
    assert_eq!(
        left(&view),
        [
            ("NUL character", 1, "o/p#1"),
            ("end of a label", 1, "o/p#1"),
            ("end of a text", 1, "o/p#4"),
            ("title", 1, "o/p#3")
        ]
    );
    test.import_changes_nothing(Github, &issues.to_string());
    // Mistakes in one's own files are still errors.
    assert!(test.try_import(Jsonl, &json!({"title": long}).to_string()).is_err());
}

#[test]
fn empty_comments_are_passed_over() {
    let mut test = TestProject::new();
    test.import(
        Github,
        r#"[{"number": 1, "title": "a", "state": "open", "html_url": "https://github.com/o/p/issues/1"}]"#,
    );
    let comment = r#"[{"id": 5, "issue_url": "https://api.github.com/repos/o/p/issues/1", "body": null, "user": {"login": "b"}, "created_at": "2024-01-01T00:00:00Z"}]"#;
    assert_eq!(test.import(Github, comment).comments, 0);
    test.check("1", &json!({"comments": []}));
}

#[test]
fn deleted_comment_does_not_repeat_the_others() {
    let mut test = TestProject::new();
    let table = |comments: &str| format!("Issue key,Summary,Comment,Comment,Comment\nA-1,x,{comments}\n");
    let all = ["01/Mar/24 9:00 AM;bob;one", "01/Mar/24 9:30 AM;bob;two", "01/Mar/24 10:00 AM;eve;three"];
    test.import(Jira, &table(&all.join(",")));
    let view = test.import(Jira, &table(&format!("{},{},", all[1], all[2])));
    assert_eq!((view.updated, view.comments), (0, 0));
    // The same for a source without ids of comments.
    let issue = |comments: &[serde_json::Value]| json!({"id": "a", "title": "y", "comments": comments}).to_string();
    let said = |hour: u8, body: &str| json!({"author": "bob", "created": format!("2024-01-01T{hour:02}:00:00Z"), "body": body});
    test.import(Jsonl, &issue(&[said(1, "one"), said(2, "two"), said(2, "two again")]));
    assert_eq!(test.import(Jsonl, &issue(&[said(2, "two"), said(2, "two again")])).comments, 0);
}

#[test]
fn item_that_the_source_closes_later_is_closed_by_who_did_it() {
    let mut test = TestProject::new();
    let issue = |rest: &str| {
        format!(
            r#"[{{"number": 1, "title": "a", "html_url": "https://github.com/o/p/issues/1", "created_at": "2024-01-01T00:00:00Z", "user": {{"login": "ada"}}, {rest}}}]"#
        )
    };
    test.import(Github, &issue(r#""state": "open", "updated_at": "2024-01-01T00:00:00Z""#));
    let closed = issue(
        r#""state": "closed", "closed_at": "2024-01-05T00:00:00Z", "closed_by": {"login": "grace"}, "updated_at": "2024-01-07T00:00:00Z""#,
    );
    test.import(Github, &closed);
    test.check("1", &json!({"status": "done", "completed": "2024-01-05", "updated": "2024-01-07T00:00:00Z"}));
    let log = test.project.log_of(&ItemRef::parse("1")).unwrap();
    let closing = log.operations.iter().find(|op| op.by == "grace").unwrap();
    assert_eq!(closing.at.to_string(), "2024-01-05T00:00:00Z");
    test.import_changes_nothing(Github, &closed);
}

#[test]
fn own_names_of_closed_statuses_close() {
    let mut test = TestProject::new();
    test.file("backlog/tasks/task-1 - A.md", "---\nid: task-1\ntitle: A\nstatus: Completed\n---\n");
    test.file(
        "backlog/tasks/task-2 - B.md",
        "---\nid: task-2\ntitle: B\nstatus: Closed\nupdated_date: '2025-06-23 11:30'\n---\n",
    );
    let folder = test.files.path().to_owned();
    exchange::import(&mut test.project, Backlog, &[folder], &ImportOptions::default(), &mut |_| {}).unwrap();
    test.check("1", &json!({"state": "closed"}));
    test.check("2", &json!({"state": "closed", "completed": "2025-06-23"}));
}

#[test]
fn values_of_beads_come_back_to_beads() {
    let mut test = TestProject::new();
    let issue = r#"{"id":"bd-1","title":"A","status":"closed","priority":2,"issue_type":"task","created_at":"2025-01-01T00:00:00Z","updated_at":"2025-01-02T00:00:00Z","closed_at":"2025-01-02T00:00:00Z","close_reason":"Fixed","external_ref":"gh-9","estimated_minutes":90,"spec_id":"s","metadata":{"a":[1]}}"#;
    test.import(Beads, issue);
    let line: serde_json::Value = serde_json::from_str(export(&test, ExportFormat::Beads).trim()).unwrap();
    for key in ["close_reason", "external_ref", "estimated_minutes", "spec_id", "metadata"] {
        assert_eq!(line[key], serde_json::from_str::<serde_json::Value>(issue).unwrap()[key], "{key}");
    }
}

#[test]
fn unread_columns_are_reported_by_name() {
    let mut test = TestProject::new();
    let table = "ID,Title,Status,Team,SLA Status,UUID,Roadmaps\nE-1,a,Todo,Web,,u1,Q3\nE-2,b,Todo,Web,Breached,u2,\n";
    let view = test.import(Linear, table);
    assert_eq!(left(&view), [("column `Roadmaps`", 1, "Q3"), ("column `SLA Status`", 1, "Breached")]);
    test.check("E-1", &json!({"extra": {"team": "Web"}}));
    let view = test.import(Csv, "title,labels,Customer\nOne,a,Acme\nTwo,,\n");
    assert_eq!(left(&view), [("column `Customer`", 1, "Acme")]);
}

#[test]
fn cycles_and_due_days_of_linear_are_kept() {
    let mut test = TestProject::new();
    // Cycles need no name, and each team counts its own. A due day is midnight in the zone of the workspace.
    let table = "ID,Team,Title,Status,Cycle Number,Cycle Name,Due Date\n\
        E-1,Web,a,Todo,4,,Thu Jun 25 2026 23:00:00 GMT+0000 (GMT+00:00)\n\
        A-1,App,b,Todo,4,Cycle 4,Thu Jun 25 2026 05:00:00 GMT+0000 (GMT+00:00)\n";
    let view = test.import(Linear, table);
    assert_eq!(view.created, 4);
    test.check("E-1", &json!({"milestone": "Web: Cycle 4", "due": "2026-06-26"}));
    test.check("A-1", &json!({"milestone": "Cycle 4", "due": "2026-06-25"}));
    test.import_changes_nothing(Linear, table);
}
