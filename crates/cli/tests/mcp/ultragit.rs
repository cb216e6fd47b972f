//! The `ultragit` dialect: its acceptance criteria on the built binary, with notes written by the real git.

use std::path::Path;

use serde_json::{Value, json};
use testkit::TestRepository;

use crate::client::{Client, cairn, finish, program, run, text};

const CLIENT: &str = "src/mqtt/client.rs";

/// Code with two commits and one annotation with a dependency.
struct Project {
    repository: TestRepository,
    annotated: String,
}

impl Project {
    fn new() -> Self {
        let repository = TestRepository::new();
        std::fs::create_dir_all(repository.path().join("src/mqtt")).unwrap();
        let code = "pub struct MqttClient;\n\nimpl MqttClient {\n    pub fn connect(&self) {\n        tls();\n        \
                    retry(4);\n    }\n\n    pub fn close(&self) {\n        drop(self);\n    }\n}\n";
        std::fs::write(repository.path().join(CLIENT), code).unwrap();
        std::fs::write(repository.path().join("src/tls.rs"), "pub fn max_sessions() -> u8 {\n    4\n}\n").unwrap();
        repository.git(&["add", "."]);
        repository.git(&["commit", "-qm", "initial MQTT client"]);
        let annotated = repository.git(&["rev-parse", "HEAD"]);
        let project = Self { repository, annotated };
        project.note(&project.annotated, &document(&project.annotated));
        project
    }

    fn path(&self) -> &Path {
        self.repository.path()
    }

    fn note(&self, commit: &str, document: &Value) {
        let text = document.to_string();
        self.repository.git(&["notes", "--ref=ultragit", "add", "-f", "-m", &text, commit]);
    }

    fn start(&self) -> Client {
        Client::start_with(self.path(), &["--dialect", "ultragit"])
    }
}

fn document(commit: &str) -> Value {
    json!({
        "$schema": "ultragit/v1",
        "commit": commit,
        "timestamp": "2026-01-01T00:00:00Z",
        "summary": "MQTT client",
        "context_level": "enhanced",
        "regions": [{
            "file": CLIENT,
            "ast_anchor": {"type": "method", "name": "MqttClient::connect", "signature": "pub fn connect(&self)"},
            "lines": {"start": 4, "end": 7},
            "intent": "Establishes the connection",
            "reasoning": "Mutual TLS instead of tokens",
            "constraints": [{"text": "at most 4 sessions", "source": "author"}],
            "semantic_dependencies": [{"file": "src/tls.rs", "anchor": "max_sessions", "nature": "assumes 4"}],
            "risk_notes": "idle connections are dropped",
            "tags": ["net"],
            "related_annotations": [],
            "corrections": [],
        }],
        "cross_cutting": [],
        "provenance": {"operation": "initial", "derived_from": [], "original_annotations_preserved": true},
    })
}

fn error_text(answer: &Value) -> &str {
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    answer["result"]["content"][0]["text"].as_str().unwrap()
}

#[test]
fn the_server_says_who_it_is_and_offers_four_tools() {
    let project = Project::new();
    let mut client = project.start();
    let answer = client.request("initialize", &json!({"protocolVersion": "2025-06-18", "capabilities": {}}));
    assert_eq!(answer["result"]["protocolVersion"], "2025-06-18");
    assert_eq!(answer["result"]["serverInfo"]["name"], "ultragit");
    assert_eq!(answer["result"]["capabilities"], json!({"tools": {}}));
    let listed = client.request("tools/list", &json!({}));
    let tools = listed["result"]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["ultragit_read", "ultragit_deps", "ultragit_history", "ultragit_summary"]);
    let expected = json!({
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "File path relative to repository root"},
            "anchor": {
                "type": "string",
                "description": "Function or type name to scope the query (e.g., 'MqttClient::connect')",
            },
            "lines": {"type": "string", "description": "Line range in START:END format (e.g., '42:67')"},
            "max_tokens": {
                "type": "integer",
                "description": "Maximum token budget for the response. Output is trimmed to fit.",
            },
        },
        "required": ["path"],
    });
    assert_eq!(tools[0]["inputSchema"], expected);
    for tool in tools {
        assert_eq!(tool["inputSchema"]["required"], json!(["path"]), "{tool}");
        assert_eq!(tool["annotations"]["readOnlyHint"], true, "{tool}");
    }
    let (_, status) = client.finish();
    assert!(status.success());
}

fn examples() -> Vec<&'static str> {
    let blocks = include_str!("seeds/ultragit.md").split("```json\n").skip(1);
    blocks.map(|block| block.split_once("```").unwrap().0).collect()
}

/// The contract's text: its four tools, its request and the shape of the response, and the entry that it installs.
#[test]
fn every_example_of_the_contract_is_answered_as_it_is_written() {
    let project = Project::new();
    let mut client = project.start();
    let listed = client.request("tools/list", &json!({}));
    let listed = listed["result"]["tools"].as_array().unwrap();
    let mut n_checked = 0;
    for example in examples() {
        let Ok(example) = serde_json::from_str::<Value>(example) else { panic!("{example}") };
        if let Some(name) = example.get("name") {
            let tool = listed.iter().find(|tool| tool["name"] == *name).unwrap();
            let shown =
                json!({"name": tool["name"], "description": tool["description"], "inputSchema": tool["inputSchema"]});
            assert_eq!(shown, example);
        } else if example.get("mcpServers").is_some() {
            assert_eq!(installed_by_ultragit(&project, true, &[]), example["mcpServers"]["ultragit"]);
        } else if example.get("method").is_some() {
            client.line(&example.to_string());
        } else if example["result"].get("isError").is_none() {
            let answer = client.next();
            assert_eq!(answer["id"], example["id"]);
            assert_eq!(answer["result"].as_object().unwrap().len(), 1, "{answer}");
            let shown = example["result"]["content"][0]["text"].as_str().unwrap();
            let mut rest = answer["result"]["content"][0]["text"].as_str().unwrap();
            for part in shown.split("...") {
                rest = rest
                    .split_once(part.trim_matches(['}', ']']))
                    .unwrap_or_else(|| panic!("{part} is not in {answer}"))
                    .1;
            }
        } else {
            // The contract's table of failures says that finding nothing is not an error; this is the shape of an
            // error.
            let answer = client.call("ultragit_read", &json!({"path": "nothing"}));
            assert_eq!(answer["result"]["isError"], example["result"]["isError"]);
            assert_eq!(answer["result"]["content"][0]["type"], example["result"]["content"][0]["type"]);
        }
        n_checked += 1;
    }
    assert_eq!(n_checked, 8);
}

/// Links to the program under all of its names, in their own folder.
fn links(project: &Project) -> std::path::PathBuf {
    let links = project.repository.directory_path().join("bin");
    finish(cairn(project.path()).args(["compat", "link", "--dir"]).arg(&links));
    links
}

/// Runs `ultragit mcp install` and returns the entry, with the repository path as in the contract.
fn installed_by_ultragit(project: &Project, is_on_path: bool, options: &[&str]) -> Value {
    let links = links(project);
    let folders = if is_on_path { links.to_str().unwrap() } else { "" };
    let mut command = program(links.join("ultragit").to_str().unwrap(), project.path());
    command.env("PATH", format!("{folders}:/usr/bin:/bin")).env("HOME", project.repository.directory_path());
    finish(command.args(["mcp", "install"]).args(options));
    let file = match options {
        ["--config", file] => std::path::PathBuf::from(file),
        _ => project.path().join(".mcp.json"),
    };
    let text = std::fs::read_to_string(file).unwrap().replace(project.path().to_str().unwrap(), "/path/to/repo");
    serde_json::from_str::<Value>(&text).unwrap()["mcpServers"]["ultragit"].clone()
}

#[test]
fn the_entry_starts_ultragit_also_when_it_is_not_on_the_path() {
    let project = Project::new();
    let link = links(&project).join("ultragit");
    let entry = installed_by_ultragit(&project, false, &[]);
    let expected = json!({"command": link, "args": ["mcp", "start"], "cwd": "/path/to/repo"});
    assert_eq!(entry, expected);
    // Under its own name it is always this tool, whatever else on the `PATH` has the name.
    let other = project.repository.directory_path().join("other");
    std::fs::create_dir_all(&other).unwrap();
    std::os::unix::fs::symlink("/bin/true", other.join("ultragit")).unwrap();
    let mut command = program(link.to_str().unwrap(), project.path());
    finish(command.env("PATH", format!("{}:/usr/bin:/bin", other.display())).args(["mcp", "install"]));
    let text = std::fs::read_to_string(project.path().join(".mcp.json")).unwrap();
    assert!(text.contains(link.to_str().unwrap()), "{text}");
}

#[test]
fn ultragit_is_installed_in_a_folder_without_a_repository() {
    let project = Project::new();
    let folder = project.repository.directory_path().join("plain");
    std::fs::create_dir_all(&folder).unwrap();
    let install = || {
        let output = program(links(&project).join("ultragit").to_str().unwrap(), &folder)
            .env("GIT_CEILING_DIRECTORIES", project.repository.directory_path())
            .args(["mcp", "install"])
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        (String::from_utf8(output.stderr).unwrap(), std::fs::read_to_string(folder.join(".mcp.json")).unwrap())
    };
    let (said, written) = install();
    insta::assert_snapshot!(testkit::redact(&said), @"
    warning: `.` is not in a git repository; the server needs a repository there
    Claude Code asks for your approval when it next starts in the project
    ");
    assert_eq!(serde_json::from_str::<Value>(&written).unwrap()["mcpServers"]["ultragit"]["cwd"], json!(folder));
    assert_eq!(install().1, written);
}

#[test]
fn each_tool_answers_what_the_command_line_answers() {
    let project = Project::new();
    let mut client = project.start();
    for (tool, words, arguments) in [
        ("ultragit_read", vec!["read", CLIENT], json!({"path": CLIENT})),
        (
            "ultragit_read",
            vec!["read", CLIENT, "MqttClient::connect"],
            json!({"path": CLIENT, "anchor": "MqttClient::connect"}),
        ),
        ("ultragit_read", vec!["read", CLIENT, "--lines", "4:5"], json!({"path": CLIENT, "lines": "4:5"})),
        (
            "ultragit_read",
            vec!["read", CLIENT, "--max-tokens", "200"],
            json!({"path": CLIENT, "max_tokens": 200, "extra": true}),
        ),
        ("ultragit_read", vec!["read", CLIENT, "nonsense"], json!({"path": CLIENT, "anchor": "nonsense"})),
        (
            "ultragit_deps",
            vec!["deps", "src/tls.rs", "max_sessions"],
            json!({"path": "src/tls.rs", "anchor": "max_sessions"}),
        ),
        ("ultragit_history", vec!["history", CLIENT, "connect"], json!({"path": CLIENT, "anchor": "connect"})),
        ("ultragit_summary", vec!["summary", "src"], json!({"path": "src"})),
        ("ultragit_summary", vec!["summary", CLIENT], json!({"path": CLIENT})),
    ] {
        let answer = client.call(tool, &arguments);
        let said = answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"));
        assert_eq!(format!("{said}\n"), run(project.path(), &words), "{words:?}");
    }
}

#[test]
fn a_region_is_found_by_its_name_its_lines_and_its_file() {
    let project = Project::new();
    let mut client = project.start();
    for arguments in [
        json!({"path": CLIENT}),
        json!({"path": CLIENT, "anchor": "MqttClient::connect"}),
        json!({"path": CLIENT, "anchor": "connect"}),
        json!({"path": CLIENT, "anchor": "conect"}),
        json!({"path": CLIENT, "lines": "6:6"}),
    ] {
        let view = client.call("ultragit_read", &arguments);
        let view = text(&view);
        let region = &view["regions"][0];
        assert_eq!(region["commit"], project.annotated.as_str(), "{arguments} {view}");
        assert_eq!(region["intent"], "Establishes the connection");
        assert_eq!(region["constraints"], json!([{"text": "at most 4 sessions", "source": "author"}]));
        assert_eq!(region["status"], "current", "{view}");
        assert_eq!(view["stats"]["annotations_found"], 1);
    }
    for arguments in [json!({"path": CLIENT, "anchor": "close"}), json!({"path": CLIENT, "lines": "9:11"})] {
        let view = text(&client.call("ultragit_read", &arguments));
        assert_eq!(view["regions"], json!([]), "{view}");
    }
    let deps = text(&client.call("ultragit_deps", &json!({"path": "src/tls.rs", "anchor": "max_sessions"})));
    assert_eq!(deps["dependents"][0]["anchor"], "MqttClient::connect");
    assert_eq!(deps["dependents"][0]["nature"], "assumes 4");
    let read = text(&client.call("ultragit_read", &json!({"path": "src/tls.rs", "anchor": "max_sessions"})));
    assert_eq!(read["dependencies_on_this"][0]["from_file"], CLIENT);
}

#[test]
fn changed_moved_and_lost_code_is_reported() {
    let project = Project::new();
    let file = project.path().join(CLIENT);
    let code = std::fs::read_to_string(&file).unwrap();
    let state = |arguments: &Value| {
        let view = text(&project.start().call("ultragit_read", arguments));
        view["regions"][0].clone()
    };
    std::fs::write(&file, code.replace("retry(4);", "retry(5);")).unwrap();
    project.repository.git(&["commit", "-qam", "retry more"]);
    let asked = json!({"path": CLIENT, "anchor": "connect"});
    let changed = state(&asked);
    assert_eq!((&changed["status"], &changed["changed"]), (&json!("changed"), &json!({"commits": 1, "lines": 1})));
    std::fs::write(&file, code.replace("fn connect", "fn establish_link")).unwrap();
    project.repository.git(&["commit", "-qam", "rename"]);
    let renamed = state(&json!({"path": CLIENT, "anchor": "establish_link"}));
    assert_eq!(renamed["now"]["anchor"], "MqttClient::establish_link", "{renamed}");
    std::fs::write(&file, &code).unwrap();
    project.repository.git(&["commit", "-qam", "back"]);
    project.repository.git(&["mv", CLIENT, "src/broker.rs"]);
    project.repository.git(&["commit", "-qm", "move the file"]);
    let moved = state(&json!({"path": "src/broker.rs", "anchor": "connect"}));
    assert_eq!((&moved["status"], &moved["now"]["file"]), (&json!("moved"), &json!("src/broker.rs")));
}

#[test]
fn history_is_that_of_the_lines_oldest_first() {
    let project = Project::new();
    let file = project.path().join(CLIENT);
    let code = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, code.replace("drop(self);", "self.end();")).unwrap();
    project.repository.git(&["commit", "-qam", "elsewhere"]);
    std::fs::write(&file, code.replace("drop(self);", "self.end();").replace("retry(4)", "retry(6)")).unwrap();
    project.repository.git(&["commit", "-qam", "retry more"]);
    let mut client = project.start();
    let view = text(&client.call("ultragit_history", &json!({"path": CLIENT, "anchor": "connect"})));
    let messages: Vec<&str> =
        view["timeline"].as_array().unwrap().iter().map(|one| one["commit_message"].as_str().unwrap()).collect();
    assert_eq!(messages, ["initial MQTT client", "retry more"]);
    assert_eq!(view["timeline"][0]["intent"], "Establishes the connection");
    assert_eq!(view["timeline"][1]["intent"], Value::Null);
    let newest = text(&client.call("ultragit_history", &json!({"path": CLIENT, "anchor": "connect", "limit": 1})));
    assert_eq!(
        newest["timeline"][0]["commit_message"], "initial MQTT client",
        "annotated commits fill the limit first"
    );
}

#[test]
fn commits_without_annotation_do_not_crowd_annotations_out_of_the_history() {
    let project = Project::new();
    let file = project.path().join(CLIENT);
    for n in 0..14 {
        let code = std::fs::read_to_string(&file).unwrap();
        let (before, after) = code.split_once("retry(").unwrap();
        let (_, rest) = after.split_once(')').unwrap();
        std::fs::write(&file, format!("{before}retry({}){rest}", n + 100)).unwrap();
        project.repository.git(&["commit", "-qam", &format!("retry {n}")]);
    }
    let asked = json!({"path": CLIENT, "anchor": "connect"});
    let view = text(&project.start().call("ultragit_history", &asked));
    let timeline = view["timeline"].as_array().unwrap();
    assert_eq!(timeline.len(), 10, "{view}");
    assert_eq!(timeline[0]["intent"], "Establishes the connection");
    assert_eq!(timeline[9]["commit_message"], "retry 13");
    let times: Vec<&str> = timeline.iter().map(|entry| entry["timestamp"].as_str().unwrap()).collect();
    assert!(times.is_sorted(), "{times:?}");
    assert_eq!(view["stats"], json!({"commits_found": 15, "annotations_found": 1, "related_followed": 0}));
}

#[test]
fn regions_beyond_the_limit_are_counted() {
    let repository = TestRepository::new();
    let names: Vec<String> = (0..60).map(|n| format!("f{n}")).collect();
    let code: Vec<String> = names.iter().map(|name| format!("pub fn {name}() {{\n    work();\n}}\n")).collect();
    let code = code.concat();
    std::fs::write(repository.path().join("big.rs"), code).unwrap();
    repository.git(&["add", "."]);
    repository.git(&["commit", "-qm", "big"]);
    let commit = repository.git(&["rev-parse", "HEAD"]);
    let mut document = document(&commit);
    let regions = names.iter().map(|name| {
        let anchor = json!({"type": "function", "name": name});
        json!({"file": "big.rs", "ast_anchor": anchor, "intent": format!("does {name}")})
    });
    document["regions"] = regions.collect();
    repository.git(&["notes", "--ref=ultragit", "add", "-m", &document.to_string(), &commit]);
    let mut client = Client::start_with(repository.path(), &["--dialect", "ultragit"]);
    let view = text(&client.call("ultragit_read", &json!({"path": "big.rs"})));
    assert_eq!(view["regions"].as_array().unwrap().len(), 20);
    let stats = &view["stats"];
    assert_eq!((&stats["regions_found"], &stats["regions_returned"]), (&json!(60), &json!(20)), "{stats}");
    assert_eq!(view["trimmed"]["regions"], 40, "{}", view["trimmed"]);
    // A budget counts its omissions beside those of the limit.
    let less = text(&client.call("ultragit_read", &json!({"path": "big.rs", "max_tokens": 600})));
    let n_shown = less["regions"].as_array().unwrap().len();
    assert!((1..20).contains(&n_shown), "{n_shown}");
    assert_eq!(less["trimmed"]["regions"], 60 - n_shown, "{}", less["trimmed"]);
}

#[test]
fn every_failure_is_reported_and_the_server_continues() {
    let project = Project::new();
    let mut client = project.start();
    let unknown = client.call("nonsense", &json!({}));
    assert_eq!(
        (&unknown["error"]["code"], &unknown["error"]["message"]),
        (&json!(-32602), &json!("Unknown tool: nonsense"))
    );
    for arguments in [json!({}), json!({"path": ""}), json!({"path": null})] {
        let answer = client.call("ultragit_read", &arguments);
        assert_eq!(error_text(&answer), "Missing required argument: path");
    }
    for path in ["src/nothing.rs", "../outside", "/etc/passwd", "src/../src/tls.rs"] {
        let answer = client.call("ultragit_read", &json!({"path": path}));
        assert_eq!(error_text(&answer), format!("File not found: {path}"));
    }
    let refusals = ["0:1", "5:4", "1:999", "x", "1:"]
        .map(|lines| error_text(&client.call("ultragit_read", &json!({"path": CLIENT, "lines": lines}))).to_owned());
    insta::assert_snapshot!(refusals.join("\n"), @"
    Line range out of bounds: '0:1'; src/mqtt/client.rs has 12 lines, and a range is START:END
    Line range out of bounds: '5:4'; src/mqtt/client.rs has 12 lines, and a range is START:END
    Line range out of bounds: '1:999'; src/mqtt/client.rs has 12 lines, and a range is START:END
    Invalid line range: 'x'; src/mqtt/client.rs has 12 lines, and a range is START:END
    Invalid line range: '1:'; src/mqtt/client.rs has 12 lines, and a range is START:END
    ");
    for (name, value) in [("max_tokens", json!(0)), ("max_tokens", json!(3)), ("path", json!(7))] {
        let mut arguments = json!({"path": CLIENT});
        arguments[name] = value;
        error_text(&client.call("ultragit_read", &arguments));
    }
    let lost = text(&client.call("ultragit_read", &json!({"path": CLIENT, "anchor": "konnect_all"})));
    let note = format!("Anchor 'konnect_all' not found in {CLIENT}. Returning file-level annotations.");
    assert_eq!(lost["note"], note.as_str());
    assert_eq!(lost["regions"].as_array().unwrap().len(), 1);
    assert!(lost["nearest"].as_array().unwrap().contains(&json!("MqttClient::connect")), "{lost}");
    client.line("{half");
    let broken = client.next()["error"].clone();
    assert_eq!((&broken["code"], &broken["message"]), (&json!(-32700), &json!("Parse error")));
    assert!(broken["data"].as_str().unwrap().starts_with("this is not JSON: "), "{broken}");
    let unknown = client.request("nonsense", &json!({}))["error"].clone();
    let expected = json!({"code": -32601, "message": "Method not found", "data": "unknown method `nonsense`"});
    assert_eq!(unknown, expected);
    assert_eq!(text(&client.call("ultragit_read", &json!({"path": CLIENT})))["stats"]["regions_returned"], 1);
}

#[test]
fn broken_notes_are_skipped_and_named() {
    let project = Project::new();
    let file = project.path().join(CLIENT);
    for (n, bad) in ["{\"intent\": \"raw\nnewline\"}", "not JSON", "{\"$schema\":\"other/v9\"}", "\u{1}\u{2}", " "]
        .iter()
        .enumerate()
    {
        let code = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, format!("{code}\npub fn more_{n}() {{}}\n")).unwrap();
        project.repository.git(&["commit", "-qam", "more"]);
        let path = project.repository.directory_path().join("note");
        std::fs::write(&path, bad).unwrap();
        let blob = project.repository.git(&["hash-object", "-w", path.to_str().unwrap()]);
        project.repository.git(&["notes", "--ref=ultragit", "add", "-C", &blob]);
    }
    let view = text(&project.start().call("ultragit_read", &json!({"path": CLIENT})));
    assert_eq!(view["regions"].as_array().unwrap().len(), 1, "{view}");
    let warnings = view["warnings"].as_array().unwrap();
    let head = project.repository.git(&["rev-parse", "HEAD"]);
    assert_eq!(warnings.len(), 5, "{warnings:?}");
    assert!(warnings.iter().any(|warning| warning.as_str().unwrap().contains(&head)));
}

#[test]
fn an_answer_never_exceeds_its_budget() {
    let project = Project::new();
    let mut client = project.start();
    let whole = client.call("ultragit_read", &json!({"path": CLIENT}));
    let longest = whole["result"]["content"][0]["text"].as_str().unwrap().len() / 4 + 10;
    for max_tokens in (60..longest).step_by(7) {
        let answer = client.call("ultragit_read", &json!({"path": CLIENT, "max_tokens": max_tokens}));
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert!(answer["result"]["isError"] == true || text.len() <= max_tokens * 4, "{max_tokens}: {text}");
    }
}

#[test]
fn no_annotations_is_an_answer() {
    let repository = TestRepository::new();
    std::fs::write(repository.path().join("a.rs"), "fn a() {}\n").unwrap();
    repository.git(&["add", "."]);
    repository.git(&["commit", "-qm", "code"]);
    let mut client = Client::start_with(repository.path(), &["--dialect", "ultragit"]);
    let view = text(&client.call("ultragit_read", &json!({"path": "a.rs"})));
    assert_eq!((&view["regions"], &view["stats"]["annotations_found"]), (&json!([]), &json!(0)));
    assert_eq!(text(&client.call("ultragit_deps", &json!({"path": "a.rs"})))["dependents"], json!([]));
    assert_eq!(text(&client.call("ultragit_summary", &json!({"path": "."})))["units"], json!([]));
    let history = text(&client.call("ultragit_history", &json!({"path": "a.rs", "anchor": "a"})));
    assert_eq!(history["timeline"], json!([]));
    assert_eq!(history["stats"], json!({"commits_found": 1, "annotations_found": 0, "related_followed": 0}));
}

#[test]
fn excluded_files_are_not_answered_for() {
    let project = Project::new();
    project.repository.git(&["config", "ultragit.exclude", "src/mqtt/**"]);
    let view = text(&project.start().call("ultragit_read", &json!({"path": CLIENT})));
    assert_eq!(view["regions"], json!([]));
    insta::assert_snapshot!(view["note"].as_str().unwrap(), @"src/mqtt/client.rs is left out by ultragit.include or ultragit.exclude.");
}

#[test]
fn ultragit_runs_under_its_own_name_and_installs_itself() {
    let project = Project::new();
    let links = project.repository.directory_path().join("bin");
    finish(cairn(project.path()).args(["compat", "link", "--dir"]).arg(&links));
    let ultragit = links.join("ultragit");
    let path = format!("{}:{}", links.display(), std::env::var("PATH").unwrap());
    let ultragit = || {
        let mut command = program(ultragit.to_str().unwrap(), project.path());
        command.env("PATH", &path);
        command
    };
    let read = finish(ultragit().args(["read", CLIENT, "connect"]));
    assert_eq!(read, run(project.path(), &["read", CLIENT, "connect"]));
    finish(ultragit().args(["mcp", "install"]));
    let settings = project.path().join(".mcp.json");
    let written = std::fs::read_to_string(&settings).unwrap();
    let entry: Value = serde_json::from_str(&written).unwrap();
    let folder = project.path().to_str().unwrap();
    let expected =
        json!({"mcpServers": {"ultragit": {"command": "ultragit", "args": ["mcp", "start"], "cwd": folder}}});
    assert_eq!(entry, expected);
    finish(ultragit().args(["mcp", "install"]));
    assert_eq!(std::fs::read_to_string(&settings).unwrap(), written);
}

#[test]
fn a_long_call_reports_progress() {
    let repository = TestRepository::new();
    for n in 0..50 {
        std::fs::write(repository.path().join(format!("f{n}.rs")), "fn a() {}\n").unwrap();
    }
    repository.git(&["add", "."]);
    repository.git(&["commit", "-qm", "code"]);
    let mut client = Client::start_with(repository.path(), &["--dialect", "ultragit"]);
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "ultragit_summary", "arguments": {"path": "."}, "_meta": {"progressToken": "p"}}});
    client.line(&call.to_string());
    let heard = [client.next(), client.next(), client.next()];
    let progress: Vec<&Value> = heard[..2].iter().map(|notice| &notice["params"]["progress"]).collect();
    assert_eq!(progress, [&json!(20.0), &json!(40.0)], "{heard:?}");
    assert_eq!(heard[0]["params"]["progressToken"], "p");
    assert_eq!(text(&heard[2])["stats"]["ast_units"], 50);
}
