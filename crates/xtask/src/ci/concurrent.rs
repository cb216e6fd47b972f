//! Runs steps at the same time, each as a process of its own: their output must not mix, and is printed when a step ends.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::Mutex;
use std::time::{Duration, Instant};
use std::{env, thread};

use xtask::{command, report};

use super::{Outcome, Row, Step};

/// Two use both cores of a small machine; with more, the time limits in the tests of browsers and clients are at risk.
const N_LANES: usize = 2;

/// Returns the path of the running program. It must be asked before a build replaces the file.
pub(super) fn this_program() -> Result<PathBuf, String> {
    env::current_exe().map_err(|error| format!("cannot find this program: {error}"))
}

/// Runs the steps and returns their results in the same order.
pub(super) fn run(program: &Path, root: &Path, steps: &'static [Step]) -> Vec<Row> {
    let next = Mutex::new(steps.iter().enumerate());
    let take = || next.lock().ok().and_then(|mut steps| steps.next());
    let work = || {
        let mut rows = Vec::new();
        while let Some((place, step)) = take() {
            rows.push((place, run_alone(program, root, step)));
        }
        rows
    };
    let mut rows: Vec<(usize, Row)> = thread::scope(|scope| {
        let lanes: Vec<_> = (0..N_LANES).map(|_| scope.spawn(work)).collect();
        lanes.into_iter().flat_map(|lane| lane.join().expect("a step runs in another process")).collect()
    });
    rows.sort_by_key(|(place, _)| *place);
    rows.into_iter().map(|(_, row)| row).collect()
}

/// Runs a step in another process and prints its output.
fn run_alone(program: &Path, root: &Path, step: &Step) -> Row {
    report::note(&format!("... {} runs", step.name));
    let start = Instant::now();
    let mut command = Command::new(program);
    command.args(["ci", "--only", step.name]).current_dir(root);
    let log = command::target(root).join("ci").join(format!("{}.log", step.name));
    match output(&mut command, &log) {
        Ok((status, text)) => {
            report::note(text.trim_end());
            row(step.name, status.success(), &text, start.elapsed())
        }
        Err(error) => {
            Row::new(step.name, &Outcome::Failed(format!("cannot run `{}`: {error}", step.name)), start.elapsed())
        }
    }
}

/// Runs a command to its end; returns its output and errors in the order in which they were written.
fn output(command: &mut Command, log: &Path) -> io::Result<(ExitStatus, String)> {
    log.parent().map_or(Ok(()), fs::create_dir_all)?;
    // A file, not a pipe: a server that a failed step left behind would keep the pipe open.
    let file = File::create(log)?;
    let status = command.stdout(file.try_clone()?).stderr(file).status()?;
    Ok((status, String::from_utf8_lossy(&fs::read(log)?).into_owned()))
}

/// Returns the line of the step in the table that its process printed.
fn row(name: &'static str, has_passed: bool, text: &str, took: Duration) -> Row {
    let is_own = |line: &&str| line.split_whitespace().next() == Some(name);
    match text.lines().rev().find(is_own) {
        Some(line) => Row { name, is_failure: !has_passed, line: line.to_owned() },
        None => Row::new(name, &Outcome::Failed("ended without a result".to_owned()), took),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_and_errors_keep_their_order() {
        let folder = env::temp_dir().join(format!("cairn-ci-{}", std::process::id()));
        let mut command = Command::new("sh");
        command.args(["-c", "echo one; echo two >&2; echo three; exit 3"]);
        let (status, text) = output(&mut command, &folder.join("step.log")).unwrap();
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!((status.code(), text.as_str()), (Some(3), "one\ntwo\nthree\n"));
    }

    #[test]
    fn result_is_the_line_of_the_table() {
        let text =
            "==> doc: it builds\n\ndoc          passed             1.2 s\nall steps                       1.2 s\n";
        let passed = row("doc", true, text, Duration::ZERO);
        assert_eq!((passed.line.as_str(), passed.is_failure), ("doc          passed             1.2 s", false));
        assert!(row("doc", false, text, Duration::ZERO).is_failure);
    }

    #[test]
    fn step_that_was_killed_has_failed() {
        let killed = row("doc", true, "==> doc: it builds\n", Duration::ZERO);
        assert_eq!(killed.failed_name(), Some("doc"));
        assert!(killed.line.ends_with("ended without a result"), "{}", killed.line);
    }
}
