//! `cairn mcp doctor`: starts and queries the configured servers, and reports problems with a fix.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use testkit::Ran;

use crate::bench::{Bench, read, write};

const CLIENTS: [&str; 11] = [
    "claude-code",
    "claude-desktop",
    "cursor",
    "vscode",
    "copilot",
    "windsurf",
    "zed",
    "codex",
    "gemini",
    "opencode",
    "jetbrains",
];

impl Bench {
    fn doctor(&self, words: &[&str]) -> Ran {
        self.cairn.run(&[&["mcp", "doctor"], words].concat())
    }

    /// Returns the only row.
    #[track_caller]
    fn row(&self) -> Value {
        let ran = self.doctor(&["--json", "--timeout", "60"]);
        let mut answer = ran.json();
        assert_eq!(answer["servers"].as_array().map(Vec::len), Some(1), "{ran}");
        assert_eq!(answer["ok"].as_bool(), Some(ran.code() == Some(0)), "{ran}");
        answer["servers"][0].take()
    }

    /// Creates a program with the name of ours.
    fn program(&self, script: &str) -> PathBuf {
        let path = self.home().join("bin/cairn");
        write(&path, &format!("#!/bin/sh\n{script}\n"));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it is ours");
        path
    }

    /// Returns the report about another program.
    #[track_caller]
    fn report_broken(&self, script: &str, seconds: &str) -> String {
        let command = self.program(script);
        write_entry(&self.home(), ".claude.json", &json!({"command": command}));
        self.doctor(&["--timeout", seconds]).snapshot()
    }
}

#[test]
fn missing_installation_is_reported_with_a_remedy() {
    let bench = Bench::new();
    let ran = bench.doctor(&[]);
    assert_eq!(ran.code(), Some(0), "{ran}");
    assert!(ran.out().starts_with("no client is connected\n"), "{ran}");
    insta::assert_snapshot!(ran.snapshot(), @"
    --- stdout
    no client is connected
    `cairn mcp install` connects Claude Code to this repository, `--detect` every client found here
    ");
    assert_eq!(bench.doctor(&["--json"]).json(), json!({"servers": [], "ok": true}));
    assert_eq!(bench.cairn.at(&bench.home()).run(&["mcp", "doctor"]).code(), Some(0));
}

#[test]
fn installed_server_answers_every_client() {
    let bench = Bench::new();
    for client in CLIENTS {
        bench.install(&format!("--client {client} --name cairn"));
        bench.install(&format!("--client {client} --global --name second"));
    }
    let ran = bench.doctor(&["--json"]);
    let answer = ran.json();
    let rows = answer["servers"].as_array().unwrap();
    // Eight clients have settings for a project and for a user; three have one file with both entries.
    assert_eq!((ran.code(), rows.len()), (Some(0), 2 * CLIENTS.len()), "{ran}");
    for row in rows {
        assert_eq!((&row["outcome"], &row["hint"]), (&json!("ok"), &Value::Null), "{row}");
        let server = json!({"name": "cairn", "version": env!("CARGO_PKG_VERSION"), "tools": 13});
        assert_eq!(row["server"], server);
    }
    let ran = bench.doctor(&["--client", "zed"]);
    insta::assert_snapshot!(ran.snapshot().replace(env!("CARGO_PKG_VERSION"), "<version>"), @"
    --- stdout
         ok  zed             `cairn` in `<tmp>/zed/settings.json`: cairn <version> answers with 13 tools
         ok  zed             `second` in `<tmp>/zed/settings.json`: cairn <version> answers with 13 tools
    ");
}

#[test]
fn a_missing_program_is_repaired_by_the_suggested_command() {
    let bench = Bench::new();
    let command = bench.program("");
    fs::set_permissions(&command, fs::Permissions::from_mode(0o644)).unwrap();
    let gone = bench.home().join("gone/cairn");
    let cases = [
        (json!({"command": gone}), format!("`{}` does not exist", gone.display())),
        (json!({"command": command}), format!("`{}` exists, but cannot be started", command.display())),
        (json!({"command": "cairn"}), "`cairn` is not on the `PATH`".to_owned()),
        (
            json!({"command": env!("CARGO_BIN_EXE_cairn"), "args": ["mcp", "start"], "cwd": gone}),
            format!("the working directory `{}` does not exist", gone.display()),
        ),
        (
            json!({"command": env!("CARGO_BIN_EXE_cairn"), "args": ["mcp", "begin"]}),
            "the arguments `mcp begin` are not understood".to_owned(),
        ),
        (
            json!({"command": env!("CARGO_BIN_EXE_cairn"), "args": ["mcp", "start", "--repo", gone]}),
            format!(
                "`{}` ends without answering `initialize`; it said: error: `{}` is not a folder",
                env!("CARGO_BIN_EXE_cairn"),
                gone.display()
            ),
        ),
    ];
    for (entry, said) in cases {
        for (folder, file) in [(bench.root(), ".mcp.json"), (bench.home(), ".claude.json")] {
            write_entry(&folder, file, &entry);
            let row = bench.row();
            assert_eq!((&row["outcome"], &row["text"], &row["server"]), (&json!("broken"), &json!(said), &Value::Null));
            let repair = row["hint"].as_str().unwrap().strip_prefix("run `cairn ").unwrap().strip_suffix('`').unwrap();
            bench.cairn.ok(&repair.split(' ').collect::<Vec<_>>());
            assert_eq!(bench.row()["outcome"], "ok");
            fs::remove_file(folder.join(file)).unwrap();
        }
    }
}

#[test]
fn a_server_that_does_not_behave_is_named_and_ended() {
    let bench = Bench::new();
    let pid_file = bench.home().join("pid");
    let report = bench.report_broken(&format!("echo $$ > {}; exec sleep 1000", pid_file.display()), "1");
    insta::assert_snapshot!(report, @"
    exit status: 1
    --- stdout
     broken  claude-code     `cairn` in `<tmp>/.claude.json`: `<tmp>/bin/cairn` does not answer within 1 s
                             run `cairn mcp install --client claude-code --global`
    ");
    // On a slow machine it may be killed before it could write anything.
    assert!(fs::read_to_string(&pid_file).map_or(true, |pid| !is_running(&pid)));
    insta::assert_snapshot!(bench.report_broken("echo hello", "60"), @"
    exit status: 1
    --- stdout
     broken  claude-code     `cairn` in `<tmp>/.claude.json`: `<tmp>/bin/cairn` writes something that is not JSON on its standard output
                             run `cairn mcp install --client claude-code --global`
    ");
    let report = bench.report_broken("echo first >&2; echo boom >&2; exit 3", "60");
    insta::assert_snapshot!(report, @"
    exit status: 1
    --- stdout
     broken  claude-code     `cairn` in `<tmp>/.claude.json`: `<tmp>/bin/cairn` ends without answering `initialize`; it said: boom
                             run `cairn mcp install --client claude-code --global`
    ");
    let report = bench
        .report_broken(r#"read line; echo '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no"}}'"#, "60");
    insta::assert_snapshot!(report, @r#"
    exit status: 1
    --- stdout
     broken  claude-code     `cairn` in `<tmp>/.claude.json`: `<tmp>/bin/cairn` refuses `initialize`: "no"
                             run `cairn mcp install --client claude-code --global`
    "#);
    let report = bench.report_broken(r#"read line; echo '{"jsonrpc":"2.0","id":1,"result":{}}'; read line; read line; echo '{"jsonrpc":"2.0","id":2,"result":{}}'"#, "60");
    insta::assert_snapshot!(report, @"
    exit status: 1
    --- stdout
     broken  claude-code     `cairn` in `<tmp>/.claude.json`: `<tmp>/bin/cairn` lists no tools
                             run `cairn mcp install --client claude-code --global`
    ");
}

#[test]
fn processes_of_a_server_do_not_block_doctor() {
    let bench = Bench::new();
    let pid_file = bench.home().join("pid");
    let script = format!("sleep 120 >/dev/null </dev/null & echo $! > {}; echo boom >&2; exit 3", pid_file.display());
    insta::assert_snapshot!(bench.report_broken(&script, "60"), @"
    exit status: 1
    --- stdout
     broken  claude-code     `cairn` in `<tmp>/.claude.json`: `<tmp>/bin/cairn` ends without answering `initialize`; it said: boom
                             run `cairn mcp install --client claude-code --global`
    ");
    let pid = read(&pid_file);
    assert!(is_running(&pid), "it held the standard error all the time");
    std::process::Command::new("kill").arg(pid.trim()).status().unwrap();
}

/// Writes settings with one entry of our name.
fn write_entry(folder: &Path, file: &str, entry: &Value) {
    write(&folder.join(file), &json!({"mcpServers": {"cairn": entry}}).to_string());
}

fn is_running(pid: &str) -> bool {
    std::process::Command::new("kill").args(["-0", pid.trim()]).output().expect("kill runs").status.success()
}

#[test]
fn pages_of_tools_are_counted_together() {
    let bench = Bench::new();
    let command = bench.program(
        r#"read a; echo '{"jsonrpc":"2.0","id":1,"result":{"serverInfo":{"name":"n","version":"v"}}}'
read b; read c; echo '{"jsonrpc":"2.0","method":"notifications/message"}'
echo '{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"a"},{"name":"b"}],"nextCursor":"x"}}'
read d; echo '{"jsonrpc":"2.0","id":3,"result":{"tools":[{"name":"c"}]}}'"#,
    );
    write_entry(&bench.home(), ".claude.json", &json!({"command": command}));
    let row = bench.row();
    assert_eq!((&row["outcome"], &row["text"]), (&json!("ok"), &json!("n v answers with 3 tools")));
}

#[test]
fn a_repository_cannot_have_programs_started() {
    let bench = Bench::new();
    let trace = bench.home().join("trace");
    let command = bench.program(&format!("touch {}", trace.display()));
    write_entry(&bench.root(), ".mcp.json", &json!({"command": command, "args": ["mcp", "start"]}));
    let row = bench.row();
    assert_eq!(row["outcome"], "warning");
    assert!(row["text"].as_str().unwrap().ends_with("is another program than this one; it was not started"), "{row}");
    assert!(!trace.exists());

    // Nor this program, for anything but serving.
    bench.cairn.quiet(&["new", "issue", "Stays"]);
    let this = env!("CARGO_BIN_EXE_cairn");
    write_entry(&bench.root(), ".mcp.json", &json!({"command": this, "args": ["delete", "1"]}));
    assert_eq!(bench.row()["text"], "the arguments `delete 1` do not start a server");
    assert_eq!(bench.cairn.json(&["list"])["total"], 1);

    // Nor with its environment variables. An invalid library stops any program at once.
    let folder = bench.home().join("lib");
    write(&folder.join("libc.so.6"), "");
    let env = json!({"LD_LIBRARY_PATH": folder});
    write_entry(&bench.root(), ".mcp.json", &json!({"command": this, "args": ["mcp", "start"], "env": env}));
    assert_eq!(bench.row()["outcome"], "ok");
}

#[test]
fn a_file_that_cannot_be_read_is_broken_when_it_speaks_of_us() {
    let bench = Bench::new();
    write(&bench.root().join(".cursor/mcp.json"), "{ not ours");
    write(&bench.root().join(".mcp.json"), "{\"mcpServers\": {\n\"cairn\": {]}}");
    let row = bench.row();
    assert_eq!(
        (&row["client"], &row["name"], &row["outcome"]),
        (&json!("claude-code"), &Value::Null, &json!("broken"))
    );
    assert_eq!(row["text"], "line 2, column 11: unexpected token in object");
    assert_eq!(row["hint"], "correct the file there, then run `cairn mcp install --client claude-code`");
}

#[test]
fn clients_set_up_for_the_tools_we_replace_are_checked_too() {
    let bench = Bench::new();
    let folder = bench.home().join("bin");
    bench.cairn.ok(&["compat", "link", "--dir", folder.to_str().unwrap()]);
    let entry = |name: &str, word: &str| json!({"command": folder.join(name), "args": [word]});
    let servers = json!({
        "issues": entry("git-mile", "mcp-server"),
        "review": entry("lazygit-mcp-bridge", "server"),
        "wrong": entry("git-mile", "server"),
        "talk": entry("lazygit-mcp-bridge", "send"),
    });
    write(&bench.root().join(".mcp.json"), &json!({"mcpServers": servers}).to_string());
    let answer = bench.doctor(&["--json"]).json();
    let rows = answer["servers"].as_array().unwrap();
    let said: Vec<_> =
        rows.iter().map(|row| (row["outcome"].as_str().unwrap(), row["server"]["name"].as_str())).collect();
    let expected = [("ok", Some("git-mile")), ("ok", Some("lazygit-mcp-bridge")), ("broken", None), ("broken", None)];
    assert_eq!(said, expected, "{answer}");
}

#[test]
fn problems_of_a_client_entry_are_found() {
    let bench = Bench::new();
    let this = env!("CARGO_BIN_EXE_cairn");
    write_entry(
        &bench.home(),
        ".cursor/mcp.json",
        &json!({"command": this, "args": ["mcp", "start", "--dialect", "mile", "--repo", bench.root()]}),
    );
    let row = bench.row();
    assert_eq!(
        (&row["outcome"], &row["hint"]),
        (&json!("broken"), &json!("run `cairn mcp install --client cursor --global --dialect mile --name cairn`"))
    );
    assert_eq!(row["text"], "Cursor may refuse the name `git_mile.list`, and all tools with it");
    fs::remove_file(bench.home().join(".cursor/mcp.json")).unwrap();

    write_entry(
        &bench.home(),
        ".codeium/windsurf/mcp_config.json",
        &json!({"command": "cairn", "args": ["mcp", "start", "--tool-names", "underscore"]}),
    );
    let mut command = bench.cairn.command(&["mcp", "doctor"]);
    let ran = Ran::of(command.env("PATH", Path::new(this).parent().unwrap()).spawn().unwrap());
    assert_eq!(ran.code(), Some(0), "{ran}");
    insta::assert_snapshot!(ran.snapshot(), @"
    --- stdout
    warning  windsurf        `cairn` in `<tmp>/.codeium/windsurf/mcp_config.json`: `cairn` is on the `PATH` of this shell, which Windsurf may not have
                             run `cairn mcp install --client windsurf`
    ");
}

#[test]
fn an_entry_for_another_program_is_none_of_our_business() {
    let bench = Bench::new();
    write(&bench.root().join(".mcp.json"), r#"{"mcpServers": {"other": {"command": "/nowhere/other"}}}"#);
    assert!(bench.doctor(&[]).out().starts_with("no client is connected"));
    // Another name, but our program.
    bench.install("--name work --dialect mile");
    write(
        &bench.root().join(".mcp.json"),
        &read(&bench.root().join(".mcp.json")).replace("debug/cairn", "debug/no/cairn"),
    );
    let row = bench.row();
    assert_eq!(row["hint"], "run `cairn mcp install --client claude-code --dialect mile --name work`");
    write(
        &bench.root().join(".mcp.json"),
        r#"{"mcpServers": {"cairn": {"type": "http", "url": "http://127.0.0.1/"}}}"#,
    );
    assert_eq!(bench.row()["outcome"], "warning");
}

#[test]
fn an_entry_that_starts_another_dialect_than_its_name_says_is_repaired() {
    let bench = Bench::new();
    let this = env!("CARGO_BIN_EXE_cairn");
    for (name, args, answered, dialect) in [
        ("ultragit", &["mcp", "start"][..], "cairn", "ultragit"),
        ("git-mile", &["mcp", "start", "--dialect", "taiga"], "taiga-mcp", "mile"),
        ("lazygit-mcp-bridge", &["mcp", "start"], "cairn", "lazygit"),
        ("taiga", &["mcp", "start", "--dialect=cairn"], "cairn", "taiga"),
    ] {
        for (folder, file) in [(bench.root(), ".mcp.json"), (bench.home(), ".claude.json")] {
            let servers = json!({"mcpServers": {name: {"command": this, "args": args, "cwd": bench.root()}}});
            write(&folder.join(file), &servers.to_string());
            let row = bench.row();
            assert_eq!(row["outcome"], "broken", "{row}");
            let said = row["text"].as_str().unwrap();
            assert!(said.starts_with(&format!("starts `{answered}`; an entry named `{name}` must start ")), "{row}");
            let repair = row["hint"].as_str().unwrap().strip_prefix("run `cairn ").unwrap().strip_suffix('`').unwrap();
            assert!(repair.contains(&format!("--dialect {dialect}")), "{repair}");
            bench.cairn.ok(&repair.split(' ').collect::<Vec<_>>());
            let row = bench.row();
            assert_eq!((&row["outcome"], &row["name"]), (&json!("ok"), &json!(name)), "{row}");
            fs::remove_file(folder.join(file)).unwrap();
        }
    }
}
