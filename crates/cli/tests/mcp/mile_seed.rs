//! Executes the text of the `mile` contract: its methods, shapes, errors and session. Only the setup of each case is
//! defined here.

use std::path::Path;

use serde_json::{Value, json};
use testkit::TestRepository;

use crate::client::{Client, MILESTONE, project, text};

const SEED: &str = include_str!("seeds/mile.md");

/// Returns the text under a heading.
fn chapter(heading: &str) -> &'static str {
    let text = SEED.split_once(&format!("# {heading}\n")).unwrap_or_else(|| panic!("no chapter {heading}")).1;
    text.split("\n#").next().unwrap_or(text)
}

/// Returns the code blocks of a text, without comments; `{ ... }` is an object with unspecified content.
fn blocks(text: &str) -> Vec<String> {
    let blocks = text.split("```jsonc\n").skip(1).map(|block| block.split_once("```").unwrap().0);
    let plain = |line: &str| {
        let line = line.split("/*").map(|part| part.rsplit("*/").next().unwrap()).collect::<String>();
        line.split("//").next().unwrap().replace("{ ... }", "\"...\"")
    };
    blocks.map(|block| block.lines().map(|line| plain(line) + "\n").collect()).collect()
}

fn parsed(block: &str) -> Value {
    serde_json::from_str(block).unwrap_or_else(|error| panic!("{error}: {block}"))
}

/// Returns the first column and the rest of each table row, without its head.
fn rows(text: &str) -> Vec<(&str, &str)> {
    let rows = text.lines().filter(|line| line.starts_with('|')).skip(2);
    rows.map(|row| row.trim_matches(['|', ' ']).split_once(" | ").unwrap()).collect()
}

/// Returns whether a response has exactly the keys shown, in order, with their values; `...` matches any.
fn is_as_shown(shown: &Value, got: &Value) -> bool {
    match (shown, got) {
        (Value::String(shown), _) if shown == "..." => true,
        // An abbreviated id matches any id.
        (Value::String(shown), Value::String(got)) if shown.ends_with("-...") => got.len() == 36,
        (Value::Object(shown), Value::Object(got)) => {
            shown.keys().eq(got.keys()) && shown.iter().all(|(key, value)| is_as_shown(value, &got[key]))
        }
        (Value::Array(shown), Value::Array(got)) => {
            shown.len() == got.len() && shown.iter().zip(got).all(|(shown, got)| is_as_shown(shown, got))
        }
        _ => shown == got,
    }
}

#[track_caller]
fn check(shown: &Value, got: &Value) {
    assert!(is_as_shown(shown, got), "shown: {shown}\n  got: {got}");
}

#[test]
fn every_method_of_the_table_is_served() {
    let repository = project();
    let mut client = Client::start(repository.path());
    let rows = rows(chapter("Supported methods"));
    assert_eq!(rows.len(), 6);
    for (method, notes) in rows {
        let words: Vec<&str> = method.split('`').filter(|word| word.contains(char::is_alphabetic)).collect();
        let quoted: Vec<&str> = notes.split('`').skip(1).step_by(2).collect();
        match words[..] {
            ["initialize"] => {
                let result = client.request("initialize", &json!({}))["result"].clone();
                assert_eq!(result["protocolVersion"], quoted[0]);
                assert_eq!(result["capabilities"].as_object().unwrap().keys().collect::<Vec<_>>(), [quoted[1]]);
            }
            ["tools/list"] => {
                let tools = client.request("tools/list", &json!({}))["result"]["tools"].clone();
                let names: Vec<&str> =
                    tools.as_array().unwrap().iter().filter_map(|one| one["name"].as_str()).collect();
                assert_eq!(names, quoted);
            }
            ["tools/call", tool] => {
                let arguments = json!({"entity": "milestone", "id": MILESTONE});
                client.value(tool, &arguments);
            }
            ["ping"] => assert_eq!(client.request("ping", &json!({}))["result"], json!({})),
            ["shutdown"] => {
                assert_eq!(client.request("shutdown", &json!({}))["result"], parsed(quoted[0]));
                assert!(client.wait().1.success());
            }
            _ => panic!("unknown row: {method}"),
        }
    }
}

/// Splits `"milestone" | "issue"` into a block for each.
fn alternatives(block: &str) -> [Value; 2] {
    ["milestone", "issue"].map(|one| parsed(&block.replace("\"milestone\" | \"issue\"", &format!("\"{one}\""))))
}

#[test]
fn lists_take_and_answer_what_is_written() {
    let repository = project();
    let mut client = Client::start(repository.path());
    let blocks = blocks(chapter("`git_mile.list`"));
    let [milestones, issues] = alternatives(&blocks[0]).map(|mut arguments| {
        // The example's cursor is a placeholder for one of an earlier response.
        assert_eq!(client.call("git_mile.list", &arguments)["error"]["code"], -32602, "{arguments}");
        arguments.as_object_mut().unwrap().remove("cursor");
        client.value("git_mile.list", &arguments)
    });
    check(&parsed(&blocks[1]), &milestones);
    assert_eq!(issues["items"].as_array().map(Vec::len), Some(2), "{issues}");
    let listed = client.request("tools/list", &json!({}))["result"]["tools"][0].clone();
    let shown = alternatives(&blocks[0])[0].clone();
    let known = &listed["inputSchema"]["properties"];
    assert!(known.as_object().unwrap().keys().eq(shown.as_object().unwrap().keys()), "{known}");
    // "When the query returns additional pages": page by page, all items are returned.
    let first = client.value("git_mile.list", &json!({"entity": "issue", "limit": 1}));
    let rest = client.value("git_mile.list", &json!({"entity": "issue", "limit": 1, "cursor": first["nextCursor"]}));
    assert_eq!((&rest["items"][0], &rest["nextCursor"]), (&issues["items"][1], &Value::Null));
}

#[test]
fn shows_take_and_answer_what_is_written() {
    let repository = project();
    let mut client = Client::start(repository.path());
    let blocks = blocks(chapter("`git_mile.show`"));
    let [mut milestone, _] = alternatives(&blocks[0]);
    assert_eq!(milestone["id"].take(), "UUID (entity identifier)");
    milestone["id"] = json!(MILESTONE);
    check(&parsed(&blocks[1]), &client.value("git_mile.show", &milestone));
}

#[test]
fn every_error_of_the_table_has_its_code_and_its_content() {
    let repository = project();
    let nowhere = TestRepository::new();
    let shown = SEED.split_once("entry with `").unwrap().1.split_once('`').unwrap().0;
    let shown = parsed(shown);
    let rows = rows(chapter("Error model"));
    assert_eq!(rows.len(), 4);
    for (code, _) in rows {
        let digits = code.split('`').nth(1).unwrap();
        let (folder, calls) = match code.split('`').nth(3).unwrap() {
            "InvalidRequest" => {
                let calls = [("git_mile.list", json!({})), ("git_mile.list", json!([]))];
                (repository.path().to_owned(), calls.to_vec())
            }
            "MethodNotFound" => (repository.path().to_owned(), vec![("git_mile.close", json!({}))]),
            "InvalidParams" => {
                let bad = |name: &str| ("git_mile.list", json!({"entity": "issue", (name): "status =="}));
                (repository.path().to_owned(), vec![bad("filter"), bad("cursor")])
            }
            "ServerError" => (nowhere.directory_path(), vec![("git_mile.list", json!({"entity": "issue"}))]),
            other => panic!("unknown row: {other}"),
        };
        let mut client = Client::start(&folder);
        for (tool, arguments) in calls {
            let answer = client.call(tool, &arguments);
            // Errors before the tool runs are JSON-RPC errors with the same content; the others are results.
            let content = if digits == "-32001" {
                assert_eq!(answer["result"]["isError"], true, "{answer}");
                text(&answer)
            } else {
                assert_eq!(answer["error"]["code"].to_string(), digits, "{answer}");
                answer["error"]["data"].clone()
            };
            check(&shown, &content);
            assert_eq!(content["error"]["code"], digits);
        }
    }
}

#[test]
fn the_session_is_recorded_in_the_form_and_the_place_that_are_written() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let chapter = chapter("Reference session");
    let place = chapter.split('`').find(|word| word.starts_with("docs/reference/examples/")).unwrap();
    let recorded = parsed(&std::fs::read_to_string(root.join(place)).unwrap());
    let shown = parsed(&blocks(chapter)[0]);
    for (shown, got) in shown.as_array().unwrap().iter().zip(recorded.as_array().unwrap()) {
        check(shown, got);
    }
    // The other files that the contract refers to.
    for named in ["docs/reference/mcp-clients.md", "CHANGELOG.md"] {
        assert!(SEED.contains(named) && root.join(named).is_file(), "{named}");
    }
    let changes = std::fs::read_to_string(root.join("CHANGELOG.md")).unwrap();
    let is_heading = |line: &&str| line.starts_with('#') && line.trim_start_matches('#').trim() == "MCP";
    let n_releases = changes.lines().filter(|line| line.starts_with("## ")).count();
    assert_eq!(changes.lines().filter(is_heading).count(), n_releases);
}
