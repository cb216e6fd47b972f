//! Clocks with any value: no panic, and the written data is readable at any other time.

use std::process::Command;

use testkit::Ran;

use crate::support::{Project, titles};

/// Before 1970 a `UUIDv7` cannot represent the time; after 9999 the calendar cannot.
const CLOCKS: [&str; 7] = [
    "1901-12-14 00:00:00",
    "1969-12-31 23:59:50",
    "1970-01-01 00:00:01",
    "2038-01-19 03:14:08",
    "9999-12-30 12:00:00",
    "9999-12-31 23:59:58",
    "+20000y",
];

const COMMANDS: [&[&str]; 21] = [
    &["new", "issue", "at another time", "--due", "today", "--label", "time"],
    &["new", "task", "later", "--due", "tomorrow"],
    &["edit", "1", "--description", "text"],
    &["comment", "1", "said"],
    &["list"],
    &["list", "--all", "--sort", "updated"],
    &["list", "--filter", "due <= today"],
    &["show", "1"],
    &["log"],
    &["log", "1"],
    &["ready", "--explain"],
    &["stats"],
    &["search", "time"],
    &["close", "1"],
    &["reopen", "1"],
    &["export"],
    &["doctor"],
    &["inbox", "send", "--file", "a.rs", "--comment", "now"],
    &["inbox", "list"],
    &["token", "create", "bot"],
    &["token", "list"],
];

#[test]
fn no_clock_stops_the_program() {
    if Command::new("faketime").arg("--version").output().is_err() {
        return testkit::skip("there is no `faketime` here");
    }
    for clock in CLOCKS {
        let project = Project::in_memory();
        std::fs::write(project.repository.path().join("a.rs"), "fn a() {}\n").unwrap();
        for command in COMMANDS {
            let wrapper = ["timeout", "60", "faketime", "-f", clock];
            let ran = Ran::of(project.cairn.command_through(&wrapper, command).spawn().unwrap());
            assert!(ran.status.success() && !ran.err().contains("panicked"), "{clock} {command:?}: {ran}");
        }
        assert_eq!(titles(&project.cairn), ["at another time", "later"], "{clock}");
        for command in [&["list", "--all"][..], &["show", "1"], &["log"], &["stats"], &["new", "issue", "today"]] {
            project.cairn.ok(command);
        }
    }
}
