//! Counts the instructions of commands with callgrind. Unlike times, counts do not depend on the load of the machine,
//! so this fails if one grows by more than [`MAX_GROWTH_PERCENT`] over the recorded value.
//!
//! The counts are those of the unoptimized program, which the tests have built anyway; its dependencies are optimized.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use xtask::scratch::Scratch;
use xtask::{program, report};

use super::history::Size;
use super::prose::RARE;
use super::scratch::{Cairn, Repository};

/// The recorded counts, a line each: the count and the arguments of the command.
const RECORD: &str = "crates/bench/instructions.txt";

/// More than hash seeds, ids and the time of day cause.
const MAX_GROWTH_PERCENT: u64 = 5;

/// Each command runs this often; the lowest count is taken, because a table that grows or a retry only adds.
const N_RUNS: usize = 3;

const N_ITEMS: usize = 300;

const COMMANDS: &[&[&str]] = &[
    &["--version"],
    &["list"],
    &["ready"],
    &["show", "153"],
    &["search", RARE],
    &["new", "issue", "Keep the stale cache of the login page", "--label", "bug"],
    &["edit", "153", "--priority", "high"],
];

/// Counts, and compares with the record or, with `--write`, replaces it.
pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<(), String> {
    let is_accepted = match arguments {
        [] => false,
        [only] if only == "--write" => true,
        _ => return Err("`bench instructions` takes `--write`".to_owned()),
    };
    let counted = count(&Cairn(program::build(root)?))?;
    let place = root.join(RECORD);
    if is_accepted {
        fs::write(&place, render(&counted)).map_err(|error| format!("cannot write `{RECORD}`: {error}"))?;
        report::answer(RECORD);
        return Ok(());
    }
    let record = fs::read_to_string(&place).map_err(|error| format!("cannot read `{RECORD}`: {error}"))?;
    report::answer(render(&counted).trim_end());
    compare(&parse(&record)?, &counted)
}

/// The instructions of one command.
type Count = (String, u64);

fn count(cairn: &Cairn) -> Result<Vec<Count>, String> {
    let scratch = Scratch::new("instructions")?;
    let size = Size::of(N_ITEMS);
    let repository = Repository::with_history(scratch.path("history"), size)?;
    // Builds the index, too.
    repository.check(cairn, size)?;
    COMMANDS
        .iter()
        .map(|arguments| {
            let counts = (0..N_RUNS).map(|_| count_once(&repository, cairn, arguments));
            let counts = counts.collect::<Result<Vec<u64>, String>>()?;
            Ok((arguments.join(" "), counts.into_iter().min().unwrap_or(0)))
        })
        .collect()
}

fn count_once(repository: &Repository, cairn: &Cairn, arguments: &[&str]) -> Result<u64, String> {
    let plain = repository.cairn(cairn, arguments);
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(plain.get_program());
    valgrind.args(plain.get_args()).current_dir(&repository.0).stdin(Stdio::null());
    for (name, value) in plain.get_envs() {
        match value {
            Some(value) => valgrind.env(name, value),
            None => valgrind.env_remove(name),
        };
    }
    let output = valgrind.output().map_err(|error| format!("cannot start `valgrind`: {error}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(format!("`cairn {}` failed below valgrind: {said}", arguments.join(" ")));
    }
    collected(&said).ok_or_else(|| format!("valgrind does not name a count: {said}"))
}

/// Reads the line `==123== Collected : 456`.
fn collected(said: &str) -> Option<u64> {
    let line = said.lines().find(|line| line.contains("Collected :"))?;
    line.rsplit(' ').next()?.parse().ok()
}

fn render(counts: &[Count]) -> String {
    let mut text = String::new();
    for (name, count) in counts {
        let _ = writeln!(text, "{count:>12} {name}");
    }
    text
}

fn parse(record: &str) -> Result<Vec<Count>, String> {
    let wrong = |line: &str| format!("`{RECORD}` has the line `{line}`, which is not a count and a command");
    record
        .lines()
        .map(|line| {
            let (count, name) = line.trim_start().split_once(' ').ok_or_else(|| wrong(line))?;
            Ok((name.to_owned(), count.parse().map_err(|_| wrong(line))?))
        })
        .collect()
}

/// Fails if a command needs more than the recorded count and the tolerance, or is not recorded.
fn compare(recorded: &[Count], counted: &[Count]) -> Result<(), String> {
    let too_many: Vec<String> = counted.iter().filter_map(|count| complaint(recorded, count)).collect();
    if too_many.is_empty() {
        return Ok(());
    }
    Err(format!(
        "{}\nhint: make it cheaper, or record the new counts with `cargo xtask bench instructions --write` and say why",
        too_many.join("\n")
    ))
}

fn complaint(recorded: &[Count], (name, count): &Count) -> Option<String> {
    let Some((_, before)) = recorded.iter().find(|(recorded, _)| recorded == name) else {
        return Some(format!("`cairn {name}` is not recorded"));
    };
    let limit = before + before * MAX_GROWTH_PERCENT / 100;
    (*count > limit)
        .then(|| format!("`cairn {name}` takes {count} instructions, more than {before} and {MAX_GROWTH_PERCENT} %"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(counts: &[(&str, u64)]) -> Vec<Count> {
        counts.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
    }

    #[test]
    fn count_is_the_last_word_of_its_line() {
        assert_eq!(collected("==7== \n==7== Events    : Ir\n==7== Collected : 1234567\n"), Some(1_234_567));
        assert_eq!(collected("==7== no such tool"), None);
    }

    #[test]
    fn record_is_read_as_written() {
        let written = counts(&[("list", 12), ("show 153", 345_678_901)]);
        assert_eq!(parse(&render(&written)), Ok(written));
        assert!(parse("many list\n").is_err());
    }

    #[test]
    fn growth_over_the_tolerance_fails() {
        let recorded = counts(&[("list", 1000), ("ready", 1000)]);
        assert_eq!(compare(&recorded, &counts(&[("list", 1050), ("ready", 1)])), Ok(()));
        let error = compare(&recorded, &counts(&[("list", 1051), ("show", 1)])).unwrap_err();
        insta::assert_snapshot!(error, @"
        `cairn list` takes 1051 instructions, more than 1000 and 5 %
        `cairn show` is not recorded
        hint: make it cheaper, or record the new counts with `cargo xtask bench instructions --write` and say why
        ");
    }
}
