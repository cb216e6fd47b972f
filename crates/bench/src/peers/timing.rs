//! Times two programs alternately: wall time of each run, CPU time of batches of runs with children and daemons.

use std::time::{Duration, Instant};

use super::super::measure::{children_cpu, run};
use super::super::statistics::Summary;
use super::sandbox::Sandbox;
use super::subject::Action;

/// What a run of a command costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Cost {
    pub(crate) cpu: Duration,
    pub(crate) wall: Duration,
}

/// A batch takes about this much CPU time: the kernel counts it in steps of 10 ms, which must not matter.
const BATCH_TIME: Duration = Duration::from_millis(250);
const MAX_BATCH: u32 = 30;

/// Commands that take longer run less often.
const SLOW_COMMAND_TIME: Duration = Duration::from_millis(1_500);

/// How many batches of each program are timed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rounds {
    pub(crate) usual: usize,
    pub(crate) slow: usize,
}

/// A command of a program that is run again and again.
pub(crate) struct Repeated<'a> {
    sandbox: &'a Sandbox<'a>,
    action: Action,
    n_runs: usize,
    batch: u32,
    is_slow: bool,
    samples: Vec<Cost>,
}

impl<'a> Repeated<'a> {
    /// Runs the command, which fills caches, and decides how many runs make a batch.
    pub(crate) fn new(sandbox: &'a Sandbox<'a>, action: Action, n_before: usize) -> Result<Self, String> {
        let mut repeated = Self { sandbox, action, n_runs: n_before, batch: 1, is_slow: false, samples: Vec::new() };
        repeated.is_slow = repeated.once()? > SLOW_COMMAND_TIME;
        if !repeated.is_slow {
            let before = repeated.spent();
            repeated.once()?;
            repeated.batch = batch(repeated.spent().saturating_sub(before));
        }
        Ok(repeated)
    }

    fn once(&mut self) -> Result<Duration, String> {
        self.n_runs += 1;
        let mut command = self.sandbox.action(self.action, self.n_runs)?;
        let start = Instant::now();
        run(&mut command)?;
        Ok(start.elapsed())
    }

    fn batch(&mut self) -> Result<(), String> {
        let before = self.spent();
        let walls: Result<Vec<Duration>, String> = (0..self.batch).map(|_| self.once()).collect();
        let cpu = self.spent().saturating_sub(before) / self.batch;
        self.samples.push(Cost { cpu, wall: median(&walls?) });
        Ok(())
    }

    /// Returns the CPU time of all runs so far, and of daemons.
    fn spent(&self) -> Duration {
        children_cpu().unwrap_or_default() + self.sandbox.background().cpu()
    }

    fn cost(&self) -> Cost {
        let median_of = |part: fn(&Cost) -> Duration| median(&self.samples.iter().map(part).collect::<Vec<_>>());
        Cost { cpu: median_of(|cost| cost.cpu), wall: median_of(|cost| cost.wall) }
    }
}

/// Times both alternately, back and forth, and returns their costs.
pub(crate) fn alternate(
    ours: &mut Repeated<'_>,
    theirs: &mut Repeated<'_>,
    rounds: Rounds,
) -> Result<[Cost; 2], String> {
    for round in 0..if theirs.is_slow { rounds.slow } else { rounds.usual } {
        if round % 2 == 0 {
            ours.batch()?;
            theirs.batch()?;
        } else {
            theirs.batch()?;
            ours.batch()?;
        }
    }
    Ok([ours.cost(), theirs.cost()])
}

/// Returns how many runs of so much CPU time make a batch.
pub(crate) fn batch(cpu: Duration) -> u32 {
    let n_runs = BATCH_TIME.as_millis() / cpu.as_millis().max(1);
    u32::try_from(n_runs).unwrap_or(MAX_BATCH).clamp(1, MAX_BATCH)
}

pub(crate) fn median(times: &[Duration]) -> Duration {
    Summary::of(times).map_or(Duration::ZERO, |summary| summary.median)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_commands_run_in_long_batches() {
        assert_eq!(batch(Duration::ZERO), MAX_BATCH);
        assert_eq!(batch(Duration::from_millis(10)), 25);
        assert_eq!(batch(Duration::from_millis(100)), 2);
        assert_eq!(batch(Duration::from_secs(2)), 1);
    }

    #[test]
    fn the_median_of_nothing_is_zero() {
        assert_eq!(median(&[]), Duration::ZERO);
        assert_eq!(
            median(&[Duration::from_secs(3), Duration::from_secs(1), Duration::from_secs(2)]),
            Duration::from_secs(2)
        );
    }
}
