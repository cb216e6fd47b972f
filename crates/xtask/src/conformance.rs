//! `cargo xtask conformance`: runs the public conformance suite of the Model Context Protocol against our server.
//!
//! General scenarios run against the shipped program; those that need the suite's own tools run against the fixtures in
//! `crates/conformance`, on the same stack. Every scenario that a revision requires must pass, or be listed here with
//! the reason; a listed one that passes fails the run, so that the list stays true.

mod page;
mod suite;

use std::fs;
use std::path::Path;
use std::process::Command;

use suite::{Report, Suite};
use xtask::served::Served;
use xtask::tools::node::Node;
use xtask::{command, program, report};

/// A protocol revision, with the scenarios that every server must pass.
struct Revision {
    name: &'static str,
    general: &'static [&'static str],
}

const REVISIONS: &[Revision] = &[
    Revision { name: "2025-11-25", general: &["server-initialize", "ping", "tools-list", "dns-rebinding-protection"] },
    Revision {
        name: "2026-07-28",
        general: &[
            "tools-list",
            "server-sse-multiple-streams",
            "dns-rebinding-protection",
            "sep-2164-resource-not-found",
            "input-required-result-unsupported-methods",
            "input-required-result-validate-input",
        ],
    },
];

/// Known failures: revision, scenario, reason.
const EXCEPTIONS: &[Exception] = &[];

struct Exception {
    revision: &'static str,
    scenario: &'static str,
    reason: &'static str,
}

/// The server of a scenario.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Fixtures,
    StatelessFixtures,
    Cairn,
    /// The program with its own dialect, which has other policies than the contracts.
    OwnDialect,
}

/// The result of a scenario of a revision on one server.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Row {
    revision: &'static str,
    scenario: String,
    place: Place,
    has_passed: bool,
}

const PAGE: &str = "docs/conformance.md";

/// Runs the suite; with `--write` the page is written, else it must be up to date.
pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<(), String> {
    let is_written = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] | ["--check"] => false,
        ["--write"] => true,
        _ => return Err("`conformance` takes `--check` (as without) or `--write`".to_owned()),
    };
    let suite = Suite::install(root, Node::find_or_install(root)?)?;
    let rows = ask_all(root, &suite)?;
    let problems = problems(&rows, EXCEPTIONS);
    if !problems.is_empty() {
        return Err(problems.join("\n"));
    }
    let (path, text) = (root.join(PAGE), page::render(&rows, EXCEPTIONS));
    if is_written {
        return fs::write(&path, text).map_err(|error| format!("cannot write {PAGE}: {error}"));
    }
    if fs::read_to_string(&path).is_ok_and(|written| written == text) {
        return Ok(());
    }
    Err(format!("{PAGE} is stale\nhint: run `cargo xtask conformance --write`"))
}

fn ask_all(root: &Path, suite: &Suite) -> Result<Vec<Row>, String> {
    let cairn = program::build(root)?;
    let fixtures = Served::spawn(&mut Command::new(program::build_fixtures(root)?))?;
    let repository = root.join("target/conformance");
    let mut cairn = Command::new(cairn);
    let cairn = Served::start(cairn.current_dir(make_repository(&repository)?), &["--dialect", "mile"])?;
    let mut rows = Vec::new();
    for revision in REVISIONS {
        let required = suite.required(revision.name)?;
        let mut ask = |place, url: &str, wanted: &[String]| -> Result<(), String> {
            report::note(&format!("asking {url} for {}", revision.name));
            let reports = suite.ask(url, revision.name)?;
            rows.extend(wanted.iter().map(|scenario| row(revision.name, place, scenario, &reports)));
            Ok(())
        };
        ask(Place::Fixtures, fixtures.url(), &required)?;
        let general: Vec<String> = revision.general.iter().map(ToString::to_string).collect();
        ask(Place::Cairn, cairn.url(), &general)?;
        ask(Place::OwnDialect, &cairn.url().replace("/mcp/mile", "/mcp/cairn"), &general)?;
        // Legacy clients need sessions for questions of the server.
        if revision.name >= "2026" {
            ask(Place::StatelessFixtures, &format!("{}/stateless", fixtures.url()), &required)?;
        }
    }
    Ok(rows)
}

fn row(revision: &'static str, place: Place, scenario: &str, reports: &[Report]) -> Row {
    // A scenario that did not run, or has no checks, proves nothing.
    let report = reports.iter().find(|report| report.scenario == scenario);
    let has_passed = report.is_some_and(|report| report.n_failed == 0 && report.n_passed > 0);
    Row { revision, scenario: scenario.to_owned(), place, has_passed }
}

fn problems(rows: &[Row], exceptions: &[Exception]) -> Vec<String> {
    let mut problems = Vec::new();
    for row in rows {
        let exception = find(exceptions, row);
        match (row.has_passed, exception) {
            (false, None) => {
                problems.push(format!("`{}` of {} fails at {:?}", row.scenario, row.revision, row.place));
            }
            (true, Some(exception)) => {
                let why = exception.reason;
                problems.push(format!("`{}` of {} passes, though it is listed: {why}", row.scenario, row.revision));
            }
            _ => {}
        }
    }
    problems
}

fn find<'a>(exceptions: &'a [Exception], row: &Row) -> Option<&'a Exception> {
    exceptions.iter().find(|exception| exception.revision == row.revision && exception.scenario == row.scenario)
}

fn make_repository(folder: &Path) -> Result<&Path, String> {
    fs::create_dir_all(folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    command::run(Command::new("git").args(["init", "--quiet"]).current_dir(folder))?;
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(has_passed: bool) -> Row {
        Row { revision: "2025-11-25", scenario: "ping".to_owned(), place: Place::Cairn, has_passed }
    }

    #[test]
    fn failure_needs_a_reason_and_a_reason_a_failure() {
        let listed = [Exception { revision: "2025-11-25", scenario: "ping", reason: "why" }];
        assert!(problems(&[sample(true)], &[]).is_empty());
        assert_eq!(problems(&[sample(false)], &[]), ["`ping` of 2025-11-25 fails at Cairn"]);
        assert!(problems(&[sample(false)], &listed).is_empty());
        assert_eq!(problems(&[sample(true)], &listed), ["`ping` of 2025-11-25 passes, though it is listed: why"]);
    }

    #[test]
    fn scenario_that_looked_at_nothing_has_not_passed() {
        let report = |n_passed, n_failed| [Report { scenario: "ping".to_owned(), n_passed, n_failed }];
        let has_passed = |reports: &[Report]| row("2025-11-25", Place::Cairn, "ping", reports).has_passed;
        assert!(has_passed(&report(2, 0)));
        assert!(!has_passed(&report(2, 1)));
        assert!(!has_passed(&report(0, 0)));
        assert!(!has_passed(&[]));
    }
}
