//! `check`: what a change touches.

use annotations::view::FindingKind::{self, Constraint, Dependent, Item, Remark, Stale};
use annotations::{Annotated as _, CheckedChange, Remarks};
use app::verb::LinkTarget;
use app::{ErrorKind, NewItem};
use inbox::Inbox;
use model::item::ItemKind;
use model::item_ref::ItemRef;
use testkit::{Layout, TestRepository};

use super::Code;
use crate::harness::{ENV, open};

const CODE: &str = "\
fn open() {
    lock();
    read();
}

fn close() {
    flush();
    unlock();
}
";

/// A repository in which `open` has an annotation with a constraint, and `close` one without.
fn annotated() -> Code {
    let mut code = Code::with(&[("a.rs", CODE), ("b.rs", "fn user() {\n    open();\n}\n")]);
    let (target, intent) = ("a.rs:open".to_owned(), "opens".to_owned());
    let constraints = vec!["locks before it reads".to_owned()];
    code.say_more(&Remarks { target, intent, constraints, ..Remarks::default() });
    code.say("a.rs:close", "closes");
    code
}

fn found(code: &mut Code, change: &CheckedChange) -> Vec<(FindingKind, Option<u32>, String)> {
    code.project.follow_annotations(None).unwrap();
    let inbox = Inbox::open(code.fixture.path(), ENV).unwrap();
    let view = code.project.annotations().check_change(&inbox, change).unwrap();
    view.findings.into_iter().map(|one| (one.kind, one.line, one.text)).collect()
}

fn range(text: &str) -> CheckedChange {
    CheckedChange::Range(text.to_owned())
}

fn finding(kind: FindingKind, line: u32, text: &str) -> (FindingKind, Option<u32>, String) {
    (kind, Some(line), text.to_owned())
}

#[test]
fn only_annotations_of_changed_lines_are_found() {
    let mut code = annotated();
    assert!(found(&mut code, &CheckedChange::WorkTree).is_empty());
    code.write("a.rs", &format!("// New.\n{}", CODE.replace("    read();", "    read_all();")));
    let expected = [finding(Constraint, 4, "locks before it reads"), finding(Stale, 4, "opens")];
    assert_eq!(found(&mut code, &CheckedChange::WorkTree), expected);
    assert!(found(&mut code, &CheckedChange::Staged).is_empty());
    code.fixture.git(&["add", "--all"]);
    assert_eq!(found(&mut code, &CheckedChange::Staged), expected);
    code.commit("Read all");
    assert!(found(&mut code, &CheckedChange::WorkTree).is_empty());
    for text in ["HEAD~1", "HEAD~1..", "HEAD~1..HEAD", "HEAD~1...HEAD"] {
        assert_eq!(found(&mut code, &range(text)), expected, "{text}");
    }
    assert!(found(&mut code, &range("HEAD..HEAD")).is_empty());
}

#[test]
fn insertion_between_two_functions_touches_neither() {
    let mut code = annotated();
    code.write("a.rs", &CODE.replace("}\n\nfn close", "}\n\nfn between() {}\n\nfn close"));
    assert!(found(&mut code, &CheckedChange::WorkTree).is_empty());
    code.write("a.rs", &CODE.replace("    lock();\n", "    lock();\n    check();\n"));
    assert_eq!(found(&mut code, &CheckedChange::WorkTree).len(), 2);
}

#[test]
fn annotation_that_the_change_brings_along_is_not_stale() {
    let mut code = annotated();
    code.write("a.rs", &CODE.replace("    flush();", "    flush_all();"));
    code.commit("Flush all");
    assert_eq!(found(&mut code, &range("HEAD~1")), [finding(Stale, 7, "closes")]);
    code.say("a.rs:close", "closes for good");
    assert!(found(&mut code, &range("HEAD~1")).is_empty());
}

#[test]
fn changed_layout_is_no_change() {
    let mut code = annotated();
    code.write("a.rs", &CODE.replace("    ", "\t\t"));
    assert!(found(&mut code, &CheckedChange::WorkTree).is_empty());
}

#[test]
fn deleted_file_touches_all_of_it() {
    let mut code = annotated();
    std::fs::remove_file(code.fixture.path().join("a.rs")).unwrap();
    let kinds: Vec<FindingKind> =
        found(&mut code, &CheckedChange::WorkTree).into_iter().map(|(kind, _, _)| kind).collect();
    assert_eq!(kinds, [Constraint, Stale, Stale]);
}

#[test]
fn dependents_items_and_remarks_belong_to_the_changed_code() {
    let mut code = annotated();
    code.rely("b.rs:user", "a.rs:open");
    for (title, place) in [("Open faster", "a.rs:open"), ("Close faster", "a.rs:close"), ("All of it", "a.rs")] {
        let item = code.project.create(&NewItem::new(ItemKind::Issue, title)).unwrap();
        let item = ItemRef::parse(&item.id);
        code.project.link(&item, &LinkTarget::Touches(place.to_owned()), None).unwrap();
    }
    let inbox = Inbox::open(code.fixture.path(), ENV).unwrap();
    let remark = inbox::Remark { file: "a.rs".to_owned(), comment: "Why?".to_owned(), ..Default::default() };
    inbox.send(&remark).unwrap();
    code.write("a.rs", &CODE.replace("    read();", "    read_all();"));
    let texts: Vec<_> =
        found(&mut code, &CheckedChange::WorkTree).into_iter().map(|(kind, _, text)| (kind, text)).collect();
    let expected = [
        (Constraint, "locks before it reads"),
        (Stale, "opens"),
        (Dependent, "b.rs:user assumes: relies on it"),
        (Item, "All of it"),
        (Item, "Open faster"),
        (Remark, "Why?"),
    ];
    assert_eq!(texts, expected.map(|(kind, text)| (kind, text.to_owned())));
}

#[test]
fn unknown_commit_is_an_error() {
    let code = annotated();
    let inbox = Inbox::open(code.fixture.path(), ENV).unwrap();
    let error = code.project.annotations().check_change(&inbox, &range("nowhere")).unwrap_err();
    assert_eq!(error.kind, ErrorKind::NotFound);
}

#[test]
fn a_bare_repository_has_no_uncommitted_change() {
    let fixture = TestRepository::in_memory(Layout::BARE);
    let (project, inbox) = (open(fixture.path()), Inbox::open(fixture.path(), ENV).unwrap());
    for change in [CheckedChange::WorkTree, CheckedChange::Staged] {
        let error = project.annotations().check_change(&inbox, &change).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Invalid);
        assert_eq!(error.message, "this repository is bare: it has no changes that are not committed");
    }
}
