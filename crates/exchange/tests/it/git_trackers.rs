//! git-mile and git-bug: references of a repository, written here as those tools write them.

use std::fmt::Write as _;

use exchange::ImportFormat::{GitBug, GitMile};
use exchange::{ImportFormat, ImportOptions, ImportView};
use serde_json::json;
use testkit::git_in;

use crate::harness::TestProject;

fn import(test: &mut TestProject, format: ImportFormat) -> ImportView {
    let folder = test.fixture.path().to_owned();
    exchange::import(&mut test.project, format, &[folder], &ImportOptions::default(), &mut |_| {}).unwrap().0
}

/// Writes a commit with a message and files, and returns its id.
fn commit(test: &TestProject, parent: Option<&str>, message: &str, files: &[(&str, &str)]) -> String {
    let path = test.fixture.path();
    let mut tree = String::new();
    for (n, (name, text)) in files.iter().enumerate() {
        let file = test.file(&format!("blob-{n}"), text);
        let blob = git_in(path, &["hash-object", "-w", file.to_str().unwrap()]);
        let _ = writeln!(tree, "100644 blob {}\t{name}", blob.trim());
    }
    let listing = test.file("tree", &tree);
    let script = format!("git mktree < '{}'", listing.display());
    let output = std::process::Command::new("sh").args(["-c", &script]).current_dir(path).output().unwrap();
    let tree = String::from_utf8(output.stdout).unwrap();
    let mut arguments = vec!["commit-tree", tree.trim(), "-m", message];
    if let Some(parent) = parent {
        arguments.extend(["-p", parent]);
    }
    git_in(path, &arguments).trim().to_owned()
}

#[test]
fn tasks_of_git_mile_keep_every_field() {
    let mut test = TestProject::new();
    let (task, other) = ("01940000-0000-7000-8000-000000000001", "01940000-0000-7000-8000-000000000002");
    let actor = json!({"name": "Grace Hopper", "email": "grace@example.com"});
    let event = |n: u64, task: &str, kind: serde_json::Value| {
        let event = json!({"schema": "git-mile-event@1", "id": format!("e{n}"), "lamport": n, "ts": format!("2025-01-0{n}T10:00:00Z"),
            "actor": actor, "task": task, "kind": kind});
        format!("git-mile-event: e{n}\n\n{event:#}")
    };
    let created = json!({"type": "taskCreated", "title": "Old", "labels": ["a", "b"], "assignees": ["ada@example.com"],
        "description": "Text", "state": "state/todo", "state_kind": "todo"});
    let mut tip = commit(&test, None, &event(1, task, created), &[]);
    for (n, kind) in [
        (2, json!({"type": "taskTitleSet", "title": "New"})),
        (3, json!({"type": "labelsRemoved", "labels": ["a"]})),
        (4, json!({"type": "commentAdded", "comment_id": "c1", "body_md": "Hello"})),
        (5, json!({"type": "childLinked", "parent": other, "child": task})),
        (6, json!({"type": "taskStateSet", "state": "state/done", "state_kind": "done"})),
        (7, json!({"type": "futureThing"})),
    ] {
        tip = commit(&test, Some(&tip), &event(n, task, kind), &[]);
    }
    git_in(test.fixture.path(), &["update-ref", &format!("refs/git-mile/tasks/{task}"), &tip]);
    let parent = commit(&test, None, &event(1, other, json!({"type": "taskCreated", "title": "All"})), &[]);
    git_in(test.fixture.path(), &["update-ref", &format!("refs/git-mile/tasks/{other}"), &parent]);
    let view = import(&mut test, GitMile);
    assert_eq!((view.created, view.comments), (2, 1));
    test.check("1", &json!({"kind": "task", "title": "New", "description": "Text", "labels": ["b"], "status": "done",
        "completed": "2025-01-06", "author": "Grace Hopper <grace@example.com>", "parent": "All",
        "assignees": ["Ada Lovelace <ada@example.com>"], "created": "2025-01-01T10:00:00Z", "updated": "2025-01-07T10:00:00Z",
        "imported": {"from": "git-mile", "id": task, "status": "state/done"},
        "comments": [{"author": "Grace Hopper <grace@example.com>", "created": "2025-01-04T10:00:00Z", "body": "Hello"}]}));
    assert_eq!(view.left_out.iter().filter(|one| one.what == "event").count(), 1);
    assert_eq!(import(&mut test, GitMile).unchanged, 2);
}

#[test]
fn bugs_of_git_bug_keep_every_field() {
    let mut test = TestProject::new();
    let identity = json!({"version": 2, "times": {}, "unix_time": 1, "name": "Grace Hopper", "email": "grace@example.com", "login": "grace", "nonce": "x"});
    let person = commit(&test, None, "", &[("version", &identity.to_string())]);
    git_in(test.fixture.path(), &["update-ref", "refs/identities/1111", &person]);
    let pack = |ops: &str| format!("{{\"author\":{{\"id\":\"1111\"}},\"ops\":[{ops}]}}");
    let create = r#"{"type":1,"timestamp":1700000000,"nonce":"a","title":"Old","message":"Text","files":null}"#;
    let comment = r#"{"type":3,"timestamp":1700000100,"nonce":"b","message":"Hello","files":["abc"]}"#;
    let comment_id = sha256(comment);
    let first = commit(
        &test,
        None,
        "",
        &[("ops", &pack(create)), ("version-4", ""), ("edit-clock-1", ""), ("create-clock-1", "")],
    );
    let edits = format!(
        r#"{comment},{{"type":2,"timestamp":1700000200,"nonce":"c","title":"New","was":"Old"}},{{"type":5,"timestamp":1700000300,"nonce":"d","added":["bug"],"removed":[]}},{{"type":6,"timestamp":1700000400,"nonce":"e","target":"{comment_id}","message":"Hello!","files":null}},{{"type":4,"timestamp":1700000500,"nonce":"f","status":2}}"#
    );
    let tip = commit(&test, Some(&first), "", &[("ops", &pack(&edits)), ("version-4", ""), ("edit-clock-2", "")]);
    git_in(test.fixture.path(), &["update-ref", "refs/bugs/abcdef", &tip]);
    let view = import(&mut test, GitBug);
    assert_eq!((view.created, view.comments), (1, 1));
    test.check("1", &json!({"kind": "issue", "title": "New", "description": "Text", "labels": ["bug"], "status": "done",
        "completed": "2023-11-14", "author": "Grace Hopper <grace@example.com>", "created": "2023-11-14T22:13:20Z",
        "updated": "2023-11-14T22:21:40Z", "imported": {"from": "git-bug", "id": "abcdef"},
        "comments": [{"author": "Grace Hopper <grace@example.com>", "created": "2023-11-14T22:15:00Z", "body": "Hello!"}]}));
    assert_eq!(view.left_out[0].what, "attachment");
    assert_eq!(import(&mut test, GitBug).unchanged, 1);
}

/// Imports one bug from packs of operations, each with its clock, and returns it.
fn import_bug(packs: &[(u64, &str)]) -> (TestProject, ImportView) {
    let mut test = TestProject::new();
    for (id, name) in [("1111", "Grace Hopper"), ("2222", "Bob")] {
        let person = commit(&test, None, "", &[("version", &json!({"version": 2, "name": name}).to_string())]);
        git_in(test.fixture.path(), &["update-ref", &format!("refs/identities/{id}"), &person]);
    }
    let mut tip = None;
    for (clock, pack) in packs {
        let clock = format!("edit-clock-{clock}");
        tip = Some(commit(&test, tip.as_deref(), "", &[("ops", pack), ("version-4", ""), (&clock, "")]));
    }
    git_in(test.fixture.path(), &["update-ref", "refs/bugs/abcdef", &tip.unwrap()]);
    let view = import(&mut test, GitBug);
    (test, view)
}

#[test]
fn bug_of_a_bridge_keeps_the_link_to_its_page() {
    let url = "https://github.com/o/r/issues/7";
    let create = format!(
        r#"{{"type":1,"timestamp":1700000000,"nonce":"a","metadata":{{"github-id":"x","github-url":"{url}","origin":"github"}},"title":"One","message":"","files":null}}"#
    );
    let pack = format!(r#"{{"author":{{"id":"1111"}},"ops":[{create}]}}"#);
    let (test, _) = import_bug(&[(1, &pack)]);
    test.check("1", &json!({"title": "One", "imported": {"from": "git-bug", "id": "abcdef", "url": url}}));

    let create = r#"{"type":1,"timestamp":1700000000,"nonce":"a","title":"One","message":"","files":null}"#;
    let (id, other) = (sha256(create), sha256("another operation"));
    let later = |target: &str, url: &str| {
        format!(
            r#"{{"type":8,"timestamp":1700000001,"nonce":"b","target":"{target}","new_metadata":{{"gitlab-url":"{url}"}}}}"#
        )
    };
    let (wrong, right) = (later(&other, "https://example.com/other"), later(&id, "https://example.com/1"));
    let unsafe_page = later(&id, "javascript:alert(1)");
    let pack = format!(r#"{{"author":{{"id":"1111"}},"ops":[{create},{wrong},{unsafe_page},{right}]}}"#);
    let (test, _) = import_bug(&[(1, &pack)]);
    test.check(
        "1",
        &json!({"title": "One", "imported": {"from": "git-bug", "id": "abcdef", "url": "https://example.com/1"}}),
    );
}

#[test]
fn packs_of_the_same_clock_are_ordered_by_their_hash() {
    let create = r#"{"author":{"id":"1111"},"ops":[{"type":1,"timestamp":1700000000,"nonce":"a","title":"Old","message":"","files":null}]}"#;
    let rename = |title: &str| {
        format!(
            r#"{{"author":{{"id":"1111"}},"ops":[{{"type":2,"timestamp":1700000100,"nonce":"b","title":"{title}","was":"Old"}}]}}"#
        )
    };
    let packs = [rename("Left"), rename("Right"), rename("Up")];
    let last = packs.iter().max_by_key(|pack| sha256(pack)).unwrap();
    let title = ["Left", "Right", "Up"].into_iter().find(|title| last.contains(title)).unwrap();
    // In both orders of the commits.
    let forward = [(1, create), (2, packs[0].as_str()), (2, packs[1].as_str()), (2, packs[2].as_str())];
    let backward = [(1, create), (2, packs[2].as_str()), (2, packs[1].as_str()), (2, packs[0].as_str())];
    for order in [forward, backward] {
        let (test, _) = import_bug(&order);
        test.check("1", &json!({"title": title}));
    }
}

#[test]
fn operations_before_version_0_8_have_authors_of_their_own() {
    let pack = r#"{"version":1,"ops":[
        {"type":1,"author":{"id":"2222"},"timestamp":1700000000,"title":"One","message":"","files":null},
        {"type":3,"author":{"name":"Ada","email":"ada@example.com","login":""},"timestamp":1700000100,"message":"Hi","files":null}]}"#;
    let (test, view) = import_bug(&[(1, pack)]);
    assert_eq!((view.created, view.comments), (1, 1));
    test.check(
        "1",
        &json!({"title": "One", "author": "Bob",
        "comments": [{"author": "Ada Lovelace <ada@example.com>", "created": "2023-11-14T22:15:00Z", "body": "Hi"}]}),
    );
}

fn sha256(text: &str) -> String {
    use std::io::Write;
    let mut child = std::process::Command::new("sha256sum")
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    String::from_utf8(output.stdout).unwrap().split_whitespace().next().unwrap().to_owned()
}

#[test]
fn json_of_git_bug_is_read_too() {
    let mut test = TestProject::new();
    let text = json!([{"id": "abc", "human_id": "abc", "create_time": {"timestamp": 1_700_000_000}, "edit_time": {"timestamp": 1_700_000_100},
        "status": "open", "labels": ["bug"], "title": "One", "author": {"id": "1", "name": "Grace", "login": "grace"},
        "comments": [{"id": "x", "author": {"name": "Grace", "login": ""}, "message": "Text"}, {"id": "y", "author": {"name": "Bob", "login": ""}, "message": "Hi"}]}]);
    let view = test.import(GitBug, &text.to_string());
    test.check("1", &json!({"title": "One", "description": "Text", "author": "Grace", "labels": ["bug"],
        "created": "2023-11-14T22:13:20Z", "updated": "2023-11-14T22:15:00Z", "comments": [{"author": "Bob", "body": "Hi"}]}));
    assert_eq!(view.left_out[0].what, "time of comments");
}
