//! Concurrent writers: the gain of group commit.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::time::Duration;

use super::crowd;
use super::measure::{Case, Rounds, Timing, in_turn, run};
use super::scenes::{Stage, bare};
use super::scratch::Repository;
use super::statistics::{Summary, percentile_of};
use super::talk::CREATE;
use super::verdict::{Row, Verdict};
use xtask::served::Served;

const N_CLIENTS: usize = 64;
/// Minimum factor of items created compared with one commit per write.
const MIN_SPEED_UP: f64 = 8.0;
/// About the size of the operation of a new item.
const FILE: [u8; 512] = [b'x'; 512];

/// The result of one way of writing.
#[derive(Default)]
struct Tally {
    times: Vec<Duration>,
    taken: Duration,
}

impl Stage<'_> {
    /// New items over HTTP: with one commit per write, and with group commit.
    pub(crate) fn together(&self) -> Result<Vec<Row>, String> {
        let hub = Repository::hub_of(self.repository, self.scratch.path("writers.git"))?;
        let apart = Repository::clone_of(&hub, self.scratch.path("apart"))?;
        run(&mut apart.git(&["config", "cairn.writesPerCommit", "1"]))?;
        let together = Repository::clone_of(&hub, self.scratch.path("together"))?;
        let mut rows = vec![self.disk(&self.scratch.path("apart"))?];
        let [apart, together] = self.creating([&apart, &together])?;
        rows.push(apart.row("one commit each", Verdict::told_rate(apart.rate()))?);
        rows.push(together.row("sharing commits", Verdict::speed_up(together.rate(), apart.rate(), MIN_SPEED_UP))?);
        Ok(rows)
    }

    /// The minimum cost of any durable write: a small file and its name on disk.
    fn disk(&self, folder: &Path) -> Result<Row, String> {
        let write = || -> std::io::Result<()> {
            let (new, place) = (folder.join("floor.new"), folder.join("floor"));
            let mut file = File::create(&new)?;
            file.write_all(&FILE)?;
            file.sync_all()?;
            fs::rename(new, place)?;
            File::open(folder)?.sync_all()
        };
        let run = || write().map_err(|error| format!("cannot write a file: {error}"));
        let mut cases = [Case::new("a file of 512 bytes and its name, synced, by one writer", run)];
        let timings = in_turn(&mut cases, self.rounds(Rounds { warm_up: 5, counted: 200, for_cpu: 0 }))?;
        Ok(bare(cases[0].name, timings[0]))
    }

    /// Writes to both repositories alternately, in slices, so that other load affects them equally.
    fn creating(&self, repositories: [&Repository; 2]) -> Result<[Tally; 2], String> {
        let (n_slices, slice) = if self.is_quick { (2, Duration::from_secs(1)) } else { (6, Duration::from_secs(5)) };
        let start = |repository: &Repository| Served::start(&mut repository.cairn(self.cairn, &[]), &[]);
        let servers = [start(repositories[0])?, start(repositories[1])?];
        let mut tallies = [Tally::default(), Tally::default()];
        for _ in 0..n_slices {
            for (server, tally) in servers.iter().zip(&mut tallies) {
                let start = std::time::Instant::now();
                tally.times.extend(crowd::asking(&quicksilver(server), CREATE, N_CLIENTS, slice)?);
                tally.taken += start.elapsed();
            }
        }
        Ok(tallies)
    }
}

/// Returns the URL of the dialect on a server that prints another one's.
fn quicksilver(server: &Served) -> String {
    let origin: Vec<&str> = server.url().split('/').take(3).collect();
    format!("{}/mcp/quicksilver", origin.join("/"))
}

impl Tally {
    fn rate(&self) -> f64 {
        let n_answers = u32::try_from(self.times.len()).unwrap_or(u32::MAX);
        f64::from(n_answers) / self.taken.as_secs_f64()
    }

    fn row(&self, how: &str, mut verdict: Verdict) -> Result<Row, String> {
        let wall = Summary::of(&self.times).ok_or("nobody was answered")?;
        let slowest = percentile_of(&self.times, 99);
        verdict.ratio = format!("{}, p99 {} ms", verdict.ratio, slowest.as_millis());
        let what = format!("create_task over HTTP, {N_CLIENTS} connections, {how}");
        Ok(Row { what, timing: Some(Timing { wall, cpu: None }), floor: None, verdict })
    }
}
