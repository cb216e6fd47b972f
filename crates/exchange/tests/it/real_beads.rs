//! Files made by a real beads: beads-rs, from the registry, which writes `.beads/issues.jsonl` as the original does.
//! `cargo xtask ci --only test` installs it.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use exchange::ImportFormat::Beads;
use serde_json::{Value, json};
use testkit::git_in;

use crate::harness::TestProject;

/// How long the tool may take to write its file, which it does in the background.
const TIMEOUT: Duration = Duration::from_mins(1);

/// Returns the program; `None`, with a note, if it is not installed.
fn program() -> Option<PathBuf> {
    let found = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools/bd-0.1.26/bin/bd");
    if found.is_file() {
        return Some(found);
    }
    testkit::skip("there is no beads here; `cargo xtask ci --only test` installs it");
    None
}

/// A repository with the issues of the real tool, and its service, which ends with the test.
struct Store {
    program: PathBuf,
    folder: tempfile::TempDir,
    service: Child,
}

impl Drop for Store {
    fn drop(&mut self) {
        let _ = self.service.kill();
        let _ = self.service.wait();
    }
}

impl Store {
    fn new(program: PathBuf) -> Self {
        let folder = tempfile::tempdir().unwrap();
        git_in(folder.path(), &["init", "--quiet", "--bare", "hub.git"]);
        git_in(folder.path(), &["init", "--quiet", "shop"]);
        let shop = folder.path().join("shop");
        git_in(&shop, &["remote", "add", "origin", "../hub.git"]);
        let service = command(&program, folder.path()).args(["daemon", "run"]).spawn().unwrap();
        let store = Self { program, folder, service };
        let start = Instant::now();
        while !store.command().arg("init").status().unwrap().success() {
            assert!(start.elapsed() < TIMEOUT, "the service does not start");
            std::thread::sleep(Duration::from_millis(50));
        }
        store
    }

    fn command(&self) -> Command {
        command(&self.program, self.folder.path())
    }

    /// Runs a command, and returns its answer.
    #[track_caller]
    fn run(&self, arguments: &[&str]) -> Value {
        let output = self.command().arg("--json=true").args(arguments).stdout(Stdio::piped()).output().unwrap();
        assert!(output.status.success(), "bd {arguments:?}");
        serde_json::from_slice(&output.stdout).unwrap_or_default()
    }

    /// Creates an issue and returns its id.
    #[track_caller]
    fn create(&self, arguments: &[&str]) -> String {
        let answer = self.run(&[&["create"], arguments].concat());
        let id = find_id(&answer).unwrap_or_else(|| panic!("no id in {answer}"));
        id.to_owned()
    }

    /// Returns the file, once it has what is expected.
    fn issues(&self, is_written: impl Fn(&str) -> bool) -> String {
        let start = Instant::now();
        loop {
            let text = std::fs::read_to_string(self.folder.path().join("shop/.beads/issues.jsonl"));
            let text = text.unwrap_or_default();
            if is_written(&text) {
                return text;
            }
            assert!(start.elapsed() < TIMEOUT, "not written: {text}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

fn command(program: &Path, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .current_dir(folder.join("shop"))
        .env_clear()
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("TZ", "UTC").env("BD_ACTOR", "octo");
    for (name, value) in
        [("HOME", "home"), ("XDG_RUNTIME_DIR", "run"), ("XDG_DATA_HOME", "data"), ("XDG_CONFIG_HOME", "config")]
    {
        let path = folder.join(value);
        std::fs::create_dir_all(&path).unwrap();
        command.env(name, path);
    }
    command.env("BD_NO_AUTO_UPGRADE", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
    for role in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{role}_NAME"), "Octo").env(format!("GIT_{role}_EMAIL"), "octo@example.com");
    }
    command
}

fn find_id(answer: &Value) -> Option<&str> {
    match answer {
        Value::Object(fields) => fields.get("id").and_then(Value::as_str).or_else(|| fields.values().find_map(find_id)),
        Value::Array(values) => values.iter().find_map(find_id),
        _ => None,
    }
}

/// Returns a time as Cairn prints it.
fn time(value: &Value) -> String {
    value.as_str().unwrap().parse::<jiff::Timestamp>().unwrap().to_string()
}

/// Returns the issue with a title.
fn by_title<'a>(lines: &'a [Value], title: &str) -> &'a Value {
    lines.iter().find(|line| line["title"] == title).unwrap()
}

#[test]
fn every_field_of_a_real_file_is_kept() {
    let Some(program) = program() else { return };
    let store = Store::new(program);
    let epic = store.create(&[
        "Sign in: \"all\"",
        "-t",
        "epic",
        "-p",
        "0",
        "-d",
        "All of it.\nÄnd more.",
        "--design",
        "OAuth",
        "--acceptance",
        "It works",
        "-l",
        "auth,web",
        "--external-ref",
        "gh-9",
        "-e",
        "90",
    ]);
    let bug = store.create(&["Cookies", "-t", "bug", "-p", "1", "--parent", &epic]);
    let chore = store.create(&[
        "Clean up",
        "-t",
        "chore",
        "-p",
        "4",
        "--deps",
        &format!("blocks:{bug},discovered-from:{epic}"),
    ]);
    let gone = store.create(&["Mistake"]);
    store.run(&["comment", &bug, "Really?\nYes."]);
    store.run(&["claim", &epic]);
    store.run(&["delete", &gone]);
    let text =
        store.issues(|text| text.lines().count() == 3 && text.contains("Really?") && text.contains("in_progress"));
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut test = TestProject::new();
    let view = test.import(Beads, &text);
    assert_eq!((view.created, view.comments), (3, 1), "{text}");
    assert!(view.left_out.is_empty(), "{:?}", view.left_out);
    let at = |title: &str, key: &str| time(&by_title(&lines, title)[key]);
    let comment = &by_title(&lines, "Cookies")["comments"][0];
    test.check(&epic, &json!({"kind": "epic", "title": "Sign in: \"all\"", "status": "in_progress", "priority": 9, "labels": ["auth", "web"],
        "description": "All of it.\nÄnd more.\n\n## Design\n\nOAuth\n\n## Acceptance criteria\n\nIt works", "assignees": ["octo"],
        "created": at("Sign in: \"all\"", "created_at"), "updated": at("Sign in: \"all\"", "updated_at"), "children": ["Cookies"],
        "extra": {"external_ref": "gh-9", "estimated_minutes": 90}, "imported": {"from": "beads", "id": epic}}));
    test.check(&bug, &json!({"kind": "issue", "type": "bug", "title": "Cookies", "status": "backlog", "priority": 7, "parent": "Sign in: \"all\"",
        "description": "", "blocks": ["Clean up"], "created": at("Cookies", "created_at"), "updated": at("Cookies", "updated_at"),
        "comments": [{"author": "octo", "created": time(&comment["created_at"]), "body": "Really?\nYes."}]}));
    test.check(&chore, &json!({"kind": "task", "type": "chore", "title": "Clean up", "priority": 1, "blockedBy": ["Cookies"], "blocked": {"is": false},
        "relates": ["Sign in: \"all\""], "imported": {"status": "blocked"}, "extra": {"beads_links": {"discovered-from": [epic]}}}));
    test.import_changes_nothing(Beads, &text);
    // What was changed there since is changed here.
    store.run(&["close", &bug, "--reason", "Fixed"]);
    let text = store.issues(|text| text.contains("\"closed\""));
    let view = test.import(Beads, &text);
    assert_eq!((view.created, view.comments), (0, 0), "{view:?}");
    test.check(&bug, &json!({"status": "done", "state": "closed", "extra": {"close_reason": "Fixed"}}));
}
