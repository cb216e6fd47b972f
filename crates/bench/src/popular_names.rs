//! Annotations of a name that occurs in many files, and of renamed files: neither may make a query slower.

use std::cell::RefCell;
use std::time::Duration;

use super::code::{RunnersSize, runner_name, write_runners};
use super::measure::{Case, Rounds, in_turn, run};
use super::reasons::call;
use super::scenes::{Stage, bare, beside};
use super::scratch::Repository;
use super::verdict::{Limit, Row};

/// A process, in addition to one that does nothing.
const READ: Limit = Limit { times: 1.0, plus: Duration::from_millis(5) };
const CONTEXT: Limit = Limit { times: 0.0, plus: Duration::from_millis(20) };
const SUMMARY: Limit = Limit { times: 0.0, plus: Duration::from_millis(300) };
const COVERAGE_COLD: Limit = Limit { times: 0.0, plus: Duration::from_secs(3) };
const COVERAGE_WARM: Limit = Limit { times: 0.0, plus: Duration::from_millis(500) };

impl Stage<'_> {
    pub(super) fn popular_names(&self) -> Result<Vec<Row>, String> {
        let (n_named, n_other_notes, n_covered) = if self.is_quick { (100, 200, 50) } else { (2_000, 18_000, 1_000) };
        let make = |name: &str, size| Repository::with_code(self.scratch.path(name), |out| write_runners(size, out));
        let named = make("one-name", RunnersSize { n_files: n_named, n_renamed: 0, n_other_notes })?;
        let renamed = make("renamed", RunnersSize { n_files: n_covered, n_renamed: 50, n_other_notes: 0 })?;
        let mut rows = self.asking_for_a_popular_name(&named, &runner_name(n_named / 2))?;
        rows.extend(self.covering(&renamed)?);
        Ok(rows)
    }

    /// Queries about a function of that name, as processes, and about all of them, on a server.
    fn asking_for_a_popular_name(&self, repository: &Repository, file: &str) -> Result<Vec<Row>, String> {
        let talk = RefCell::new(self.ask_in(repository, "ultragit")?);
        let summary = call("ultragit_summary", r#"{"path":"src/runners"}"#);
        talk.borrow_mut().ask(&summary)?;
        let command = |arguments: &[&str]| run(&mut repository.cairn(self.cairn, arguments));
        let mut cases = [
            Case::new("cairn --version", || command(&["--version"])),
            Case::new("cairn read of a name annotated in 2,000 files, among 20,000 notes", || {
                command(&["read", file, "--anchor", "run", "--json"])
            }),
            Case::new("cairn context of it", || command(&["context", file, "--anchor", "run", "--json"])),
            Case::new("ultragit_summary of 10,000 functions, again", || talk.borrow_mut().ask(&summary)),
        ];
        let timings = in_turn(&mut cases, self.rounds(Rounds { warm_up: 2, counted: 50, for_cpu: 0 }))?;
        let floor = timings[0];
        let mut rows = vec![bare(cases[0].name, floor)];
        for (n, limit) in [READ, CONTEXT, SUMMARY].into_iter().enumerate() {
            rows.push(beside(cases[n + 1].name, timings[n + 1], cases[0].name, floor, limit));
        }
        Ok(rows)
    }

    fn covering(&self, repository: &Repository) -> Result<Vec<Row>, String> {
        let cover = || run(&mut repository.cairn(self.cairn, &["annotate", "--coverage", "--json"]));
        let mut cases = [
            Case::new("cairn --version", || run(&mut repository.cairn(self.cairn, &["--version"]))),
            Case::prepared(
                "coverage of 1,000 files, 50 of them renamed, without an index",
                || repository.forget_index(),
                cover,
            ),
            Case::new("coverage again", cover),
        ];
        cover()?;
        let timings = in_turn(&mut cases, self.rounds(Rounds { warm_up: 1, counted: 10, for_cpu: 0 }))?;
        let floor = timings[0];
        Ok(vec![
            bare(cases[0].name, floor),
            beside(cases[1].name, timings[1], cases[0].name, floor, COVERAGE_COLD),
            beside(cases[2].name, timings[2], cases[0].name, floor, COVERAGE_WARM),
        ])
    }
}
