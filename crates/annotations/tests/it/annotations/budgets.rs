//! Results within a budget: filled, counted, and never an error for `context`.

use std::collections::BTreeSet;

use annotations::Annotated as _;
use annotations::view::{ContextView, ReadView};
use annotations::{ContextQuery, Measure, ReadQuery, Remarks};
use app::verb::LinkTarget::Touches;
use inbox::view::CodeStatus;
use inbox::{Inbox, LineChoice, Remark};
use model::item::ItemKind;
use model::message::Side;
use proptest::prelude::*;

use super::Code;
use crate::harness::{ENV, by_name, cases, new_item};

fn size(view: &impl serde::Serialize) -> usize {
    serde_json::to_vec(view).unwrap().len()
}

/// A function with annotations in six commits and thirty dependents.
fn busy() -> Code {
    let users = (0..30).map(|n| format!("fn user_{n}() {{\n    run();\n}}\n")).collect::<Vec<_>>().concat();
    let mut code = Code::with(&[("run.rs", "fn run() {\n    go();\n    stop();\n}\n"), ("users.rs", &users)]);
    for n in 0..30 {
        code.rely(&format!("users.rs:user_{n}"), "run.rs:run");
    }
    for n in 0..6 {
        code.commit(&format!("Number {n}"));
        code.say_more(&Remarks {
            target: "run.rs:run".to_owned(),
            intent: format!("Runs everything, as was said for the {n}. time"),
            reasoning: Some("It was the only way that kept the order of the parts. ".repeat(n + 1)),
            constraints: vec![format!("never twice, {n}")],
            tags: vec!["order".to_owned(), "speed".to_owned()],
            ..Remarks::default()
        });
    }
    code
}

fn read(code: &Code, max_tokens: usize) -> ReadView {
    let anchor = Some("run".to_owned());
    let query = ReadQuery { anchor, max_tokens: Some(max_tokens), ..ReadQuery::new("run.rs") };
    code.project.annotations().read(&query).unwrap()
}

#[test]
fn budget_is_kept_used_and_shared() {
    let code = busy();
    let whole = size(&code.query("run.rs", Some("run")));
    for max_tokens in [300, 500, 1_000, 1_500, 2_000] {
        let view = read(&code, max_tokens);
        let (used, budget) = (size(&view), max_tokens * 4);
        assert!(used <= budget, "{max_tokens}: {used}");
        if budget < whole {
            assert!(used * 10 >= budget * 7, "{max_tokens}: only {used} of {budget} bytes are used");
        }
        let trimmed = view.trimmed.unwrap_or_default();
        assert_eq!(view.regions.len() + trimmed.regions, 6);
        assert_eq!(view.dependencies_on_this.len() + trimmed.dependencies_on_this, 30);
        assert!(!view.regions.is_empty(), "{max_tokens}");
    }
    let view = read(&code, 1_500);
    assert!(view.regions.len() > 1 && view.dependencies_on_this.len() > 3, "both have a share");
}

#[test]
fn current_comes_before_changed_when_equally_reliable() {
    let mut code = Code::with(&[("a.rs", "fn old() {\n    one();\n    two();\n}\n\nfn same() {\n    three();\n}\n")]);
    let document = r#"{"summary": "s", "regions": [{"file": "a.rs", "anchor": "old", "intent": "OLD"}, {"file": "a.rs", "anchor": "same", "intent": "SAME"}]}"#;
    code.project.annotations_mut().annotate(None, document, None).unwrap();
    code.project.follow_annotations(None).unwrap();
    code.write("a.rs", "fn old() {\n    one();\n    four();\n}\n\nfn same() {\n    three();\n}\n");
    code.commit("Change");
    let order: Vec<String> = code.read_file("a.rs").into_iter().map(|(intent, _)| intent).collect();
    assert_eq!(order, ["SAME", "OLD"]);
}

fn context(code: &Code, max_tokens: Option<usize>) -> ContextView {
    let inbox = Inbox::open(code.fixture.path(), ENV).unwrap();
    let code_query = ReadQuery { max_tokens, ..ReadQuery::new("run.rs") };
    code.project.annotations().context(&inbox, &ContextQuery { code: code_query }).unwrap()
}

#[test]
fn context_answers_with_any_budget() {
    let mut code = busy();
    for n in 0..12 {
        let item = code.project.create(&new_item(ItemKind::Task, &format!("Task number {n} about it"), &[])).unwrap();
        code.project.link(&by_name(item.number.to_string()), &Touches("run.rs".into()), None).unwrap();
    }
    // The first item creates the log, which rebuilds the index.
    code.project.follow_annotations(None).unwrap();
    let inbox = Inbox::open(code.fixture.path(), ENV).unwrap();
    for n in 0..12 {
        inbox.send(&Remark { file: "run.rs".into(), comment: format!("Remark {n}"), ..Remark::default() }).unwrap();
    }
    let whole = context(&code, None);
    for max_tokens in [1, 50, 200, 500, 2_000, 4_000] {
        let view = context(&code, Some(max_tokens));
        let trimmed = view.trimmed.unwrap_or_default();
        assert_eq!((view.items.len() + trimmed.items, view.messages.len() + trimmed.messages), (12, 12));
        let shown = whole.annotations.regions.len() - view.annotations.regions.len();
        assert_eq!(view.annotations.trimmed.unwrap_or_default().regions, shown);
        if max_tokens >= 500 {
            assert!(size(&view) <= max_tokens * 4, "{max_tokens}: {}", size(&view));
            assert!(!view.items.is_empty() && !view.messages.is_empty(), "{max_tokens}");
            assert!(max_tokens < 1_000 || !view.annotations.regions.is_empty(), "{max_tokens}: {view:?}");
        }
    }
}

/// A file with forty annotated functions, and twelve items and four messages about it.
fn crowded() -> Code {
    let text = (0..40).map(|n| format!("fn step_{n}() {{\n    work({n});\n}}\n")).collect::<Vec<_>>().concat();
    let mut code = Code::with(&[("run.rs", &text)]);
    for n in 0..40 {
        code.say_more(&Remarks {
            target: format!("run.rs:step_{n}"),
            intent: format!("Step {n} of the import: reads a batch of rows and hands it to the next step"),
            reasoning: Some("A queue between the steps was tried; it hid errors of the first batch".to_owned()),
            constraints: if n % 4 == 0 { vec![format!("batch {n} is never read twice")] } else { Vec::new() },
            ..Remarks::default()
        });
    }
    for n in 0..12 {
        let title = format!("Import stops at row {n} when a column is missing");
        let item = code.project.create(&new_item(ItemKind::Issue, &title, &[])).unwrap();
        code.project.link(&by_name(item.number.to_string()), &Touches("run.rs".into()), None).unwrap();
    }
    code.project.follow_annotations(None).unwrap();
    let inbox = Inbox::open(code.fixture.path(), ENV).unwrap();
    for n in 0..4 {
        let comment = format!("Why is step {n} not retried when the connection drops?");
        inbox.send(&Remark { file: "run.rs".into(), comment, ..Remark::default() }).unwrap();
    }
    code
}

fn markdown_context(code: &Code, max_tokens: usize) -> ContextView {
    let inbox = Inbox::open(code.fixture.path(), ENV).unwrap();
    let query = ReadQuery { max_tokens: Some(max_tokens), measure: Measure::MARKDOWN, ..ReadQuery::new("run.rs") };
    code.project.annotations().context(&inbox, &ContextQuery { code: query }).unwrap()
}

#[test]
fn context_uses_nine_tenths_of_its_budget_when_there_is_more() {
    let code = crowded();
    for max_tokens in [300, 500, 1_000, 2_000] {
        let view = markdown_context(&code, max_tokens);
        let used = model::tokens::estimate(&annotations::markdown::context(&view));
        assert!(used <= max_tokens && used * 10 >= max_tokens * 9, "{used} of {max_tokens}");
        assert!(view.annotations.trimmed.is_some(), "{max_tokens}");
        assert!(!view.messages.is_empty(), "{max_tokens}");
    }
    let view = markdown_context(&code, 500);
    assert_eq!(view.messages.len(), 4, "unread messages survive");
    let n_constraints = view.annotations.regions.iter().filter(|region| !region.constraints.is_empty()).count();
    // A quarter of the annotations have a constraint; of those that are left it is at least half.
    assert!(n_constraints >= 3 && n_constraints * 2 >= view.annotations.regions.len(), "{n_constraints}");
    assert!(!view.items.is_empty());
}

#[test]
fn annotation_of_many_functions_is_shown_once() {
    let text = (0..25).map(|n| format!("fn f{n}() {{\n    g({n});\n}}\n")).collect::<Vec<_>>().concat();
    let mut code = Code::with(&[("run.rs", &text)]);
    let region = |n: usize| format!(r#"{{"file": "run.rs", "anchor": "f{n}", "intent": "ALL", "constraints": ["c"]}}"#);
    let regions: Vec<String> = (0..25).map(region).collect();
    let document = format!(r#"{{"summary": "s", "regions": [{}]}}"#, regions.join(","));
    code.project.annotations_mut().annotate(None, &document, None).unwrap();
    code.commit("Nothing here");
    code.say("run.rs:f4", "LATER");
    let view = context(&code, None);
    let told: BTreeSet<(&str, usize)> =
        view.annotations.regions.iter().map(|region| (region.intent.as_str(), region.functions.len())).collect();
    assert_eq!(told, BTreeSet::from([("ALL", 25), ("LATER", 0)]));
    assert_eq!(view.annotations.regions.len(), 2);
    assert!(code.query("run.rs", None).regions.iter().all(|region| region.functions.is_empty()));
}

#[test]
fn context_of_a_file_that_is_not_committed_is_answered() {
    let code = Code::with(&[("a.rs", "fn a() {}\n")]);
    code.write("run.rs", "fn new() {}\n");
    let view = context(&code, None);
    assert!(view.annotations.regions.is_empty(), "{:?}", view.annotations.regions);
    insta::assert_snapshot!(view.annotations.aside.note.unwrap(), @"run.rs is not committed yet, so nothing is recorded about its code.");
}

#[test]
fn context_without_annotations_tells_commits_and_items_that_name_the_file() {
    let mut code = Code::with(&[("src/run.rs", "fn run() {\n    go();\n}\n")]);
    let described = [("description", "It is in `src/run.rs`, near the end.")];
    code.project.create(&new_item(ItemKind::Issue, "Too slow", &described)).unwrap();
    code.project.create(&new_item(ItemKind::Issue, "Another src run rs", &[])).unwrap();
    let commented = code.project.create(&new_item(ItemKind::Task, "Look around", &[])).unwrap();
    code.project.comment(&by_name(commented.number.to_string()), "also src/run.rs", None).unwrap();
    let inbox = Inbox::open(code.fixture.path(), ENV).unwrap();
    let sent = inbox.send(&Remark { file: "src/run.rs".into(), comment: "Why?".into(), ..Remark::default() }).unwrap();
    inbox.resolve(&sent.id, "Since.", None).unwrap();
    let ask = |path: &str| {
        let query = ContextQuery { code: ReadQuery::new(path) };
        code.project.annotations().context(&inbox, &query)
    };
    let view = ask("src/run.rs").unwrap();
    let titles: BTreeSet<&str> = view.items.iter().map(|item| item.title.as_str()).collect();
    assert_eq!((titles, view.items.len()), (BTreeSet::from(["Too slow", "Look around"]), 2));
    assert_eq!((view.commits.len(), view.commits[0].author.as_str()), (1, "Ada Lovelace"));
    assert_eq!((view.messages.len(), view.resolved.len()), (0, 1));
    let absolute = code.fixture.path().join("src/run.rs");
    assert_eq!(ask(absolute.to_str().unwrap()).unwrap(), view);
    assert_eq!(ask("/etc/passwd").unwrap_err().message, "File not found: /etc/passwd");
}

#[test]
fn context_of_a_function_that_was_renamed_in_the_working_copy_is_found() {
    let text = "fn other() {}\n\nfn old_name() {\n    one();\n    two();\n}\n";
    let mut code = Code::with(&[("run.rs", text)]);
    code.say("run.rs:old_name", "KEPT");
    code.say("run.rs:other", "NOT ASKED");
    code.write("run.rs", &format!("// More.\n{}", text.replace("old_name", "new_name")));
    let inbox = Inbox::open(code.fixture.path(), ENV).unwrap();
    let query = ReadQuery { anchor: Some("new_name".to_owned()), ..ReadQuery::new("run.rs") };
    let view = code.project.annotations().context(&inbox, &ContextQuery { code: query }).unwrap();
    let intents: Vec<&str> = view.annotations.regions.iter().map(|region| region.intent.as_str()).collect();
    assert_eq!(intents, ["KEPT"]);
    assert_eq!(view.annotations.query.anchor.as_deref(), Some("new_name"));
}

#[test]
fn work_and_remarks_follow_a_renamed_file() {
    let mut code = Code::with(&[("old.rs", "fn a() {\n    one();\n    two();\n    three();\n}\n")]);
    let item = code.project.create(&new_item(ItemKind::Task, "About it", &[])).unwrap();
    code.project.link(&by_name(item.number.to_string()), &Touches("old.rs:a".into()), None).unwrap();
    let inbox = Inbox::open(code.fixture.path(), ENV).unwrap();
    let lines = LineChoice::Lines(Side::New, model::message::Lines::new(2, 3).unwrap());
    inbox.send(&Remark { file: "old.rs".into(), lines, comment: "Why?".into(), ..Remark::default() }).unwrap();
    code.mv("old.rs", "run.rs");
    let view = context(&code, None);
    assert_eq!((view.items.len(), view.messages.len()), (1, 1));
    let now = view.messages[0].code.clone().unwrap();
    assert_eq!((now.status, now.file.as_deref()), (CodeStatus::Here, Some("run.rs")));
}

proptest! {
    #![proptest_config(cases(12))]

    #[test]
    fn no_budget_is_exceeded_however_it_is_measured(max_tokens in 150_usize..3_000) {
        thread_local!(static BUSY: Code = busy());
        BUSY.with(|code| {
            let view = read(code, max_tokens);
            assert!(size(&view) <= max_tokens * 4);
            let words = Measure { read: |view| format!("{view:?}").len(), ..Measure::JSON };
            let query = ReadQuery { max_tokens: Some(max_tokens * 8), measure: words, ..ReadQuery::new("run.rs") };
            let view = code.project.annotations().read(&query).unwrap();
            assert!(format!("{view:?}").len() <= max_tokens * 32);
        });
    }
}
