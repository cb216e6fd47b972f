//! Attachments: files of items, in the log of every clone.

use std::io::Cursor;

use app::verb::NewAttachment;
use model::attachment::MAX_BYTES;
use model::item::ItemKind;
use testkit::{Layout, TestRepository, git_in};

use crate::harness::{TestProject, by_name, refusal};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\nnot really";

fn file(name: &str, content: &[u8]) -> NewAttachment {
    NewAttachment { name: name.to_owned(), content: content.to_vec() }
}

fn names(test: &TestProject, item: &str) -> Vec<String> {
    let attachments = test.show(item).attachments.into_iter();
    attachments.map(|one| format!("{} {} {}", one.name, one.media_type, one.size)).collect()
}

#[test]
fn files_are_attached_read_and_removed() {
    let mut test = TestProject::with(ItemKind::Task, &["One"]);
    let files = [file("pictures/shot.png", PNG), file("build.log", b"ok\n")];
    let item = test.project.attach(&by_name("1"), &files, None).unwrap();
    assert!(item.extra.is_empty(), "{:?}", item.extra);
    assert_eq!(names(&test, "1"), ["shot.png image/png 18", "build.log text/plain 3"]);
    let (view, content) = test.project.attachment(&by_name("1"), "shot.png").unwrap();
    assert_eq!((view.id.clone(), content.as_slice()), (item.attachments[0].id.clone(), PNG));
    assert_eq!(test.project.attachment(&by_name("1"), &view.id).unwrap().1, PNG);
    // The content is reachable from the log, so git keeps it and transfers it.
    let listed = git_in(test.fixture.path(), &["ls-tree", "-r", "--name-only", "refs/cairn/work"]);
    assert_eq!(listed.lines().filter(|path| path.starts_with("attachments/")).count(), 2, "{listed}");
    assert_eq!(git_in(test.fixture.path(), &["fsck", "--no-dangling", "--no-progress"]), "");
    test.project.detach(&by_name("1"), "shot.png", None).unwrap();
    assert_eq!(names(&test, "1"), ["build.log text/plain 3"]);
    insta::assert_snapshot!(refusal(test.project.attachment(&by_name("1"), "shot.png")), @"
    NotFound: task #1 `One` has no attachment `shot.png`
    hint: it has: build.log
    ");
}

#[test]
fn a_newer_file_of_the_same_name_is_the_one_that_is_meant() {
    let mut test = TestProject::with(ItemKind::Task, &["One"]);
    for content in [b"old", b"new"] {
        test.project.attach(&by_name("1"), &[file("a.txt", content)], None).unwrap();
    }
    assert_eq!(test.project.attachment(&by_name("1"), "a.txt").unwrap().1, b"new");
    assert_eq!(names(&test, "1").len(), 2);
}

#[test]
fn files_that_are_too_large_and_items_that_are_deleted_are_refused() {
    let mut test = TestProject::with(ItemKind::Task, &["One", "Two"]);
    let large = file("a.bin", &vec![0; usize::try_from(MAX_BYTES).unwrap() + 1]);
    test.writes_nothing(|test| {
        let refused = test.project.attach(&by_name("1"), &[large], None);
        insta::assert_snapshot!(refusal(refused), @"
        Invalid: `a.bin` has 10485761 bytes; an attachment has at most 10485760
        hint: commit it to the repository, or link to where it is
        ");
    });
    let largest = file("a.bin", &vec![0; usize::try_from(MAX_BYTES).unwrap()]);
    test.project.attach(&by_name("1"), &[largest], None).unwrap();
    test.project.delete(&[by_name("2")], None).unwrap();
    let refused = test.project.attach(&by_name("2"), &[file("a", b"b")], None);
    insta::assert_snapshot!(refusal(refused), @"
    Conflict: task #2 `Two` was deleted
    hint: `cairn reopen 2` brings it back
    ");
}

#[test]
fn an_attachment_reaches_another_clone_with_a_sync() {
    let mut test = TestProject::with(ItemKind::Task, &["One"]);
    test.project.attach(&by_name("1"), &[file("shot.png", PNG)], None).unwrap();
    let mut other = TestProject::new();
    let hub = TestRepository::in_memory(Layout::BARE);
    test.sync(&hub);
    other.sync(&hub);
    other.project.attach(&by_name("1"), &[file("other.txt", b"there")], None).unwrap();
    test.project.attach(&by_name("1"), &[file("here.txt", b"here")], None).unwrap();
    other.sync(&hub);
    test.sync(&hub);
    other.sync(&hub);
    for clone in [&test, &other] {
        for (name, content) in [("shot.png", PNG), ("other.txt", b"there".as_slice()), ("here.txt", b"here")] {
            assert_eq!(clone.project.attachment(&by_name("1"), name).unwrap().1, content, "{name}");
        }
    }
}

fn exported(test: &TestProject) -> String {
    let mut bytes = Vec::new();
    test.project.export(&mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

#[test]
fn export_carries_the_contents() {
    let mut test = TestProject::with(ItemKind::Task, &["One"]);
    let files = [file("shot.png", PNG), file("empty", b""), file("copy.png", PNG)];
    test.project.attach(&by_name("1"), &files, None).unwrap();
    let lines = exported(&test);
    // Two files with one content have one line.
    assert_eq!(lines.lines().filter(|line| line.contains("\"content\":")).count(), 2, "{lines}");
    let mut other = TestProject::new();
    let view = other.project.import_operations(&mut Cursor::new(&lines)).unwrap();
    assert_eq!((view.operations, view.known), (4, 0));
    for one in files {
        assert_eq!(other.project.attachment(&by_name("1"), &one.name).unwrap().1, one.content, "{}", one.name);
    }
    assert_eq!(exported(&other), lines);
    // They are reachable from the log, so git keeps them and transfers them.
    let listed = git_in(other.fixture.path(), &["ls-tree", "-r", "--name-only", "refs/cairn/work"]);
    assert_eq!(listed.lines().filter(|path| path.starts_with("attachments/")).count(), 2, "{listed}");
    assert_eq!(git_in(other.fixture.path(), &["fsck", "--no-dangling", "--no-progress"]), "");
}

#[test]
fn content_with_another_hash_than_its_line_is_refused() {
    let mut test = TestProject::with(ItemKind::Task, &["One"]);
    test.project.attach(&by_name("1"), &[file("a.txt", b"abc")], None).unwrap();
    let lines = exported(&test);
    let mut other = TestProject::new();
    let mut refused = |content: &str| {
        let forged = lines.replace("YWJj", content);
        refusal(other.writes_nothing(|other| other.project.import_operations(&mut Cursor::new(&forged))))
    };
    insta::assert_snapshot!(refused("YWJk"), @"Invalid: line 3: the content is not that of the blob `f2ba8f84ab5c1bce84a7b441cb1959cfc7093b7f`");
    insta::assert_snapshot!(refused("?"), @"Invalid: line 3: the content is not base64: Invalid symbol 63, offset 0.");
}

#[test]
fn operations_without_contents_list_missing_contents_and_publish_nothing() {
    let mut test = TestProject::with(ItemKind::Task, &["One"]);
    test.project.attach(&by_name("1"), &[file("shot.png", PNG)], None).unwrap();
    let exported = exported(&test);
    let operations: String = exported.split_inclusive('\n').filter(|line| !line.contains("\"content\":")).collect();
    let mut other = TestProject::new();
    other.project.import_operations(&mut Cursor::new(&operations)).unwrap();
    assert_eq!(names(&other, "1"), ["shot.png image/png 18"]);
    insta::assert_snapshot!(refusal(other.project.attachment(&by_name("1"), "shot.png")), @"
    NotFound: the content of `shot.png` is not in this clone
    hint: it was left out by a partial clone or by an export; `cairn sync` fetches it from where it is
    ");
    // A blob that happens to be here is not added to the log because somebody else's operation names it.
    let mut secret = TestProject::new();
    std::fs::write(secret.fixture.path().join("private.png"), PNG).unwrap();
    secret.fixture.git(&["hash-object", "-w", "private.png"]);
    secret.project.import_operations(&mut Cursor::new(&operations)).unwrap();
    let listed = git_in(secret.fixture.path(), &["ls-tree", "-r", "--name-only", "refs/cairn/work"]);
    assert_eq!(listed, "");
}
