//! The `taiga` dialect over a real connection: behavior that only the protocol shows.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use testkit::taiga::{FakeTaiga, PASSWORD};
use testkit::{Cairn, TestRepository};

use crate::client::Client;

fn start(repository: &TestRepository) -> Client {
    Client::start_with(repository.path(), &["--dialect", "taiga"])
}

#[test]
fn the_server_says_who_it_is_and_negotiates() {
    let repository = TestRepository::new();
    let mut client = start(&repository);
    let hello = |version: &str| json!({"protocolVersion": version, "capabilities": {}});
    let answer = client.request("initialize", &hello("2025-06-18"));
    assert_eq!(answer["result"]["protocolVersion"], "2025-06-18");
    assert_eq!(answer["result"]["serverInfo"]["name"], "taiga-mcp");
    assert_eq!(answer["result"]["capabilities"]["logging"], json!({}));
}

/// A model reads all definitions before the question: they may cost 6,000 tokens of four bytes.
#[test]
fn all_definitions_fit_into_six_thousand_tokens() {
    let repository = TestRepository::new();
    let tools = start(&repository).request("tools/list", &json!({}))["result"]["tools"].clone();
    assert_eq!(tools.as_array().map(Vec::len), Some(29));
    let bytes = tools.to_string().len();
    assert!(bytes / 4 <= 6_000, "{bytes} bytes are {} tokens", bytes / 4);
    for tool in tools.as_array().into_iter().flatten() {
        let description = tool["description"].as_str().unwrap_or_default();
        assert!(description.split_whitespace().count() >= 3 && description.ends_with('.'), "{tool}");
        assert!(tool["annotations"]["readOnlyHint"].is_boolean(), "{tool}");
    }
}

/// The tools as clients see them.
#[test]
fn tools_are_what_the_snapshot_says() {
    check_snapshot("taiga-tools.json", &["--dialect", "taiga"]);
    check_snapshot("taiga-extended-tools.json", &["--dialect", "taiga", "--extended"]);
}

fn check_snapshot(name: &str, arguments: &[&str]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mcp").join(name);
    let repository = TestRepository::new();
    let mut client = Client::start_with(repository.path(), arguments);
    let tools = client.request("tools/list", &json!({}))["result"]["tools"].clone();
    testkit::check_recorded(&path, &(serde_json::to_string_pretty(&tools).unwrap() + "\n"));
}

#[test]
fn extended_tools_are_served_when_asked_for() {
    let repository = TestRepository::new();
    let mut client = Client::start_with(repository.path(), &["--dialect", "taiga", "--extended"]);
    let sprint =
        client.value("taiga.create_sprint", &json!({"name": "1", "start": "2026-11-02", "finish": "2026-11-15"}));
    let story = json!({"subject": "Pay by card", "milestoneId": sprint["data"]["id"], "points": 3});
    let made = client.value("taiga.create_user_story", &story)["data"].clone();
    assert_eq!((&made["milestoneId"], &made["points"]), (&sprint["data"]["id"], &json!(3.0)));
    let stale = json!({"id": made["id"], "subject": "Pay", "version": made["version"]});
    assert_eq!(client.value("taiga.update_user_story", &stale)["ok"], true);
    let refused = client.call("taiga.update_user_story", &stale);
    assert_eq!(refused["result"]["structuredContent"]["error"]["details"]["conflict"], true, "{refused}");
}

#[test]
fn both_spellings_are_understood_and_an_unknown_tool_is_an_error() {
    let repository = TestRepository::new();
    let mut client = start(&repository);
    for name in ["taiga.list_projects", "taiga_list_projects"] {
        assert_eq!(client.value(name, &json!({}))["data"]["meta"]["total"], 1);
    }
    let answer = client.call("taiga.list_sprints", &json!({}));
    assert_eq!(answer["error"]["code"], -32602);
    assert_eq!(answer["error"]["message"], "Unknown tool: taiga.list_sprints");
}

#[test]
fn failures_say_so_where_clients_and_models_look() {
    let repository = TestRepository::new();
    let mut client = start(&repository);
    let answer = client.call("taiga.create_issue", &json!({}));
    let result = &answer["result"];
    assert_eq!(result["isError"], true);
    assert_eq!(crate::client::text(&answer), result["structuredContent"]);
    let error = &result["structuredContent"]["error"];
    assert_eq!((&error["message"], &error["details"]), (&json!("subject: Required"), &json!({"subject": "Required"})));
}

/// Each call is logged at debug level, with the trace id of its error.
#[test]
fn calls_are_logged_at_debug_level() {
    let repository = TestRepository::new();
    let mut client = start(&repository);
    client.request("logging/setLevel", &json!({"level": "debug"}));
    let logged = |client: &mut Client, arguments: Value| {
        let call = json!({"name": "taiga.create_issue", "arguments": arguments});
        client.line(&json!({"jsonrpc": "2.0", "id": 99, "method": "tools/call", "params": call}).to_string());
        (client.next(), client.next())
    };
    for (arguments, outcome) in [(json!({"subject": "One"}), "success"), (json!({}), "failure")] {
        let (message, answer) = logged(&mut client, arguments);
        assert_eq!(
            (&message["method"], &message["params"]["level"]),
            (&json!("notifications/message"), &json!("debug"))
        );
        let text = message["params"]["data"]["message"].as_str().unwrap();
        let time = text.strip_prefix(&format!("[MCP] taiga.create_issue ({outcome}) ")).unwrap();
        assert!(time.parse::<u64>().is_ok(), "{text}");
        if outcome == "failure" {
            let trace = &answer["result"]["structuredContent"]["error"]["_traceId"];
            assert_eq!(&message["params"]["data"]["traceId"], trace);
        }
    }
    client.request("logging/setLevel", &json!({"level": "info"}));
    assert_eq!(client.value("taiga.list_issues", &json!({}))["data"]["meta"]["total"], 1);
}

/// With `--verbose`, and with `-v` beside the rest of the log, the same line goes to stderr; without them, nothing does.
#[test]
fn calls_are_logged_to_standard_error_on_request() {
    let repository = TestRepository::new();
    let cairn = Cairn::new(env!("CARGO_BIN_EXE_cairn"), repository.path());
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "taiga.get_task", "arguments": {}}});
    let told = |more: &[&str]| {
        let arguments = [&["mcp", "start", "--dialect", "taiga"], more].concat();
        let ran = cairn.run_with_input(&arguments, call.to_string().as_bytes());
        (ran.json()["result"]["structuredContent"]["error"]["_traceId"].clone(), ran.err())
    };
    assert_eq!(told(&[]).1, "");
    let (trace, line) = told(&["--verbose"]);
    assert!(line.starts_with("[MCP] taiga.get_task (failure) "), "{line}");
    assert!(line.trim_end().ends_with(trace.as_str().unwrap()), "{line}");
    let (trace, log) = told(&["-v"]);
    let line = log.lines().find(|line| line.starts_with("[MCP] taiga.get_task (failure) ")).expect(&log);
    assert!(line.ends_with(trace.as_str().unwrap()), "{line}");
}

/// Every tool on a server, with all kinds of errors, at every log level: no token or password appears in any output.
#[test]
fn no_trace_holds_a_secret() {
    for level in ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] {
        let taiga = FakeTaiga::start();
        let repository = TestRepository::new();
        let state = repository.directory_path().join("state");
        let mut secrets = vec![PASSWORD.to_owned()];
        log_in(&repository, &state, &taiga);
        secrets.extend(stored_tokens(&state));
        let output = speak(&repository, &state, &taiga, level);
        secrets.extend(stored_tokens(&state));
        let sent = taiga.requests();
        let header = |request: &testkit::taiga::Request| request.header("authorization").map(str::to_owned);
        secrets.extend(sent.iter().filter_map(header).filter_map(|text| text.split(' ').nth(1).map(str::to_owned)));
        secrets.sort_unstable();
        secrets.dedup();
        assert!(secrets.len() >= 5, "the tokens were renewed: {}", secrets.len());
        assert_eq!(output.matches("[MCP] taiga.").count(), if level == "debug" { TOOLS * 3 } else { 0 }, "{level}");
        for secret in &secrets {
            assert!(!output.contains(secret.as_str()), "at {level} a secret came out");
        }
    }
}

const TOOLS: usize = 29;

fn command(repository: &TestRepository, state: &Path) -> Command {
    let mut command = crate::client::cairn(repository.path());
    command.env("XDG_STATE_HOME", state).env("CAIRN_KEYRING", "off");
    command.env_remove("CAIRN_TAIGA_URL").env_remove("CAIRN_TAIGA_TOKEN");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn log_in(repository: &TestRepository, state: &Path, taiga: &FakeTaiga) {
    let mut login = command(repository, state);
    login.args(["taiga", "login", taiga.url(), "--username", "alice", "--name", "harbour"]);
    let output = feed(login, PASSWORD);
    assert!(!output.contains(PASSWORD), "{output}");
    let mut choose = command(repository, state);
    choose.args(["taiga", "use", "harbour-logistics"]);
    feed(choose, "");
}

/// Runs a program to its end and returns its output.
fn feed(mut command: Command, input: &str) -> String {
    let mut process = command.spawn().unwrap();
    process.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = process.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap()
}

fn stored_tokens(state: &Path) -> Vec<String> {
    let file = std::fs::read(state.join("cairn/taiga/harbour.token.json")).unwrap();
    let pair: Value = serde_json::from_slice(&file).unwrap();
    ["auth_token", "refresh"].iter().map(|name| pair[*name].as_str().unwrap().to_owned()).collect()
}

/// Calls every tool, then with an expired token and, at the level that logs everything, with a broken connection: reads
/// are retried after a delay, so that takes long.
fn speak(repository: &TestRepository, state: &Path, taiga: &FakeTaiga, level: &str) -> String {
    let mut server = command(repository, state);
    server.args(["mcp", "start", "--dialect", "taiga"]);
    let mut process = server.spawn().unwrap();
    let mut input = process.stdin.take().unwrap();
    let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
    let mut heard = String::new();
    let mut id = 0;
    let mut request = |method: &str, params: Value| {
        id += 1;
        let line = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        writeln!(input, "{line}").unwrap();
        loop {
            let line = lines.next().unwrap().unwrap();
            let is_answer = serde_json::from_str::<Value>(&line).unwrap()["id"] == id;
            heard.push_str(&line);
            heard.push('\n');
            if is_answer {
                return line;
            }
        }
    };
    request("logging/setLevel", json!({"level": level}));
    let listed: Value = serde_json::from_str(&request("tools/list", json!({}))).unwrap();
    let n_rounds = if level == "debug" { 3 } else { 2 };
    for fault in 0..n_rounds {
        for tool in listed["result"]["tools"].as_array().unwrap() {
            match fault {
                1 => taiga.expire_access_tokens(),
                2 => taiga.cut_next(1),
                _ => {}
            }
            let given = arguments_for(tool);
            request("tools/call", json!({"name": tool["name"], "arguments": given}));
            taiga.clear_faults();
        }
    }
    drop(input);
    let output = process.wait_with_output().unwrap();
    heard + &String::from_utf8(output.stderr).unwrap()
}

/// Returns a value for each required argument.
fn arguments_for(tool: &Value) -> Value {
    let mut given = json!({});
    for name in tool["inputSchema"]["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        given[name] = match name {
            "entity" => json!("task"),
            "subject" | "query" => json!("words"),
            _ => json!(1),
        };
    }
    if tool["inputSchema"].get("oneOf").is_some() {
        given["projectId"] = json!(1);
    }
    if tool["name"].as_str().unwrap().starts_with("taiga.update") {
        given["subject"] = json!("words");
    }
    given
}
