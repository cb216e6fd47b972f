//! Damaged, foreign or newer commits on the work ref: reported in a warning, kept, and without effect on the rest.

use std::fs;

use serde_json::{Value, json};
use testkit::{git_in, redact, write_commit};

use crate::support::{EMPTY_TREE, Hub, Project, items, titles};

/// Puts a commit in the middle of the log, checks that it is reported once and that all else is readable, and returns
/// the report.
#[track_caller]
fn reported(message: &[u8]) -> String {
    let mut reports = Vec::new();
    for keep_index in [true, false] {
        let project = Project::with_items(&["before"]);
        let id = project.push_commit(message);
        if keep_index {
            project.cairn.ok(&["new", "issue", "after"]);
        } else {
            project.remove_index();
        }
        project.remove_index();
        let ran = project.cairn.ok(&["new", "issue", "last"]);
        reports.push(redact(&ran.err().replace(&id, "COMMIT")));
        assert!(!ran.stderr.contains(&0x1b), "{ran}");
        project.cairn.quiet(&["list"]);
        let expected: &[&str] = if keep_index { &["before", "after", "last"] } else { &["before", "last"] };
        assert_eq!(titles(&project.cairn), expected);
        let doctor = project.cairn.ok(&["doctor"]);
        assert!(doctor.out().contains(&id), "{doctor}");
    }
    assert_eq!(reports[0], reports[1]);
    reports.remove(0)
}

#[test]
fn a_plain_message() {
    insta::assert_snapshot!(reported(b"Fix the build\n\nIt was broken since Tuesday.\n"), @"warning: COMMIT: skipped 1 malformed operation (expected value at line 1 column 1)");
    insta::assert_snapshot!(reported(b"Fix the build\n"), @"warning: COMMIT: skipped: it has no operations and was not written by cairn");
    insta::assert_snapshot!(reported(b""), @"warning: COMMIT: skipped: it has no operations and was not written by cairn");
}

#[test]
fn half_broken_lines() {
    insta::assert_snapshot!(reported(b"issue #9: create\n\n{\"v\":1,\"id\":\n"), @"warning: COMMIT: skipped 1 malformed operation (EOF while parsing a value at line 1 column 12)");
    insta::assert_snapshot!(reported(b"issue #9: create\n\n[1,2]\nnull\n\"x\"\n"), @r#"warning: COMMIT: skipped 3 malformed operations (invalid type: string "x", expected struct Head at line 1 column 3)"#);
    insta::assert_snapshot!(reported(b"issue\n\n{\"v\":1,\"id\":\"0190\",\"entity\":\"x\",\"lamport\":1,\"kind\":\"create\"}\n"), @"warning: COMMIT: skipped 1 malformed operation (UUID parsing failed: invalid length: found 4 at line 1 column 18)");
}

#[test]
fn not_utf_8() {
    insta::assert_snapshot!(reported(b"\xff\xfe\n\n\xc3\x28\n"), @"warning: COMMIT: skipped 1 malformed operation (expected value at line 1 column 1)");
    insta::assert_snapshot!(reported(b"nul\n\n{\"v\":1,\0}\n"), @"warning: COMMIT: skipped 1 malformed operation (key must be a string at line 1 column 8)");
}

#[test]
fn good_lines_among_broken_ones_count() {
    let project = Project::with_items(&["before"]);
    let good = operation(1, 2, &json!({"kind": "create", "item": "issue", "number": 2, "fields": {"title": "good"}}));
    let id = project.push_commit(format!("mixed\n\n{{\"v\":1\n{good}\nrubbish\n").as_bytes());
    let ran = project.cairn.ok(&["list"]);
    assert!(ran.err().contains(&id), "{ran}");
    insta::assert_snapshot!(ran.snapshot(), @"
    --- stdout
    #  STATUS     TITLE   KIND   UPDATED
    1  ○ backlog  before  issue  now
    2  ○          good    issue  2026-01-01
    --- stderr
    warning: <id>: skipped 2 malformed operations (expected value at line 1 column 1)
    ");
    assert_eq!(titles(&project.cairn), ["before", "good"]);
}

#[test]
fn a_tree_of_other_files() {
    let project = Project::with_items(&["before"]);
    let path = project.repository.path();
    fs::write(path.join("README"), "hello").unwrap();
    fs::create_dir(path.join("ops")).unwrap();
    fs::write(path.join("ops/note.txt"), "not an operation\n").unwrap();
    project.repository.git(&["add", "."]);
    let tree = project.repository.git(&["write-tree"]);
    let id = write_commit(path, &tree, &[&project.tip()], b"someone's work\n");
    project.repository.git(&["update-ref", "refs/cairn/work", &id]);
    let ran = project.cairn.ok(&["new", "issue", "after"]);
    assert!(ran.err().contains(&id), "{ran}");
    assert_eq!(titles(&project.cairn), ["before", "after"]);
    // A branch merged by mistake: no `ops` at all.
    let tree = project.repository.git(&["rev-parse", &format!("{id}^{{tree}}")]);
    let other = write_commit(path, &tree, &[], b"unrelated\n");
    let id = write_commit(path, EMPTY_TREE, &[&project.tip(), &other], b"merge\n");
    project.repository.git(&["update-ref", "refs/cairn/work", &id]);
    let ran = project.cairn.ok(&["list"]);
    assert!(ran.err().contains(&other), "{ran}");
    assert_eq!(titles(&project.cairn), ["before", "after"]);
}

/// Returns an operation as a line; its id is derived from `n`.
fn operation(n: u64, lamport: u64, rest: &Value) -> String {
    let mut line = json!({
        "v": 1,
        "id": format!("01900000-0000-7000-8000-{n:012x}"),
        "entity": format!("01900000-0000-7000-9000-{n:012x}"),
        "lamport": lamport,
        "at": "2026-01-01T00:00:00Z",
        "by": "Grace <grace@example.com>",
    });
    line.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
    line.to_string()
}

#[test]
fn operations_of_newer_versions_survive() {
    let project = Project::with_items(&["before"]);
    let item = project.cairn.json(&["show", "1"])["id"].as_str().unwrap().to_owned();
    let lines = [
        operation(1, 2, &json!({"entity": item, "kind": "set", "field": "mood", "value": {"now": "sunny"}})),
        operation(2, 3, &json!({"entity": item, "kind": "add", "field": "watchers", "value": "grace"})),
        operation(3, 4, &json!({"entity": item, "kind": "celebrate", "with": ["cake", 1.5]})),
        operation(4, 5, &json!({"entity": item, "v": 2, "kind": "set", "field": {"path": ["a"]}, "value": 1})),
        operation(5, 6, &json!({"entity": item, "kind": "set", "field": "priority", "value": "high"})),
        operation(
            6,
            7,
            &json!({"kind": "create", "item": "spaceship", "number": 2, "fields": {"title": "Enterprise"}}),
        ),
    ];
    project.push_commit(format!("from the future\n\n{}\n", lines.join("\n")).as_bytes());
    let extra = json!({"mood": {"now": "sunny"}, "watchers": ["grace"], "priority": "high"});
    assert_eq!(project.cairn.json(&["show", "1"])["extra"], extra);
    assert_eq!(titles(&project.cairn), ["before"]);
    project.cairn.quiet(&["edit", "1", "--title", "edited"]);
    project.cairn.quiet(&["label", "1", "+x"]);
    let shown = project.cairn.json(&["show", "1"]);
    assert_eq!((&shown["extra"], &shown["title"]), (&extra, &json!("edited")));
    insta::assert_snapshot!(project.cairn.quiet(&["log", "1"]).snapshot(), @r#"
    --- stdout
    #1 edited
    <moment>  Ada Lovelace created the issue before
    <moment>  Grace set its field mood to {"now":"sunny"}
    <moment>  Grace added grace to its field watchers
    <moment>  Grace changed it in a way this version does not know: celebrate
    <moment>  Grace changed it in a way this version does not know: set (version 2)
    <moment>  Grace set its priority to high
    <moment>  Ada Lovelace renamed it to edited
    <moment>  Ada Lovelace labeled it as x
    "#);

    let export = project.cairn.quiet(&["export"]).stdout;
    for line in &lines {
        assert!(String::from_utf8_lossy(&export).contains(line.as_str()), "lost in the export: {line}");
    }
    let copy = Project::new();
    let ran = copy.cairn.run_with_input(&["import", "-"], &export);
    assert_eq!((ran.code(), ran.err().as_str()), (Some(0), ""), "{ran}");
    assert_eq!(copy.cairn.json(&["show", "1"]), project.cairn.json(&["show", "1"]));
    assert_eq!(copy.cairn.quiet(&["export"]).stdout, export);
    let again = copy.cairn.run_with_input(&["import", "-", "--json"], &export);
    let again = again.json();
    assert_eq!((&again["operations"], &again["known"]), (&json!(0), &json!(lines.len() + 3)));
}

/// Damages a loose object in the middle of the log.
fn break_object(project: &Project, id: &str, damage: impl Fn(&std::path::Path)) {
    let (folder, name) = id.split_at(2);
    let path = project.repository.git_dir().join("objects").join(folder).join(name);
    assert!(path.exists(), "{id} is not loose");
    let mut permissions = fs::metadata(&path).unwrap().permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o644);
    fs::set_permissions(&path, permissions).unwrap();
    damage(&path);
}

fn truncate(path: &std::path::Path) {
    let bytes = fs::read(path).unwrap();
    fs::write(path, &bytes[..bytes.len() / 2]).unwrap();
}

fn empty(path: &std::path::Path) {
    fs::write(path, b"").unwrap();
}

fn delete(path: &std::path::Path) {
    fs::remove_file(path).unwrap();
}

fn garbage(path: &std::path::Path) {
    fs::write(path, b"\x78\x01garbage").unwrap();
}

const DAMAGES: [fn(&std::path::Path); 4] = [truncate, empty, delete, garbage];

#[test]
fn a_lost_commit_is_no_loss_while_the_index_knows_it() {
    for damage in DAMAGES {
        let project = Project::with_items(&["one", "two", "three"]);
        let lost = project.repository.git(&["rev-parse", "refs/cairn/work~1"]);
        break_object(&project, &lost, damage);
        project.cairn.quiet(&["list"]);
        project.cairn.quiet(&["new", "issue", "four"]);
        assert_eq!(titles(&project.cairn), ["one", "two", "three", "four"]);
    }
}

/// The index holds the only copy of a lost commit: following the hint must not lose it.
#[test]
fn the_doctors_advice_on_a_lost_commit_loses_nothing() {
    let project = Project::with_items(&["one", "two", "three"]);
    let expected = items(&project.cairn);
    let lost = project.repository.git(&["rev-parse", "refs/cairn/work~1"]);
    break_object(&project, &lost, delete);
    let doctor = project.cairn.run(&["doctor"]);
    assert_eq!(doctor.code(), Some(1), "{doctor}");
    assert!(doctor.out().contains(&lost), "{doctor}");
    insta::assert_snapshot!(doctor.snapshot(), @"
    exit status: 1
    --- stdout
         ok  repository  <tmp>/project/.git, SHA-1, refs in files
         ok  identity    Ada Lovelace <ada@example.com>
         ok  log         operations: 3, the last in <id>
         ok  history     complete
         ok  numbers     unique
         ok  links       no cycle of blocking items
     broken  log         commits of the log cannot be read any more, only the index knows them: <id>
                         `cairn export FILE` keeps all that is known; after that, `cairn reindex` and `cairn sync` bring back what the remote has, and `cairn import FILE` the rest
    warning  remote      none
                         `git remote add origin URL`, then `cairn sync` shares the work
    ");
    let file = project.repository.directory_path().join("saved.jsonl");
    let file = file.to_str().unwrap();
    project.cairn.quiet(&["export", file]);
    project.cairn.ok(&["reindex"]);
    assert_eq!(titles(&project.cairn), ["three"]);
    project.cairn.ok(&["import", file]);
    assert_eq!(items(&project.cairn), expected);
}

#[test]
fn a_lost_commit_is_named_and_the_rest_served_without_an_index() {
    for damage in DAMAGES {
        let project = Project::with_items(&["one", "two", "three", "four"]);
        let lost = project.repository.git(&["rev-parse", "refs/cairn/work~1"]);
        break_object(&project, &lost, damage);
        project.remove_index();
        let ran = project.cairn.ok(&["list", "--json"]);
        assert!(ran.err().contains(&lost), "{ran}");
        assert_eq!(titles(&project.cairn), ["four"]);
        project.cairn.quiet(&["new", "issue", "five"]);
        assert_eq!(titles(&project.cairn), ["four", "five"]);
        let doctor = project.cairn.run(&["doctor"]);
        assert!(doctor.out().contains(&lost), "{doctor}");
    }
}

#[test]
fn operations_below_a_lost_commit_are_found_through_the_remote_ref() {
    let hub = Hub::new();
    let project = Project::with_items(&["one", "two"]);
    project.repository.git(&["remote", "add", "origin", hub.repository.path().to_str().unwrap()]);
    project.cairn.quiet(&["sync"]);
    project.cairn.quiet(&["new", "issue", "three"]);
    project.cairn.quiet(&["new", "issue", "four"]);
    let lost = project.repository.git(&["rev-parse", "refs/cairn/work~1"]);
    break_object(&project, &lost, delete);
    project.remove_index();
    let ran = project.cairn.ok(&["list"]);
    assert!(ran.err().contains(&lost), "{ran}");
    assert_eq!(titles(&project.cairn), ["one", "two", "four"]);
    // New writes win over recovered ones.
    project.cairn.quiet(&["edit", "1", "--title", "uno"]);
    assert_eq!(titles(&project.cairn), ["uno", "two", "four"]);
}

#[test]
fn a_sync_restores_lost_objects() {
    for damage in DAMAGES {
        let hub = Hub::new();
        let project = Project::with_items(&["one", "two", "three"]);
        project.repository.git(&["remote", "add", "origin", hub.repository.path().to_str().unwrap()]);
        project.cairn.quiet(&["sync"]);
        let lost = project.repository.git(&["rev-parse", "refs/cairn/work~1"]);
        break_object(&project, &lost, damage);
        project.remove_index();
        project.cairn.ok(&["new", "issue", "four"]);
        let ran = project.cairn.ok(&["sync"]);
        assert_eq!(titles(&project.cairn), ["one", "two", "three", "four"], "{ran}");
        project.cairn.quiet(&["list"]);
        let other = hub.clone_as("other");
        other.quiet(&["sync"]);
        assert_eq!(items(&other), items(&project.cairn));
        git_in(other.directory(), &["fsck", "--strict"]);
        assert_eq!(project.cairn.json(&["doctor"])["ok"], true);
    }
}

#[test]
fn a_dangling_work_ref_is_reported() {
    let project = Project::with_items(&["one"]);
    let path = project.repository.git_dir().join("refs/cairn/work");
    fs::write(&path, "garbage\n").unwrap();
    let ran = project.cairn.run(&["list"]);
    assert_eq!(ran.code(), Some(1), "{ran}");
    insta::assert_snapshot!(ran.snapshot(), @"
    exit status: 1
    --- stderr
    error: the reference `refs/cairn/work` is broken: it holds `garbage`
    ");
    fs::write(&path, "0123456789012345678901234567890123456789\n").unwrap();
    let ran = project.cairn.ok(&["list"]);
    insta::assert_snapshot!(ran.snapshot(), @"
    --- stderr
    warning: <id>: skipped with its unreachable parents: the object `<id>` is missing; `cairn sync` may restore it
    nothing to show; `cairn list --all` includes closed items
    ");
}
