//! JSON lines: items with Cairn's own keys.

use app::ErrorKind;
use exchange::ImportFormat::Jsonl;
use exchange::ImportOptions;
use serde_json::json;

use crate::harness::TestProject;

#[test]
fn every_key_of_an_item_is_imported() {
    let mut test = TestProject::new();
    let line = json!({
        "id": "a-1", "number": 7, "kind": "task", "title": "Login", "description": "It fails.", "status": "review",
        "labels": ["bug", "safari"], "assignee": "Ada <ada@example.com>", "assignees": ["Bob <bob@example.com>"],
        "author": "Octo <octo@example.com>", "priority": 8, "size": "small", "severity": "bad", "type": "bug",
        "touches": ["src/login.rs:open"], "blocked": "vendor", "approved": true, "started": "2024-01-02",
        "expected": "2024-02-02", "due": "2024-03-03", "color": "#36B37E", "created": "2024-01-01T10:00:00Z",
        "updated": "2024-01-05T10:00:00Z", "extra": {"customer": "Acme"}, "mood": {"a": 1},
        "comments": [{"author": "bob@example.com", "created": "2024-01-03T10:00:00Z", "body": "Me too."}, "And I."],
    });
    let view = test.import(Jsonl, &line.to_string());
    assert_eq!((view.created, view.comments), (1, 2));
    test.check(
        "7",
        &json!({
            "kind": "task", "title": "Login", "description": "It fails.", "status": "review", "labels": ["bug", "safari"],
            "assignees": ["Ada Lovelace <ada@example.com>", "Bob <bob@example.com>"], "author": "Octo <octo@example.com>",
            "priority": 8, "size": "small", "severity": "bad", "type": "bug", "touches": ["src/login.rs:open"],
            "blocked": {"is": true, "reason": "vendor"}, "approved": true, "started": "2024-01-02",
            "expected": "2024-02-02", "due": "2024-03-03", "colour": "#36b37e", "created": "2024-01-01T10:00:00Z",
            "updated": "2024-01-05T10:00:00Z", "extra": {"customer": "Acme", "mood": {"a": 1}},
            "imported": {"from": "jsonl", "id": "a-1", "url": null, "status": null},
        }),
    );
    let comments = test.show("7").comments.unwrap();
    let said: Vec<_> =
        comments.iter().map(|one| (one.author.as_str(), one.created.to_string(), one.body.as_str())).collect();
    let at = |text: &str| text.to_owned();
    assert_eq!(said[0], ("Ada Lovelace <ada@example.com>", at("2024-01-01T10:00:00Z"), "And I."));
    assert_eq!(said[1], ("bob@example.com", at("2024-01-03T10:00:00Z"), "Me too."));
    assert!(comments.iter().all(|comment| comment.imported.as_deref() == Some("jsonl")));
    test.import_changes_nothing(Jsonl, &line.to_string());
}

#[test]
fn references_resolve_forward_backward_and_to_items_of_the_project() {
    let mut test = TestProject::new();
    test.import(Jsonl, r#"{"kind": "board", "title": "Wall"}"#);
    let lines = r#"{"id": "x", "title": "Part", "parent": "Accessibility AA", "board": "Wall", "milestone": "May", "blockedBy": ["y"]}
{"kind": "epic", "title": "Accessibility AA"}
{"kind": "milestone", "title": "May", "due": "2026-05-31"}
{"id": "y", "title": "First", "relates": ["x"], "board": 1}"#;
    test.import(Jsonl, lines);
    test.check(
        "1",
        &json!({"parent": "Accessibility AA", "board": "Wall", "milestone": "May", "blockedBy": ["First"]}),
    );
    test.check("3", &json!({"blocks": ["Part"], "relates": ["Part"], "board": "Wall"}));
}

#[test]
fn closed_items_keep_the_day_they_were_closed() {
    let mut test = TestProject::new();
    let lines = r#"{"id": 1, "title": "One", "state": "closed", "created": "2024-01-01", "closed": "2024-02-03T10:00:00Z"}
{"id": 2, "title": "Two", "status": "done"}"#;
    test.import(Jsonl, lines);
    test.check(
        "1",
        &json!({"status": "done", "state": "closed", "completed": "2024-02-03", "updated": "2024-02-03T10:00:00Z"}),
    );
    test.check("2", &json!({"status": "done", "completed": null}));
    let log = test.project.log_of(&model::item_ref::ItemRef::parse("1")).unwrap();
    let texts: Vec<&str> = log.operations.iter().map(|op| op.kind.as_str()).collect();
    assert_eq!(texts, ["create", "set"]);
}

#[test]
fn last_value_of_a_repeated_key_counts_among_few_and_many_keys() {
    let more = (0..100).map(|n| format!(", \"own{n}\": {n}")).collect::<Vec<_>>().concat();
    for more in ["", more.as_str()] {
        let mut test = TestProject::new();
        test.import(Jsonl, &format!("{{\"title\": \"One\", \"labels\": [\"a\"]{more}, \"title\": \"Two\"}}"));
        test.check("1", &json!({"title": "Two", "labels": ["a"]}));
    }
}

#[test]
fn mistakes_are_refused_with_their_line() {
    let mut test = TestProject::new();
    let mut check = |text: &str, message: &str| test.refuses(Jsonl, text, message);
    check("{\"title\": \"One\"}\nnot json", "`<tmp>/input`: line 2, column 2: not valid JSON: expected ident");
    check(
        "{\"title\": \"One\"}\n{\"mood\": \"Two\"}",
        "`<tmp>/input`: line 2, column 1: neither an operation of an export nor an object with a `title`",
    );
    check("{\"title\": \"One\"}\n{\"title\": \"\"}", "`<tmp>/input`: line 2, column 11: the title is empty");
    check(
        "{\"title\": \"One\", \"kind\": \"comet\"}",
        "`<tmp>/input`: line 1, column 26: unknown kind `comet` (expected: issue, task, story, epic, milestone, board)",
    );
    check(
        "{\"title\": \"One\", \"priority\": 11}",
        "`<tmp>/input`: line 1, column 30: unknown priority `11` (expected: urgent, high, medium, low, none, or 0 to 10)",
    );
    check(
        "{\"title\": \"One\", \"status\": \"odd\"}",
        "`<tmp>/input`: line 1, column 28: unknown status `odd` for an issue (expected: backlog, ready, in_progress, review, done)",
    );
    check(
        "{\"title\": \"One\", \"status\": \"backlog\", \"state\": \"closed\"}",
        "`<tmp>/input`: line 1, column 28: the status `backlog` contradicts the state `closed`",
    );
    check(
        "{\"title\": \"One\", \"labels\": [\"a,b\"]}",
        "`<tmp>/input`: line 1, column 28: the label `a,b` contains a comma, which separates labels; give them one by one",
    );
    check(
        "{\"title\": \"One\", \"created_at\": \"2024-01-01\"}",
        "`<tmp>/input`: line 1, column 32: unknown key `created_at`; write `created`",
    );
    check(
        "{\"title\": \"One\", \"created\": \"soon\"}",
        "`<tmp>/input`: line 1, column 29: invalid time `soon`; write <moment>",
    );
    check("{\"title\": \"One\", \"board\": \"Fence\"}", "`<tmp>/input`: line 1, column 27: item not found: `Fence`");
    check(
        "{\"title\": \"One\", \"board\": {\"number\": 1}}",
        "`<tmp>/input`: line 1, column 27: `board` must be text, a number, or an object with an `id`",
    );
    check(
        "{\"id\": \"a\", \"title\": \"One\"}\n{\"id\": \"a\", \"title\": \"Two\"}",
        "`<tmp>/input`: line 2, column 8: the id `a` occurs twice",
    );
    check(
        "{\"title\": \"One\", \"mood\": \"a\\u0000b\"}",
        "`<tmp>/input`: line 1: the value of `mood` contains a NUL character",
    );
    check(
        "{\"title\": \"A\", \"parent\": \"B\"}\n{\"title\": \"B\", \"parent\": \"A\"}",
        "`<tmp>/input`: line 1, column 26: 2 items are parts of each other in a cycle, this one first",
    );
    check(
        "{\"title\": \"A\"}\n{\"id\": \"b\", \"title\": \"B\", \"parent\": \"b\"}",
        "`<tmp>/input`: line 2, column 37: the item is a part of itself",
    );
    check(
        "{\"title\": \"One\", \"blockedBy\": [\"nope\"]}",
        "`<tmp>/input`: line 1, column 31: item not found: `nope`",
    );
    check("{\"title\": \"One\", \"extra\": 5}", "`<tmp>/input`: line 1, column 27: `extra` must be an object");
    check(
        "{\"title\": \"One\", \"imported\": \"github\"}",
        "`<tmp>/input`: line 1, column 30: `imported` must be an object with the texts `from` and `id`",
    );
    check(
        "{\"title\": \"One\", \"blocked\": {\"reason\": \"x\"}}",
        "`<tmp>/input`: line 1, column 29: `blocked` must be true, false, a reason, or an object with `is` and `reason`",
    );
    check(
        "{\"title\": \"One\", \"blocks\": {\"id\": 3}}",
        "`<tmp>/input`: line 1, column 28: `blocks` must be text, a number, or an object with an `id`",
    );
    check("[1]", "`<tmp>/input`: line 1, column 1: neither an operation of an export nor an object with a `title`");
}

#[test]
fn dry_run_reports_changes_and_writes_nothing() {
    let mut test = TestProject::new();
    let options = ImportOptions { dry_run: true, ..ImportOptions::default() };
    let text = r#"{"id": 1, "title": "One", "author": "Octo"}"#;
    let view = test.import_with(Jsonl, text, &options).unwrap();
    assert_eq!((view.created, view.dry_run, test.tip().as_str()), (1, true, ""));
    let person = view.mapped.iter().find(|one| one.field == "person").unwrap();
    assert_eq!((person.from.as_str(), person.to.as_str(), person.count), ("Octo", "Octo", 1));
}

#[test]
fn later_files_are_imported_when_the_command_runs_again() {
    let mut test = TestProject::new();
    let good = test.file("good.jsonl", r#"{"id": 1, "title": "One"}"#);
    let bad = test.file("bad.jsonl", "{\"id\": 2, \"title\": \"Two\"}\n{\"title\": }");
    let import = |test: &mut TestProject| {
        exchange::import(&mut test.project, Jsonl, &[good.clone(), bad.clone()], &ImportOptions::default(), &mut |_| {})
            .map(|(view, _)| view)
    };
    let error = import(&mut test).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Invalid);
    insta::assert_snapshot!(testkit::redact(&error.message), @"`<tmp>/bad.jsonl`: line 2, column 11: not valid JSON: expected value");
    assert_eq!(
        error.hint.unwrap(),
        "the file before it was imported; the same command continues here and creates nothing twice"
    );
    test.file("bad.jsonl", "{\"id\": 2, \"title\": \"Two\"}");
    let view = import(&mut test).unwrap();
    assert_eq!((view.created, view.unchanged), (1, 1));
}

#[test]
fn operations_of_an_export_are_added_unchanged() {
    let mut given = TestProject::new();
    given.import(Jsonl, r#"{"title": "One", "author": "Octo", "created": "2024-01-01T00:00:00Z"}"#);
    let mut lines = Vec::new();
    given.project.export(&mut lines).unwrap();
    let lines = String::from_utf8(lines).unwrap();
    let mut other = TestProject::new();
    assert_eq!(other.import(Jsonl, &lines).operations, 1);
    other.check("1", &json!({"author": "Octo", "created": "2024-01-01T00:00:00Z"}));
    assert_eq!(other.import(Jsonl, &lines).known, 1);
    other.refuses(
        Jsonl,
        &format!("{lines}{{\"title\": \"Two\"}}"),
        "`<tmp>/input`: line 2: not an operation of an export: missing field `v`",
    );
    other.refuses(
        Jsonl,
        &format!("{{\"title\": \"Two\"}}\n{lines}"),
        "`<tmp>/input`: line 2, column 1: an operation of an export among items",
    );
}

#[test]
fn attachments_of_an_item_are_left_out_and_counted() {
    let mut given = TestProject::new();
    given.import(Jsonl, r#"{"title": "One"}"#);
    let file = app::verb::NewAttachment { name: "shot.png".to_owned(), content: b"abc".to_vec() };
    given.project.attach(&model::item_ref::ItemRef::parse("1"), &[file], None).unwrap();
    let line = serde_json::to_string(&given.show("1")).unwrap();
    let mut other = TestProject::new();
    let view = other.import(Jsonl, &line);
    assert_eq!(view.left_out[0].what, "attachment");
    other.check("1", &json!({"extra": {}, "attachments": null}));
    // In its own project, the file stays.
    given.import_changes_nothing(Jsonl, &line);
    assert_eq!(given.show("1").attachments.len(), 1);
    let text = crate::round_trip::export(&given, exchange::ExportFormat::Markdown);
    given.import_changes_nothing(exchange::ImportFormat::Markdown, &text);
}

#[test]
fn names_in_other_cases_stay_as_they_are_written() {
    let lines = "{\"id\": \"a\", \"title\": \"A\", \"author\": \"Mona\", \"assignees\": [\"Ada\", \"hubot\"]}\n{\"id\": \"b\", \"title\": \"B\", \"author\": \"Hubot\", \"assignees\": [\"mona\"]}";
    let mut test = TestProject::new();
    test.import(Jsonl, lines);
    test.check("1", &json!({"author": "Mona", "assignees": ["Ada", "hubot"]}));
    test.check("2", &json!({"author": "Hubot", "assignees": ["mona"]}));
    test.import_changes_nothing(Jsonl, lines);
}
