//! User input: stored byte for byte if it is text, rejected with a reason if not.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

use serde_json::json;
use testkit::{Ran, lines_with};

use crate::support::{Project, titles};

/// Checks that a command fails as invalid with this error, and changes nothing.
#[track_caller]
fn refused(project: &Project, arguments: &[&str], error: &str) -> Ran {
    let ran = refused_in_any_words(project, arguments);
    assert_eq!(testkit::redact(ran.err().trim_end()), error);
    ran
}

#[track_caller]
fn refused_in_any_words(project: &Project, arguments: &[&str]) -> Ran {
    let before = project.repository.try_git(&["rev-parse", "refs/cairn/work"]).stdout;
    let ran = project.cairn.run(arguments);
    assert_invalid(&ran);
    assert_eq!(project.repository.try_git(&["rev-parse", "refs/cairn/work"]).stdout, before, "{arguments:?} wrote");
    ran
}

#[track_caller]
fn assert_refused(ran: &Ran, error: &str) {
    assert_invalid(ran);
    assert_eq!(testkit::redact(ran.err().trim_end()), error);
}

#[track_caller]
fn assert_invalid(ran: &Ran) {
    assert_eq!(ran.code(), Some(2), "{ran}");
    assert!(ran.stdout.is_empty(), "{ran}");
    assert!(!ran.err().contains("panicked"), "{ran}");
}

#[test]
fn every_script_is_kept_as_it_is() {
    let texts = [
        "👩‍👩‍👧‍👦 family 🏳️‍🌈",
        "שלום עולם",
        "مرحبا بالعالم",
        "e\u{301}a\u{308} Z\u{351}\u{36b}a\u{343}lgo",
        "日本語のタイトル",
        "a\u{200b}b\u{feff}c",
        "quotes \" ' ` $HOME \\n",
        "--not-a-flag",
    ];
    let project = Project::new();
    for text in texts {
        let label = format!("--label={text}");
        let made = project.cairn.json(&["new", "issue", "-d", text, &label, "--", text]);
        assert_eq!((&made["title"], &made["description"]), (&json!(text), &json!(text)));
        assert_eq!(made["labels"], json!([text]));
        let number = made["number"].to_string();
        project.cairn.quiet(&["comment", &number, text]);
        assert_eq!(project.cairn.json(&["show", &number])["comments"][0]["body"], text);
    }
    let list = project.cairn.quiet(&["list"]).out();
    for text in texts {
        // Invisible characters are escaped, since they would hide a difference.
        let shown = text.replace('\u{200b}', "\\u{200b}").replace('\u{feff}', "\\u{feff}");
        assert!(list.contains(&shown), "{shown}: {list}");
    }
    assert_eq!(project.cairn.json(&["search", "日本語のタイトル"])["total"], 1);
}

#[test]
fn nul_is_refused_from_every_source() {
    let project = Project::with_items(&["one"]);
    let file = project.repository.directory_path().join("nul.txt");
    fs::write(&file, b"a\0b").unwrap();
    let path = file.to_str().unwrap();
    refused(&project, &["new", "issue", "two", "-F", path], "error: the description contains a NUL character");
    refused(&project, &["edit", "1", "-F", path], "error: the description contains a NUL character");
    refused(&project, &["comment", "1", "-F", path], "error: the comment contains a NUL character");
    for (arguments, input) in [
        (&["new", "issue", "two", "-F", "-"][..], &b"a\0b"[..]),
        (&["comment", "1"], b"a\0b"),
        (&["import", "-"], br#"{"title":"a\u0000b"}"#),
        (&["import", "-"], br#"{"title":"a","description":"a\u0000b"}"#),
        (&["import", "-"], br#"{"title":"a","labels":["a\u0000b"]}"#),
        (&["import", "-"], br#"{"title":"a","comments":["a\u0000b"]}"#),
        (&["import", "-"], br#"{"title":"a","mood":{"deep":["a\u0000b"]}}"#),
        (&["import", "-"], b"{\"title\":\"a\0b\"}"),
    ] {
        let ran = project.cairn.run_with_input(arguments, input);
        assert_invalid(&ran);
        assert_eq!(titles(&project.cairn), ["one"], "{arguments:?} {:?}", String::from_utf8_lossy(input));
    }
    assert_eq!(project.cairn.json(&["show", "1"])["commentCount"], 0);
}

#[test]
fn a_mebibyte_is_kept_byte_for_byte() {
    let project = Project::new();
    let text: String = (0..).map(|n| format!("line {n} \t‑ ünïcödé \r\n")).take(40_000).collect();
    let text = &text[..text.char_indices().map(|(at, _)| at).take_while(|at| *at <= 1024 * 1024).last().unwrap()];
    let file = project.repository.directory_path().join("long.md");
    fs::write(&file, text).unwrap();
    let made = project.cairn.json(&["new", "story", "long", "-F", file.to_str().unwrap()]);
    assert!(made["description"] == text, "not kept from a file");
    let ran = project.cairn.run_with_input(&["new", "story", "long", "-F", "-", "--json"], text.as_bytes());
    assert!(ran.json()["description"] == text, "not kept from a pipe");
    project.remove_index();
    assert!(project.cairn.json(&["show", "1"])["description"] == text, "not kept in git");
    let export = project.cairn.quiet(&["export"]).stdout;
    let copy = Project::new();
    assert_eq!(copy.cairn.run_with_input(&["import", "-"], &export).code(), Some(0));
    assert!(copy.cairn.json(&["show", "1"])["description"] == text, "not kept by export and import");
}

#[test]
fn control_characters_are_shown_but_never_sent() {
    let project = Project::new();
    let evil = "a\u{1b}[31mred\u{7}\u{9b}b\u{202e}c";
    let made = project.cairn.json(&["new", "issue", evil, "-d", evil, "-l", evil, "--assign", evil, "--create"]);
    assert_eq!(made["title"], evil);
    project.cairn.quiet(&["comment", "1", evil]);
    let mut shown = Vec::new();
    for command in [&["list"][..], &["show", "1"], &["log", "1"], &["ready"], &["close", "1"]] {
        let ran = project.cairn.quiet(command);
        shown.push(format!("{}:\n{}", command.join(" "), lines_with(&ran.out(), "red")));
        for raw in ["\u{1b}", "\u{7}", "\u{9b}", "\u{202e}"] {
            assert!(!ran.out().contains(raw), "{command:?}: {ran}");
        }
    }
    insta::assert_snapshot!(shown.join("\n"), @r"
    list:
    1  ○ backlog  a\e[31mred\u{7}\u{9b}b\u{202e}c  issue  a\e[31mred\u{7}\u{9b}b\u{202e}c  now      a\e[31mred\u{7}\u{9b}b\u{202e}c
    show 1:
    a\e[31mred\u{7}\u{9b}b\u{202e}c
         labels  a\e[31mred\u{7}\u{9b}b\u{202e}c
       assignee  a\e[31mred\u{7}\u{9b}b\u{202e}c
    a\e[31mred\u{7}\u{9b}b\u{202e}c
    a\e[31mred\u{7}\u{9b}b\u{202e}c
    log 1:
    #1 a\e[31mred\u{7}\u{9b}b\u{202e}c
    <moment>  Ada Lovelace created the issue a\e[31mred\u{7}\u{9b}b\u{202e}c
    <moment>  Ada Lovelace commented: a\e[31mred\u{7}\u{9b}b\u{202e}c
    ready:
    1  ○ backlog  a\e[31mred\u{7}\u{9b}b\u{202e}c  issue  a\e[31mred\u{7}\u{9b}b\u{202e}c  now      a\e[31mred\u{7}\u{9b}b\u{202e}c
    close 1:
    closed issue #1: a\e[31mred\u{7}\u{9b}b\u{202e}c
    ");
    assert!(!project.cairn.quiet(&["log"]).out().contains(|c: char| c.is_control() && c != '\n' || c == '\u{202e}'));
    for text in [&["show", evil][..], &["edit", "1", "--status", evil], &["list", "--filter", evil], &["sync", evil]] {
        let ran = project.cairn.run(text);
        assert_ne!(ran.code(), Some(0));
        assert!(!ran.stderr.contains(&0x1b), "{text:?}: {ran}");
    }
    let ran = project.cairn.run(&[evil]);
    assert!(!ran.stderr.contains(&0x1b), "{ran}");
    assert_eq!(project.cairn.json(&["show", "1"])["comments"][0]["body"], evil);
}

#[test]
fn input_that_is_not_utf_8_is_refused_by_name() {
    let project = Project::with_items(&["one"]);
    let bad = OsStr::from_bytes(b"caf\xe9");
    for before in [&["new", "issue"][..], &["show"], &["comment", "1"], &["list", "--filter"], &["search"], &["sync"]] {
        let mut arguments: Vec<&OsStr> = before.iter().map(OsStr::new).collect();
        arguments.push(bad);
        let ran = project.cairn.run(&arguments);
        assert_invalid(&ran);
        let error = ran.err();
        assert_eq!(error.lines().next(), Some("error: invalid UTF-8 was detected in one or more arguments"));
    }
    let file = project.repository.directory_path().join("latin1.txt");
    fs::write(&file, b"caf\xe9").unwrap();
    refused(
        &project,
        &["new", "issue", "two", "-F", file.to_str().unwrap()],
        "error: `<tmp>/latin1.txt` is not UTF-8 text (byte 3 is not)",
    );
    let ran = project.cairn.run_with_input(&["comment", "1"], b"caf\xe9");
    assert_refused(&ran, "error: `standard input` is not UTF-8 text (byte 3 is not)");
    let ran = project.cairn.run_with_input(&["import", "-"], b"{\"title\":\"caf\xe9\"}");
    assert_refused(
        &ran,
        "error: `standard input`: line 1, column 14: not UTF-8\nhint: convert it, for example with `iconv -f WINDOWS-1252 -t UTF-8 FILE`",
    );
    let missing = project.repository.directory_path().join("missing.txt");
    refused(
        &project,
        &["new", "issue", "two", "-F", missing.to_str().unwrap()],
        "error: cannot read `<tmp>/missing.txt`: No such file or directory (os error 2)",
    );
    refused(&project, &["new", "issue", "two", "-F", "/"], "error: cannot read `/`: Is a directory (os error 21)");
}

#[test]
fn an_ambiguous_prefix_lists_the_candidates() {
    let project = Project::with_items(&["one", "two"]);
    let ids: Vec<String> =
        ["1", "2"].map(|number| project.cairn.json(&["show", number])["id"].as_str().unwrap().to_owned()).into();
    let prefix = &ids[0][..6];
    let ran = refused(
        &project,
        &["show", prefix],
        &format!(
            "error: `{prefix}` is the beginning of 2 ids:\n  <id>  issue #1 `one`\n  <id>  issue #2 `two`\nhint: give more of the id, or the number"
        ),
    );
    assert!(ids.iter().all(|id| ran.err().contains(id.as_str())), "{ran}");
    for text in [ids[0].clone(), ids[0].replace('-', ""), ids[0].to_uppercase(), ids[0][..30].to_owned(), "#1".into()] {
        assert_eq!(project.cairn.json(&["show", &text])["id"], ids[0].as_str(), "{text}");
    }
}

#[test]
fn unknown_items_are_not_found() {
    let project = Project::with_items(&["one"]);
    for text in ["99", "#99", "0190abcd", "01900000-0000-7000-8000-000000000000", "18446744073709551616"] {
        for command in ["show", "close", "log", "delete"] {
            let ran = project.cairn.run(&[command, text]);
            assert_eq!(ran.code(), Some(1), "{command} {text}: {ran}");
            let named = text.trim_start_matches('#');
            assert!(ran.err().contains(&format!("item not found: `{named}`")), "{ran}");
        }
    }
    refused(&project, &["show", "one"], "error: item not found: `one`\nhint: did you mean issue #1 `one`?");
    refused(
        &project,
        &["show", ""],
        "error: item not found: ``\nhint: an item is named by its number (`42`, `milestone/5`, `board/1`), its id, or a prefix of its id",
    );
}

#[test]
fn bad_values_say_what_is_allowed() {
    let project = Project::with_items(&["one"]);
    refused(&project, &["new", "issue", ""], "error: the title is empty");
    refused(&project, &["new", "issue", " \t "], "error: the title is empty");
    refused(
        &project,
        &["new", "issue", "a\nb"],
        "error: the title must be one line; put longer text into the description",
    );
    refused(
        &project,
        &["new", "issue", &"ä".repeat(1001)],
        "error: the title has 1001 characters; at most 1000 are allowed",
    );
    project.cairn.quiet(&["new", "issue", &"ä".repeat(1000)]);
    refused(&project, &["edit", "1", "--title", ""], "error: the title is empty");
    refused(
        &project,
        &["edit", "1", "--priority", "11"],
        "error: unknown priority `11` (expected: urgent, high, medium, low, none, or 0 to 10)",
    );
    refused(
        &project,
        &["edit", "1", "--priority", "-1"],
        "error: unknown priority `-1` (expected: urgent, high, medium, low, none, or 0 to 10)",
    );
    refused(&project, &["edit", "1", "--due", "2026-02-30"], "error: invalid date `2026-02-30` for due: no such day");
    refused(
        &project,
        &["edit", "1", "--due", "soon"],
        "error: invalid date `soon` for due; write YYYY-MM-DD, today or tomorrow",
    );
    refused(
        &project,
        &["edit", "1", "--status", "frozen"],
        "error: unknown status `frozen` for an issue (expected: backlog, ready, in_progress, review, done)\nhint: `cairn workflow set issue NAME` adds one",
    );
    refused(
        &project,
        &["edit", "1", "--size", "huge"],
        "error: unknown size `huge` (expected: small, medium, large, xlarge)",
    );
    refused(
        &project,
        &["edit", "1", "--colour", "red"],
        "error: invalid color `red`; six hexadecimal digits such as #36b37e",
    );
    refused(
        &project,
        &["new", "bug", "x"],
        "error: unknown kind `bug` (expected: issue, task, story, epic, milestone, board)",
    );
    refused(
        &project,
        &["label", "1", "+a,b"],
        "error: the label `a,b` contains a comma, which separates labels; give them one by one",
    );
    refused(&project, &["comment", "1", "  "], "error: the comment is empty");
    refused(&project, &["list", "--sort", "mood"], "error: cannot sort by `mood`; did you mean `id`?");
    refused(
        &project,
        &["list", "--limit", "-1"],
        "error: unexpected argument '-1' found\n\n  tip: to pass '-1' as a value, use '-- -1'\n\nUsage: cairn list [OPTIONS] [KIND]\n\nFor more information, try '--help'.",
    );
    refused(
        &project,
        &["list", "--limit", "99999999999999999999999"],
        "error: invalid value '99999999999999999999999' for '--limit <N>': number too large to fit in target type\n\nFor more information, try '--help'.",
    );
    refused(
        &project,
        &["frobnicate"],
        "error: unrecognized subcommand 'frobnicate'\n\nUsage: cairn [OPTIONS] [COMMAND]\n\nFor more information, try '--help'.",
    );
    // The name of a command is an ordinary word elsewhere.
    assert_eq!(project.cairn.json(&["new", "task", "label", "-l", "x"])["labels"], json!(["x"]));
    assert_eq!(project.cairn.json(&["label", "1", "+a", "+later"])["labels"], json!(["a", "later"]));
    assert_eq!(project.cairn.json(&["label", "1", "-later", "--json"])["labels"], json!(["a"]));
}

#[test]
fn a_bad_filter_points_at_the_place() {
    let project = Project::with_items(&["one"]);
    let ran = refused(
        &project,
        &["list", "--filter", "state == open and prioriti > 3"],
        "error: in the filter, unknown field `prioriti` at column 19, did you mean `priority`?\nstate == open and prioriti > 3\n                  ^~~~~~~~\nhint: fields are id, number, title, description, status, state, kind, labels, milestone, assignee, author, priority, size, severity, type, board, parent, blocked, waiting, approved, created, updated, started, expected, completed, due, comment_count, has_comments, text",
    );
    insta::assert_snapshot!(ran.snapshot(), @"
    exit status: 2
    --- stderr
    error: in the filter, unknown field `prioriti` at column 19, did you mean `priority`?
    state == open and prioriti > 3
                      ^~~~~~~~
    hint: fields are id, number, title, description, status, state, kind, labels, milestone, assignee, author, priority, size, severity, type, board, parent, blocked, waiting, approved, created, updated, started, expected, completed, due, comment_count, has_comments, text
    ");
    for broken in ["(", "priority >", "priority > lots", "labels ~", "'unclosed", "due < someday", "((((((((((", "= ="]
    {
        let ran = refused_in_any_words(&project, &["list", "--filter", broken]);
        assert!(ran.err().starts_with("error: in the filter, "), "{ran}");
    }
    let deep = format!("{}state == open{}", "(".repeat(50_000), ")".repeat(50_000));
    refused(
        &project,
        &["list", "--filter", &deep],
        "error: in the filter, filter is longer than 16384 bytes at column 16385\n…((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((\n                                                             ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~",
    );
    let long = vec!["state == open"; 5000].join(" or ");
    let ran = project.cairn.run(&["list", "--filter", &long]);
    assert!(matches!(ran.code(), Some(0 | 2)), "{ran}");
}

#[test]
fn cursors_are_checked() {
    let project = Project::with_items(&["one", "two", "three"]);
    let page = project.cairn.json(&["list", "--limit", "1"]);
    let cursor = page["nextCursor"].as_str().unwrap();
    let next = project.cairn.json(&["list", "--limit", "1", "--cursor", cursor]);
    assert_eq!(next["items"][0]["title"], "two");
    let flipped = cursor.replace('1', "2");
    for damaged in ["", "x", "ü", &cursor[1..], &cursor[..cursor.len() - 1], &flipped, "💥💥💥💥💥💥💥💥"]
    {
        refused(
            &project,
            &["list", "--cursor", damaged],
            "error: this cursor is damaged or belongs to another list\nhint: leave the cursor out to start at the first page",
        );
    }
    refused(
        &project,
        &["list", "task", "--cursor", cursor],
        "error: this cursor is damaged or belongs to another list\nhint: leave the cursor out to start at the first page",
    );
    refused(
        &project,
        &["list", "--sort", "title", "--cursor", cursor],
        "error: this cursor is damaged or belongs to another list\nhint: leave the cursor out to start at the first page",
    );
    refused(
        &project,
        &["search", "one", "--cursor", cursor],
        "error: this cursor is damaged or belongs to another list\nhint: leave the cursor out to start at the first page",
    );
}

#[test]
fn limits_at_the_edges() {
    let project = Project::with_items(&["one", "two", "three"]);
    for (limit, n_expected) in [("0", 3), ("1", 1), ("3", 3), ("9223372036854775808", 3), ("18446744073709551615", 3)] {
        for command in [&["list"][..], &["ready"], &["search", "o"]] {
            let mut arguments = command.to_vec();
            arguments.extend(["--limit", limit]);
            let n_found = project.cairn.json(&arguments)["items"].as_array().unwrap().len();
            let n_all = project.cairn.json(command)["items"].as_array().unwrap().len();
            assert_eq!(n_found, n_expected.min(n_all), "{arguments:?}");
        }
    }
    assert_eq!(project.cairn.json(&["log", "-n", "18446744073709551615"])["entries"].as_array().unwrap().len(), 3);
}

#[test]
fn a_reader_that_leaves_is_no_failure() {
    let project = Project::with_items(&["one"]);
    let lines: Vec<String> = (0..3000).map(|n| format!("{{\"title\":\"item {n} {}\"}}", "x".repeat(60))).collect();
    assert_eq!(project.cairn.run_with_input(&["import", "-"], lines.join("\n").as_bytes()).code(), Some(0));
    for arguments in ["list --limit 0", "list --limit 0 --json", "export", "log -n 5000", "completions bash"] {
        let script = "\"$0\" \"$@\" 2>err | head -c 1 >/dev/null; cat err >&2; rm err";
        let words: Vec<&str> = arguments.split(' ').collect();
        let mut command = project.cairn.command_through(&["sh", "-c", script], &words);
        let ran = Ran::of(command.current_dir(project.repository.path()).spawn().unwrap());
        assert_eq!(ran.err(), "", "{arguments}");
    }
    let script = "\"$0\" \"$@\" >&-";
    let ran = Ran::of(project.cairn.command_through(&["sh", "-c", script], &["list"]).spawn().unwrap());
    assert!(!ran.err().contains("panicked"), "{ran}");
    let script = "\"$0\" \"$@\" >/dev/full";
    let ran = Ran::of(project.cairn.command_through(&["sh", "-c", script], &["list"]).spawn().unwrap());
    assert_eq!(ran.code(), Some(1), "{ran}");
    insta::assert_snapshot!(ran.snapshot(), @"
    exit status: 1
    --- stderr
    50 of 3001; `--page 2` shows the next ones
    cannot write the output: No space left on device (os error 28)
    ");
}

#[test]
fn a_log_without_a_limit_has_every_change() {
    let project = Project::with_items(&["One", "Two", "Three"]);
    let n_lines = |limit: &str| project.cairn.ok(&["log", "-n", limit]).out().lines().count();
    assert_eq!([n_lines("2"), n_lines("0")], [2, 3]);
}

#[test]
fn a_command_is_no_folder_for_manual_pages() {
    let project = Project::new();
    let error = "error: `list` is a command, not a folder\nhint: `cairn help list` describes it; `cairn man ./list` writes all pages to a folder";
    refused(&project, &["man", "list"], error);
    assert!(!project.repository.path().join("list").exists());
    project.cairn.ok(&["man", "./list"]);
    assert!(project.repository.path().join("list/cairn-list.1").exists());
}

#[test]
fn a_misspelled_export_format_is_no_file() {
    let project = Project::with_items(&["one"]);
    for (name, format) in [("markdwn", "markdown"), ("json", "jsonl")] {
        let error = format!(
            "error: unknown format `{name}`; did you mean `{format}`?\n\
             hint: `cairn export jsonl {name}` writes all operations to a file of that name"
        );
        refused(&project, &["export", name], &error);
    }
    project.cairn.quiet(&["export", "backup"]);
    project.cairn.quiet(&["export", "jsonl", "json"]);
    let is_file = |name: &str| project.repository.path().join(name).is_file();
    assert_eq!(["markdwn", "json", "backup"].map(is_file), [false, true, true]);
}
