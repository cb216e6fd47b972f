//! The public suite: the required scenarios of a revision, and the results of a server.

use std::path::{Path, PathBuf};

use crate::command;
use xtask::tools::node::Node;

pub(super) struct Suite {
    node: Node,
    program: PathBuf,
}

/// The suite's result for a scenario.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Report {
    pub(super) scenario: String,
    pub(super) n_passed: u32,
    pub(super) n_failed: u32,
}

impl Suite {
    pub(super) fn install(root: &Path, node: Node) -> Result<Self, String> {
        let packages = node.packages(root, "crates/conformance/suite")?;
        Ok(Self { node, program: packages.join("@modelcontextprotocol/conformance/dist/index.js") })
    }

    /// Returns the scenarios that a revision requires of a server.
    pub(super) fn required(&self, revision: &str) -> Result<Vec<String>, String> {
        let mut command = self.node.command("node");
        let listed = command::read(command.arg(&self.program).args(["list", "--requirements", revision]))?;
        let required = read_required(&listed);
        if required.is_empty() {
            return Err(format!("the suite names no scenario for {revision}"));
        }
        Ok(required)
    }

    /// Runs all scenarios of a revision against a server.
    pub(super) fn ask(&self, url: &str, revision: &str) -> Result<Vec<Report>, String> {
        let mut command = self.node.command("node");
        command.arg(&self.program).args(["server", "--url", url, "--requirements", revision]);
        // It fails if any scenario fails; the exceptions are handled by the caller.
        let output = command.output().map_err(|error| format!("cannot start the suite: {error}"))?;
        let reports = read_reports(&String::from_utf8_lossy(&output.stdout));
        if reports.is_empty() {
            return Err(format!("the suite says nothing: {}", String::from_utf8_lossy(&output.stderr)));
        }
        Ok(reports)
    }
}

fn read_required(listed: &str) -> Vec<String> {
    let lines = listed.lines().skip_while(|line| !line.starts_with("Server scenarios")).skip(1);
    let names = lines.map_while(|line| line.trim().strip_prefix("- "));
    names.map(str::to_owned).collect()
}

fn read_reports(output: &str) -> Vec<Report> {
    let summary = output.lines().skip_while(|line| !line.contains("SUMMARY"));
    summary.filter_map(read_report).collect()
}

/// Parses a line like `✓ ping: 2 passed, 0 failed`.
fn read_report(line: &str) -> Option<Report> {
    let line = line.strip_prefix('✓').or_else(|| line.strip_prefix('✗'))?;
    let (scenario, counts) = line.split_once(": ")?;
    let (passed, failed) = counts.split_once(" passed, ")?;
    let failed = failed.split(' ').next()?;
    let scenario = scenario.trim().to_owned();
    Some(Report { scenario, n_passed: passed.parse().ok()?, n_failed: failed.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_server_requirements_are_read() {
        let listed = "Required for X (3 scenarios):\n\nServer scenarios (test against a server):\n  - ping\n  - tools-list\n\n\
                      Client scenarios (test against a client):\n  - auth/basic\n";
        assert_eq!(read_required(listed), ["ping", "tools-list"]);
    }

    #[test]
    fn reports_are_read_from_the_summary() {
        let output = "✓ early: 1 passed, 0 failed\n=== SUMMARY ===\n✓ ping: 2 passed, 0 failed\n✗ tools-list: 1 passed, \
                      3 failed, 1 warnings\n\nTotal: 3 passed, 3 failed\n  ✓ ping (pending)\n";
        let report = |scenario: &str, n_passed, n_failed| Report { scenario: scenario.to_owned(), n_passed, n_failed };
        assert_eq!(read_reports(output), [report("ping", 2, 0), report("tools-list", 1, 3)]);
    }
}
