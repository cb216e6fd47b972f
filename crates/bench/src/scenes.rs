//! The benchmarks of the command line: five scenes, each with its floors in the same rounds.

use std::cell::RefCell;
use std::fs;
use std::process::Command;
use std::time::Duration;

use super::history::{REF, Size};
use super::measure::{Case, Rounds, Timing, in_turn, read, run};
use super::prose::RARE;
use super::scratch::{Cairn, Repository};
use super::statistics::Summary;
use super::verdict::{Limit, Row, Verdict};
use xtask::scratch::Scratch;

const READ: Limit = Limit { times: 3.0, plus: Duration::from_millis(5) };
const WRITE: Limit = Limit::times(2.0);
const SYNC: Limit = Limit::times(1.2);
const SCALE: Limit = Limit::times(1.5);
/// Operations per second of CPU time.
const COLD: u32 = 50_000;

const TITLE: &str = "Keep the stale cache of the login page";
const DESCRIPTION: &str = "The cache of the login page is kept for a week, although the session behind it ends after a \
    day. People who come back then see a form that no longer answers, and reload it by hand. It should be thrown away \
    with the session, or the form should notice that it is stale and fetch itself anew before anyone fills it in.";

/// The environment of the measurements.
pub(crate) struct Stage<'a> {
    pub(crate) cairn: &'a Cairn,
    pub(crate) scratch: &'a Scratch,
    pub(crate) repository: &'a Repository,
    pub(crate) size: Size,
    pub(crate) is_quick: bool,
}

impl Stage<'_> {
    pub(crate) fn rounds(&self, full: Rounds) -> Rounds {
        let fewer = |n: usize| n.div_ceil(10).max(n.min(3));
        if !self.is_quick {
            return full;
        }
        Rounds { warm_up: full.warm_up.min(2), counted: fewer(full.counted), for_cpu: fewer(full.for_cpu) }
    }

    fn cairn_case<'a>(&'a self, name: &'static str, arguments: &'a [&'a str]) -> Case<'a> {
        Case::new(name, || run(&mut self.repository.cairn(self.cairn, arguments)))
    }

    /// The variation of `git --version`.
    pub(crate) fn noise(&self) -> Result<Summary, String> {
        let mut cases = [Case::new("git --version", || run(&mut self.repository.git(&["--version"])))];
        let timings = in_turn(&mut cases, self.rounds(Rounds { warm_up: 5, counted: 100, for_cpu: 0 }))?;
        Ok(timings[0].wall)
    }

    /// Reading commands next to the cheapest git commands.
    pub(crate) fn reading(&self) -> Result<Vec<Row>, String> {
        let number = (self.size.n_items / 2 + 3).to_string();
        let show = ["show", &number];
        let mut cases = [
            Case::new("git --version", || run(&mut self.repository.git(&["--version"]))),
            Case::new("git rev-parse HEAD", || run(&mut self.repository.git(&["rev-parse", "HEAD"]))),
            self.cairn_case("cairn list", &["list"]),
            self.cairn_case("cairn ready", &["ready"]),
            self.cairn_case("cairn show N", &show),
            self.cairn_case("cairn search WORD", &["search", RARE]),
        ];
        let timings = in_turn(&mut cases, self.rounds(Rounds { warm_up: 10, counted: 200, for_cpu: 100 }))?;
        let floor = timings[0];
        let judged = |(case, timing): (&Case<'_>, &Timing)| beside(case.name, *timing, cases[0].name, floor, READ);
        let floors = cases.iter().zip(&timings).take(2).map(|(case, timing)| bare(case.name, *timing));
        Ok(floors.chain(cases.iter().zip(&timings).skip(2).map(judged)).collect())
    }

    /// A new item next to the minimum that git needs for a commit, with git's defaults and with Cairn's durability.
    pub(crate) fn writing(&self) -> Result<Vec<Row>, String> {
        let new = ["new", "issue", TITLE, "--description", DESCRIPTION, "--label", "bug", "--priority", "5"];
        run(&mut self.repository.cairn(self.cairn, &new))?;
        let message = read(&mut self.repository.git(&["log", "-1", "--format=%B", REF]))?;
        let plain = Committer::new(self, self.repository, "refs/bench/plain", &message, &[])?;
        let safe = ["-c", "core.fsync=all", "-c", "core.fsyncMethod=fsync"];
        let safe = Committer::new(self, self.repository, "refs/bench/safe", &message, &safe)?;
        let mut cases = [
            Case::new("git commit-tree + update-ref", || plain.commit()),
            Case::new("the same with core.fsync=all", || safe.commit()),
            self.cairn_case("cairn new", &new),
        ];
        let timings = in_turn(&mut cases, self.rounds(Rounds { warm_up: 5, counted: 150, for_cpu: 50 }))?;
        let (plain, safe, new) = (timings[0], timings[1], timings[2]);
        let as_safe = Row {
            what: "cairn new, beside commits as safe".to_owned(),
            timing: Some(new),
            floor: Some((cases[1].name.to_owned(), safe.wall)),
            verdict: Verdict::told(new.wall.median, safe.wall.median),
        };
        Ok(vec![
            bare(cases[0].name, plain),
            bare(cases[1].name, safe),
            beside(cases[2].name, new, cases[0].name, plain, WRITE),
            as_safe,
        ])
    }

    /// Building the index from scratch.
    pub(crate) fn cold(&self) -> Result<Vec<Row>, String> {
        let list = ["list"];
        let mut cases = [Case::prepared(
            "cairn list, without an index",
            || self.repository.forget_index(),
            || run(&mut self.repository.cairn(self.cairn, &list)),
        )];
        let n_ops = self.count_ops()?;
        let timings = in_turn(&mut cases, self.rounds(Rounds { warm_up: 1, counted: 9, for_cpu: 9 }))?;
        // If the system does not report CPU time, wall time is the stricter measure.
        let time = timings[0].cpu.unwrap_or(timings[0].wall.median);
        let verdict = Verdict::rate(n_ops, "operations", time, COLD);
        Ok(vec![Row { what: cases[0].name.to_owned(), timing: Some(timings[0]), floor: None, verdict }])
    }

    fn count_ops(&self) -> Result<usize, String> {
        let log = read(&mut self.repository.git(&["log", "--format=%B", REF]))?;
        Ok(log.lines().filter(|line| line.starts_with("{\"v\":")).count())
    }

    /// Two clones and a hub on the same disk.
    pub(crate) fn sharing(&self) -> Result<Vec<Row>, String> {
        let hub = Repository::hub_of(self.repository, self.scratch.path("hub.git"))?;
        let here = Repository::clone_of(&hub, self.scratch.path("here"))?;
        let there = Repository::clone_of(&hub, self.scratch.path("there"))?;
        let sync = |clone: &Repository| run(&mut clone.cairn(self.cairn, &["sync"]));
        let comment = || run(&mut here.cairn(self.cairn, &["comment", "2", "One more thing to say about this."]));
        sync(&here)?;
        sync(&there)?;
        let message = read(&mut here.git(&["log", "-1", "--format=%B", REF]))?;
        let plain = Committer::new(self, &here, BARE_REF, &message, &[])?;
        push(&here)?;
        fetch(&there)?;
        let mut cases = [
            Case::new("git fetch + git push, nothing new", || fetch(&here).and_then(|()| push(&here))),
            Case::new("cairn sync, nothing new", || sync(&here)),
            Case::prepared(
                "git fetch + git push, one commit to send",
                || plain.commit(),
                || fetch(&here).and_then(|()| push(&here)),
            ),
            Case::prepared("cairn sync, one change to send", &comment, || sync(&here)),
            Case::prepared(
                "git fetch, one commit to receive",
                || fetch(&there).and_then(|()| plain.commit()).and_then(|()| push(&here)),
                || fetch(&there),
            ),
            Case::prepared(
                "cairn sync, one change to receive",
                || sync(&there).and_then(|()| comment()).and_then(|()| sync(&here)),
                || sync(&there),
            ),
        ];
        let timings = in_turn(&mut cases, self.rounds(Rounds { warm_up: 2, counted: 60, for_cpu: 20 }))?;
        let mut rows: Vec<Row> = Vec::new();
        for pair in 0..3 {
            let (floor, ours) = (timings[2 * pair], timings[2 * pair + 1]);
            let (floor_name, name) = (cases[2 * pair].name, cases[2 * pair + 1].name);
            rows.push(bare(floor_name, floor));
            let mut row = beside(name, ours, floor_name, floor, SYNC);
            if pair > 0 {
                row.verdict = Verdict::told(ours.wall.median, floor.wall.median);
            }
            rows.push(row);
        }
        Ok(rows)
    }

    /// The same commands in a small and in a large project.
    pub(crate) fn scaling(&self, small: (&Repository, Size), large: (&Repository, Size)) -> Result<Vec<Row>, String> {
        let new = ["new", "issue", TITLE, "--description", DESCRIPTION, "--label", "bug", "--priority", "5"];
        let list = ["list", "--limit", "50"];
        let command = |repository: &Repository, arguments: &[&str]| run(&mut repository.cairn(self.cairn, arguments));
        let mut cases = [
            Case::new("cairn list --limit 50", || command(small.0, &list)),
            Case::new("cairn list --limit 50", || command(large.0, &list)),
            Case::new("cairn new", || command(small.0, &new)),
            Case::new("cairn new", || command(large.0, &new)),
        ];
        let timings = in_turn(&mut cases, self.rounds(Rounds { warm_up: 5, counted: 150, for_cpu: 50 }))?;
        let row = |pair: usize| {
            let (floor, ours) = (timings[2 * pair], timings[2 * pair + 1]);
            let name = cases[2 * pair].name;
            let what = format!("{name} at {} items", large.1.n_items);
            beside(&what, ours, &format!("at {} items", small.1.n_items), floor, SCALE)
        };
        Ok(vec![row(0), row(1)])
    }
}

/// The ref for git's own commits, next to Cairn's.
const BARE_REF: &str = "refs/bench/work";

fn fetch(clone: &Repository) -> Result<(), String> {
    let spec = format!("+{BARE_REF}:refs/bench/remote");
    run(&mut clone.git(&["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "origin", &spec]))
}

fn push(clone: &Repository) -> Result<(), String> {
    run(&mut clone.git(&["push", "--quiet", "--porcelain", "origin", &format!("{BARE_REF}:{BARE_REF}")]))
}

/// Writes commits as scripts do: `git commit-tree`, then `git update-ref` with the old value.
struct Committer<'a> {
    repository: &'a Repository,
    name: &'static str,
    settings: Vec<&'static str>,
    message: String,
    tree: String,
    tip: RefCell<String>,
}

impl<'a> Committer<'a> {
    fn new(
        stage: &Stage<'_>,
        repository: &'a Repository,
        name: &'static str,
        message: &str,
        settings: &[&'static str],
    ) -> Result<Self, String> {
        let path = stage.scratch.path("message");
        fs::write(&path, message).map_err(|error| format!("cannot write a message: {error}"))?;
        let message = path.to_str().ok_or("the temporary folder's name is not UTF-8")?.to_owned();
        let tree = read(&mut repository.git(&["rev-parse", &format!("{REF}^{{tree}}")]))?;
        let tip = read(&mut repository.git(&["rev-parse", REF]))?;
        run(&mut repository.git(&["update-ref", name, &tip]))?;
        Ok(Self { repository, name, settings: settings.to_vec(), message, tree, tip: RefCell::new(tip) })
    }

    fn commit(&self) -> Result<(), String> {
        let tip = self.tip.borrow().clone();
        let commit = read(&mut self.git(&["commit-tree", "-p", &tip, "-F", &self.message, &self.tree]))?;
        run(&mut self.git(&["update-ref", self.name, &commit, &tip]))?;
        self.tip.replace(commit);
        Ok(())
    }

    fn git(&self, arguments: &[&str]) -> Command {
        self.repository.git(&[&self.settings, arguments].concat())
    }
}

/// A row for a floor.
pub(crate) fn bare(name: &str, timing: Timing) -> Row {
    Row { what: name.to_owned(), timing: Some(timing), floor: None, verdict: Verdict::none() }
}

/// A row for a measurement with its floor.
pub(crate) fn beside(name: &str, timing: Timing, floor_name: &str, floor: Timing, limit: Limit) -> Row {
    Row {
        what: name.to_owned(),
        timing: Some(timing),
        floor: Some((floor_name.to_owned(), floor.wall)),
        verdict: limit.judge(timing.wall.median, floor.wall.median),
    }
}
