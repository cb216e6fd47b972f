//! The interface for scripts: exit codes, JSON everywhere, help with examples, errors in one shape.

use serde_json::Value;
use testkit::{Cairn, lines_with};

use crate::support::{Hub, Project, cairn};

/// Every command with arguments that work in `scene`.
const COMMANDS: &[&[&str]] = &[
    &["new", "issue", "made"],
    &["list"],
    &["show", "1"],
    &["show", "1", "2"],
    &["edit", "1", "--priority", "2"],
    &["comment", "1", "said"],
    &["attach", "1", "code.rs"],
    &["attach", "1"],
    &["label", "define", "bug", "--color", "rose"],
    &["label", "list"],
    &["label", "undefine", "bug"],
    &["label", "1", "+x"],
    &["move", "1", "--top"],
    &["start", "1"],
    &["close", "1", "2"],
    &["reopen", "1"],
    &["delete", "2"],
    &["link", "1", "--blocks", "3"],
    &["unlink", "1", "--blocks", "3"],
    &["ready"],
    &["ready", "--explain"],
    &["search", "one"],
    &["view", "save", "all", "--all"],
    &["view"],
    &["template"],
    &["undo", "--dry-run"],
    &["log"],
    &["log", "1"],
    &["sync"],
    &["member"],
    &["member", "add", "Grace", "--email", "grace@example.com"],
    &["member", "remove", "Grace"],
    &["workflow"],
    &["workflow", "set", "issue", "triage", "--category", "todo"],
    &["workflow", "remove", "issue", "triage"],
    &["annotate", "--anchor", "code.rs:pay", "--intent", "one way to pay"],
    &["annotate", "--coverage"],
    &["flag", "code.rs", "pay", "--reason", "there are two"],
    &["correct", "code.rs", "pay", "--field", "intent", "--text", "two ways to pay"],
    &["hooks", "install"],
    &["hooks", "status"],
    &["hooks", "remove"],
    &["read", "code.rs"],
    &["deps", "code.rs", "pay"],
    &["history", "code.rs", "pay"],
    &["summary", "."],
    &["context", "code.rs", "pay"],
    &["inbox", "send", "--file", "code.rs", "--line", "2", "--comment", "why?"],
    &["inbox", "draft", "--file", "code.rs", "--comment", "later"],
    &["inbox", "list"],
    &["inbox", "submit"],
    &["inbox", "check"],
    &["inbox", "lines", "code.rs"],
    &["inbox", "menu", "HEAD:code.rs"],
    &["check", "HEAD"],
    &["prime"],
    &["agents", "status"],
    &["lazygit", "install", "--print"],
    &["taiga"],
    &["taiga", "use", "--local"],
    &["doctor"],
    &["reindex"],
    &["stats"],
];

fn scene() -> (Hub, Cairn) {
    let hub = Hub::new();
    let cairn = hub.clone_as("ada");
    for title in ["one", "two", "three"] {
        cairn.quiet(&["new", "issue", title]);
    }
    std::fs::write(cairn.directory().join("code.rs"), "fn pay() {\n    charge();\n}\n").unwrap();
    testkit::git_in(cairn.directory(), &["add", "."]);
    testkit::git_in(cairn.directory(), &["commit", "-qm", "code"]);
    (hub, cairn)
}

#[test]
fn every_command_answers_json() {
    let (_hub, cairn) = scene();
    for arguments in COMMANDS {
        let answer = cairn.json(arguments);
        assert!(answer.is_object() || answer.is_array(), "{arguments:?}: {answer}");
    }
    let file = cairn.directory().join("../export.jsonl");
    let file = file.to_str().unwrap();
    assert!(cairn.json(&["export", file])["operations"].as_u64().unwrap() > 10);
    assert_eq!(cairn.json(&["import", file])["operations"], 0);
    for line in cairn.quiet(&["export", "--json"]).out().lines() {
        assert!(serde_json::from_str::<Value>(line).unwrap().is_object());
    }
    assert!(cairn.json(&["init"]).is_object());
}

/// Returns the names of all commands, from the help.
fn command_names(cairn: &Cairn) -> Vec<String> {
    let help = cairn.quiet(&["--help"]).out();
    // Each group of commands has a heading; the commands below it are indented.
    let commands = help.lines().skip_while(|line| !line.starts_with("Everyday:"));
    let names = commands.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names.map(|line| line.split_whitespace().next().unwrap().to_owned()).collect()
}

#[test]
fn every_command_has_help_with_an_example() {
    let directory = tempfile::tempdir().unwrap();
    let cairn = cairn(directory.path());
    let names = command_names(&cairn);
    assert!(names.len() >= 25, "{names:?}");
    for name in &names {
        let help = cairn.quiet(&[name, "--help"]).out();
        assert!(help.contains("Example") && help.contains(&format!("cairn {name}")), "{name}: {help}");
        assert!(cairn.quiet(&[name, "-h"]).out().contains("Usage:"));
    }
    let known: Vec<&str> = COMMANDS.iter().map(|arguments| arguments[0]).collect();
    for name in &names {
        let elsewhere = [
            "assign",
            "status",
            "export",
            "import",
            "init",
            "demo",
            "completions",
            "man",
            "mcp",
            "serve",
            "database",
            "token",
            "board",
            "compat",
            "lazygit",
            "tui",
        ];
        assert!(known.contains(&name.as_str()) || elsewhere.contains(&name.as_str()), "{name} is not tested here");
    }
}

#[test]
fn commands_without_a_repository_work_anywhere() {
    let directory = tempfile::tempdir().unwrap();
    let cairn = cairn(directory.path());
    let first_line = |words: &[&str]| cairn.quiet(words).out().lines().next().unwrap_or_default().to_owned();
    let first_lines = ["bash", "zsh", "fish"].map(|shell| first_line(&["completions", shell]));
    insta::assert_snapshot!(first_lines.join("\n"), @"
    _cairn() {
    #compdef cairn
    complete --keep-order --no-files --command cairn --arguments '(set -l words (commandline --current-process --tokenize --cut-at-cursor) (commandline --current-token --cut-at-cursor); CAIRN_COMPLETE=fish cairn -- (math (count $words) - 1) $words 2>/dev/null)'
    ");
    let title = lines_with(&cairn.quiet(&["man"]).out(), ".TH ");
    insta::assert_snapshot!(title.replace(env!("CARGO_PKG_VERSION"), "<version>"), @r#".TH cairn 1  "cairn <version>""#);
    assert!(cairn.quiet(&["--version"]).out().starts_with("cairn "));
    cairn.ok(&["demo"]);
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0, "the demo left something here");
}

/// Checks an error's exit code, and its shape with `--json`.
#[track_caller]
fn fails(cairn: &Cairn, arguments: &[&str], code: i32, kind: &str) {
    let plain = cairn.run(arguments);
    assert_eq!(plain.code(), Some(code), "{arguments:?}: {plain}");
    assert!(plain.stdout.is_empty(), "{arguments:?}: {plain}");
    assert!(plain.err().starts_with("error: "), "{arguments:?}: {plain}");
    for place in [0, arguments.len()] {
        let mut words = arguments.to_vec();
        words.insert(place, "--json");
        let ran = cairn.run(&words);
        assert_eq!(ran.code(), Some(code), "{words:?}: {ran}");
        assert!(ran.stdout.is_empty(), "{words:?}: {ran}");
        let body: Value =
            serde_json::from_slice(&ran.stderr).unwrap_or_else(|error| panic!("{words:?} {error}: {ran}"));
        let error = body["error"].as_object().unwrap();
        assert_eq!(error.keys().collect::<Vec<_>>(), ["kind", "message", "hint"], "{ran}");
        assert_eq!(error["kind"], kind, "{ran}");
        let message = error["message"].as_str().unwrap();
        assert!(!message.is_empty() && !message.starts_with("error:"), "{ran}");
        assert!(error["hint"].is_null() || error["hint"].as_str().is_some_and(|hint| !hint.is_empty()), "{ran}");
    }
}

#[test]
fn errors_have_one_shape_and_a_code_each() {
    let project = Project::with_items(&["one"]);
    let cairn = &project.cairn;
    fails(cairn, &["new", "issue", ""], 2, "invalid");
    fails(cairn, &["edit", "1", "--priority", "11"], 2, "invalid");
    fails(cairn, &["list", "--filter", "mood == good"], 2, "invalid");
    fails(cairn, &["show", "99"], 1, "not_found");
    fails(cairn, &["sync"], 1, "not_found");
    fails(cairn, &["edit", "1", "--title", "x", "--if-unchanged", "nonsense"], 1, "conflict");
    fails(cairn, &["link", "1", "--blocks", "1"], 2, "invalid");
    fails(cairn, &["sync", "/nowhere/at/all"], 1, "unavailable");
    fails(cairn, &["inbox", "send", "--file", "nowhere", "--comment", "x"], 1, "not_found");
    fails(cairn, &["inbox", "show", "nonsense"], 1, "not_found");
    fails(cairn, &["lazygit", "install", "--key", ""], 2, "invalid");
    fails(cairn, &["-C", "/nowhere/at/all", "list"], 2, "invalid");
    fails(&cairn.at(std::path::Path::new("/")), &["list"], 3, "not_a_repository");
}

#[test]
fn wrong_usage_has_the_same_shape() {
    let project = Project::with_items(&["one"]);
    let cairn = &project.cairn;
    fails(cairn, &["frobnicate"], 2, "invalid");
    fails(cairn, &["list", "--frobnicate"], 2, "invalid");
    fails(cairn, &["new", "issue"], 2, "invalid");
    fails(cairn, &["new", "bug", "title"], 2, "invalid");
    fails(cairn, &["list", "--limit", "many"], 2, "invalid");
    fails(cairn, &["link", "1"], 2, "invalid");
    fails(cairn, &["list", "--color", "sometimes"], 2, "invalid");
    fails(cairn, &["new", "issue", "x", "-d", "a", "-F", "b"], 2, "invalid");
    // Words after `--` are text, not flags.
    let ran = cairn.run(&["frobnicate", "--", "--json"]);
    assert!(ran.err().starts_with("error: "), "{ran}");
    // Help is a result, not an error, and stays text.
    insta::assert_snapshot!(lines_with(&cairn.quiet(&["list", "--json", "--help"]).out(), "Usage:"), @"Usage: cairn list [OPTIONS] [KIND]");
}

#[test]
fn doctor_exits_with_one_when_something_is_broken() {
    let project = Project::with_items(&["one"]);
    assert_eq!(project.cairn.json(&["doctor"])["ok"], true);
}
