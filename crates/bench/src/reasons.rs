//! Annotations: the cost of a query compared with git's own blame, and that it does not grow with the number of notes.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use super::code::{self, CodeSize, N_FUNCTIONS, lines_of};
use super::measure::{Case, Rounds, in_turn, run};
use super::scenes::{Stage, bare, beside};
use super::scratch::Repository;
use super::talk::{INITIALIZE, PING, Talk};
use super::verdict::{Limit, Row};

const BLAME: Limit = Limit::times(1.3);
const WARM: Limit = Limit { times: 0.0, plus: Duration::from_millis(5) };
const OUTLINE: Limit = Limit { times: 1.0, plus: Duration::from_millis(30) };
const MORE_NOTES: Limit = Limit::times(1.5);
const SUMMARY_COLD: Limit = Limit { times: 0.0, plus: Duration::from_secs(2) };
const SUMMARY_WARM: Limit = Limit { times: 0.0, plus: Duration::from_millis(50) };

impl Stage<'_> {
    /// Queries about code and its annotations.
    pub(crate) fn reasons(&self) -> Result<Vec<Row>, String> {
        let (few, many) = if self.is_quick { (20, 400) } else { (100, 20_000) };
        let n_long = if self.is_quick { 50 } else { 1_000 };
        let few = self.code("few-notes", CodeSize { n_long, n_notes: few })?;
        let many = self.code("many-notes", CodeSize { n_long: 0, n_notes: many })?;
        let mut rows = self.blaming(&few)?;
        rows.extend(self.depending(&few, &many)?);
        rows.extend(self.summing(&few)?);
        rows.extend(self.popular_names()?);
        Ok(rows)
    }

    fn code(&self, name: &str, size: CodeSize) -> Result<Repository, String> {
        let repository = Repository::with_code(self.scratch.path(name), |out| code::write(size, out))?;
        // The first query ingests the notes.
        run(&mut repository.cairn(self.cairn, &["deps", "src/target.rs"]))?;
        Ok(repository)
    }

    fn ask(&self, repository: &Repository) -> Result<Talk, String> {
        self.ask_in(repository, "ultragit")
    }

    pub(super) fn ask_in(&self, repository: &Repository, dialect: &str) -> Result<Talk, String> {
        let mut talk = Talk::start(&mut repository.cairn(self.cairn, &["mcp", "start", "--dialect", dialect]))?;
        talk.ask(INITIALIZE)?;
        Ok(talk)
    }

    fn blaming(&self, repository: &Repository) -> Result<Vec<Row>, String> {
        let talk = RefCell::new(self.ask(repository)?);
        let (blamed, read) = (Cell::new(0), Cell::new(0));
        let next = |counter: &Cell<usize>| {
            counter.set(counter.get() + 1);
            counter.get() % N_FUNCTIONS
        };
        let mut cases = [
            Case::new("git blame -L of a function", || {
                let (first, last) = lines_of(next(&blamed));
                let range = format!("-L{first},{last}");
                run(&mut repository.git(&["blame", "--porcelain", &range, "HEAD", "--", "src/long.rs"]))
            }),
            Case::new("ultragit_read of it, never asked before", || {
                talk.borrow_mut().ask(&read_of(&format!("long_{}", next(&read))))
            }),
            Case::new("ultragit_read again", || talk.borrow_mut().ask(&read_of("long_1"))),
        ];
        // No function twice, or it would be cached.
        let timings = in_turn(&mut cases, self.rounds(Rounds { warm_up: 5, counted: 200, for_cpu: 0 }))?;
        let floor = timings[0];
        let mut rows = vec![
            bare(cases[0].name, floor),
            beside(cases[1].name, timings[1], cases[0].name, floor, BLAME),
            beside(cases[2].name, timings[2], cases[0].name, floor, WARM),
        ];
        rows.extend(self.outlining(repository)?);
        Ok(rows)
    }

    /// The symbols of a file of 3,000 lines, as part of a command that needs nothing else.
    fn outlining(&self, repository: &Repository) -> Result<Vec<Row>, String> {
        let mut cases = [
            Case::new("cairn summary of a file of 3 lines", || {
                run(&mut repository.cairn(self.cairn, &["summary", "src/target.rs"]))
            }),
            Case::new("cairn summary of a file of 3,000 lines", || {
                run(&mut repository.cairn(self.cairn, &["summary", "src/long.rs"]))
            }),
        ];
        let timings = in_turn(&mut cases, self.rounds(Rounds { warm_up: 3, counted: 50, for_cpu: 0 }))?;
        let floor = timings[0];
        Ok(vec![bare(cases[0].name, floor), beside(cases[1].name, timings[1], cases[0].name, floor, OUTLINE)])
    }

    fn depending(&self, few: &Repository, many: &Repository) -> Result<Vec<Row>, String> {
        let (in_few, in_many) = (RefCell::new(self.ask(few)?), RefCell::new(self.ask(many)?));
        let deps = call("ultragit_deps", r#"{"path":"src/target.rs","anchor":"target"}"#);
        let mut cases = [
            Case::new("ultragit_deps among few notes", || in_few.borrow_mut().ask(&deps)),
            Case::new("ultragit_deps among many notes", || in_many.borrow_mut().ask(&deps)),
        ];
        let timings = in_turn(&mut cases, self.rounds(Rounds { warm_up: 20, counted: 1_000, for_cpu: 0 }))?;
        let floor = timings[0];
        Ok(vec![bare(cases[0].name, floor), beside(cases[1].name, timings[1], cases[0].name, floor, MORE_NOTES)])
    }

    fn summing(&self, repository: &Repository) -> Result<Vec<Row>, String> {
        let talk = RefCell::new(self.ask(repository)?);
        let summary = call("ultragit_summary", r#"{"path":"src/short"}"#);
        talk.borrow_mut().ask(&summary)?;
        let mut cases = [
            Case::new("ping", || talk.borrow_mut().ask(PING)),
            Case::new("cairn summary of 200 files", || {
                run(&mut repository.cairn(self.cairn, &["summary", "src/short"]))
            }),
            Case::new("ultragit_summary again", || talk.borrow_mut().ask(&summary)),
        ];
        let timings = in_turn(&mut cases, self.rounds(Rounds { warm_up: 1, counted: 20, for_cpu: 0 }))?;
        let floor = timings[0];
        Ok(vec![
            bare(cases[0].name, floor),
            beside(cases[1].name, timings[1], cases[0].name, floor, SUMMARY_COLD),
            beside(cases[2].name, timings[2], cases[0].name, floor, SUMMARY_WARM),
        ])
    }
}

fn read_of(anchor: &str) -> String {
    call("ultragit_read", &format!(r#"{{"path":"src/long.rs","anchor":"{anchor}"}}"#))
}

pub(super) fn call(tool: &str, arguments: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments}}}}}"#)
}
