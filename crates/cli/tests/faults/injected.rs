//! Fault injection: every read and write of a fixed scenario fails once, alone and with all following calls. The
//! command must report it or return the correct result; afterwards, without the fault, everything must be as in an
//! untouched copy.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime};

use serde_json::Value;
use testkit::{Cairn, Ran};

use crate::scenario::{IndexIs, Scenario, answer, digest_of, items};
use crate::shim::{ERRNOS, Fault, Operation, Report, is_available, run_with};
use crate::time_to_run;

/// A command, and what it changes.
struct Case {
    arguments: &'static [&'static str],
    index: IndexIs,
    writes: bool,
}

/// Number of parallel trials: slightly more than cores, since each waits for processes.
const N_WORKERS: usize = 4;

/// A sampled sweep goes on until it has injected so many faults, however slow the machine is.
const MIN_FAULTS: usize = 41;

const LIST: &[&str] = &["--json", "list", "--all", "--deleted", "--limit", "0", "--sort", "number"];

const fn reads(arguments: &'static [&'static str], index: IndexIs) -> Case {
    Case { arguments, index, writes: false }
}

const fn writes(arguments: &'static [&'static str], index: IndexIs) -> Case {
    Case { arguments, index, writes: true }
}

/// The fixed scenario: every call of these fails with every error.
const FIXED: [Case; 10] = [
    writes(&["init"], IndexIs::Current),
    writes(&["new", "issue", "added"], IndexIs::Current),
    writes(&["edit", "1", "--title", "edited"], IndexIs::Behind),
    writes(&["comment", "1", "said"], IndexIs::Current),
    writes(&["close", "2"], IndexIs::Current),
    reads(LIST, IndexIs::Current),
    reads(LIST, IndexIs::Behind),
    reads(LIST, IndexIs::Gone),
    writes(&["sync"], IndexIs::Current),
    reads(&["reindex"], IndexIs::Current),
];

/// Cases that are sampled, and run completely in a soak test.
const FURTHER: [Case; 14] = [
    reads(LIST, IndexIs::Journaled),
    writes(&["new", "issue", "added"], IndexIs::Journaled),
    writes(&["new", "issue", "added"], IndexIs::Gone),
    writes(&["edit", "1", "--title", "edited"], IndexIs::Gone),
    writes(&["close", "2"], IndexIs::Behind),
    reads(&["--json", "show", "2"], IndexIs::Gone),
    reads(&["--json", "read", "code.rs"], IndexIs::Current),
    reads(&["--json", "read", "code.rs"], IndexIs::Gone),
    writes(&["annotate", "--anchor", "code.rs:two", "--intent", "to be second"], IndexIs::Current),
    writes(&["init"], IndexIs::Gone),
    writes(&["sync"], IndexIs::Gone),
    writes(&["sync"], IndexIs::Behind),
    writes(&["token", "create", "second"], IndexIs::Current),
    writes(&["token", "revoke", "first"], IndexIs::Current),
];

/// The output and the final state without faults.
struct Expected {
    answer: Vec<u8>,
    before: Vec<Value>,
    after: Vec<Value>,
    n_calls: u64,
}

/// A fault at one system call of a command.
#[derive(Clone, Copy)]
struct Trial {
    case: &'static Case,
    expected: usize,
    fault: Fault,
}

#[test]
fn a_failed_system_call_is_never_an_answer() {
    if is_available() {
        Sweep::new("files", &FIXED).run(&[1], None).check_all_happened();
    }
}

#[test]
fn failing_system_calls_are_never_an_answer() {
    if is_available() {
        let until = Instant::now() + time_to_run(20);
        Sweep::new("files", &FURTHER).run(&[1, 6], Some(until));
    }
}

#[test]
fn a_failed_system_call_is_never_an_answer_from_a_reftable() {
    if is_available() {
        let until = Instant::now() + time_to_run(20);
        Sweep::new("reftable", &FIXED).run(&[1, 6], Some(until));
    }
}

/// Runs commands with faults, on copies of one project.
struct Sweep {
    scenario: Scenario,
    cases: &'static [Case],
    expected: Vec<Expected>,
    /// The fixed time of all runs, so that the same command writes the same bytes.
    clock: u64,
    /// Inspected states by content hash: equal folders are inspected once.
    known: Mutex<HashMap<u64, Result<Vec<Value>, String>>>,
}

/// Number of injected faults by system call and error.
struct Injected(BTreeMap<(&'static str, Operation), usize>);

impl Sweep {
    fn new(references: &str, cases: &'static [Case]) -> Self {
        let scenario = Scenario::new(references);
        let clock = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
        let expected = cases.iter().map(|case| expect(&scenario, case, clock)).collect();
        Self { scenario, cases, expected, clock, known: Mutex::default() }
    }

    /// Runs all trials, or as many as the time allows, but at least [`MIN_FAULTS`] with a fault.
    fn run(&self, lengths: &[u64], until: Option<Instant>) -> Injected {
        let begun = Instant::now();
        let trials = self.trials(lengths);
        let next = AtomicUsize::new(0);
        let (wrong, injected) = (Mutex::new(Vec::new()), Mutex::new(BTreeMap::new()));
        std::thread::scope(|scope| {
            for worker in 0..N_WORKERS {
                let (trials, next, wrong, injected) = (&trials, &next, &wrong, &injected);
                scope.spawn(move || {
                    while let Some(trial) = trials.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let n_injected = || injected.lock().unwrap().values().sum::<usize>();
                        if until.is_some_and(|until| Instant::now() > until && n_injected() >= MIN_FAULTS) {
                            break;
                        }
                        let (report, outcome) = self.try_one(&format!("worker{worker}"), *trial);
                        if let Some(operation) = report.failed {
                            *injected.lock().unwrap().entry((trial.fault.errno.0, operation)).or_default() += 1;
                        }
                        wrong.lock().unwrap().extend(outcome.err());
                    }
                });
            }
        });
        let (wrong, injected) = (wrong.into_inner().unwrap(), Injected(injected.into_inner().unwrap()));
        injected.print(trials.len(), self.known.lock().unwrap().len(), begun.elapsed());
        assert!(injected.n_faults() >= MIN_FAULTS, "only {} faults in all trials", injected.n_faults());
        assert!(wrong.is_empty(), "{} of {} faults:\n{}", wrong.len(), injected.n_faults(), wrong.join("\n"));
        injected
    }

    /// Returns every call of every command with every fault, in an order in which any prefix is a fair sample.
    fn trials(&self, lengths: &[u64]) -> Vec<Trial> {
        let mut trials = Vec::new();
        for (expected, case) in self.cases.iter().enumerate() {
            for at in 1..=self.expected[expected].n_calls {
                for errno in ERRNOS {
                    let faults = lengths.iter().map(|length| Fault { at, length: *length, errno });
                    trials.extend(faults.map(|fault| Trial { case, expected, fault }));
                }
            }
        }
        // A step without a common divisor visits each of them once.
        let n_trials = trials.len();
        let step =
            (n_trials * 618 / 1000..=n_trials).find(|step| greatest_common_divisor(*step, n_trials) == 1).unwrap();
        (0..n_trials).map(|n| trials[n * step % n_trials]).collect()
    }

    fn try_one(&self, place: &str, trial: Trial) -> (Report, Result<(), String>) {
        let cairn = self.scenario.copy(place, trial.case.index);
        let (ran, report) = run_with(&cairn, trial.case.arguments, trial.fault, self.clock);
        let outcome = self.judge(&cairn, trial, &ran);
        let words = |why| format!("{:?} {:?} {:?}: {why}", trial.case.arguments, trial.case.index, trial.fault);
        (report, outcome.map_err(words))
    }

    fn judge(&self, cairn: &Cairn, trial: Trial, ran: &Ran) -> Result<(), String> {
        let (case, expected) = (trial.case, &self.expected[trial.expected]);
        let is_done = ran.status.success();
        if !is_done && !matches!(ran.code(), Some(1 | 2)) {
            return Err(format!("it ended badly: {ran}"));
        }
        if is_done && !case.writes && case.arguments[0] == "--json" && ran.stdout != expected.answer {
            return Err(format!("a wrong answer: {ran}"));
        }
        let after = self.inspect(cairn).map_err(|why| format!("{why}, after {ran}"))?;
        let is_allowed = after == expected.after || (!is_done && after == expected.before);
        if is_allowed { Ok(()) } else { Err(format!("afterwards {after:?}, after {ran}")) }
    }

    /// Returns the state of a project; equal states are read once.
    fn inspect(&self, cairn: &Cairn) -> Result<Vec<Value>, String> {
        let digest = digest_of(cairn);
        if let Some(known) = self.known.lock().unwrap().get(&digest) {
            return known.clone();
        }
        let found = self.scenario.state(cairn).and_then(|state| check_next_commands(cairn).map(|()| state));
        self.known.lock().unwrap().insert(digest, found.clone());
        found
    }
}

impl Injected {
    fn n_faults(&self) -> usize {
        self.0.values().sum()
    }

    /// Prints the coverage to stderr, since the output of passing tests is captured.
    fn print(&self, n_trials: usize, n_states: usize, took: Duration) {
        let n_faults = self.n_faults();
        let mut text =
            format!("injected {n_faults} faults of {n_trials} in {} s, {n_states} outcomes:", took.as_secs());
        for ((errno, operation), n) in &self.0 {
            let _ = write!(text, " {errno} {operation:?} {n},");
        }
        let _ = std::io::stderr().write_all(format!("{}\n", text.trim_end_matches(',')).as_bytes());
    }

    /// Fails if an error was never injected into one of the kinds of calls.
    fn check_all_happened(&self) {
        for errno in ERRNOS {
            for operation in Operation::ALL {
                assert!(self.0.contains_key(&(errno.0, operation)), "no {operation:?} failed with {}", errno.0);
            }
        }
    }
}

fn expect(scenario: &Scenario, case: &Case, clock: u64) -> Expected {
    let cairn = scenario.copy("expected", case.index);
    let before = scenario.state(&scenario.copy("before", case.index)).unwrap();
    let (ran, Report { n_calls, .. }) = run_with(&cairn, case.arguments, Fault::NONE, clock);
    assert!(ran.status.success(), "{:?}: {ran}", case.arguments);
    assert!(n_calls > 20, "{:?}: only {n_calls} calls were seen", case.arguments);
    Expected { answer: ran.stdout, before, after: scenario.state(&cairn).unwrap(), n_calls }
}

fn greatest_common_divisor(one: usize, other: usize) -> usize {
    if other == 0 { one } else { greatest_common_divisor(other, one % other) }
}

/// `doctor` reports no problems and the next write succeeds, also with a rebuilt index.
fn check_next_commands(cairn: &Cairn) -> Result<(), String> {
    answer(cairn, &["doctor"])?;
    answer(cairn, &["edit", "1", "--title", "the last word"])?;
    std::fs::remove_dir_all(cairn.directory().join(".git/cairn")).unwrap();
    let items = items(cairn)?;
    let title = items.iter().find(|item| item["number"] == 1).map(|item| &item["title"]);
    if title.is_some_and(|title| title == "the last word") {
        Ok(())
    } else {
        Err(format!("the next write lost against {title:?}"))
    }
}
