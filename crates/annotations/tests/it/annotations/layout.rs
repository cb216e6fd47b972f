//! Formatters, corrections, and lines of uncommitted files.

use annotations::Annotated as _;
use annotations::{AnnotationName, ReadQuery};

use super::{Code, said};

#[test]
fn layout_alone_leaves_an_annotation_current() {
    let before = "fn sum(a: u8, b: u8) -> u8 {\n  let total = a+b; // both\n  log(total, b)\n}\n";
    let after = "fn sum(\n    a: u8,\n    b: u8,\n) -> u8 {\n    let total = a + b; // both\n    log(\n        total,\n        b,\n    )\n}\n";
    let mut code = Code::with(&[("a.rs", before), ("notes.txt", "one two\nthree\n")]);
    code.say("a.rs:sum", "ADDS");
    code.say("notes.txt", "TEXT");
    code.write("a.rs", after);
    code.write("notes.txt", "one\ntwo three\n");
    code.commit("Format");
    assert_eq!(code.read("a.rs", "sum"), said("ADDS", "current"));
    assert_eq!(code.read_file("notes.txt"), said("TEXT", "current"));
    assert_eq!(code.coverage(), (1, 0, 0));
    code.write("a.rs", &after.replace("a + b", "a - b"));
    code.commit("Change");
    assert_eq!(code.read("a.rs", "sum"), said("ADDS", "changed"));
}

#[test]
fn correction_changes_what_every_query_shows() {
    let mut code = Code::with(&[("a.rs", "fn sum() {\n    add();\n}\n")]);
    code.say("a.rs:sum", "WRONG");
    let name = AnnotationName { path: "a.rs".into(), anchor: "sum".into(), ..AnnotationName::default() };
    code.project.annotations_mut().correct(&name, "intent", "RIGHT").unwrap();
    code.project.follow_annotations(None).unwrap();
    assert_eq!(code.read("a.rs", "sum"), said("RIGHT", "current"));
    assert_eq!(code.summary("a.rs")[0].2, "RIGHT");
    assert_eq!(code.history("a.rs", Some("sum")), [Some("RIGHT".to_owned())]);
    assert_eq!(code.query("a.rs", Some("sum")).regions[0].corrections[0].text, "RIGHT");
}

#[test]
fn lines_of_the_work_tree_are_found_in_the_newest_commit() {
    let text = "fn alpha() {\n    a();\n    aa();\n}\n\nfn beta() {\n    b();\n    bb();\n}\n";
    let mut code = Code::with(&[("a.rs", text)]);
    code.say("a.rs:alpha", "ALPHA");
    code.say("a.rs:beta", "BETA");
    code.write("a.rs", &format!("fn new() {{\n    n();\n}}\n\n{text}"));
    assert_eq!(code.read_lines("a.rs", "5:8"), said("ALPHA", "current"));
    assert_eq!(code.read_lines("a.rs", "10:13"), said("BETA", "current"));
    assert_eq!(code.read_lines("a.rs", "1:2"), []);
    let query = |lines: &str| ReadQuery { lines: Some(lines.to_owned()), ..ReadQuery::new("a.rs") };
    let note = code.project.annotations().read(&query("5:8")).unwrap().aside.note.unwrap();
    insta::assert_snapshot!(note, @"a.rs is edited: lines 5:8 are lines 1:4 of the newest commit.");
    let error = code.project.annotations().read(&query("5:99")).unwrap_err();
    insta::assert_snapshot!(error.message, @"Line range out of bounds: '5:99'; a.rs has 13 lines, and a range is START:END");
}

#[test]
fn note_with_lines_that_run_backwards_is_read_by_its_name() {
    let mut code = Code::with(&[("a.rs", "fn sum() {\n    add();\n}\n")]);
    let note = r#"{"$schema":"ultragit/v1","commit":"","timestamp":"2026-01-01T00:00:00Z","summary":"s","context_level":"enhanced","regions":[{"file":"a.rs","ast_anchor":{"type":"function","name":"sum"},"lines":{"start":90,"end":5},"intent":"ADDS"}],"cross_cutting":[],"provenance":{"operation":"initial","derived_from":[],"original_annotations_preserved":true}}"#;
    code.fixture.git(&["notes", "--ref=ultragit", "add", "-m", note, "HEAD"]);
    code.project.follow_annotations(None).unwrap();
    assert_eq!(code.read("a.rs", "sum"), said("ADDS", "current"));
}

/// As texts, `03.76Z` is after `03.764Z`.
#[test]
fn newest_annotation_comes_first() {
    let mut code = Code::with(&[("a.rs", "fn sum() {\n    add();\n}\n\nfn sub() {\n    take();\n}\n")]);
    let note = r#"{"$schema":"ultragit/v1","commit":"","timestamp":"2026-01-01T00:00:03.764Z","summary":"s","context_level":"enhanced","regions":[{"file":"a.rs","ast_anchor":{"type":"function","name":"sum"},"lines":{"start":1,"end":3},"timestamp":"2026-01-01T00:00:03.76Z","intent":"ADDS"},{"file":"a.rs","ast_anchor":{"type":"function","name":"sub"},"lines":{"start":5,"end":7},"intent":"TAKES"}],"cross_cutting":[],"provenance":{"operation":"initial","derived_from":[],"original_annotations_preserved":true}}"#;
    code.fixture.git(&["notes", "--ref=ultragit", "add", "-m", note, "HEAD"]);
    code.project.follow_annotations(None).unwrap();
    assert_eq!(code.read_file("a.rs"), [said("TAKES", "current"), said("ADDS", "current")].concat());
}
