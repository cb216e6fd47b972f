//! `cairn taiga pull` and `push` by the built program, killed and run again.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use testkit::TestRepository;
use testkit::taiga::{FakeTaiga, ItemKind};

struct Fixture {
    repository: TestRepository,
    taiga: FakeTaiga,
    token: String,
}

impl Fixture {
    fn new() -> Self {
        let taiga = FakeTaiga::start();
        let token = taiga.log_in("alice").access;
        Self { repository: TestRepository::new(), taiga, token }
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cairn"));
        command.args(words).current_dir(self.repository.path());
        command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null").env_remove("GIT_DIR");
        command.env("XDG_STATE_HOME", self.repository.directory_path().join("state")).env("CAIRN_KEYRING", "off");
        command.env("CAIRN_TAIGA_URL", self.taiga.url()).env("CAIRN_TAIGA_TOKEN", &self.token);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn run(&self, words: &[&str], input: &str) -> Output {
        let mut process = self.command(words).spawn().unwrap();
        let _ = process.stdin.take().unwrap().write_all(input.as_bytes());
        let output = process.wait_with_output().unwrap();
        let said = [output.stdout.as_slice(), &output.stderr].concat();
        assert!(!String::from_utf8_lossy(&said).contains(&self.token), "the token was shown");
        output
    }

    #[track_caller]
    fn json(&self, words: &[&str]) -> Value {
        let output = self.run(&[words, &["--json"]].concat(), "");
        assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// Starts a command and kills it after the server has seen this number of requests.
    fn kill_after(&self, words: &[&str], n_requests: usize) {
        self.taiga.forget_requests();
        let mut process = self.command(words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        self.taiga.wait_for_requests(n_requests);
        process.kill().unwrap();
        process.wait().unwrap();
    }

    fn tip(&self) -> String {
        self.repository.git(&["for-each-ref", "--format=%(objectname)", "refs/cairn/work"])
    }

    fn items(&self) -> Vec<Value> {
        self.json(&["list", "--all", "-n", "2000"])["items"].as_array().unwrap().clone()
    }
}

#[test]
fn killed_in_the_middle_of_much_work_nothing_is_lost_or_there_twice() {
    let fixture = Fixture::new();
    // Project 5 has 460 items: 12 requests come before the first of them is read.
    for n_requests in [3, 40, 150, 330] {
        fixture.kill_after(&["taiga", "pull", "big-backlog"], n_requests);
    }
    let report = fixture.json(&["taiga", "pull", "big-backlog"]);
    let n_new = report["created"].as_array().unwrap().len();
    assert!(n_new < 460, "the killed runs had done something, {n_new} were left");
    let items = fixture.items();
    assert_eq!(items.iter().filter(|item| item["kind"] != "milestone").count(), 460);
    let tip = fixture.tip();
    fixture.json(&["taiga", "pull", "big-backlog"]);
    assert_eq!(fixture.tip(), tip, "there was nothing to write");

    let kinds = ["story", "task", "issue", "epic"].iter().cycle();
    let line = |(n, kind): (usize, &&str)| json!({"kind": kind, "title": format!("Made here {n}")}).to_string();
    let lines: Vec<String> = (0..60).zip(kinds).map(line).collect();
    assert!(fixture.run(&["import", "-"], &lines.join("\n")).status.success());
    for n_requests in [12, 18, 25] {
        fixture.kill_after(&["taiga", "push", "big-backlog"], n_requests);
    }
    let report = fixture.json(&["taiga", "push", "big-backlog"]);
    assert!(report["created"].as_array().unwrap().len() < 60, "{report:#}");
    let mut made: BTreeMap<String, usize> = BTreeMap::new();
    for kind in ItemKind::ALL {
        for item in fixture.taiga.items(kind, 5) {
            *made.entry(item["subject"].as_str().unwrap().to_owned()).or_default() += 1;
        }
    }
    for n in 0..60 {
        assert_eq!(made.get(&format!("Made here {n}")), Some(&1), "number {n}");
    }
    fixture.json(&["taiga", "pull", "big-backlog"]);
    let (tip, n_items) = (fixture.tip(), fixture.items().len());
    fixture.taiga.forget_requests();
    fixture.json(&["taiga", "pull", "big-backlog"]);
    fixture.json(&["taiga", "push", "big-backlog"]);
    assert_eq!((fixture.tip(), fixture.items().len()), (tip, n_items));
    assert!(fixture.taiga.requests().iter().all(|request| request.method == "GET"));
}

#[test]
fn bridge_runs_print_what_happened() {
    let fixture = Fixture::new();
    let said = |words: &[&str]| String::from_utf8(fixture.run(words, "").stdout).unwrap();
    let output = fixture.run(&["taiga", "pull"], "");
    assert_eq!(output.status.code(), Some(2));
    insta::assert_snapshot!(String::from_utf8_lossy(&output.stderr), @"
    error: no project of `environment` is chosen
    hint: name one, or choose one with `cairn taiga use PROJECT`; `cairn taiga projects` lists them
    ");
    let words = said(&["taiga", "pull", "kiosk-kanban", "--dry-run"]);
    insta::assert_snapshot!(testkit::redact(&words), @"
    pulled from kiosk-kanban on http://127.0.0.1:<port> (dry run: nothing was changed)
    new: story #1 TG-1 UserStory number 1
    new: story #2 TG-2 UserStory number 2
    new: story #3 TG-3 UserStory number 3
    new: story #4 TG-4 UserStory number 4
    new: story #5 TG-5 UserStory number 5
    new: story #6 TG-6 UserStory number 6
    new members: Alice Moreau <alice@example.com>
    statuses: epic: New, epic: Ready for test, story: New, story: Ready for test, story: Archived, task: New, task: Ready for test, task: Closed, task: Needs Info, issue: New, issue: Ready for test, issue: Closed, issue: Needs Info, issue: Rejected, issue: Postponed
    6 new, 0 changed, 0 deleted, 0 in conflict, 0 left, 0 unchanged
    ");
    assert!(fixture.tip().is_empty());
    said(&["taiga", "use", "kiosk-kanban"]);
    insta::assert_snapshot!(testkit::lines_with(&said(&["taiga", "pull"]), "story #1 "), @"new: story #1 TG-1 UserStory number 1");
    fixture.json(&["edit", "1", "--title", "Ours"]);
    let id = fixture.taiga.items(ItemKind::Story, 2)[0]["id"].as_u64().unwrap();
    fixture.taiga.edit("alice", ItemKind::Story, id, &json!({"subject": "Theirs"}));
    let output = fixture.run(&["taiga", "push"], "");
    assert_eq!(output.status.code(), Some(1), "a conflict is not a success");
    insta::assert_snapshot!(String::from_utf8_lossy(&output.stderr), @"resolve conflicts with `cairn taiga pull --take-remote ID` or `cairn taiga push --take-local ID`");
    let words = String::from_utf8(output.stdout).unwrap();
    insta::assert_snapshot!(testkit::redact(&words), @"
    pushed to kiosk-kanban on http://127.0.0.1:<port>
    conflict: story #1 TG-1 Ours: changed on both sides
      subject: was `UserStory number 1`, here `Ours`, there `Theirs`
    0 new, 0 changed, 0 deleted, 1 in conflict, 0 left, 5 unchanged
    ");
    insta::assert_snapshot!(testkit::redact(&said(&["taiga", "push", "--take-local", "1"])), @"
    pushed to kiosk-kanban on http://127.0.0.1:<port>
    changed: story #1 TG-1 Ours: subject
    0 new, 1 changed, 0 deleted, 0 in conflict, 0 left, 5 unchanged
    ");
    assert_eq!(fixture.taiga.item(ItemKind::Story, id).unwrap()["subject"], "Ours");
}
