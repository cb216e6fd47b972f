//! Annotations where one name is everywhere and annotated files were renamed: neither may make a question dearer.

use std::cell::RefCell;
use std::fs;
use std::time::Duration;

use super::code::{runner_name, write_runners};
use super::measure::{Case, Rounds, in_turn, run};
use super::reasons::call;
use super::scenes::{Stage, bare, beside};
use super::scratch::Repository;
use super::talk::PING;
use super::verdict::{Limit, Row};

const READ: Limit = Limit { times: 1.0, plus: Duration::from_millis(5) };
const CONTEXT: Limit = Limit { times: 1.0, plus: Duration::from_millis(20) };
const SUMMARY: Limit = Limit { times: 1.0, plus: Duration::from_millis(300) };
const COVERAGE_COLD: Limit = Limit { times: 0.0, plus: Duration::from_secs(3) };
const COVERAGE_WARM: Limit = Limit { times: 0.0, plus: Duration::from_millis(500) };

impl Stage<'_> {
    pub(super) fn popular_names(&self) -> Result<Vec<Row>, String> {
        let (n_named, n_covered) = if self.is_quick { (100, 50) } else { (2_000, 1_000) };
        let named = Repository::with_code(self.scratch.path("one-name"), |out| write_runners(n_named, 0, out))?;
        let renamed = Repository::with_code(self.scratch.path("renamed"), |out| write_runners(n_covered, 50, out))?;
        let mut rows = self.asking_for_a_popular_name(&named, n_named)?;
        rows.extend(self.covering(&renamed)?);
        Ok(rows)
    }

    fn asking_for_a_popular_name(&self, repository: &Repository, n_files: usize) -> Result<Vec<Row>, String> {
        let ultragit = RefCell::new(self.ask_in(repository, "ultragit")?);
        let cairn = RefCell::new(self.ask_in(repository, "cairn")?);
        let target = format!(r#"{{"path":"{}","anchor":"run"}}"#, runner_name(n_files / 2));
        let read = call("ultragit_read", &target);
        let context = call("context", &target);
        let summary = call("ultragit_summary", r#"{"path":"src/runners"}"#);
        ultragit.borrow_mut().ask(&read)?;
        ultragit.borrow_mut().ask(&summary)?;
        cairn.borrow_mut().ask(&context)?;
        let mut cases = [
            Case::new("ping beside one name in many files", || ultragit.borrow_mut().ask(PING)),
            Case::new("ultragit_read of a name annotated in every file", || ultragit.borrow_mut().ask(&read)),
            Case::new("context of it", || cairn.borrow_mut().ask(&context)),
            Case::new("ultragit_summary of all their functions, again", || ultragit.borrow_mut().ask(&summary)),
        ];
        let timings = in_turn(&mut cases, self.rounds(Rounds { warm_up: 2, counted: 50, for_cpu: 0 }))?;
        let floor = timings[0];
        let limits = [READ, CONTEXT, SUMMARY];
        let mut rows = vec![bare(cases[0].name, floor)];
        for (n, limit) in limits.into_iter().enumerate() {
            rows.push(beside(cases[n + 1].name, timings[n + 1], cases[0].name, floor, limit));
        }
        Ok(rows)
    }

    fn covering(&self, repository: &Repository) -> Result<Vec<Row>, String> {
        let cover = || run(&mut repository.cairn(self.cairn, &["annotate", "--coverage", "--json"]));
        let index = repository.0.join(".git/cairn");
        let mut cases = [
            Case::new("cairn --version", || run(&mut repository.cairn(self.cairn, &["--version"]))),
            Case::new("coverage with 50 renamed files, without an index", || {
                fs::remove_dir_all(&index).map_err(|error| format!("cannot remove the index: {error}"))?;
                cover()
            }),
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
