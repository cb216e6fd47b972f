//! Several processes that write at once: how fast, and whether everything that was acknowledged is there afterwards.

use std::thread;
use std::time::{Duration, Instant};

use super::super::measure::{children_cpu, read, run};
use super::sandbox::{Sandbox, Values};
use super::subject::Action;

/// Writers at once.
pub(crate) const N_WRITERS: usize = 8;

/// The outcome of writing at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Tally {
    pub(crate) n_attempted: usize,
    /// Commands that ended with success.
    pub(crate) n_acknowledged: usize,
    /// Of these, the ones that are there afterwards.
    pub(crate) n_found: usize,
    pub(crate) wall: Duration,
    pub(crate) cpu: Duration,
}

impl Tally {
    /// Adds another round.
    pub(crate) fn add(&mut self, other: &Self) {
        self.n_attempted += other.n_attempted;
        self.n_acknowledged += other.n_acknowledged;
        self.n_found += other.n_found;
        self.wall += other.wall;
        self.cpu += other.cpu;
    }

    /// Returns acknowledged writes per second.
    pub(crate) fn rate(&self) -> f64 {
        let n_acknowledged = u32::try_from(self.n_acknowledged).unwrap_or(u32::MAX);
        f64::from(n_acknowledged) / self.wall.as_secs_f64().max(0.001)
    }

    /// Returns the rate for people: `152`, or `1.2` if it is low.
    pub(crate) fn shown_rate(&self) -> String {
        let rate = self.rate();
        if rate < 9.95 { format!("{rate:.1}") } else { format!("{rate:.0}") }
    }

    /// Returns the writes that were acknowledged and are not there.
    pub(crate) fn n_lost(&self) -> usize {
        self.n_acknowledged.saturating_sub(self.n_found)
    }
}

/// Lets each writer write so many items, one process after the other.
pub(crate) fn write_at_once(sandbox: &Sandbox<'_>, action: Action, n_each: usize) -> Result<Tally, String> {
    let background = sandbox.background();
    let spent = || children_cpu().unwrap_or_default() + background.cpu();
    let (before, start) = (spent(), Instant::now());
    let acknowledged: Vec<usize> = thread::scope(|scope| {
        let write_some = |writer: usize| {
            let numbers = writer * n_each..(writer + 1) * n_each;
            scope.spawn(move || numbers.filter(|n| write(sandbox, action, *n).is_ok()).collect::<Vec<usize>>())
        };
        let writers: Vec<_> = (0..N_WRITERS).map(write_some).collect();
        writers.into_iter().flat_map(|writer| writer.join().unwrap_or_default()).collect()
    });
    let (wall, cpu) = (start.elapsed(), spent().saturating_sub(before));
    let output = read(&mut sandbox.command(sandbox.subject.found, &Values::default()))?;
    let n_found = acknowledged.iter().filter(|n| output.contains(&mark(**n))).count();
    Ok(Tally { n_attempted: N_WRITERS * n_each, n_acknowledged: acknowledged.len(), n_found, wall, cpu })
}

fn write(sandbox: &Sandbox<'_>, action: Action, n: usize) -> Result<(), String> {
    let arguments = sandbox.subject.arguments(action).ok_or("there is no command that writes")?;
    let values = Values { title: format!("Write {}", mark(n)), ..Values::nth(n) };
    run(&mut sandbox.command(arguments, &values))
}

/// A word that no other write contains, not even as a part.
fn mark(n: usize) -> String {
    format!("w{n}x")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lost_writes_are_those_that_were_acknowledged() {
        let tally = Tally {
            n_attempted: 160,
            n_acknowledged: 115,
            n_found: 69,
            wall: Duration::from_secs(5),
            cpu: Duration::ZERO,
        };
        assert_eq!(tally.n_lost(), 46);
        assert_eq!(tally.shown_rate(), "23");
        assert_eq!(Tally { n_acknowledged: 6, ..tally }.shown_rate(), "1.2");
    }

    #[test]
    fn no_mark_is_a_part_of_another() {
        let marks: Vec<String> = (0..160).map(mark).collect();
        for (n, mark) in marks.iter().enumerate() {
            assert!(marks.iter().enumerate().all(|(other, text)| other == n || !text.contains(mark)));
        }
    }
}
