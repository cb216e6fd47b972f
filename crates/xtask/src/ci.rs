//! `cargo xtask ci`: all checks and tests in one command that installs what it needs.
//!
//! A failed step does not stop the next one, and no step is skipped silently: a step that could not run is listed in
//! the table at the end, and fails the run if the variable `CI` is set.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use xtask::tools::node::Node;
use xtask::tools::{BEADS, CARGO_DENY, LAZYGIT, TYPOS};
use xtask::tools::{chromium, system};
use xtask::{command, program, report};

use crate::{agents, bench, browser, clients, conformance, fuzz, generate, schemathesis, tidy, truth};

struct Step {
    name: &'static str,
    about: &'static str,
    run: fn(root: &Path) -> Outcome,
}

/// Cheap steps first, so that simple mistakes show within seconds.
const STEPS: &[Step] = &[
    Step { name: "programs", about: "programs that the tests run are installed", run: programs },
    Step { name: "fmt", about: "the code is formatted", run: fmt },
    Step {
        name: "tidy",
        about: "project rules: crate graph, names, wording, unused dependencies",
        run: |root| tidy::run(root, &[]).into(),
    },
    Step { name: "clippy", about: "clippy without warnings", run: clippy },
    Step { name: "test", about: "all tests pass", run: test },
    Step { name: "bare", about: "the README's commands in a bare Debian", run: bare },
    Step { name: "clients", about: "the official MCP clients work, over stdio and HTTP", run: clients },
    Step { name: "agents", about: "an agent's session with the official SDK, within its token budget", run: agents },
    Step {
        name: "schemathesis",
        about: "generated requests get only responses of the API description",
        run: made_up_requests,
    },
    Step { name: "browser", about: "the board works in a browser, and is safe and readable there", run: browser },
    Step { name: "truth", about: "annotations of published packages stay on the right functions", run: truth_short },
    Step { name: "fuzz", about: "one minute of fuzzing without a finding", run: |root| fuzz::run(root, &[]).into() },
    Step {
        name: "bench",
        about: "the benchmarks run, without limits on time; no command has 5 % more instructions",
        run: bench_smoke,
    },
    Step { name: "packages", about: "each package runs from an empty prefix, except for the wheel", run: packages },
    Step { name: "doc", about: "the API documentation builds without a warning", run: doc },
    Step { name: "generate", about: "generated files are up to date", run: |root| generate::check_all(root).into() },
    Step {
        name: "conformance",
        about: "the protocol's conformance suite passes, and its page is up to date",
        run: conformance,
    },
    Step { name: "typos", about: "no known misspellings", run: typos },
    Step { name: "deny", about: "licences, sources, banned and vulnerable dependencies", run: deny },
];

#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    Passed,
    /// Passed in part; with what was skipped.
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
    let steps = match parse(arguments)? {
        Request::List => {
            for step in STEPS {
                report::answer(&format!("{:<12} {}", step.name, step.about));
            }
            return Ok(());
        }
        Request::Run(steps) => steps,
    };
    // In CI, a step that cannot run is a failure.
    let strict = program::is_ci();
    let rows: Vec<Row> = steps.into_iter().map(|step| run_step(root, step, strict)).collect();
    report::note(&format!("\n{}", summary(&rows)));
    let failed: Vec<&str> = rows.iter().filter_map(Row::failed_name).collect();
    if failed.is_empty() {
        return Ok(());
    }
    Err(format!("failed: {}", failed.join(", ")))
}

enum Request {
    List,
    Run(Vec<&'static Step>),
}

fn parse(arguments: &[String]) -> Result<Request, String> {
    let mut only = Vec::new();
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--list" => return Ok(Request::List),
            "--only" => {
                let name = arguments.next().ok_or("`--only` needs the name of a step")?;
                let step = STEPS.iter().find(|step| step.name == name);
                only.push(step.ok_or_else(|| no_such_step(name))?);
            }
            unknown => {
                return Err(format!("`ci` takes `--list` or `--only STEP`, not `{unknown}`"));
            }
        }
    }
    if only.is_empty() {
        only.extend(STEPS);
    }
    Ok(Request::Run(only))
}

fn no_such_step(name: &str) -> String {
    format!("unknown step `{name}`\nhint: `cargo xtask ci --list` names them")
}

struct Row {
    name: &'static str,
    outcome: Outcome,
    took: Duration,
}

impl Row {
    fn failed_name(&self) -> Option<&'static str> {
        matches!(self.outcome, Outcome::Failed(_)).then_some(self.name)
    }
}

fn run_step(root: &Path, step: &Step, strict: bool) -> Row {
    report::note(&format!("\n==> {}: {}", step.name, step.about));
    let start = Instant::now();
    let outcome = judge((step.run)(root), strict);
    let took = start.elapsed();
    let (word, detail) = words(&outcome);
    if !detail.is_empty() {
        report::note(detail);
    }
    report::note(&format!("<== {}: {word} in {}", step.name, seconds(took)));
    Row { name: step.name, outcome, took }
}

/// A step that could not run fails a strict run.
fn judge(outcome: Outcome, strict: bool) -> Outcome {
    match outcome {
        Outcome::LeftOut(reason) if strict => Outcome::Failed(format!("could not run, and `CI` is set: {reason}")),
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

fn summary(rows: &[Row]) -> String {
    let mut table = String::new();
    for row in rows {
        let (word, detail) = words(&row.outcome);
        let took = seconds(row.took);
        let first_line = detail.lines().next().unwrap_or_default();
        let line = format!("{:<12} {word:<15} {took:>8}  {first_line}", row.name);
        let _ = writeln!(table, "{}", line.trim_end());
    }
    let total = rows.iter().map(|row| row.took).sum();
    let _ = write!(table, "{:<28} {:>8}", "all steps", seconds(total));
    table
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

fn cargo(root: &Path, arguments: &[&str]) -> Outcome {
    command::run(&mut command::cargo(root, arguments)).into()
}

/// Installs what later steps need, or fails with one list of what may not be installed here, before an hour is spent.
fn programs(root: &Path) -> Outcome {
    let mut missing = missing_test_programs(root);
    missing.extend(chromium::find_or_install().err());
    missing.extend(truth::needs().err());
    if missing.is_empty() { Outcome::Passed } else { Outcome::LeftOut(missing.join("\n")) }
}

/// Installs the programs that the tests of the workspace run; returns why some are missing.
fn missing_test_programs(root: &Path) -> Vec<String> {
    // First, because the others are built with some of these.
    let packages = system::install_test_programs();
    let trackers = Node::find_or_install(root).and_then(|node| node.packages(root, "tests/importers"));
    let programs = [&LAZYGIT, &BEADS].map(|tool| tool.find_or_install(root).map(drop));
    let found = programs.into_iter().chain([trackers.map(drop), packages]);
    found.filter_map(Result::err).collect()
}

fn fmt(root: &Path) -> Outcome {
    let check = |what: &[&str]| command::run(&mut command::cargo(root, &[&["fmt", "--check"], what].concat()));
    // The fuzz targets are not part of the workspace.
    check(&["--all"]).and_then(|()| check(&["--manifest-path", "fuzz/Cargo.toml"])).into()
}

fn clippy(root: &Path) -> Outcome {
    let what = ["clippy", "--workspace", "--all-targets", "--locked"];
    let lints = ["--", "-D", "warnings"];
    cargo(root, &[&what[..], &lints[..]].concat())
}

fn test(root: &Path) -> Outcome {
    // For `--only test`; a test without its program skips, and fails if `CI` is set.
    for missing in missing_test_programs(root) {
        report::note(&format!("programs for the tests are missing: {missing}"));
    }
    cargo(root, &["test", "--workspace", "--locked", "--no-fail-fast"])
}

/// Runs the README's commands in a new root file system, as far as they build nothing again; `just bare` runs them whole.
fn bare(root: &Path) -> Outcome {
    if !system::is_root() {
        return Outcome::LeftOut("only root can change the root file system of a process".to_owned());
    }
    match system::find_or_install("debootstrap", "debootstrap") {
        Ok(()) => command::run(&mut Command::new(root.join("tests/bare/run"))).into(),
        Err(reason) => Outcome::LeftOut(reason),
    }
}

fn doc(root: &Path) -> Outcome {
    let mut cargo = command::cargo(root, &["doc", "--no-deps", "--workspace", "--locked"]);
    command::run(cargo.env("RUSTDOCFLAGS", "-D warnings")).into()
}

fn bench_smoke(root: &Path) -> Outcome {
    let bench = |arguments: &[&str]| bench::run(root, &arguments.iter().map(ToString::to_string).collect::<Vec<_>>());
    bench(&["--smoke", "--items", "200"]).and_then(|()| bench(&["instructions"])).into()
}

/// Packs the program that the tests have built; the wheel is left out, since maturin would build another one.
fn packages(root: &Path) -> Outcome {
    if Command::new("dpkg-deb").arg("--version").output().is_err() {
        return Outcome::LeftOut("there is no `dpkg-deb`, which only Debian and its relatives have".to_owned());
    }
    let pack = |program: &Path| {
        let mut dist = Command::new("python3");
        command::run(dist.arg("packaging/dist.py").arg("--program").arg(program).current_dir(root))
    };
    program::build(root).and_then(|program| pack(&program)).into()
}

fn truth_short(root: &Path) -> Outcome {
    match truth::needs() {
        Ok(()) => truth::check(root, &["--short".to_owned()]).into(),
        Err(reason) => Outcome::LeftOut(reason),
    }
}

fn conformance(root: &Path) -> Outcome {
    // Without a package registry it cannot be installed, so the result is unknown.
    match Node::find_or_install(root) {
        Ok(_) => conformance::run(root, &[]).into(),
        Err(reason) => Outcome::LeftOut(reason),
    }
}

fn agents(root: &Path) -> Outcome {
    match clients::Programs::find_or_install(root) {
        Ok(programs) => agents::play(root, &programs).map(drop).into(),
        Err(error) => Outcome::LeftOut(error),
    }
}

fn clients(root: &Path) -> Outcome {
    match clients::Programs::find_or_install(root) {
        Ok(programs) => clients::converse(root, &programs).into(),
        Err(reason) => Outcome::LeftOut(reason),
    }
}

fn made_up_requests(root: &Path) -> Outcome {
    match schemathesis::find_or_install(root) {
        Ok(python) => schemathesis::ask(root, &python, "10").into(),
        Err(reason) => Outcome::LeftOut(reason),
    }
}

fn browser(root: &Path) -> Outcome {
    match browser::Programs::find_or_install(root) {
        Ok(programs) => browser::play(root, &programs, None).into(),
        Err(reason) => Outcome::LeftOut(reason),
    }
}

fn typos(root: &Path) -> Outcome {
    match TYPOS.find_or_install(root) {
        // `--hidden` because `.ci` and `.cargo` are ours as well; `typos.toml` excludes `.git`.
        Ok(typos) => command::run(Command::new(typos).arg("--hidden").current_dir(root)).into(),
        Err(reason) => Outcome::LeftOut(reason),
    }
}

fn deny(root: &Path) -> Outcome {
    let program = match CARGO_DENY.find_or_install(root) {
        Ok(program) => program,
        Err(reason) => return Outcome::LeftOut(reason),
    };
    let deny = |arguments: &[&str]| command::run(Command::new(&program).args(arguments).current_dir(root));
    let check = ["--locked", "check", "--hide-inclusion-graph"];
    if let Err(error) = deny(&[&check[..], &["bans", "licenses", "sources"]].concat()) {
        return Outcome::Failed(error);
    }
    // The advisory database is a repository on GitHub, which not every machine can reach.
    if deny(&["fetch", "db"]).is_err() {
        let note = "advisories LEFT OUT: the database cannot be fetched from github.com";
        return Outcome::PassedExcept(note.to_owned());
    }
    deny(&[&check[..], &["advisories"]].concat()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(arguments: &[&str]) -> Result<Vec<&'static str>, String> {
        let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
        match parse(&arguments)? {
            Request::List => Ok(vec!["(list)"]),
            Request::Run(steps) => Ok(steps.iter().map(|step| step.name).collect()),
        }
    }

    #[test]
    fn without_arguments_every_step_runs() {
        assert_eq!(parsed(&[]).unwrap().len(), STEPS.len());
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
    fn step_that_could_not_run_fails_a_strict_run_only() {
        let left_out = || Outcome::LeftOut("no network".to_owned());
        assert_eq!(judge(left_out(), false), left_out());
        assert_eq!(judge(left_out(), true), Outcome::Failed("could not run, and `CI` is set: no network".to_owned()));
    }

    #[test]
    fn failed_step_does_not_stop_the_next_and_shows_in_the_table() {
        let step = |name, run| Step { name, about: "", run };
        let steps = [
            step("one", |_| Outcome::Failed("a\nb".to_owned())),
            step("two", |_| Outcome::Passed),
            step("three", |_| Outcome::LeftOut("c".to_owned())),
        ];
        let mut rows: Vec<Row> = steps.iter().map(|step| run_step(Path::new("."), step, false)).collect();
        for row in &mut rows {
            row.took = Duration::from_millis(1234);
        }
        let expected = "\
one          FAILED             1.2 s  a
two          passed             1.2 s
three        LEFT OUT           1.2 s  c
all steps                       3.7 s";
        assert_eq!(summary(&rows), expected);
        let failed: Vec<&str> = rows.iter().filter_map(Row::failed_name).collect();
        assert_eq!(failed, ["one"]);
    }
}
