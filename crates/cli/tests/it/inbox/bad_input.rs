//! Invalid input is rejected: with a reason, a hint, and no change to the inbox.

use std::fs;

use super::{check, project, send};
use crate::support::Project;

/// Checks that a command fails with these texts, and that the inbox is unchanged.
#[track_caller]
fn refused(project: &Project, code: i32, arguments: &[&str], input: &[u8], parts: &[&str]) {
    let before = project.cairn.json(&["inbox", "list", "--all"]);
    let ran = project.cairn.run_with_input(&[&["inbox"], arguments].concat(), input);
    assert_eq!(ran.code(), Some(code), "{arguments:?}: {ran}");
    assert!(ran.stdout.is_empty() && !ran.err().contains("panicked"), "{arguments:?}: {ran}");
    for part in parts {
        assert!(ran.err().contains(part), "`{part}` is not said by {arguments:?}: {ran}");
    }
    assert_eq!(project.cairn.json(&["inbox", "list", "--all"]), before, "{arguments:?} left something");
}

#[test]
fn files_and_lines_that_are_not_there() {
    let project = project();
    let on = |file: &str, line: &str, code: i32, parts: &[&str]| {
        for verb in ["send", "draft"] {
            refused(&project, code, &[verb, "--file", file, "--line", line, "--comment", "x"], b"", parts);
        }
    };
    on("nothing.txt", "1", 1, &["file not found: `nothing.txt` here", "hint:"]);
    on("nothing.txt", "all", 1, &["file not found: `nothing.txt` here"]);
    on("HEAD:nothing.txt", "1", 1, &["file not found: `nothing.txt` in commit"]);
    on("src", "all", 2, &["`src` is a folder", "name a file in it"]);
    on(".", "all", 2, &["`.` is a folder"]);
    on("", "all", 2, &["no file was named"]);
    on("../../etc/passwd", "1", 2, &["is not in this repository"]);
    on("/etc/passwd", "1", 2, &["is not in this repository"]);
    on("a.txt", "5", 2, &["line 5 not found: `a.txt` has 4 lines"]);
    on("a.txt", "3-9", 2, &["line 3-9 not found"]);
    on("a.txt", "old:4", 2, &["line 4 not found"]);
    on("a.txt", "0", 2, &["invalid line range", "42-57"]);
    on("a.txt", "two", 2, &["invalid line range"]);
    on("a.txt", "9-2", 2, &["invalid line range"]);
    on(".git/config", "all", 1, &["file not found"]);
}

#[test]
fn commits_that_are_not_there_or_have_nothing_to_do_with_it() {
    let project = project();
    let send = ["send", "--file", "a.txt", "--comment", "x", "--commit"];
    refused(&project, 1, &[&send[..], &["nonsense"]].concat(), b"", &["git knows no commit `nonsense`"]);
    refused(&project, 1, &[&send[..], &["--all"]].concat(), b"", &["git knows no commit `--all`"]);
    refused(&project, 1, &["files", "--commit", "nonsense"], b"", &["git knows no commit"]);
    project.repository.git(&["commit", "--quiet", "--allow-empty", "--message=nothing"]);
    refused(&project, 1, &["lines", "a.txt", "--commit", "HEAD"], b"", &["does not change `a.txt`"]);
    refused(&project, 1, &["files", "--commit", "HEAD"], b"", &["changes no files"]);
}

#[test]
fn comments_that_say_nothing_or_are_no_text() {
    let project = project();
    let send = ["send", "--file", "a.txt"];
    let with = |more: &[&'static str]| [&send[..], more].concat();
    refused(&project, 2, &with(&["--comment", " \n\t"]), b"", &["the comment is empty"]);
    refused(&project, 2, &send, b"", &["the comment is empty"]);
    refused(&project, 2, &send, b"caf\xe9", &["`standard input` is not UTF-8 text (byte 3 is not)"]);
    refused(&project, 2, &send, b"a\0b", &["NUL"]);
    refused(&project, 2, &send, &vec![b'x'; 4 * 1024 * 1024 + 1], &["bytes; at most"]);
    refused(
        &project,
        2,
        &with(&["--comment", "x", "--kind", "blame"]),
        b"",
        &["unknown message kind", "fix, question, note"],
    );
    refused(&project, 2, &["send", "--comment", "x"], b"", &["--file"]);
    refused(&project, 2, &["send", "--stdin-hunk"], b"", &["--comment"]);
}

#[test]
fn ids_that_name_nothing_or_too_much() {
    let project = project();
    let first = send(&project.cairn, "a.txt", "2", "one")["id"].as_str().unwrap().to_owned();
    send(&project.cairn, "a.txt", "2", "two");
    for verb in ["show", "discard", "resolve"] {
        refused(&project, 1, &[verb, "ffffffffffff"], b"", &["no message is called `ffffffffffff`", "hint:"]);
        refused(&project, 1, &[verb, "x"], b"", &["no message is called `x`"]);
        // Ids begin with the time, so these two have a common prefix.
        refused(&project, 2, &[verb, &first[..4]], b"", &["2 messages are called", "more of the id"]);
    }
    refused(&project, 1, &["reply", "ffffffffffff", "x"], b"", &["no message is called"]);
    refused(&project, 2, &["reply", &first, " "], b"", &["the reply is empty"]);
    refused(&project, 1, &["discard", &first], b"", &["was sent already", "resolve"]);
    refused(&project, 1, &["submit", &first], b"", &["was sent already"]);
    let draft = project.cairn.json(&["inbox", "draft", "--file", "a.txt", "--comment", "x"]);
    refused(&project, 1, &["reply", draft["id"].as_str().unwrap(), "x"], b"", &["is a draft", "submit"]);
}

#[test]
fn nobody_in_particular_says_nothing() {
    let project = project();
    for name in ["user.name", "user.email"] {
        project.repository.git(&["config", "--unset", name]);
    }
    fs::write(project.cairn.gitconfig(), "").unwrap();
    let ran = project.cairn.run(&["inbox", "send", "--file", "a.txt", "--comment", "x"]);
    assert_eq!(ran.code(), Some(1), "{ran}");
    insta::assert_snapshot!(ran.snapshot(), @r#"
    exit status: 1
    --- stderr
    error: git does not know who you are; run `git config --global user.name "Your Name"` and `git config --global user.email you@example.com`
    "#);
    assert_eq!(project.cairn.json(&["inbox", "list"])["total"], 0);
}

#[test]
fn no_repository_is_no_inbox() {
    let folder = tempfile::tempdir().unwrap();
    let ran = crate::support::cairn(folder.path()).run(&["inbox", "list"]);
    assert_eq!(ran.code(), Some(3), "{ran}");
}

#[test]
fn a_damaged_file_is_named_left_alone_and_holds_nobody_up() {
    let project = project();
    send(&project.cairn, "a.txt", "2", "good");
    let new = project.repository.git_dir().join("cairn/inbox/new");
    let damaged = ["018f3c1e-7a1b-7000-8000-000000000001.json", "018f3c1e-7a1b-7000-8000-000000000002.json"];
    fs::write(new.join(damaged[0]), "{\"v\":1,\"id\":").unwrap();
    fs::write(new.join(damaged[1]), "{\"v\":99,\"id\":\"from the future\"}").unwrap();
    fs::write(new.join("notes.txt"), "not ours").unwrap();
    let listed = project.cairn.ok(&["inbox", "list"]);
    insta::assert_snapshot!(testkit::redact(&listed.err()), @"
    warning: skipped `<tmp>/project/.git/cairn/inbox/new/018f3c1e-7a1b-7000-8000-000000000001.json`: not a message
    warning: skipped `<tmp>/project/.git/cairn/inbox/new/018f3c1e-7a1b-7000-8000-000000000002.json`: not a message
    ");
    assert_eq!(check(&project.cairn), ["good"]);
    assert_eq!(check(&project.cairn), [""; 0]);
    assert_eq!(fs::read_to_string(new.join(damaged[0])).unwrap(), "{\"v\":1,\"id\":");
    assert!(new.join("notes.txt").exists());
}
