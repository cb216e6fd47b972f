//! Backlog.md: a folder of Markdown files.

use exchange::ImportFormat::Backlog;
use exchange::{ImportOptions, ImportView};
use serde_json::json;

use crate::harness::TestProject;

const TASK: &str = "---\nid: BACK-7\ntitle: 'Sort: the list'\nstatus: Done\nassignee:\n  - '@grace'\nreporter: @ada\ncreated_date: '2025-06-22 10:00'\n\
updated_date: '2025-06-23 11:30'\nlabels: [ui, web]\nmilestone: Release\ndependencies: [task-8]\npriority: high\ntype: feature\nmodified_files: [src/list.rs]\n---\n\n\
## Description\n\n<!-- SECTION:DESCRIPTION:BEGIN -->\nBy name.\n<!-- SECTION:DESCRIPTION:END -->\n\n## Acceptance Criteria\n<!-- AC:BEGIN -->\n- [x] #1 Umlauts\n- [ ] #2 Empty\n<!-- AC:END -->\n\n\
## Comments\n\n<!-- COMMENTS:BEGIN -->\nauthor: grace\ncreated: 2025-06-22 12:00\n---\nReally?\n---\n\nauthor: ada\ncreated: 2025-06-22 13:00\n---\nYes.\n---\n<!-- COMMENTS:END -->\n";

fn import(test: &mut TestProject) -> ImportView {
    let folder = test.files.path().to_owned();
    exchange::import(&mut test.project, Backlog, &[folder], &ImportOptions::default(), &mut |_| {}).unwrap().0
}

#[test]
fn folder_keeps_every_field() {
    let mut test = TestProject::new();
    test.file("backlog/tasks/back-7 - Sort.md", TASK);
    test.file(
        "backlog/tasks/back-8 - Names.md",
        "---\nid: BACK-8\ntitle: Names\nstatus: To Do\nassignee: [@ada, @bob]\n---\n## Description\n\nText\n",
    );
    test.file(
        "backlog/tasks/back-7.1 - Part.md",
        "---\nid: BACK-7.1\ntitle: Part\nstatus: In Progress\nparent_task_id: task-7\n---\n",
    );
    test.file("backlog/drafts/draft-1 - Idea.md", "---\nid: draft-1\ntitle: Idea\nstatus: Draft\n---\n");
    test.file(
        "backlog/milestones/m-1 - Release.md",
        "---\nid: m-1\ntitle: Release\ndue_date: '2025-12-31 00:00'\n---\n## Description\n\nAll of it.\n",
    );
    test.file("backlog/decisions/decision-1 - Tabs.md", "---\nid: decision-1\ntitle: Tabs\n---\n");
    let view = import(&mut test);
    assert_eq!((view.created, view.comments), (5, 2));
    test.check("7", &json!({"kind": "task", "title": "Sort: the list", "status": "done", "completed": "2025-06-23", "type": "feature",
        "description": "By name.\n\n## Acceptance Criteria\n- [x] Umlauts\n- [ ] Empty", "assignees": ["grace"], "priority": 7,
        "author": "ada", "labels": ["ui", "web"], "milestone": "Release", "blockedBy": ["Names"], "touches": ["src/list.rs"],
        "created": "2025-06-22T10:00:00Z", "updated": "2025-06-23T11:30:00Z", "imported": {"from": "backlog", "id": "task-7"},
        "comments": [{"author": "grace", "created": "2025-06-22T12:00:00Z", "body": "Really?"}, {"author": "ada", "body": "Yes."}]}));
    test.check("8", &json!({"status": "backlog", "assignees": ["ada", "bob"], "description": "Text"}));
    test.check("milestone/1", &json!({"title": "Release", "due": "2025-12-31", "description": "All of it."}));
    let left: Vec<_> = view.left_out.iter().map(|one| (one.what.as_str(), one.count)).collect();
    assert_eq!(left, [("decision", 1)]);
    let again = import(&mut test);
    assert_eq!((again.created, again.updated, again.comments, again.unchanged), (0, 0, 0, 5));
}

#[test]
fn decisions_are_read_by_their_status() {
    let mut test = TestProject::new();
    let decision = |n: usize, status: &str, body: &str| {
        let text =
            format!("---\nid: decision-{n}\ntitle: Title {n}\ndate: '2025-06-22 10:00'\nstatus: {status}\n---\n{body}");
        test.file(&format!("backlog/decisions/decision-{n} - x.md"), &text);
    };
    decision(1, "accepted", "## Context\n\nMany.\n\n## Decision\n\nOne.\n\nDetails.\n\n## Consequences\n\n- a\n- b\n");
    decision(2, "rejected", "## Context\n\n## Decision\n\n## Consequences\n");
    decision(3, "superseded", "");
    decision(4, "proposed", "");
    decision(5, "Accepted", "Free text.\n");
    test.file("backlog/tasks/task-1 - A.md", "---\nid: task-1\ntitle: A\n---\n");
    let folder = test.files.path().to_owned();
    let options = ImportOptions::default();
    let (view, decisions) = exchange::import(&mut test.project, Backlog, &[folder], &options, &mut |_| {}).unwrap();
    let read: Vec<_> =
        decisions.iter().map(|one| (one.name.as_str(), one.text.as_str(), one.reasoning.as_deref())).collect();
    assert_eq!(
        read,
        [
            (
                "backlog decision-1",
                "Title 1: One.",
                Some("Details.\n\nContext: Many.\n\nConsequences: - a\n- b\n\nDecided on 2025-06-22.")
            ),
            ("backlog decision-2", "Rejected: Title 2", Some("Decided on 2025-06-22.")),
            ("backlog decision-5", "Title 5: Free text.", Some("Decided on 2025-06-22.")),
        ]
    );
    let left: Vec<_> = view.left_out.iter().map(|one| (one.why.as_str(), one.example.as_str())).collect();
    let expected =
        [("it does not hold any more", "decision-3: Title 3"), ("nobody has decided it yet", "decision-4: Title 4")];
    assert_eq!(left, expected);
}

#[test]
fn other_folders_and_broken_files_are_refused() {
    let mut test = TestProject::new();
    let run = |test: &mut TestProject| {
        let folder = test.files.path().to_owned();
        exchange::import(&mut test.project, Backlog, &[folder], &ImportOptions::default(), &mut |_| {})
            .unwrap_err()
            .message
    };
    insta::assert_snapshot!(testkit::redact(&run(&mut test)), @"`<tmp>` is not a folder of Backlog.md");
    test.file("backlog/tasks/task-1 - A.md", "---\nid: task-1\ntitle: A\n---\n");
    test.file("backlog/tasks/task-2 - B.md", "---\nid: task-2\ntitle: \"B\n---\n");
    insta::assert_snapshot!(testkit::redact(&run(&mut test)), @"`tasks/task-2 - B.md`: line 3, column 8: not valid YAML: while scanning a quoted scalar, found unexpected end of stream");
    assert_eq!(test.tip(), "");
}

#[test]
fn milestones_that_only_tasks_name_are_created() {
    let mut test = TestProject::new();
    for n in [1, 2] {
        let task = format!("---\nid: task-{n}\ntitle: Task {n}\nstatus: To Do\nmilestone: v1\n---\n");
        test.file(&format!("backlog/tasks/task-{n} - x.md"), &task);
    }
    assert_eq!(import(&mut test).created, 3);
    test.check("2", &json!({"milestone": "v1"}));
    assert_eq!(import(&mut test).unchanged, 3);
}

#[test]
fn other_keys_of_a_task_are_kept() {
    let mut test = TestProject::new();
    test.file(
        "backlog/tasks/back-1 - One.md",
        "---\nid: BACK-1\ntitle: One\nstatus: Done\ncreated_date: 2025-06-01\nupdated_date: 2025-06-20\ncompleted_date: 2025-06-09\n\
        subtasks: [BACK-1.1]\nordinal: 3000\nonStatusChange: echo hi\nsize: huge\nnothing:\n---\n",
    );
    import(&mut test);
    test.check(
        "1",
        &json!({"completed": "2025-06-09", "updated": "2025-06-20T00:00:00Z",
        "extra": {"ordinal": 3000, "onStatusChange": "echo hi", "backlog size": "huge"}}),
    );
    assert_eq!(import(&mut test).unchanged, 1);
}

#[test]
fn names_in_other_cases_are_one_person() {
    let mut test = TestProject::new();
    for (n, who) in [(1, "'@codex'"), (2, "'@Codex'")] {
        let task = format!("---\nid: BACK-{n}\ntitle: T\nstatus: To Do\nassignee:\n  - {who}\n---\n");
        test.file(&format!("backlog/tasks/back-{n} - T.md"), &task);
    }
    import(&mut test);
    test.check("2", &json!({"assignees": ["codex"]}));
    assert_eq!(import(&mut test).unchanged, 2);
}
