//! Times processes. Compared cases run alternately, round by round, so that other load affects them equally; CPU time
//! includes child processes.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::statistics::Summary;

/// A case to time. `prepare` is not timed and runs before each `run`, to restore the initial state.
pub(crate) struct Case<'a> {
    pub(crate) name: &'static str,
    pub(crate) prepare: Box<dyn FnMut() -> Result<(), String> + 'a>,
    pub(crate) run: Box<dyn FnMut() -> Result<(), String> + 'a>,
}

impl<'a> Case<'a> {
    /// A case without preparation.
    pub(crate) fn new(name: &'static str, run: impl FnMut() -> Result<(), String> + 'a) -> Self {
        Self { name, prepare: Box::new(|| Ok(())), run: Box::new(run) }
    }

    /// A case with preparation before each run.
    pub(crate) fn prepared(
        name: &'static str,
        prepare: impl FnMut() -> Result<(), String> + 'a,
        run: impl FnMut() -> Result<(), String> + 'a,
    ) -> Self {
        Self { name, prepare: Box::new(prepare), run: Box::new(run) }
    }
}

/// The timing of a case.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Timing {
    pub(crate) wall: Summary,
    /// CPU time of a run, where the system reports it.
    pub(crate) cpu: Option<Duration>,
}

/// How often each case runs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rounds {
    /// Runs that are not counted: they fill caches.
    pub(crate) warm_up: usize,
    pub(crate) counted: usize,
    /// Consecutive runs for CPU time, which the kernel reports in steps of 10 ms.
    pub(crate) for_cpu: usize,
}

/// Times cases alternately and returns the timings, in the order given.
pub(crate) fn in_turn(cases: &mut [Case<'_>], rounds: Rounds) -> Result<Vec<Timing>, String> {
    let mut walls = vec![Vec::with_capacity(rounds.counted); cases.len()];
    for round in 0..rounds.warm_up + rounds.counted {
        for step in 0..cases.len() {
            // Back and forth: no case always follows the same one.
            let place = if round % 2 == 0 { step } else { cases.len() - 1 - step };
            let wall = once(&mut cases[place])?;
            if round >= rounds.warm_up {
                walls[place].push(wall);
            }
        }
    }
    let mut timings = Vec::with_capacity(cases.len());
    for (case, walls) in cases.iter_mut().zip(&walls) {
        let wall = Summary::of(walls).ok_or("nothing was measured")?;
        timings.push(Timing { wall, cpu: cpu(case, rounds.for_cpu)? });
    }
    Ok(timings)
}

fn once(case: &mut Case<'_>) -> Result<Duration, String> {
    (case.prepare)()?;
    let start = Instant::now();
    (case.run)()?;
    Ok(start.elapsed())
}

/// Returns the CPU time per run over `n_runs` consecutive ones; `None` if the system does not report it.
fn cpu(case: &mut Case<'_>, n_runs: usize) -> Result<Option<Duration>, String> {
    let mut times = Vec::with_capacity(n_runs);
    for _ in 0..n_runs {
        (case.prepare)()?;
        let Some(before) = children_cpu() else { return Ok(None) };
        (case.run)()?;
        times.push(children_cpu().unwrap_or(before).saturating_sub(before));
    }
    Ok(typical(&times))
}

/// Of long runs the median. Of runs shorter than a few ticks the mean: single ones are coarse, but what is cut off one
/// is added to another.
fn typical(times: &[Duration]) -> Option<Duration> {
    let median = Summary::of(times)?.median;
    let n_times = u32::try_from(times.len()).unwrap_or(u32::MAX);
    Some(if median >= 20 * TICK_INTERVAL { median } else { times.iter().sum::<Duration>() / n_times })
}

/// A tick of `/proc` is 1/100 s on every Linux, independent of the kernel's own.
const TICK_INTERVAL: Duration = Duration::from_millis(10);

/// Returns the CPU time of all child processes that were waited for, and of their children.
///
/// From `/proc`, since the standard library has no `wait4` and a dependency for one number is not worth it.
pub(crate) fn children_cpu() -> Option<Duration> {
    read_children_cpu(&fs::read_to_string("/proc/self/stat").ok()?)
}

fn read_children_cpu(stat: &str) -> Option<Duration> {
    // The name of the program, in parentheses, may itself contain spaces and parentheses.
    let (_, after_name) = stat.rsplit_once(')')?;
    let ticks: u64 = after_name.split_whitespace().skip(13).take(2).map(|ticks| ticks.parse().unwrap_or(0)).sum();
    Some(TICK_INTERVAL * u32::try_from(ticks).ok()?)
}

/// Returns the CPU time of a running process, its children, and those of them that have ended.
pub(crate) fn running_cpu(process: u32) -> Option<Duration> {
    let stats =
        fs::read_dir("/proc").ok()?.filter_map(|entry| fs::read_to_string(entry.ok()?.path().join("stat")).ok());
    let ticks: u64 = stats.filter_map(|stat| ticks_of(&stat, process)).sum();
    Some(TICK_INTERVAL * u32::try_from(ticks).ok()?)
}

/// Returns the ticks of a process: all, with its ended children, if it is `wanted`; its own if it is a child of that one.
fn ticks_of(stat: &str, wanted: u32) -> Option<u64> {
    let (before, after_name) = stat.rsplit_once(')')?;
    let (id, _) = before.split_once(' ')?;
    let fields: Vec<&str> = after_name.split_whitespace().collect();
    let n_counted = match (id.parse() == Ok(wanted), fields.get(1)?.parse() == Ok(wanted)) {
        (true, _) => 4,
        (_, true) => 2,
        _ => return None,
    };
    Some(fields.iter().skip(11).take(n_counted).map(|ticks| ticks.parse().unwrap_or(0)).sum())
}

/// Runs a program; its output is discarded.
pub(crate) fn run(command: &mut Command) -> Result<(), String> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let status = command.status().map_err(|error| format!("cannot start {command:?}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{command:?} failed: {status}")) }
}

/// Runs a program and returns its stdout, without the last line break.
pub(crate) fn read(command: &mut Command) -> Result<String, String> {
    let output = command.stdin(Stdio::null()).output().map_err(|error| format!("cannot start {command:?}: {error}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{command:?} failed: {}\n{said}", output.status));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn cases_run_back_and_forth_each_after_its_preparation() {
        let seen = RefCell::new(String::new());
        let note = |letter: char| {
            seen.borrow_mut().push(letter);
            Ok(())
        };
        let mut cases = [
            Case::new("a", || note('a')),
            Case::prepared("b", || note('<'), || note('b')),
            Case::new("c", || note('c')),
        ];
        let timings = in_turn(&mut cases, Rounds { warm_up: 1, counted: 2, for_cpu: 0 }).unwrap();
        assert_eq!(timings.len(), 3);
        drop(cases);
        assert_eq!(seen.into_inner(), "a<bcc<baa<bc");
    }

    #[test]
    fn failed_run_is_reported_and_not_measured() {
        let mut cases = [Case::new("a", || Err("no".to_owned()))];
        let error = in_turn(&mut cases, Rounds { warm_up: 0, counted: 1, for_cpu: 0 }).unwrap_err();
        assert_eq!(error, "no");
        assert!(run(Command::new("git").arg("no-such-verb")).is_err());
    }

    #[test]
    fn cpu_time_of_children_is_read_behind_the_name() {
        let stat = "7 (a) b) (c) S 1 2 3 4 5 6 7 8 9 10 1000 2000 25 13 20 0 1";
        assert_eq!(read_children_cpu(stat), Some(Duration::from_millis(380)));
        assert_eq!(read_children_cpu("nothing"), None);
    }

    #[test]
    fn ticks_of_a_running_process_include_its_children() {
        let stat = |id: u32, parent: u32| format!("{id} (a) b) S {parent} 2 3 4 5 6 7 8 9 10 1 20 300 4000 20 0 1");
        assert_eq!(ticks_of(&stat(7, 1), 7), Some(4321));
        assert_eq!(ticks_of(&stat(8, 7), 7), Some(21));
        assert_eq!(ticks_of(&stat(9, 8), 7), None);
        assert_eq!(ticks_of("nothing", 7), None);
    }

    #[test]
    fn short_runs_are_averaged_and_long_ones_are_not() {
        let times = |ticks: &[u32]| ticks.iter().map(|n| TICK_INTERVAL * *n).collect::<Vec<_>>();
        assert_eq!(typical(&times(&[0, 1, 0, 1])), Some(Duration::from_millis(5)));
        assert_eq!(typical(&times(&[100, 101, 900])), Some(Duration::from_millis(1010)));
        assert_eq!(typical(&[]), None);
    }
}
