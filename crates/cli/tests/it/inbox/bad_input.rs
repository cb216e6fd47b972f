//! Invalid input is rejected: with a reason, a hint, and no change to the inbox.

use std::fs;

use super::{check, project, send};
use crate::support::Project;

/// Checks that a command fails with this error, and that the inbox is unchanged.
#[track_caller]
fn refused(project: &Project, code: i32, arguments: &[&str], input: &[u8], error: &str) {
    let before = project.cairn.json(&["inbox", "list", "--all"]);
    let ran = project.cairn.run_with_input(&[&["inbox"], arguments].concat(), input);
    assert_eq!(ran.code(), Some(code), "{arguments:?}: {ran}");
    assert!(ran.stdout.is_empty() && !ran.err().contains("panicked"), "{arguments:?}: {ran}");
    assert_eq!(testkit::redact(ran.err().trim_end()), error, "{arguments:?}");
    assert_eq!(project.cairn.json(&["inbox", "list", "--all"]), before, "{arguments:?} left something");
}

#[test]
fn files_and_lines_that_are_not_there() {
    let project = project();
    let on = |file: &str, line: &str, code: i32, error: &str| {
        for verb in ["send", "draft"] {
            refused(&project, code, &[verb, "--file", file, "--line", line, "--comment", "x"], b"", error);
        }
    };
    on(
        "nothing.txt",
        "1",
        1,
        "error: file not found: `nothing.txt` here\nhint: name it from here or from the top of the repository",
    );
    on(
        "nothing.txt",
        "all",
        1,
        "error: file not found: `nothing.txt` here\nhint: name it from here or from the top of the repository",
    );
    on(
        "HEAD:nothing.txt",
        "1",
        1,
        "error: file not found: `nothing.txt` in commit `<id>`\nhint: name it from here or from the top of the repository",
    );
    on("src", "all", 2, "error: `src` is a folder\nhint: name a file in it");
    on(".", "all", 2, "error: `.` is a folder\nhint: name a file in it");
    on("", "all", 2, "error: no file was named\nhint: give one with `--file`");
    on("../../etc/passwd", "1", 2, "error: `../../etc/passwd` is not in this repository");
    on("/etc/passwd", "1", 2, "error: `/etc/passwd` is not in this repository");
    on("a.txt", "5", 2, "error: line 5 not found: `a.txt` has 4 lines");
    on("a.txt", "3-9", 2, "error: line 3-9 not found: `a.txt` has 4 lines");
    on("a.txt", "old:4", 2, "error: line 4 not found: `a.txt` has 3 lines");
    for range in ["0", "two", "9-2"] {
        let error = format!(
            "error: invalid value '{range}' for '--line <LINES>': invalid line range `{range}`; write `42` or `42-57`, \
             counted from 1\n\nFor more information, try '--help'."
        );
        on("a.txt", range, 2, &error);
    }
    on(
        ".git/config",
        "all",
        1,
        "error: file not found: `.git/config` here\nhint: name it from here or from the top of the repository",
    );
}

#[test]
fn commits_that_are_not_there_or_have_nothing_to_do_with_it() {
    let project = project();
    let send = ["send", "--file", "a.txt", "--comment", "x", "--commit"];
    refused(&project, 1, &[&send[..], &["nonsense"]].concat(), b"", "error: commit not found: `nonsense`");
    refused(&project, 1, &[&send[..], &["--all"]].concat(), b"", "error: commit not found: `--all`");
    refused(&project, 1, &["files", "--commit", "nonsense"], b"", "error: commit not found: `nonsense`");
    project.repository.git(&["commit", "--quiet", "--allow-empty", "--message=nothing"]);
    refused(
        &project,
        1,
        &["lines", "a.txt", "--commit", "HEAD"],
        b"",
        "error: commit `<id>` does not change `a.txt`\nhint: `cairn inbox files --commit COMMIT` says what it changes",
    );
    refused(&project, 1, &["files", "--commit", "HEAD"], b"", "error: `<id>` changes no files");
}

#[test]
fn comments_that_say_nothing_or_are_no_text() {
    let project = project();
    let send = ["send", "--file", "a.txt"];
    let with = |more: &[&'static str]| [&send[..], more].concat();
    refused(&project, 2, &with(&["--comment", " \n\t"]), b"", "error: the comment is empty");
    refused(&project, 2, &send, b"", "error: the comment is empty");
    refused(&project, 2, &send, b"caf\xe9", "error: `standard input` is not UTF-8 text (byte 3 is not)");
    refused(&project, 2, &send, b"a\0b", "error: the comment contains a NUL character");
    refused(
        &project,
        2,
        &send,
        &vec![b'x'; 4 * 1024 * 1024 + 1],
        "error: the comment has 4194305 bytes; at most 4194304 are allowed",
    );
    refused(
        &project,
        2,
        &with(&["--comment", "x", "--kind", "blame"]),
        b"",
        "error: invalid value 'blame' for '--kind <KIND>': unknown message kind `blame` (expected: fix, question, note)\n\nFor more information, try '--help'.",
    );
    refused(
        &project,
        2,
        &["send", "--comment", "x"],
        b"",
        "error: the following required arguments were not provided:\n  --file <PATH>\n\nUsage: cairn inbox send --comment <TEXT> --file <PATH>\n\nFor more information, try '--help'.",
    );
    refused(
        &project,
        2,
        &["send", "--stdin-hunk"],
        b"",
        "error: the following required arguments were not provided:\n  --comment <TEXT>\n\nUsage: cairn inbox send --comment <TEXT> --stdin-hunk\n\nFor more information, try '--help'.",
    );
}

#[test]
fn ids_that_name_nothing_or_too_much() {
    let project = project();
    let first = send(&project.cairn, "a.txt", "2", "one")["id"].as_str().unwrap().to_owned();
    send(&project.cairn, "a.txt", "2", "two");
    for verb in ["show", "discard", "resolve"] {
        refused(
            &project,
            1,
            &[verb, "ffffffffffff"],
            b"",
            "error: message not found: `<id>`\nhint: `cairn inbox list --all` shows them; the last 4 or more characters of an id are enough",
        );
        refused(
            &project,
            1,
            &[verb, "x"],
            b"",
            "error: message not found: `x`\nhint: `cairn inbox list --all` shows them; the last 4 or more characters of an id are enough",
        );
        // Ids begin with the time, so these two have a common prefix.
        refused(
            &project,
            2,
            &[verb, &first[..4]],
            b"",
            &format!("error: 2 messages match `{}`\nhint: give more of the id", &first[..4]),
        );
    }
    refused(
        &project,
        1,
        &["reply", "ffffffffffff", "x"],
        b"",
        "error: message not found: `<id>`\nhint: `cairn inbox list --all` shows them; the last 4 or more characters of an id are enough",
    );
    refused(&project, 2, &["reply", &first, " "], b"", "error: the reply is empty");
    // Messages show the end of an id, since its beginning is the time.
    let short = &first[first.len() - 6..];
    refused(
        &project,
        1,
        &["discard", &first],
        b"",
        &format!("error: message {short} was sent already\nhint: `cairn inbox resolve` resolves it"),
    );
    refused(&project, 1, &["submit", &first], b"", &format!("error: message {short} was sent already"));
    let draft = project.cairn.json(&["inbox", "draft", "--file", "a.txt", "--comment", "x"]);
    let id = draft["id"].as_str().unwrap();
    let error = format!("error: message {} is a draft\nhint: send it with `cairn inbox submit`", &id[id.len() - 6..]);
    refused(&project, 1, &["reply", id, "x"], b"", &error);
}

#[test]
fn message_without_an_author_is_refused() {
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
fn damaged_file_is_named_left_alone_and_blocks_no_reader() {
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
