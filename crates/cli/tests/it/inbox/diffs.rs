//! Remarks on a diff from stdin, in every format of git.

use std::fs;

use serde_json::{Value, json};

use super::project;
use crate::support::Project;

/// Options for git, before and after `diff`.
const STYLES: &[(&[&str], &[&str])] = &[
    (&[], &[]),
    (&["-c", "color.ui=always"], &[]),
    (&["-c", "diff.noprefix=true"], &[]),
    (&["-c", "diff.mnemonicPrefix=true"], &[]),
    (&["-c", "core.quotePath=true"], &[]),
    (&[], &["--unified=0"]),
    (&[], &["--function-context", "--stat", "--patch"]),
];

fn diff(project: &Project, before: &[&str], after: &[&str], path: &str) -> String {
    project.repository.git(&[before, &["diff"], after, &["--", path]].concat())
}

fn send_about(project: &Project, diff: &str, more: &[&str]) -> testkit::Ran {
    let arguments = [&["inbox", "send", "--json", "--stdin-hunk", "--comment", "x"], more].concat();
    project.cairn.run_with_input(&arguments, diff.as_bytes())
}

#[test]
fn lines_are_found_in_diffs_of_every_style() {
    let project = project();
    let odd = "odd \"name\" é\tx.txt";
    fs::write(project.repository.path().join(odd), "a\nb\n").unwrap();
    project.repository.git(&["add", "."]);
    project.repository.git(&["commit", "--quiet", "--message=odd"]);
    fs::write(project.repository.path().join(odd), "a\nB\n").unwrap();
    for (before, after) in STYLES {
        let message = send_about(&project, &diff(&project, before, after, odd), &[]).json();
        assert_eq!(message["file"], odd, "{before:?} {after:?}");
        assert_eq!(message["lines"], json!({"start": 2, "end": 2}), "{before:?} {after:?}");
        assert_eq!((&message["excerpt"], &message["side"]), (&json!("B"), &json!("new")), "{before:?} {after:?}");
    }
}

#[test]
fn removed_lines_are_lines_of_before() {
    let project = project();
    fs::write(project.repository.path().join("a.txt"), "one\n").unwrap();
    let diff = project.repository.git(&["diff", "HEAD", "--", "a.txt"]);
    let message = send_about(&project, &diff, &[]).json();
    assert_eq!(message["side"], "old");
    assert_eq!(message["excerpt"], "two\nthree");
    fs::remove_file(project.repository.path().join("src/b.txt")).unwrap();
    let diff = project.repository.git(&["diff", "--", "src/b.txt"]);
    let message = send_about(&project, &diff, &[]).json();
    assert_eq!((&message["file"], &message["excerpt"]), (&json!("src/b.txt"), &json!("alpha\nbeta")));
}

#[test]
fn of_several_files_one_is_chosen() {
    let project = project();
    fs::write(project.repository.path().join("src/b.txt"), "alpha\nBETA\n").unwrap();
    let diff = project.repository.git(&["diff"]);
    let ran = send_about(&project, &diff, &[]);
    assert_eq!(ran.code(), Some(2), "{ran}");
    insta::assert_snapshot!(ran.snapshot(), @r#"
    exit status: 2
    --- stderr
    {"error":{"kind":"invalid","message":"the diff is about `a.txt`, `src/b.txt`","hint":"choose one with `--file`"}}
    "#);
    for file in ["src/b.txt", project.repository.path().join("src/b.txt").to_str().unwrap()] {
        let message: Value = send_about(&project, &diff, &["--file", file]).json();
        assert_eq!((&message["file"], &message["excerpt"]), (&json!("src/b.txt"), &json!("BETA")));
    }
    let message = send_about(&project, &diff, &["--file", "a.txt", "--line", "4"]).json();
    assert_eq!(message["excerpt"], "four", "a line that is given counts");
    let only_one = project.repository.git(&["diff", "--", "a.txt"]);
    let ran = send_about(&project, &only_one, &["--file", "src/b.txt"]);
    insta::assert_snapshot!(ran.snapshot(), @r#"
    exit status: 2
    --- stderr
    {"error":{"kind":"invalid","message":"the diff does not change `src/b.txt`","hint":"it is about `a.txt`"}}
    "#);
}

#[test]
fn malformed_diff_is_refused() {
    let project = project();
    for text in ["", "hello\n", "--- a/a.txt\n", "+++ b/a.txt\n@@ -1 +1 @@\n+x\n"] {
        let ran = send_about(&project, text, &[]);
        insta::allow_duplicates! {
            insta::assert_snapshot!(ran.snapshot(), @r#"
            exit status: 2
            --- stderr
            {"error":{"kind":"invalid","message":"the input is not a diff","hint":"pipe what `git diff` prints"}}
            "#);
        }
    }
    let elsewhere = "--- a/gone.txt\n+++ b/gone.txt\n@@ -1 +1 @@\n-x\n+y\n";
    let ran = send_about(&project, elsewhere, &[]);
    insta::assert_snapshot!(ran.snapshot(), @r#"
    exit status: 1
    --- stderr
    {"error":{"kind":"not_found","message":"file not found: `gone.txt` here","hint":"name it from here or from the top of the repository"}}
    "#);
    let beyond = "--- a/a.txt\n+++ b/a.txt\n@@ -90 +90 @@\n-x\n+y\n";
    let ran = send_about(&project, beyond, &[]);
    insta::assert_snapshot!(ran.snapshot(), @r#"
    exit status: 2
    --- stderr
    {"error":{"kind":"invalid","message":"line 90 not found: `a.txt` has 4 lines","hint":null}}
    "#);
}
