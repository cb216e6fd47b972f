//! Round trips: random items are exported and imported into an empty repository, where everything is the same; an import
//! of what is here already changes nothing.

use exchange::ImportFormat::{self, Jsonl, Markdown};
use exchange::{ExportFormat, ExportOptions, ImportOptions};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};

use crate::harness::TestProject;

/// Everything of a project that an export keeps.
pub(crate) fn seen(test: &TestProject) -> Vec<Value> {
    let mut items = Vec::new();
    let options =
        app::verb::ListOptions { all: true, sort: vec!["number".into()], ..app::verb::ListOptions::default() };
    for item in test.project.list(&options).unwrap().items {
        let mut shown = serde_json::to_value(test.show(&item.id)).unwrap();
        // The state of the operations, and how a comment came here.
        shown.as_object_mut().unwrap().remove("revision");
        for comment in shown["comments"].as_array_mut().unwrap() {
            comment.as_object_mut().unwrap().remove("imported");
        }
        items.push(shown);
    }
    items
}

pub(crate) fn export(test: &TestProject, format: ExportFormat) -> String {
    let mut bytes = Vec::new();
    exchange::export(&test.project, format, &ExportOptions::default(), &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

/// Imports `text` into an empty repository, where everything is as in `given`, and a second time, which changes nothing.
#[track_caller]
fn check_import(given: &TestProject, format: ImportFormat, text: &str) -> TestProject {
    let mut other = TestProject::new();
    other.import(format, text);
    assert_eq!(seen(&other), seen(given), "{text}");
    other.import_changes_nothing(format, text);
    other
}

/// Imports items, and brings them through every format that keeps everything.
#[track_caller]
pub(crate) fn check_round_trip(lines: &str) {
    let mut given = TestProject::new();
    given.import(Jsonl, lines);
    let operations = export(&given, ExportFormat::Jsonl);
    let other = check_import(&given, Jsonl, &operations);
    assert_eq!(export(&other, ExportFormat::Jsonl), operations);
    let text = export(&given, ExportFormat::Markdown);
    let other = check_import(&given, Markdown, &text);
    assert_eq!(export(&other, ExportFormat::Markdown), text);
    // What `cairn show --json` prints is a line of JSON lines.
    let shown: Vec<String> = seen(&given).iter().map(Value::to_string).collect();
    check_import(&given, Jsonl, &shown.join("\n"));
    // A file for each item says the same.
    let folder = given.files.path().join("split");
    exchange::export_folder(&given.project, &ExportOptions::default(), &folder).unwrap();
    let mut third = TestProject::new();
    exchange::import(&mut third.project, Markdown, &[folder], &ImportOptions::default(), &mut |_| {}).unwrap();
    assert_eq!(seen(&third), seen(&given));
}

/// Text as hostile as a stored text may be: marks of our own formats, of YAML, HTML and terminals, and odd line breaks.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[a-zA-Z0-9 .,:#'\"-]{0,12}",
        select(vec![
            "\n",
            "---\n",
            "<!-- cairn:item -->\n",
            "\\<!-- cairn:comment {} -->",
            "\u{2028}\u{85}é🎉",
            "\u{1b}[31m",
            "=1+1",
            "../../etc/passwd",
            "</script><script>",
            "\r\n",
            "\t",
            "{{x}}",
            "%00",
            "\u{202e}",
            "# Heading\n",
            "```\n",
            "null",
            "~",
        ])
        .prop_map(str::to_owned),
    ];
    proptest::collection::vec(piece, 0..5).prop_map(|pieces| pieces.concat())
}

/// A text on one line that is not blank.
fn line() -> impl Strategy<Value = String> {
    let usable = |text: &String| model::text::check_line("text", text).is_ok_and(|checked| checked == *text);
    text()
        .prop_map(|text| text.replace(['\n', '\r', '\t', '\u{1b}'], " ").trim().to_owned())
        .prop_filter("usable", usable)
}

fn time() -> impl Strategy<Value = String> {
    (1_600_000_000_i64..1_700_000_000, 0_i32..1_000_000)
        .prop_map(|(second, micros)| jiff::Timestamp::new(second, micros * 1000).unwrap().to_string())
}

fn day() -> impl Strategy<Value = String> {
    time().prop_map(|time| time[..10].to_owned())
}

fn person() -> impl Strategy<Value = &'static str> {
    select(vec![
        "Bob <bob@example.com>",
        "Eve",
        "Ada Lovelace <ada@example.com>",
        "eve@example.com",
        "Jürgen 'J' \"Q\"",
    ])
}

fn label() -> impl Strategy<Value = String> {
    line().prop_filter("label", |text| !text.contains(',') && model::text::check_label(text).is_ok())
}

/// The values of an item, without its links.
fn values() -> impl Strategy<Value = Map<String, Value>> {
    let words = (
        select(vec!["issue", "task", "story", "epic", "milestone", "board"]),
        line(),
        text(),
        proptest::collection::vec(label(), 0..3),
        proptest::collection::vec(person(), 0..3),
        proptest::option::of(person()),
        proptest::option::of(select(vec!["small", "medium", "large", "xlarge"])),
    );
    let rest = (
        proptest::option::of(0_u8..=10),
        proptest::option::of(day()),
        proptest::option::of((time(), time(), any::<bool>())),
        proptest::collection::vec((person(), time(), text()), 0..3),
        proptest::collection::vec("src/[a-z]{1,8}[.]rs(:[a-z]{1,5})?", 0..2),
        proptest::option::of(line()),
        proptest::option::of(text()),
    );
    (words, rest).prop_map(|((kind, title, description, labels, people, author, size), rest)| {
        let (priority, due, times, comments, touches, blocked, extra) = rest;
        let comments = comments.into_iter().filter(|(.., body)| !body.is_empty());
        let comments: Vec<Value> =
            comments.map(|(author, created, body)| json!({"author": author, "created": created, "body": body})).collect();
        let mut item = json!({"kind": kind, "title": title, "description": description, "labels": labels, "assignees": people,
            "author": author, "size": size, "priority": priority, "due": due, "comments": comments, "touches": touches,
            "blocked": blocked, "extra": {"note": extra, "list": [1, null, {"a": title}]}});
        if let Some((one, other, is_closed)) = times {
            let (created, updated) = if one < other { (one, other) } else { (other, one) };
            item["created"] = created.into();
            item["updated"] = updated.clone().into();
            if is_closed {
                item["state"] = "closed".into();
                item["closed"] = updated.into();
            }
        }
        match item {
            Value::Object(fields) => fields,
            _ => unreachable!(),
        }
    })
}

/// Links between items by position; an item is a part of an earlier one only, so that there is no ring.
fn link(items: &mut [Map<String, Value>], links: &[(usize, usize, u8)]) {
    let n_items = items.len();
    for (n, item) in items.iter_mut().enumerate() {
        item.insert("id".to_owned(), format!("item {n}").into());
    }
    let kinds: Vec<Value> = items.iter().map(|item| item["kind"].clone()).collect();
    for (from, to, what) in links {
        let (from, to) = (from % n_items, to % n_items);
        let target = Value::from(format!("item {to}"));
        let is_work = |n: usize| kinds[n] != "milestone" && kinds[n] != "board";
        match what % 5 {
            0 if to < from && is_work(from) && is_work(to) => items[from].insert("parent".to_owned(), target),
            1 if kinds[to] == "milestone" && is_work(from) => items[from].insert("milestone".to_owned(), target),
            2 if kinds[to] == "board" && is_work(from) => items[from].insert("board".to_owned(), target),
            3 if from != to => items[from].insert("blocks".to_owned(), json!([target])),
            4 if from != to => items[from].insert("relates".to_owned(), json!([target])),
            _ => None,
        };
    }
}

/// An issue and a milestone have the same number.
#[test]
fn relations_to_items_with_one_number_survive_a_round_trip() {
    let lines = [
        json!({"kind": "issue", "title": "first", "id": "a"}),
        json!({"kind": "milestone", "title": "second", "id": "b", "relates": ["c"]}),
        json!({"kind": "issue", "title": "third", "id": "c", "relates": ["a"]}),
    ];
    check_round_trip(&lines.map(|line| line.to_string()).join("\n"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, max_shrink_iters: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_project_survives_a_round_trip(
        mut items in proptest::collection::vec(values(), 1..6),
        links in proptest::collection::vec((any::<usize>(), any::<usize>(), any::<u8>()), 0..8),
    ) {
        link(&mut items, &links);
        let lines: Vec<String> = items.into_iter().map(|item| Value::Object(item).to_string()).collect();
        check_round_trip(&lines.join("\n"));
    }
}
