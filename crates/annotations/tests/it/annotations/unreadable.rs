//! Notes that cannot be read: every query says so.

use annotations::{Annotated as _, AnnotationFilter, CheckedChange, HistoryQuery};
use app::view::CheckOutcome;
use inbox::Inbox;

use super::Code;

/// Code whose first commit has a note that is too long, and its second one an annotation.
fn noted(bad: &[u8]) -> Code {
    let mut code = Code::with(&[("a.rs", "fn a() {}\n")]);
    std::fs::write(code.fixture.path().join(".git/note"), bad).unwrap();
    code.fixture.git(&["notes", "--ref=ultragit", "add", "--file=.git/note", "HEAD"]);
    code.write("a.rs", "fn a() {}\nfn b() {}\n");
    code.commit("Later");
    code.say("a.rs:b", "does b");
    code
}

/// Returns the warnings of each query.
fn warnings(code: &mut Code) -> Vec<Vec<String>> {
    let annotations = code.project.annotations();
    let history = HistoryQuery { path: "a.rs".to_owned(), anchor: Some("b".to_owned()), limit: 9 };
    let inbox = Inbox::open(code.fixture.path(), app::Env::default()).unwrap();
    let mut found = vec![
        code.query("a.rs", Some("b")).aside.warnings,
        annotations.dependents("a.rs", Some("b")).unwrap().aside.warnings,
        annotations.history(&history).unwrap().aside.warnings,
        annotations.summary("a.rs", None, &|_, _| true).unwrap().aside.warnings,
        annotations.summary(".", None, &|_, _| true).unwrap().aside.warnings,
        annotations.check_change(&inbox, &CheckedChange::WorkTree).unwrap().warnings,
    ];
    found.push(code.project.annotations_mut().coverage(None, None).unwrap().warnings);
    found.push(code.project.annotations_mut().list(None, AnnotationFilter::All, None).unwrap().warnings);
    found
}

#[test]
fn every_query_names_a_note_that_is_too_long() {
    let mut code = noted(&b"x".repeat(16 * 1024 * 1024 + 1));
    let commit = code.fixture.git(&["rev-parse", "HEAD~"]).trim().to_owned();
    let expected = format!("skipped the note of commit {commit}: it is longer than 16777216 bytes");
    for found in warnings(&mut code) {
        assert_eq!(found, std::slice::from_ref(&expected));
    }
    let checks = code.project.annotations().check().unwrap();
    let check = checks.iter().find(|check| check.name == "unreadable").unwrap();
    assert_eq!(check.outcome, CheckOutcome::Broken);
    let shown = |text: &str| text.replace(&commit[..10], "<commit>");
    insta::assert_snapshot!(shown(&check.text), @"1 note cannot be read, so queries leave it out: <commit> (it is longer than 16777216 bytes)");
    insta::assert_snapshot!(shown(check.hint.as_ref().unwrap()), @"save the note with `git notes --ref=ultragit show <commit>`, remove it with `git notes --ref=ultragit remove <commit>`, and annotate its code in parts, at several commits");
}

#[test]
fn note_of_another_history_is_not_reported() {
    let mut code = noted(b"words");
    assert!(warnings(&mut code).iter().all(|found| found.len() == 1));
    let checks = code.project.annotations().check().unwrap();
    assert_eq!(checks.last().unwrap().outcome, CheckOutcome::Warning, "not an annotation");
    code.fixture.git(&["checkout", "--quiet", "--orphan", "other"]);
    code.commit("Another history");
    assert!(warnings(&mut code).iter().all(Vec::is_empty));
}

#[test]
fn many_unreadable_notes_are_counted() {
    let mut code = noted(b"words");
    for n in 0..6 {
        code.commit("More");
        code.fixture.git(&["notes", "--ref=ultragit", "add", "-m", &format!("text {n}"), "HEAD"]);
    }
    code.project.follow_annotations(None).unwrap();
    let found = warnings(&mut code);
    // The first line comes from the commit of the first note.
    assert_eq!(found[0], ["skipped 7 notes of other commits that cannot be read"]);
    let lines = code.query("a.rs", None).aside.warnings;
    insta::assert_snapshot!(testkit::redact(&lines.join("\n")), @"
    skipped the note of commit <id>: it is not valid JSON: expected value at line 1 column 1
    skipped 6 notes of other commits that cannot be read
    ");
    let text = code.project.annotations().check().unwrap().pop().unwrap().text;
    // In between are the commits, in the order of their ids.
    assert!(text.starts_with("7 notes cannot be read") && text.ends_with("2 more"), "{text}");
}
