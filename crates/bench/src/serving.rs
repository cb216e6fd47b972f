//! The MCP server: start-up time, the cost of a call compared with a ping, memory, and fairness with many clients.

use std::cell::RefCell;
use std::time::Duration;

use super::crowd;
use super::measure::{Case, Rounds, Timing, in_turn, run};
use super::scenes::{Stage, bare, beside};
use super::statistics::{Summary, percentile_of};
use super::talk::{INITIALIZE, LIST, PAGE, PING, Talk};
use super::verdict::{Limit, Row, Verdict};
use xtask::served::Served;

const START: Limit = Limit::times(3.0);
const LISTING: Limit = Limit { times: 1.0, plus: Duration::from_millis(1) };
/// A page of 200 tasks of all tasks.
const PAGING: Limit = Limit { times: 1.0, plus: Duration::from_millis(5) };
const MAX_MEMORY: u64 = 40;
const N_CLIENTS: usize = 200;
/// Maximum ratio of the 99th percentile to the median.
const MAX_TAIL_RATIO: Limit = Limit::times(20.0);

impl Stage<'_> {
    /// The server over stdio, and over HTTP with many clients.
    pub(crate) fn serving(&self) -> Result<Vec<Row>, String> {
        let mut rows = self.starting()?;
        rows.extend(self.calling()?);
        rows.extend(self.paging()?);
        rows.push(self.crowd()?);
        Ok(rows)
    }

    fn talk(&self) -> Result<Talk, String> {
        self.talk_in("mile")
    }

    fn talk_in(&self, dialect: &str) -> Result<Talk, String> {
        Talk::start(&mut self.repository.cairn(self.cairn, &["mcp", "start", "--dialect", dialect]))
    }

    fn starting(&self) -> Result<Vec<Row>, String> {
        let started = RefCell::new(None);
        let mut cases = [
            Case::new("git --version", || run(&mut self.repository.git(&["--version"]))),
            Case::prepared(
                "cairn mcp start, until `initialize` is answered",
                || {
                    started.replace(None);
                    Ok(())
                },
                || {
                    let mut talk = self.talk()?;
                    talk.ask(INITIALIZE)?;
                    started.replace(Some(talk));
                    Ok(())
                },
            ),
        ];
        let timings = in_turn(&mut cases, self.rounds(Rounds { warm_up: 5, counted: 200, for_cpu: 0 }))?;
        let (floor, ours) = (timings[0], timings[1]);
        Ok(vec![bare(cases[0].name, floor), beside(cases[1].name, ours, cases[0].name, floor, START)])
    }

    fn calling(&self) -> Result<Vec<Row>, String> {
        let talk = RefCell::new(self.talk()?);
        let ask = |request: &str| talk.borrow_mut().ask(request);
        ask(INITIALIZE)?;
        let mut cases = [Case::new("ping", || ask(PING)), Case::new("git_mile.list, 20 of them", || ask(LIST))];
        let rounds = self.rounds(Rounds { warm_up: 100, counted: 10_000, for_cpu: 0 });
        let timings = in_turn(&mut cases, rounds)?;
        let (ping, list) = (timings[0], timings[1]);
        let mut rows = vec![bare(cases[0].name, ping), beside(cases[1].name, list, cases[0].name, ping, LISTING)];
        if let Some(kib) = talk.borrow().resident() {
            let what = format!("memory after {} requests", 2 * rounds.counted);
            rows.push(Row { what, timing: None, floor: None, verdict: Verdict::memory(kib, MAX_MEMORY) });
        }
        Ok(rows)
    }

    fn paging(&self) -> Result<Vec<Row>, String> {
        let talk = RefCell::new(self.talk_in("quicksilver")?);
        let ask = |request: &str| talk.borrow_mut().ask(request);
        ask(INITIALIZE)?;
        let mut cases =
            [Case::new("ping", || ask(PING)), Case::new("resources/list of quicksilver, 200 tasks", || ask(PAGE))];
        let timings = in_turn(&mut cases, self.rounds(Rounds { warm_up: 100, counted: 2_000, for_cpu: 0 }))?;
        let (ping, page) = (timings[0], timings[1]);
        Ok(vec![bare(cases[0].name, ping), beside(cases[1].name, page, cases[0].name, ping, PAGING)])
    }

    fn crowd(&self) -> Result<Row, String> {
        let seconds = if self.is_quick { 3 } else { 30 };
        let served = Served::start(&mut self.repository.cairn(self.cairn, &[]), &["--dialect", "mile"])?;
        let times = crowd::asking(served.url(), LIST, N_CLIENTS, Duration::from_secs(seconds))?;
        let wall = Summary::of(&times).ok_or("nobody was answered")?;
        let slowest = percentile_of(&times, 99);
        let mut verdict = MAX_TAIL_RATIO.judge(slowest, wall.median);
        verdict.ratio = format!("p99 {}, {} answers", verdict.ratio, times.len());
        let what = format!("git_mile.list over HTTP, {N_CLIENTS} connections, {seconds} s");
        Ok(Row { what, timing: Some(Timing { wall, cpu: None }), floor: None, verdict })
    }
}
