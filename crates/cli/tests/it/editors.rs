//! Runs the snippets for editors and shells from the guide.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::inbox::project;
use crate::support::Project;

const COMMENT: &str = "it's \"odd\" $(touch pwned) `touch pwned` % # é🎉 | x";

/// Returns the only code block of the page in a language.
fn snippet(language: &str) -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/inbox.md");
    let page = fs::read_to_string(page).unwrap();
    let begin = format!("```{language}\n");
    assert_eq!(page.matches(&begin).count(), 1, "{language}");
    let (_, rest) = page.split_once(&begin).unwrap();
    rest.split_once("```").unwrap().0.to_owned()
}

/// Prepares a program that finds ours on the `PATH`.
fn with_cairn(project: &Project, program: &str) -> Command {
    let template = project.cairn.command::<&str>(&[]);
    let mut command = Command::new(program);
    command.current_dir(project.repository.path()).env_clear();
    command.envs(template.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let own = Path::new(env!("CARGO_BIN_EXE_cairn")).parent().unwrap();
    let path = format!("{}:{}", own.display(), std::env::var("PATH").unwrap());
    command.env("PATH", path);
    command
}

#[track_caller]
fn assert_sent(project: &Project, lines: &Value, comment: &str) {
    let inbox = project.cairn.json(&["inbox", "list"]);
    let message = &inbox["items"][0];
    assert_eq!((&message["file"], &message["lines"]), (&json!("a.txt"), lines), "{inbox}");
    assert_eq!(message["comment"], comment);
    assert!(!project.repository.path().join("pwned").exists(), "something of it was run");
}

#[test]
fn vim_sends_the_selected_lines() {
    let project = project();
    let script = project.repository.git_dir().join("tell.vim");
    fs::write(&script, snippet("vim")).unwrap();
    let mut vim = with_cairn(&project, "vim");
    vim.args(["-N", "-u", "NONE", "-i", "NONE", "-n", "-e", "-s", "-S"]).arg(&script);
    let output = vim.args(["-c", "edit a.txt", "-c", &format!("2,3Tell {COMMENT}"), "-c", "qall!"]).output();
    let Ok(output) = output else { return testkit::skip("there is no `vim` here") };
    assert!(output.status.success(), "{output:?}");
    assert_sent(&project, &json!({"start": 2, "end": 3}), COMMENT);
}

#[test]
fn the_task_of_vs_code_sends_the_line() {
    let project = project();
    let tasks: Value = serde_json::from_str(&snippet("json")).unwrap();
    let task = &tasks["tasks"][0];
    assert_eq!(task["type"], "process", "no shell comes in between");
    let top = project.repository.path();
    let filled = |value: &Value| {
        let text = value.as_str().unwrap().replace("${file}", top.join("a.txt").to_str().unwrap());
        let text = text.replace("${lineNumber}", "2").replace("${workspaceFolder}", top.to_str().unwrap());
        let text = text.replace("${input:comment}", COMMENT);
        assert!(!text.contains("${"), "{text}");
        text
    };
    let mut command = with_cairn(&project, &filled(&task["command"]));
    command.args(task["args"].as_array().unwrap().iter().map(&filled)).current_dir(filled(&task["options"]["cwd"]));
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_sent(&project, &json!({"start": 2, "end": 2}), COMMENT);
    assert_eq!(tasks["inputs"][0]["id"], "comment");
}

#[test]
fn the_function_of_the_shell_sends_the_line() {
    let project = project();
    let script = format!("{}tell a.txt 2 \"$1\" and more", snippet("bash"));
    let output = with_cairn(&project, "bash").args(["-c", &script, "bash", COMMENT]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_sent(&project, &json!({"start": 2, "end": 2}), &format!("{COMMENT} and more"));
}
