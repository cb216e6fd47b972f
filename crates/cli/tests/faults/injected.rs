//! Every read and write of a fixed scenario fails once, alone and with those after it. A command then says so or gives the true
//! answer; and afterwards, without the fault, everything is as in a copy that nobody touched.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use serde_json::Value;
use testkit::{Cairn, Ran};

use crate::scenario::{IndexIs, Scenario, state};
use crate::shim::{ERRNOS, Fault, is_available, run_with};
use crate::time_to_run;

/// A command, and what it changes.
struct Case {
    arguments: &'static [&'static str],
    index: IndexIs,
    writes: bool,
}

const LIST: &[&str] = &["--json", "list", "--all", "--deleted", "--limit", "0", "--sort", "number"];

const fn reads(arguments: &'static [&'static str], index: IndexIs) -> Case {
    Case { arguments, index, writes: false }
}

const fn writes(arguments: &'static [&'static str], index: IndexIs) -> Case {
    Case { arguments, index, writes: true }
}

const CASES: [Case; 18] = [
    reads(LIST, IndexIs::Gone),
    reads(LIST, IndexIs::Behind),
    reads(LIST, IndexIs::Current),
    reads(&["--json", "show", "2"], IndexIs::Gone),
    reads(&["--json", "read", "code.rs"], IndexIs::Current),
    reads(&["--json", "read", "code.rs"], IndexIs::Gone),
    reads(&["reindex"], IndexIs::Current),
    writes(&["new", "issue", "added"], IndexIs::Gone),
    writes(&["new", "issue", "added"], IndexIs::Current),
    writes(&["edit", "1", "--title", "edited"], IndexIs::Gone),
    writes(&["edit", "1", "--title", "edited"], IndexIs::Behind),
    writes(&["comment", "1", "said"], IndexIs::Current),
    writes(&["close", "2"], IndexIs::Behind),
    writes(&["annotate", "--anchor", "code.rs:two", "--intent", "to be second"], IndexIs::Current),
    writes(&["sync"], IndexIs::Current),
    writes(&["sync"], IndexIs::Gone),
    writes(&["token", "create", "second"], IndexIs::Current),
    writes(&["token", "revoke", "first"], IndexIs::Current),
];

/// What a command answers and leaves when nothing fails.
struct Expected {
    answer: Vec<u8>,
    before: Vec<Value>,
    after: Vec<Value>,
    n_calls: u64,
}

#[test]
fn a_failed_system_call_is_never_an_answer() {
    check("files");
}

#[test]
fn a_failed_system_call_is_never_an_answer_from_a_reftable() {
    check("reftable");
}

fn check(references: &str) {
    if !is_available() {
        return;
    }
    let scenario = Scenario::new(references);
    let until = Instant::now() + time_to_run(45);
    let expected: Vec<Expected> = CASES.iter().map(|case| expect(&scenario, case)).collect();
    let trials = trials(&expected);
    let next = AtomicUsize::new(0);
    let wrong = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for worker in 0..4 {
            let (scenario, expected, trials, next, wrong) = (&scenario, &expected, &trials, &next, &wrong);
            scope.spawn(move || {
                while let Some((case, fault)) = trials.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if Instant::now() > until {
                        break;
                    }
                    if let Err(why) = trial(scenario, worker, &CASES[*case], &expected[*case], *fault) {
                        wrong
                            .lock()
                            .unwrap()
                            .push(format!("{:?} {:?} {fault:?}: {why}", CASES[*case].arguments, CASES[*case].index));
                    }
                }
            });
        }
    });
    let (wrong, n_trials) = (wrong.into_inner().unwrap(), next.load(Ordering::Relaxed).min(trials.len()));
    assert!(n_trials > 40, "only {n_trials} trials in the time given");
    assert!(wrong.is_empty(), "{} of {n_trials} trials:\n{}", wrong.len(), wrong.join("\n"));
}

fn expect(scenario: &Scenario, case: &Case) -> Expected {
    let cairn = scenario.copy("expected", case.index);
    let before = state(&scenario.copy("before", case.index));
    let (ran, n_calls) = run_with(&cairn, case.arguments, Fault::NONE);
    assert!(ran.status.success(), "{:?}: {ran}", case.arguments);
    assert!(n_calls > 20, "{:?}: only {n_calls} calls were seen", case.arguments);
    Expected { answer: ran.stdout, before, after: state(&cairn), n_calls }
}

/// Every call of every command with every failure, in an order in which any beginning is a fair sample.
fn trials(expected: &[Expected]) -> Vec<(usize, Fault)> {
    let mut trials = Vec::new();
    for (case, expected) in expected.iter().enumerate() {
        for at in 1..=expected.n_calls {
            for errno in ERRNOS {
                for length in [1, 6] {
                    trials.push((case, Fault { at, length, errno }));
                }
            }
        }
    }
    // A step without a common divisor meets each of them once.
    let n_trials = trials.len();
    let step = (n_trials * 618 / 1000..=n_trials).find(|step| greatest_common_divisor(*step, n_trials) == 1).unwrap();
    (0..n_trials).map(|n| trials[n * step % n_trials]).collect()
}

fn greatest_common_divisor(one: usize, other: usize) -> usize {
    if other == 0 { one } else { greatest_common_divisor(other, one % other) }
}

fn trial(scenario: &Scenario, worker: usize, case: &Case, expected: &Expected, fault: Fault) -> Result<(), String> {
    let cairn = scenario.copy(&format!("worker{worker}"), case.index);
    let (ran, _) = run_with(&cairn, case.arguments, fault);
    let is_done = ran.status.success();
    if !is_done && !matches!(ran.code(), Some(1 | 2)) {
        return Err(format!("it ended badly: {ran}"));
    }
    if is_done && !case.writes && case.arguments[0] == "--json" && ran.stdout != expected.answer {
        return Err(format!("a wrong answer: {ran}"));
    }
    let after = readable_state(&cairn, &ran)?;
    let is_allowed = after == expected.after || (!is_done && after == expected.before);
    if !is_allowed {
        return Err(format!("afterwards {after:?}, after {ran}"));
    }
    let doctor = cairn.run(&["doctor"]);
    if !doctor.status.success() {
        return Err(format!("the doctor says {doctor}, after {ran}"));
    }
    check_next_write(&cairn)
}

fn readable_state(cairn: &Cairn, ran: &Ran) -> Result<Vec<Value>, String> {
    let list = cairn.run(&["list"]);
    if list.status.success() { Ok(state(cairn)) } else { Err(format!("the next command fails: {list}, after {ran}")) }
}

/// What is written next counts: also where the index is built anew.
fn check_next_write(cairn: &Cairn) -> Result<(), String> {
    let edited = cairn.run(&["edit", "1", "--title", "the last word"]);
    if !edited.status.success() {
        return Err(format!("the next write fails: {edited}"));
    }
    std::fs::remove_dir_all(cairn.directory().join(".git/cairn")).unwrap();
    let title = cairn.json(&["show", "1"])["title"].clone();
    if title == "the last word" { Ok(()) } else { Err(format!("the next write lost against {title}")) }
}
