//! `cargo xtask ci`: all checks and tests in one command that installs what it needs.
//!
//! A failed step does not stop the next one, and no step is skipped silently: a step that could not run is listed in
//! the table at the end, and fails the run if the variable `CI` is set.

mod concurrent;
mod steps;

use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use xtask::{program, report};

use crate::{fuzz, generate, tidy};

struct Step {
    name: &'static str,
    about: &'static str,
    run: fn(root: &Path) -> Outcome,
}

/// Run one after the other: cheap steps, so that simple mistakes show within seconds, and those that build.
const FIRST: &[Step] = &[
    Step { name: "programs", about: "programs that the tests run are installed", run: steps::programs },
    Step { name: "fmt", about: "the code is formatted", run: steps::fmt },
    Step {
        name: "tidy",
        about: "project rules: crate graph, names, wording, unused dependencies",
        run: |root| tidy::run(root, &[]).into(),
    },
    Step { name: "clippy", about: "clippy without warnings", run: steps::clippy },
    Step { name: "test", about: "all tests pass", run: steps::test },
];

/// Run at the same time, after everything is built: most of them wait for servers, browsers and downloads. Long ones
/// first, so that none runs alone at the end.
const CONCURRENT: &[Step] = &[
    Step {
        name: "browser",
        about: "the board works in a browser, and is safe and readable there",
        run: steps::browser,
    },
    Step { name: "clients", about: "the official MCP clients work, over stdio and HTTP", run: steps::clients },
    Step { name: "deny", about: "licences, sources, banned and vulnerable dependencies", run: steps::deny },
    Step { name: "fuzz", about: "one minute of fuzzing without a finding", run: |root| fuzz::run(root, &[]).into() },
    Step { name: "bare", about: "the README's commands in a bare Debian", run: steps::bare },
    Step {
        name: "truth",
        about: "annotations of published packages stay on the right functions",
        run: steps::truth_short,
    },
    Step {
        name: "bench",
        about: "the benchmarks run, without limits on time; no command has 5 % more instructions",
        run: steps::bench_smoke,
    },
    Step {
        name: "packages",
        about: "each package runs from an empty prefix, except for the wheel",
        run: steps::packages,
    },
    Step {
        name: "agents",
        about: "an agent's session with the official SDK, within its token budget",
        run: steps::agents,
    },
    Step {
        name: "schemathesis",
        about: "generated requests get only responses of the API description",
        run: steps::made_up_requests,
    },
    Step {
        name: "conformance",
        about: "the protocol's conformance suite passes, and its page is up to date",
        run: steps::conformance,
    },
    Step { name: "doc", about: "the API documentation builds without a warning", run: steps::doc },
    Step { name: "generate", about: "generated files are up to date", run: |root| generate::check_all(root).into() },
    Step { name: "typos", about: "no known misspellings", run: steps::typos },
];

fn all_steps() -> impl Iterator<Item = &'static Step> {
    FIRST.iter().chain(CONCURRENT)
}

#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    Passed,
    /// Passed in part; names the skipped parts.
    PassedExcept(String),
    Failed(String),
    /// Could not run; with the reason.
    LeftOut(String),
}

impl From<Result<(), String>> for Outcome {
    fn from(result: Result<(), String>) -> Self {
        match result {
            Ok(()) => Self::Passed,
            Err(error) => Self::Failed(error),
        }
    }
}

/// Runs the steps and prints the results.
pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<(), String> {
    let start = Instant::now();
    // In CI, a step that cannot run is a failure.
    let left_out = if program::is_ci() { LeftOutStep::Fails } else { LeftOutStep::IsListed };
    let one_by_one =
        |steps: &[&'static Step]| -> Vec<Row> { steps.iter().map(|step| run_step(root, step, left_out)).collect() };
    let rows = match parse(arguments)? {
        Request::List => {
            for step in all_steps() {
                report::answer(&format!("{:<12} {}", step.name, step.about));
            }
            return Ok(());
        }
        Request::Only(steps) => one_by_one(&steps),
        Request::All => {
            // Before a step builds this program again.
            let program = concurrent::this_program()?;
            let mut rows = one_by_one(&FIRST.iter().collect::<Vec<_>>());
            rows.extend(concurrent::run(&program, root, CONCURRENT));
            rows
        }
    };
    report::note(&format!("\n{}", summary(&rows, start.elapsed())));
    let failed: Vec<&str> = rows.iter().filter_map(Row::failed_name).collect();
    if failed.is_empty() {
        return Ok(());
    }
    Err(format!("failed: {}", failed.join(", ")))
}

enum Request {
    List,
    Only(Vec<&'static Step>),
    All,
}

fn parse(arguments: &[String]) -> Result<Request, String> {
    let mut only = Vec::new();
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--list" => return Ok(Request::List),
            "--only" => {
                let name = arguments.next().ok_or("`--only` needs the name of a step")?;
                let step = all_steps().find(|step| step.name == name);
                only.push(step.ok_or_else(|| no_such_step(name))?);
            }
            unknown => {
                return Err(format!("`ci` takes `--list` or `--only STEP`, not `{unknown}`"));
            }
        }
    }
    Ok(if only.is_empty() { Request::All } else { Request::Only(only) })
}

fn no_such_step(name: &str) -> String {
    format!("unknown step `{name}`\nhint: `cargo xtask ci --list` names them")
}

/// The result of a step.
struct Row {
    name: &'static str,
    is_failure: bool,
    /// Its line in the table.
    line: String,
}

impl Row {
    fn new(name: &'static str, outcome: &Outcome, took: Duration) -> Self {
        let (word, detail) = words(outcome);
        let first_line = detail.lines().next().unwrap_or_default();
        let line = format!("{name:<12} {word:<15} {:>8}  {first_line}", seconds(took));
        Self { name, is_failure: matches!(outcome, Outcome::Failed(_)), line: line.trim_end().to_owned() }
    }

    fn failed_name(&self) -> Option<&'static str> {
        self.is_failure.then_some(self.name)
    }
}

/// The result of a step that could not run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LeftOutStep {
    Fails,
    IsListed,
}

fn run_step(root: &Path, step: &Step, left_out: LeftOutStep) -> Row {
    report::note(&format!("\n==> {}: {}", step.name, step.about));
    let start = Instant::now();
    let outcome = judge((step.run)(root), left_out);
    let took = start.elapsed();
    let (word, detail) = words(&outcome);
    if !detail.is_empty() {
        report::note(detail);
    }
    report::note(&format!("<== {}: {word} in {}", step.name, seconds(took)));
    Row::new(step.name, &outcome, took)
}

fn judge(outcome: Outcome, left_out: LeftOutStep) -> Outcome {
    match outcome {
        Outcome::LeftOut(reason) if left_out == LeftOutStep::Fails => {
            Outcome::Failed(format!("could not run, and `CI` is set: {reason}"))
        }
        other => other,
    }
}

fn words(outcome: &Outcome) -> (&'static str, &str) {
    match outcome {
        Outcome::Passed => ("passed", ""),
        Outcome::PassedExcept(detail) => ("passed in part", detail),
        Outcome::Failed(detail) => ("FAILED", detail),
        Outcome::LeftOut(detail) => ("LEFT OUT", detail),
    }
}

/// Returns the table of the results; concurrent steps take less time together than the sum of theirs.
fn summary(rows: &[Row], took: Duration) -> String {
    let mut table = String::new();
    for row in rows {
        let _ = writeln!(table, "{}", row.line);
    }
    let _ = write!(table, "{:<28} {:>8}", "all steps", seconds(took));
    table
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(arguments: &[&str]) -> Result<Vec<&'static str>, String> {
        let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
        match parse(&arguments)? {
            Request::List => Ok(vec!["(list)"]),
            Request::All => Ok(vec!["(all)"]),
            Request::Only(steps) => Ok(steps.iter().map(|step| step.name).collect()),
        }
    }

    #[test]
    fn without_arguments_every_step_runs() {
        assert_eq!(parsed(&[]), Ok(vec!["(all)"]));
        let names: std::collections::BTreeSet<&str> = all_steps().map(|step| step.name).collect();
        assert_eq!(names.len(), all_steps().count(), "each name once: a step that runs concurrently is started by it");
    }

    #[test]
    fn only_runs_what_is_named() {
        let steps = parsed(&["--only", "fmt", "--only", "doc"]);
        assert_eq!(steps, Ok(vec!["fmt", "doc"]));
        assert_eq!(parsed(&["--list"]), Ok(vec!["(list)"]));
    }

    #[test]
    fn wrong_arguments_are_refused() {
        let error = "unknown step `fmtt`\nhint: `cargo xtask ci --list` names them";
        assert_eq!(parsed(&["--only", "fmtt"]), Err(error.to_owned()));
        let error = "`--only` needs the name of a step";
        assert_eq!(parsed(&["--only"]), Err(error.to_owned()));
        let error = "`ci` takes `--list` or `--only STEP`, not `fmt`";
        assert_eq!(parsed(&["fmt"]), Err(error.to_owned()));
    }

    #[test]
    fn step_that_could_not_run_fails_in_ci_only() {
        let left_out = || Outcome::LeftOut("no network".to_owned());
        assert_eq!(judge(left_out(), LeftOutStep::IsListed), left_out());
        let failed = Outcome::Failed("could not run, and `CI` is set: no network".to_owned());
        assert_eq!(judge(left_out(), LeftOutStep::Fails), failed);
    }

    #[test]
    fn failed_step_does_not_stop_the_next_and_shows_in_the_table() {
        let step = |name, run| Step { name, about: "", run };
        let steps = [
            step("one", |_| Outcome::Failed("a\nb".to_owned())),
            step("two", |_| Outcome::Passed),
            step("three", |_| Outcome::LeftOut("c".to_owned())),
        ];
        let mut rows: Vec<Row> =
            steps.iter().map(|step| run_step(Path::new("."), step, LeftOutStep::IsListed)).collect();
        for row in &mut rows {
            row.line = row.line.replace(" 0.0 s", " 1.2 s");
        }
        let expected = "\
one          FAILED             1.2 s  a
two          passed             1.2 s
three        LEFT OUT           1.2 s  c
all steps                       3.7 s";
        assert_eq!(summary(&rows, Duration::from_millis(3702)), expected);
        let failed: Vec<&str> = rows.iter().filter_map(Row::failed_name).collect();
        assert_eq!(failed, ["one"]);
    }
}
