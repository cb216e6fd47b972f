//! A hostile remote: its data is bounded, escaped and reported; no local work is lost, overridden or blocked.

use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use testkit::{Cairn, Ran, write_commit};

use crate::support::{EMPTY_TREE, Hub, assert_sound, items, titles};

/// A hub with one honest clone whose item `ours` was pushed.
struct Scene {
    hub: Hub,
    cairn: Cairn,
    item: String,
}

impl Scene {
    fn new() -> Self {
        let hub = Hub::new();
        let cairn = hub.clone_as("ada");
        cairn.quiet(&["new", "issue", "ours", "--label", "kept"]);
        cairn.quiet(&["sync"]);
        let item = cairn.json(&["show", "1"])["id"].as_str().unwrap().to_owned();
        Self { hub, cairn, item }
    }

    /// Puts a commit on the hub's log.
    fn plant(&self, message: &[u8]) -> String {
        let path = self.hub.repository.path();
        let tip = self.hub.repository.git(&["rev-parse", "refs/cairn/work"]);
        let id = write_commit(path, EMPTY_TREE, &[&tip], message);
        self.hub.repository.git(&["update-ref", "refs/cairn/work", &id]);
        id
    }

    fn plant_lines(&self, lines: &[String]) -> String {
        self.plant(format!("greetings\n\n{}\n", lines.join("\n")).as_bytes())
    }

    /// Syncs, and checks everything that must hold for any planted data.
    #[track_caller]
    fn survive(&self) -> Ran {
        let ran = sync_within_bounds(&self.cairn);
        assert_clean(&ran);
        self.cairn.ok(&["edit", &self.item, "--title", "ours, edited", "--priority", "3"]);
        let shown = self.cairn.json(&["show", &self.item]);
        assert_eq!((&shown["title"], &shown["priority"]), (&json!("ours, edited"), &json!(3)), "our edit lost: {ran}");
        assert!(shown["labels"].as_array().unwrap().contains(&json!("kept")));
        let made = self.cairn.json(&["new", "task", "next"]);
        assert!(made["number"].as_u64().unwrap() < 100, "numbers ran away: {made}");
        for command in [&["list", "--all"][..], &["show", "1"], &["log"], &["log", "1"], &["ready", "--explain"]] {
            assert_clean(&self.cairn.ok(command));
        }
        for command in [&["doctor"][..], &["stats"], &["search", "ours"], &["member"], &["workflow"]] {
            assert_clean(&self.cairn.run(command));
        }
        assert_clean(&sync_within_bounds(&self.cairn));
        let other = self.hub.clone_as("grace");
        assert_clean(&sync_within_bounds(&other));
        assert_eq!(items(&other), items(&self.cairn));
        ran
    }
}

/// Sync must finish within limits of time and memory, whatever the remote contains.
#[track_caller]
fn sync_within_bounds(cairn: &Cairn) -> Ran {
    let began = Instant::now();
    let ran = cairn.ok(&["sync"]);
    assert!(began.elapsed() < Duration::from_mins(1), "frozen for {:?}", began.elapsed());
    ran
}

/// Output must not contain control characters or bidirectional overrides.
#[track_caller]
fn assert_clean(ran: &Ran) {
    for bytes in [&ran.stdout, &ran.stderr] {
        let text = String::from_utf8_lossy(bytes);
        let bad = |c: &char| {
            c.is_control() && !matches!(c, '\n' | '\t')
                || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
                || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
        };
        assert_eq!(text.chars().find(bad), None, "{ran}");
    }
    assert!(!ran.err().contains("panicked"), "{ran}");
}

/// Returns an operation as a line; its id is derived from `n`, and so is its entity's unless one is given.
fn operation(n: u64, rest: &Value) -> String {
    let mut line = json!({
        "v": 1,
        "id": format!("01900000-0000-7000-8000-{n:012x}"),
        "entity": format!("01900000-0000-7000-9000-{n:012x}"),
        "lamport": 2,
        "at": "2026-01-01T00:00:00Z",
        "by": "Mallory <mallory@example.com>",
    });
    line.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
    line.to_string()
}

fn creation(n: u64, rest: &Value) -> String {
    let mut all =
        json!({"kind": "create", "item": "issue", "number": n + 1, "fields": {"title": format!("theirs {n}")}});
    all.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
    operation(n, &all)
}

#[test]
fn absurd_clocks() {
    for clock in ["9223372036854775808", "18446744073709551615", "-1", "1.5", "1e300", "\"9\"", "null", "1000000000000"]
    {
        let scene = Scene::new();
        let set = json!({"entity": scene.item, "kind": "set", "field": "title", "value": "mine now"});
        let line = operation(1, &set).replace("\"lamport\":2", &format!("\"lamport\":{clock}"));
        assert!(line.contains(clock));
        let id = scene.plant_lines(&[line]);
        let ran = scene.survive();
        assert!(ran.err().contains(&id), "not named: {ran}");
        assert_eq!(titles(&scene.cairn), ["ours, edited", "next"]);
    }
}

/// The highest clock that is accepted, repeatedly: each following local edit must win.
#[test]
fn clocks_that_climb_as_fast_as_they_may() {
    let scene = Scene::new();
    let mut clock: u64 = 1;
    for n in 0..50 {
        clock += 1 << 20;
        let set = json!({"entity": scene.item, "lamport": clock, "kind": "set", "field": "title", "value": "mine now"});
        scene.plant_lines(&[operation(n, &set)]);
    }
    let ran = scene.survive();
    assert_eq!(ran.err(), "");
}

#[test]
fn absurd_dates() {
    let dates = [
        "9999-12-31T23:59:59Z",
        "-009999-01-01T00:00:00Z",
        "soon",
        "",
        "2026-13-45T99:99:99Z",
        "+999999-01-01T00:00:00Z",
    ];
    let scene = Scene::new();
    let lines: Vec<String> = (1..).zip(dates).map(|(n, at)| creation(n, &json!({"at": at}))).collect();
    scene.plant_lines(&lines);
    scene.plant_lines(&[operation(
        90,
        &json!({"entity": scene.item, "lamport": 3, "at": "9999-12-30T22:00:00Z", "kind": "comment", "body": "far"}),
    )]);
    scene.survive();
    for sort in ["updated", "created:desc", "due"] {
        scene.cairn.ok(&["list", "--all", "--sort", sort]);
    }
    let shown = scene.cairn.json(&["show", "1"]);
    assert!(shown["updated"].as_str().unwrap() < "2100", "frozen in the future: {}", shown["updated"]);
}

#[test]
fn absurd_numbers() {
    let scene = Scene::new();
    let numbers =
        [json!(u64::MAX), json!(0), json!(1), json!(1), json!(1_u64 << 53), json!(-7), json!(2.5), json!("3")];
    let lines: Vec<String> = (1..).zip(&numbers).map(|(n, number)| creation(n, &json!({"number": number}))).collect();
    scene.plant_lines(&lines);
    scene.plant_lines(&[operation(
        50,
        &json!({"entity": scene.item, "lamport": 3, "kind": "renumber", "number": u64::MAX}),
    )]);
    scene.survive();
    let all = items(&scene.cairn);
    assert_eq!(all[0]["id"], scene.item.as_str(), "our #1 was taken");
    let mut held: Vec<u64> = all.iter().map(|item| item["number"].as_u64().unwrap()).collect();
    held.dedup();
    assert_eq!(held.len(), all.len(), "numbers are not unique");
}

#[test]
fn ids_used_again_with_other_content() {
    let scene = Scene::new();
    let export = scene.cairn.quiet(&["export"]).out();
    let own: Value = serde_json::from_str(export.lines().next().unwrap()).unwrap();
    let mut forged = own.clone();
    forged["fields"]["title"] = json!("forged");
    let mut moved = own;
    moved["entity"] = json!("01900000-0000-7000-9000-00000000abcd");
    let lines = [forged, moved].map(|line| line.to_string());
    scene.plant_lines(&lines);
    scene.plant_lines(&[creation(1, &json!({})), creation(1, &json!({"fields": {"title": "another"}}))]);
    // A forger can claim our number, but not our item.
    scene.survive();
}

#[test]
fn a_forged_creation_does_not_hide_an_item() {
    let scene = Scene::new();
    let forged = json!({"entity": scene.item, "lamport": 0, "kind": "create", "item": "member", "number": null, "fields": {"title": "gone"}});
    scene.plant_lines(&[operation(1, &forged)]);
    scene.survive();
}

#[test]
fn deep_json() {
    let scene = Scene::new();
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let set = json!({"entity": scene.item, "kind": "set", "field": "title", "value": "@"});
    let line = operation(1, &set).replace("\"@\"", &deep);
    let id = scene.plant_lines(&[line, "{\"a\":".repeat(100_000)]);
    let ran = scene.survive();
    assert!(ran.err().contains(&id), "{ran}");
}

/// Terminal escape sequences in every text field.
#[test]
fn escapes_everywhere() {
    let scene = Scene::new();
    let evil = "\u{1b}]0;pwned\u{7}\u{1b}[2J\u{202e}gpj.exe\r\n\u{9b}31m\u{2066}\u{2028}x\u{200b}y\u{200d}\u{feff}\u{ad}\u{e0041}";
    let fields = json!({
        "title": evil, "description": evil, "status": evil, "assignee": evil, "size": evil, "severity": evil,
        "type": evil, "blocked": evil, "colour": evil, evil: evil, "due": evil, "mood": {evil: [evil]},
    });
    let by = json!({"by": format!("{evil} <{evil}@x>"), "fields": fields, "sets": {"labels": [evil], "touches": [evil], evil: [evil]}});
    let person = json!({"kind": "create", "item": "member", "number": null, "fields": {"name": evil, "email": evil, "username": evil, "role": evil}});
    scene.plant_lines(&[
        creation(1, &by),
        operation(2, &json!({"entity": scene.item, "kind": "comment", "body": evil, "by": evil})),
        operation(3, &json!({"entity": scene.item, "kind": evil})),
        operation(4, &json!({"entity": scene.item, "v": 2, "kind": evil})),
        operation(5, &person),
        operation(6, &json!({"entity": scene.item, "kind": "set", "field": evil, "value": evil})),
        format!("{{\"v\":1,\"{}\":1}}", "\u{9b}31m"),
        "\u{1b}[31m".to_owned(),
    ]);
    scene.plant(format!("{evil}\n\n{evil}\n").as_bytes());
    let ran = scene.survive();
    insta::assert_snapshot!(ran.snapshot(), @r"
    --- stdout
    received from `origin`: 2 changes
      <moment>  Mallory: \e]0;pwned\u{7}\e[2J\u{202e}gpj.exe \u{9b}31m\u{2066}\u{2028}x\u{200b}y\u{200d}\u{feff}\u{ad}\u{e0041}
      <moment>  \e]0;pwned\u{7}\e[2J\u{202e}gpj.exe\u{9b}31m\u{2066}\u{2028}x\u{200b}y\u{200d}\u{feff}\u{ad}\u{e0041} created #2 \e]0;pwned\u{7}\e[2J\u{202e}gpj.exe\r\n\u{9b}31m\u{2066}\u{2028}x\u{200b}y\u{200d}\u{feff}\u{ad}\u{e0041}
      <moment>  \e]0;pwned\u{7}\e[2J\u{202e}gpj.exe\u{9b}31m\u{2066}\u{2028}x\u{200b}y\u{200d}\u{feff}\u{ad}\u{e0041} commented on #1 ours
      <moment>  Mallory changed #1 ours, changed it, changed it in the field \e]0;pwned\u{7}\e[2J\u{202e}gpj.exe\r\n\u{9b}31m\u{2066}\u{…
    --- stderr
    warning: <id>: skipped 2 malformed operations (expected value at line 1 column 1)
    warning: <id>: skipped 2 malformed operations (expected value at line 1 column 1)
    ");
    for id in ["2", "01900000-0000-7000-9000-000000000001"] {
        for command in ["show", "log"] {
            assert_clean(&scene.cairn.ok(&[command, id]));
        }
    }
    assert_clean(&scene.cairn.run(&["show", "01900000"]));
    assert_clean(&scene.cairn.run(&["list", "--filter", "status == nothing"]));
    assert_clean(&scene.cairn.run(&["close", "2"]));
    let exact = items(&scene.cairn).iter().any(|item| item["title"] == evil);
    assert!(exact, "JSON must hold the title as it is");
}

#[test]
fn a_hundred_megabytes_in_one_message() {
    let scene = Scene::new();
    let mut message = b"big\n\n".to_vec();
    let line = operation(1, &json!({"entity": scene.item, "kind": "comment", "body": "x".repeat(100_000)})) + "\n";
    while message.len() < 100 * 1024 * 1024 {
        message.extend_from_slice(line.as_bytes());
    }
    let id = scene.plant(&message);
    drop(message);
    // The address space limit also applies to git, which maps packs; our own resident memory is measured instead.
    let (ran, peak) = with_peak_memory(&scene.cairn, &["sync"]);
    assert_eq!(ran.code(), Some(0), "{ran}");
    assert!(ran.err().contains(&id), "{ran}");
    assert!(peak < 400 * 1024, "{peak} KiB");
    scene.survive();
}

/// A commit that cannot be ingested must not hide the work below it, also in a new clone.
#[test]
fn work_below_an_enormous_or_odd_commit_is_found() {
    let scene = Scene::new();
    let path = scene.hub.repository.path();
    let enormous = scene.plant(&[b"big\n\n".to_vec(), b"x".repeat(20 * 1024 * 1024)].concat());
    let odd = format!("tree {EMPTY_TREE}\nparent {enormous}\nauthor nobody at all\ncommitter\n\nodd\n");
    let odd =
        testkit::git_with_input(path, &["hash-object", "-t", "commit", "-w", "--stdin", "--literally"], odd.as_bytes());
    scene.hub.repository.git(&["update-ref", "refs/cairn/work", &odd]);
    scene.plant_lines(&[creation(1, &json!({"lamport": 2}))]);
    let other = scene.hub.clone_as("joan");
    let ran = sync_within_bounds(&other);
    assert!(ran.err().contains(&enormous) && ran.err().contains(&odd), "{ran}");
    assert_eq!(titles(&other), ["ours", "theirs 1"]);
    other.quiet(&["edit", "1", "--title", "still ours"]);
    assert_eq!(titles(&other), ["still ours", "theirs 1"]);
}

/// Runs a command and returns its peak memory in KiB, as counted by the kernel.
fn with_peak_memory(cairn: &Cairn, arguments: &[&str]) -> (Ran, u64) {
    let script = r#""$@" & pid=$!; peak=0; while kill -0 $pid 2>/dev/null; do
        now=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' /proc/$pid/status 2>/dev/null); [ "${now:-0}" -gt $peak ] && peak=$now
        sleep 0.01; done; wait $pid; code=$?; echo "peak=$peak" >&2; exit $code"#;
    let ran = Ran::of(cairn.command_through(&["sh", "-c", script, "sh"], arguments).spawn().unwrap());
    let peak = ran.err().lines().find_map(|line| line.strip_prefix("peak=")?.parse().ok()).unwrap();
    assert!(peak > 1000, "not measured: {ran}");
    (ran, peak)
}

#[test]
fn a_title_of_ten_megabytes_and_ten_thousand_labels() {
    let scene = Scene::new();
    let labels: Vec<String> = (0..10_000).map(|n| format!("label-{n}")).collect();
    scene.plant_lines(&[
        creation(1, &json!({"fields": {"title": "T".repeat(10 * 1024 * 1024)}})),
        creation(2, &json!({"sets": {"labels": labels}})),
    ]);
    let (ran, peak) = with_peak_memory(&scene.cairn, &["sync"]);
    assert_eq!(ran.code(), Some(0), "{ran}");
    assert!(peak < 400 * 1024, "{peak} KiB");
    scene.survive();
}

#[test]
fn a_flood_of_operations_on_one_item() {
    let scene = Scene::new();
    let lines: Vec<String> = (0..20_000)
        .map(|n| operation(n, &json!({"entity": scene.item, "kind": "add", "field": "labels", "value": "same"})))
        .collect();
    scene.plant_lines(&lines);
    scene.survive();
}

/// Rewrites the hub's ref; the local log must be merged with it.
#[track_caller]
fn rewritten(rewrite: impl Fn(&Scene), expected: &[&str]) {
    let scene = Scene::new();
    scene.cairn.quiet(&["new", "issue", "second"]);
    scene.cairn.quiet(&["sync"]);
    rewrite(&scene);
    assert_clean(&scene.cairn.ok(&["sync"]));
    let [here, there] = [scene.cairn.directory(), scene.hub.repository.path()];
    let [here, there] = [here, there].map(|path| testkit::git_in(path, &["rev-parse", "refs/cairn/work"]));
    assert_eq!(here, there, "the hub must be given again what it lost");
    scene.cairn.quiet(&["new", "issue", "third"]);
    assert_clean(&scene.cairn.ok(&["sync"]));
    let mut found = titles(&scene.cairn);
    found.sort();
    assert_eq!(found, expected);
    let other = scene.hub.clone_as("grace");
    other.quiet(&["sync"]);
    assert_eq!(items(&other), items(&scene.cairn));
    assert_sound(scene.hub.repository.path());
}

#[test]
fn a_hub_rewritten_to_something_unrelated() {
    rewritten(
        |scene| {
            let message = format!("new world\n\n{}\n", creation(0, &json!({"lamport": 1})));
            let id = write_commit(scene.hub.repository.path(), EMPTY_TREE, &[], message.as_bytes());
            scene.hub.repository.git(&["update-ref", "refs/cairn/work", &id]);
        },
        &["ours", "second", "theirs 0", "third"],
    );
}

#[test]
fn a_hub_set_back() {
    rewritten(
        |scene| {
            let old = scene.hub.repository.git(&["rev-parse", "refs/cairn/work~1"]);
            scene.hub.repository.git(&["update-ref", "refs/cairn/work", &old]);
        },
        &["ours", "second", "third"],
    );
}

#[test]
fn a_hub_that_forgot_everything() {
    rewritten(
        |scene| _ = scene.hub.repository.git(&["update-ref", "-d", "refs/cairn/work"]),
        &["ours", "second", "third"],
    );
}

/// The ref does not point to a commit.
#[test]
fn a_hub_whose_ref_is_no_commit() {
    let scene = Scene::new();
    let path = scene.hub.repository.path();
    let blob = testkit::git_with_input(path, &["hash-object", "-w", "--stdin"], b"hello");
    scene.hub.repository.git(&["update-ref", "refs/cairn/work", &blob]);
    scene.cairn.quiet(&["new", "issue", "second"]);
    let ran = scene.cairn.run(&["sync"]);
    assert_clean(&ran);
    assert_eq!(titles(&scene.cairn), ["ours", "second"]);
    scene.cairn.quiet(&["new", "issue", "third"]);
}

/// Server messages are escaped before they are shown.
#[test]
fn a_hub_that_talks_in_escapes() {
    let scene = Scene::new();
    let hook = scene.hub.repository.path().join("hooks/pre-receive");
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    std::fs::write(&hook, "#!/bin/sh\nprintf '\\033]0;pwned\\007\\033[31mno\\n' >&2\nexit 1\n").unwrap();
    let made = Command::new("chmod").arg("+x").arg(&hook).status().unwrap();
    assert!(made.success());
    scene.cairn.quiet(&["new", "issue", "second"]);
    let ran = scene.cairn.run(&["sync"]);
    assert_eq!(ran.code(), Some(1), "{ran}");
    assert_clean(&ran);
    assert_eq!(titles(&scene.cairn), ["ours", "second"]);
}
