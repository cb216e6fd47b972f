//! The flags that select toolsets and tools of a dialect.

use serde_json::json;

use crate::client::{Client, cairn, project};

fn names(flags: &[&str]) -> Vec<String> {
    let repository = project();
    let mut client = Client::start_with(repository.path(), flags);
    let listed = client.request("tools/list", &json!({}));
    let tools = listed["result"]["tools"].as_array().expect("a list").clone();
    tools.iter().map(|tool| tool["name"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn tools_that_only_read_stay_when_nothing_may_be_written() {
    assert_eq!(names(&["--read-only"]), ["git_mile.list", "git_mile.show"]);
    assert_eq!(names(&["--toolsets", "mile"]), ["git_mile.list", "git_mile.show"]);
}

#[test]
fn unknown_toolset_is_refused_and_the_known_ones_named() {
    let repository = project();
    let refusals = [&["mcp", "start", "--dialect", "mile"][..], &["serve", "--addr", "127.0.0.1:0"]].map(|command| {
        let output =
            cairn(repository.path()).args(command).args(["--toolsets", "mile,boards"]).output().expect("it starts");
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8(output.stderr).expect("UTF-8")
    });
    insta::assert_snapshot!(refusals.concat(), @"
    error: unknown toolset `boards` (expected: mile)
    error: unknown toolset `boards` (expected: annotations, code, epics, extended, inbox, issues, mile, projects, quicksilver, stories, sync, tasks, work)
    ");
}
