//! The report as a Markdown page: generated from one run, except for the sections of other tasks, which are kept.

use std::fmt::Write as _;

use super::history::Size;
use super::machine::Machine;
use super::statistics::{Summary, milliseconds};
use super::verdict::Row;

/// Sections with figures of the browser and of large pages, which are measured by scenes and scripts; a run keeps them.
pub(crate) const SECTIONS_BY_HAND: [&str; 2] = ["## The board in a browser", "## Pages about 50,000 items"];

/// The results of one run.
pub(crate) struct Findings {
    pub(crate) machine: Machine,
    /// The size of the main scenes, and the two compared sizes.
    pub(crate) size: Size,
    pub(crate) small: Size,
    pub(crate) large: Size,
    pub(crate) is_quick: bool,
    /// The variation of `git --version`: a difference must exceed it to be significant.
    pub(crate) noise: Summary,
    pub(crate) scenes: Vec<(&'static str, Vec<Row>)>,
}

pub(crate) fn write(findings: &Findings) -> String {
    let mut page = String::from(INTRODUCTION);
    if findings.is_quick {
        page.push_str("\n**A quick run: few rounds, small histories; limits are shown and not enforced.**\n");
    }
    page.push_str(&machine(findings));
    for (title, rows) in &findings.scenes {
        let _ = write!(page, "\n## {title}\n\n{}", table(rows));
    }
    page.push_str(METHOD);
    page
}

fn machine(findings: &Findings) -> String {
    let Findings { machine, size, small, large, noise, .. } = findings;
    format!(
        "\n## The run\n\n\
        - Date: {}\n- Processor: {}; memory: {}\n- Disk: {}\n- System: {}; {}; {}\n\
        - History: {} items, {} operations; compared for scaling: {} and {} items, five operations each\n\
        - Load before the run: {}\n\
        - Noise: `git --version` itself took {noise}, so its spread was {:.0} % of its median\n",
        machine.date,
        machine.processor,
        machine.memory,
        machine.disk,
        machine.system,
        machine.git,
        machine.rustc,
        size.n_items,
        size.n_ops,
        small.n_items,
        large.n_items,
        machine.load,
        noise.spread(),
    )
}

fn table(rows: &[Row]) -> String {
    let mut table = String::from(
        "| What | Wall: median (p10–p90) | CPU | Floor | Ratio | Limit | Verdict |\n|---|---|---|---|---|---|---|\n",
    );
    for row in rows {
        let wall = row.timing.map_or_else(String::new, |timing| timing.wall.to_string());
        let cpu = row.timing.map(|timing| timing.cpu.map_or_else(|| "not told".to_owned(), milliseconds));
        let floor = row.floor.as_ref().map_or_else(String::new, |(name, floor)| format!("{name}: {floor}"));
        let verdict = &row.verdict;
        let outcome = if verdict.ratio.is_empty() { "floor" } else { verdict.outcome.name() };
        let cells = [&row.what, &wall, &cpu.unwrap_or_default(), &floor, &verdict.ratio, &verdict.limit];
        for cell in cells {
            let _ = write!(table, "| {cell} ");
        }
        let _ = writeln!(table, "| {outcome} |");
    }
    table
}

const INTRODUCTION: &str = "\
# Benchmarks

Written by `just bench --write`; do not edit. Every command is timed as people meet it: a process from start to end,
beside the cheapest thing git itself does in its place, in the same run. Ratios travel between machines; milliseconds
do not.
";

const METHOD: &str = "
## How it is measured

The release binary and git run as processes on made-up histories: two years of twelve people's work from a fixed seed,
one commit a write, packed by `git gc`; `cairn doctor` must find nothing wrong with them before anything is timed.
The cases of a table run in turn, back and forth, after a warm-up, so that whatever else the machine does hits them
alike. Wall time is the median with the tenth and ninetieth percentile. CPU time is taken from further runs in a row,
user and system, with all children, from `/proc/self/stat`: the median of long runs, the mean of short ones, over which
its steps of 10 ms even out. Output goes to `/dev/null`; the settings of whoever runs it are kept out.

The server is asked over a pipe, one request after the other, by a client that reads lines and nothing else; `ping` is
what any answer costs. Its memory is what the kernel calls resident. The crowd are connections of one thread, all
asking at once without a pause; an answer that is an error ends the run. Many writers are such a crowd, on two servers
in turn: one is told to give each write a commit of its own (`cairn.writesPerCommit`).

Several servers share a PostgreSQL on the same machine that waits for the disk. `pgbench` inserts rows of about the size
of a create there: one commit each, grouped by many clients, and grouped as the servers do, each of which sends one
transaction at a time with what all its waiting clients wrote; without an order, and in one order, for which each
transaction updates one row first, as each write moves the one ref of the log. The limit compares with inserts without
an order; the ratio in one order is told beside it. Everything runs on the same cores: an insert of `pgbench` is a statement, a
create is a request over HTTP, a plan on the newest state, a commit, and an entry in the index of every server.

Cairn syncs every object and ref to disk before it says that a write is done; git by default leaves loose objects to
the kernel. So `cairn new` is held to git as it comes, and shown beside git told to be as careful
(`core.fsync=all`, `core.fsyncMethod=fsync`).
";

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use xtask::page_section;

    use super::super::measure::Timing;
    use super::super::verdict::Limit;
    use super::*;

    #[test]
    fn sections_written_by_hand_are_in_the_page() {
        let page = include_str!("../../../docs/benchmarks.md");
        for heading in SECTIONS_BY_HAND {
            assert!(page_section::find(page, heading).is_some(), "{heading}");
        }
    }

    #[test]
    fn a_row_has_the_subject_the_reason_and_the_result() {
        let wall = Summary::of(&[Duration::from_millis(3)]).unwrap();
        let floor = Summary::of(&[Duration::from_millis(2)]).unwrap();
        let row = Row {
            what: "cairn list".to_owned(),
            timing: Some(Timing { wall, cpu: Some(Duration::from_micros(2500)) }),
            floor: Some(("git --version".to_owned(), floor)),
            verdict: Limit::times(2.0).judge(wall.median, floor.median),
        };
        let expected = "| cairn list | 3.00 ms (3.00–3.00) | 2.50 ms | git --version: 2.00 ms (2.00–2.00) | 1.50× | \
            ≤ 2× = 4.00 ms | PASS |";
        assert_eq!(table(&[row]).lines().nth(2), Some(expected));
    }
}
