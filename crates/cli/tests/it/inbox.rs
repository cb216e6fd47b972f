//! `cairn inbox`: review messages are delivered once, in order, and invalid input is rejected with a reason.

mod bad_input;
mod crowd;
mod diffs;
mod watch;

use std::fs;

use serde_json::{Value, json};
use testkit::{Cairn, Ran};

use crate::support::Project;

/// A project with `a.txt` and `src/b.txt` committed, and a change of `a.txt` in the work tree.
pub(crate) fn project() -> Project {
    let project = Project::in_memory();
    let top = project.repository.path();
    fs::create_dir(top.join("src")).unwrap();
    fs::write(top.join("a.txt"), "one\ntwo\nthree\n").unwrap();
    fs::write(top.join("src/b.txt"), "alpha\nbeta\n").unwrap();
    project.repository.git(&["add", "."]);
    project.repository.git(&["commit", "--quiet", "--message=first"]);
    fs::write(top.join("a.txt"), "one\nTWO\nthree\nfour\n").unwrap();
    project
}

#[track_caller]
pub(super) fn send(cairn: &Cairn, file: &str, line: &str, comment: &str) -> Value {
    cairn.json(&["inbox", "send", "--file", file, "--line", line, "--comment", comment])
}

/// Takes the pending messages; returns their comments, in order.
#[track_caller]
pub(super) fn check(cairn: &Cairn) -> Vec<String> {
    comments(&cairn.json(&["inbox", "check"]))
}

pub(super) fn comments(inbox: &Value) -> Vec<String> {
    inbox["items"].as_array().unwrap().iter().map(|one| one["comment"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn message_goes_to_one_reader_of_all_work_trees() {
    let project = project();
    let tree = project.repository.directory_path().join("tree");
    project.repository.git(&["worktree", "add", "--quiet", "--detach", tree.to_str().unwrap()]);
    let other = project.cairn.at(&tree);
    send(&project.cairn, "a.txt", "2", "from here");
    send(&other, "a.txt", "2", "from there");
    assert_eq!(check(&other), ["from here", "from there"]);
    assert_eq!(check(&project.cairn), [""; 0]);
    let all = other.json(&["inbox", "list", "--all"]);
    assert!(all["items"].as_array().unwrap().iter().all(|one| one["state"] == "delivered"), "{all}");
}

#[test]
fn a_file_is_named_from_here_or_from_the_top_or_by_a_commit() {
    let project = project();
    let below = project.cairn.at(&project.repository.path().join("src"));
    let head = project.repository.git(&["rev-parse", "HEAD"]);
    assert_eq!(send(&below, "b.txt", "2", "x")["file"], "src/b.txt");
    assert_eq!(send(&below, "../a.txt", "2", "x")["file"], "a.txt");
    assert_eq!(send(&below, "src/b.txt", "2", "x")["file"], "src/b.txt");
    let absolute = project.repository.path().join("a.txt");
    assert_eq!(send(&below, absolute.to_str().unwrap(), "2", "x")["excerpt"], "TWO");
    let old = send(&below, "HEAD:a.txt", "2", "x");
    assert_eq!((&old["file"], &old["commit"], &old["excerpt"]), (&json!("a.txt"), &json!(head), &json!("two")));
    let removed = send(&below, "a.txt", "old:2", "x");
    assert_eq!((&removed["side"], &removed["excerpt"]), (&json!("old"), &json!("two")));
    let odd = project.repository.path().join("HEAD:a.txt");
    fs::write(odd, "literal\n").unwrap();
    assert_eq!(send(&project.cairn, "HEAD:a.txt", "1", "x")["excerpt"], "literal", "what is there comes first");
}

#[test]
fn a_symbolic_link_is_read_as_its_blob() {
    let project = project();
    std::os::unix::fs::symlink("a.txt", project.repository.path().join("link.txt")).unwrap();
    assert_eq!(send(&project.cairn, "link.txt", "all", "x")["file"], "link.txt");
}

#[test]
fn choices_are_listed() {
    let project = project();
    let cairn = &project.cairn;
    fs::write(project.repository.path().join("new file.txt"), "x\n").unwrap();
    let head = project.repository.git(&["rev-parse", "HEAD"]);
    let listed = |arguments: &[&str]| -> Vec<String> {
        let ran = cairn.quiet(&[&["inbox"], arguments].concat());
        ran.out().lines().map(str::to_owned).collect()
    };
    assert_eq!(listed(&["files"]), ["a.txt", "new file.txt"]);
    assert_eq!(
        listed(&["files", "--first", "src/b.txt", "--first", "nothing", "--first", "."]),
        ["src/b.txt", "a.txt", "new file.txt"]
    );
    let of_commit = [format!("{head}:a.txt"), format!("{head}:src/b.txt")];
    assert_eq!(listed(&["files", "--commit", "HEAD"]), of_commit);
    assert_eq!(listed(&["lines", "a.txt"]), ["all: the whole file", "old:2: two", "2: TWO", "4: four"]);
    assert_eq!(listed(&["lines", "src/b.txt"]), ["all: the whole file", "1: alpha", "2: beta"]);
    assert_eq!(listed(&["lines", &of_commit[1]]), ["all: the whole file", "1: alpha", "2: beta"]);
    cairn.quiet(&["inbox", "mark", "a.txt", "3"]);
    assert_eq!(listed(&["lines", "a.txt"])[1], "3: three  (where you were)");
    send(cairn, "a.txt", "3", "x");
    assert_eq!(listed(&["lines", "a.txt"])[1], "old:2: two", "it was used");
}

#[test]
fn drafts_are_sent_as_one_batch_in_the_order_they_were_made() {
    let project = project();
    let cairn = &project.cairn;
    let draft = |comment: &str| cairn.json(&["inbox", "draft", "--file", "a.txt", "--comment", comment]);
    let ids: Vec<Value> =
        ["first", "second", "third", "fourth"].iter().map(|comment| draft(comment)["id"].clone()).collect();
    assert_eq!(check(cairn), [""; 0], "nobody sees a draft");
    cairn.quiet(&["inbox", "discard", ids[2].as_str().unwrap()]);
    assert_eq!(comments(&cairn.json(&["inbox", "submit", ids[1].as_str().unwrap()])), ["second"]);
    assert_eq!(check(cairn), ["second"]);
    let sent = cairn.json(&["inbox", "send", "--drafts", "--file", "a.txt", "--comment", "last"]);
    assert_eq!(comments(&sent), ["first", "fourth", "last"]);
    assert_eq!(check(cairn), ["first", "fourth", "last"]);
    let again = cairn.run(&["inbox", "submit", ids[0].as_str().unwrap()]);
    let id = ids[0].as_str().unwrap();
    insta::assert_snapshot!(again.snapshot().replace(&id[id.len() - 6..], "<id>"), @"
    exit status: 1
    --- stderr
    error: message <id> was sent already
    ");
    let nothing = cairn.ok(&["inbox", "submit"]);
    insta::assert_snapshot!(nothing.snapshot(), @"
    --- stderr
    no drafts; `cairn inbox draft` creates one
    ");
}

#[test]
fn replies_and_resolution_are_delivered() {
    let project = project();
    let cairn = &project.cairn;
    let id = send(cairn, "a.txt", "2", "why?")["id"].as_str().unwrap().to_owned();
    let short = &id[id.len() - 6..];
    check(cairn);
    cairn.quiet(&["inbox", "reply", short, "because", "--author", "Agent"]);
    let shown = cairn.json(&["inbox", "show", short]);
    assert_eq!((&shown["state"], &shown["replies"][0]["author"]), (&json!("answered"), &json!("Agent")));
    cairn.quiet(&["inbox", "resolve", short, "--comment", "good"]);
    assert_eq!(cairn.json(&["inbox", "list"])["total"], 0);
    assert_eq!(cairn.json(&["inbox", "list", "--all"])["items"][0]["state"], "resolved");
}

#[test]
fn moved_changed_and_deleted_code_is_reported() {
    let project = project();
    let cairn = &project.cairn;
    send(cairn, "a.txt", "2", "x");
    let file = project.repository.path().join("a.txt");
    let code = || cairn.json(&["inbox", "list"])["items"][0]["code"].clone();
    assert_eq!(code()["status"], "here");
    fs::write(&file, "zero\none\nTWO\n").unwrap();
    assert_eq!(code(), json!({"status": "moved", "lines": {"start": 3, "end": 3}}));
    fs::write(&file, "zero\n").unwrap();
    assert_eq!(code()["status"], "gone");
    insta::assert_snapshot!(cairn.quiet(&["inbox", "check"]).snapshot(), @"
    --- stdout
    File: a.txt
    Line: 2
    Comment: x
    Note: was line 2; these lines are gone

    Please improve this code.
    ");
}

/// If the output cannot be written, nothing counts as delivered.
#[test]
fn message_without_a_written_response_is_not_delivered() {
    let project = project();
    send(&project.cairn, "a.txt", "2", "precious");
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = project.cairn.command(&["inbox", "check"]);
    let ran = Ran::of(command.stdout(writer).spawn().unwrap());
    assert_eq!(ran.code(), Some(1), "{ran}");
    insta::assert_snapshot!(ran.snapshot(), @"
    exit status: 1
    --- stderr
    error: cannot write the output: Broken pipe (os error 32)
    hint: no message was delivered
    ");
    let again = project.cairn.json(&["inbox", "check"]);
    assert_eq!((comments(&again), &again["items"][0]["again"]), (vec!["precious".to_owned()], &json!(false)));
}
