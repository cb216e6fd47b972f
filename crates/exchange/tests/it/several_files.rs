//! Several files of one import: references between them, and a dry run that says what then happens.

use std::path::PathBuf;

use exchange::ImportFormat::{self, Github, Jira, Linear};
use exchange::{ImportOptions, ImportView};
use serde_json::json;

use crate::harness::TestProject;

const ISSUES: &str = r#"[{"number": 1, "title": "One", "state": "open", "html_url": "https://github.com/o/p/issues/1", "comments": 2,
    "labels": [{"name": "bug", "color": "d73a4a"}], "milestone": {"number": 1, "title": "1.0", "state": "open"}, "user": {"login": "ada"}}]"#;
const MORE_ISSUES: &str = r#"[{"number": 2, "title": "Two", "state": "open", "html_url": "https://github.com/o/p/issues/2", "comments": 0,
    "parent_issue_url": "https://api.github.com/repos/o/p/issues/3", "labels": [{"name": "bug", "color": "d73a4a"}],
    "milestone": {"number": 1, "title": "1.0", "state": "open"}, "user": {"login": "ada"}}]"#;
const LAST_ISSUES: &str = r#"[{"number": 3, "title": "Three", "state": "open", "html_url": "https://github.com/o/p/issues/3", "comments": 0, "user": {"login": "ada"}}]"#;
const COMMENTS: &str = r#"[{"id": 5, "issue_url": "https://api.github.com/repos/o/p/issues/1", "body": "Me too", "user": {"login": "bob"}, "created_at": "2024-01-02T10:00:00Z"},
    {"id": 6, "issue_url": "https://api.github.com/repos/o/p/issues/1", "body": "And me", "user": {"login": "bob"}, "created_at": "2024-01-02T10:00:00Z"}]"#;

fn import(test: &mut TestProject, format: ImportFormat, paths: &[PathBuf], dry_run: bool) -> ImportView {
    let options = ImportOptions { dry_run, ..ImportOptions::default() };
    exchange::import(&mut test.project, format, paths, &options, &mut |_| {}).unwrap().0
}

fn files(test: &TestProject, texts: &[&str]) -> Vec<PathBuf> {
    texts.iter().enumerate().map(|(n, text)| test.file(&format!("{n}.txt"), text)).collect()
}

#[test]
fn dry_run_of_several_files_says_what_happens() {
    let mut test = TestProject::new();
    let paths = files(&test, &[ISSUES, MORE_ISSUES, LAST_ISSUES, COMMENTS]);
    let said = import(&mut test, Github, &paths, true);
    assert_eq!(test.tip(), "");
    let done = import(&mut test, Github, &paths, false);
    assert_eq!(ImportView { dry_run: false, ..said }, done);
    assert_eq!((done.created, done.comments, done.labels), (4, 2, 1));
    assert_eq!(done.left_out, []);
    // And once more, when all of it is there.
    let said = import(&mut test, Github, &paths, true);
    let done = import(&mut test, Github, &paths, false);
    assert_eq!(ImportView { dry_run: false, ..said }, done);
    assert_eq!((done.created, done.updated, done.comments), (0, 0, 0));
}

/// Jira exports at most 1,000 issues into one table.
#[test]
fn references_to_later_files_are_kept() {
    let mut test = TestProject::new();
    let first =
        "Issue key,Summary,Parent key,Outward issue link (Blocks),Inward issue link (Blocks)\nA-1,Part,A-3,A-4,A-5\n";
    let second = "Issue key,Summary\nA-3,All\nA-4,Later\nA-5,Sooner\n";
    let paths = files(&test, &[first, second]);
    assert_eq!(import(&mut test, Jira, &paths, true).left_out, []);
    let view = import(&mut test, Jira, &paths, false);
    assert_eq!((view.created, view.updated, view.unchanged), (4, 0, 0));
    assert_eq!(view.left_out, []);
    test.check("A-1", &json!({"parent": "All", "blocks": ["Later"], "blockedBy": ["Sooner"]}));
    let again = import(&mut test, Jira, &paths, false);
    assert_eq!((again.created, again.updated), (0, 0));
}

#[test]
fn reference_to_nothing_is_reported_once() {
    let mut test = TestProject::new();
    let first = "ID,Title,Status,Parent issue\nE-1,x,Todo,E-9\n";
    let paths = files(&test, &[first, "ID,Title,Status\nE-2,y,Todo\n"]);
    for dry_run in [true, false] {
        let view = import(&mut test, Linear, &paths, dry_run);
        assert_eq!(view.left_out.len(), 1);
        assert_eq!((view.left_out[0].what.as_str(), view.left_out[0].count), ("parent", 1));
    }
}

#[test]
fn comments_that_are_only_counted_are_reported() {
    let mut test = TestProject::new();
    let paths = files(&test, &[ISSUES]);
    let view = import(&mut test, Github, &paths, false);
    assert_eq!((view.left_out[0].what.as_str(), view.left_out[0].count), ("comment", 2));
}
