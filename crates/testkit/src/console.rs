//! Runs the `console` blocks of a Markdown page and compares the output with the page.
//!
//! All blocks of a page are one shell session in an empty home folder, so `cd` and variables carry over. A line that
//! begins with `$ ` is a command, lines after it that begin with `> ` continue it, `? N` right after it is its exit
//! code (0 if left out), and the rest is its output on stdout and stderr together. In the expected text `[..]` matches
//! any text within a line and a line `...` matches any lines. Values that differ between runs (ids, times, the home
//! folder) are redacted on both sides, so that a page can show real values.
//!
//! When `cargo insta` runs the tests, the page is rewritten with the actual output; read the diff.

mod compare;
mod page;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::recorded::is_updating;
use compare::{diff, matches};
use page::{Step, parse, rewrite};

/// Printed by the shell after each command, to separate outputs.
const MARK: &str = "@@ console step ended with";

/// Git settings that make sessions deterministic.
const GIT_CONFIG: &str = "[user]\nname = Ada Lovelace\nemail = ada@example.com\n[init]\ndefaultBranch = main\n\
    [gc]\nauto = 0\n[maintenance]\nauto = false\n[advice]\ndetachedHead = false\n";

/// Runs a page with `program`'s folder first on the `PATH`; fails the test with a diff.
pub fn check_page(page: &Path, program: &Path) {
    check_page_with(page, program, &[]);
}

/// Runs a page as [`check_page`] does, with further environment variables.
pub fn check_page_with(page: &Path, program: &Path, variables: &[(&str, &str)]) {
    let text = fs::read_to_string(page).unwrap_or_else(|error| panic!("cannot read {}: {error}", page.display()));
    let steps = parse(&text);
    assert!(!steps.is_empty(), "{} has no console block", page.display());
    let outcomes = run(&steps, program, variables);
    if is_updating() {
        fs::write(page, rewrite(&text, &steps, &outcomes)).expect("the page can be written");
        return;
    }
    let mut report = String::new();
    for (step, outcome) in steps.iter().zip(&outcomes) {
        if let Some(difference) = difference(step, outcome) {
            let place = format!("{}:{}", page.display(), step.line);
            let _ = write!(report, "\n{place}\n$ {}\n{difference}", step.command);
        }
    }
    assert!(report.is_empty(), "{report}\nhint: `just accept` rewrites the page; read the diff then");
}

/// The result of a command.
#[derive(Debug, PartialEq, Eq)]
struct Outcome {
    code: i32,
    lines: Vec<String>,
}

impl Outcome {
    fn is_expected(&self, step: &Step) -> bool {
        self.code == step.code && matches(&step.expected, &self.lines)
    }
}

fn difference(step: &Step, outcome: &Outcome) -> Option<String> {
    if outcome.is_expected(step) {
        return None;
    }
    let code = |code: i32| if code == 0 { Vec::new() } else { vec![format!("? {code}")] };
    let expected = [code(step.code), step.expected.clone()].concat();
    let got = [code(outcome.code), outcome.lines.clone()].concat();
    Some(diff(&expected, &got))
}

fn run(steps: &[Step], program: &Path, variables: &[(&str, &str)]) -> Vec<Outcome> {
    let folder = tempfile::TempDir::new().expect("a temporary folder");
    let root = folder.path().canonicalize().expect("it exists");
    let home = root.join("home");
    fs::create_dir(&home).expect("the folder is ours");
    fs::write(home.join(".gitconfig"), GIT_CONFIG).expect("the folder is ours");
    let script = root.join("session.sh");
    fs::write(&script, shell_script(steps)).expect("the folder is ours");
    let output = Command::new("sh")
        .arg(&script)
        .current_dir(&home)
        .env_clear()
        .envs(environment(&root, &home, program))
        .envs(variables.iter().copied())
        .stdin(Stdio::null())
        .output()
        .expect("sh runs");
    let printed = String::from_utf8_lossy(&output.stdout).replace(home.to_str().expect("paths are UTF-8"), "~");
    let outcomes = split(&printed);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(outcomes.len(), steps.len(), "the shell stopped early: {said}");
    outcomes
}

fn shell_script(steps: &[Step]) -> String {
    let mut script = String::new();
    for step in steps {
        // Braces, not parentheses: `cd` and variables must outlive the command.
        let _ = write!(script, "{{\n{}\n}} 2>&1\nprintf '\\n{MARK} %s\\n' \"$?\"\n", step.command);
    }
    script
}

fn environment(root: &Path, home: &Path, program: &Path) -> BTreeMap<&'static str, std::ffi::OsString> {
    let mut folders: Vec<PathBuf> = program.parent().map(Path::to_owned).into_iter().collect();
    folders.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    BTreeMap::from([
        ("PATH", std::env::join_paths(folders).expect("they came from a PATH")),
        ("HOME", home.into()),
        ("TZ", "UTC".into()),
        ("LC_ALL", "C.UTF-8".into()),
        ("EDITOR", "false".into()),
        ("GIT_CONFIG_NOSYSTEM", "1".into()),
        ("GIT_CEILING_DIRECTORIES", root.into()),
    ])
}

fn split(printed: &str) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    let mut lines = Vec::new();
    for line in printed.lines() {
        match line.strip_prefix(MARK).and_then(|code| code.trim().parse().ok()) {
            Some(code) => outcomes.push(Outcome { code, lines: trimmed(std::mem::take(&mut lines)) }),
            None => lines.push(line.trim_end().to_owned()),
        }
    }
    outcomes
}

fn trimmed(mut lines: Vec<String>) -> Vec<String> {
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcomes(page: &str) -> Vec<(i32, String)> {
        let outcomes = run(&parse(page), Path::new("/bin/sh"), &[]);
        outcomes.into_iter().map(|outcome| (outcome.code, outcome.lines.join("|"))).collect()
    }

    #[test]
    fn session_carries_over_from_block_to_block() {
        let page = "```console\n$ mkdir a && cd a\n$ x=1\n```\n```console\n$ echo $x; pwd; false\n```\n";
        assert_eq!(outcomes(page), [(0, String::new()), (0, String::new()), (1, "1|~/a".into())]);
    }

    #[test]
    fn both_streams_are_seen_and_the_last_line_may_be_open() {
        assert_eq!(outcomes("```console\n$ echo a; echo b >&2; printf c\n```\n"), [(0, "a|b|c".into())]);
    }

    #[test]
    fn differences_are_shown_with_the_exit_code() {
        let step = &parse("```console\n$ false\nyes\n```\n")[0];
        let outcome = Outcome { code: 1, lines: vec!["no".to_owned()] };
        assert_eq!(difference(step, &outcome).unwrap(), "- yes\n+ ? 1\n+ no\n");
        assert_eq!(difference(step, &Outcome { code: 0, lines: vec!["yes".to_owned()] }), None);
    }
}
