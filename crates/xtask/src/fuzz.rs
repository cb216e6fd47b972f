//! `cargo xtask fuzz`: coverage-guided fuzzing of the parsers of untrusted input, with the targets of `fuzz/targets`.
//!
//! libFuzzer on the stable toolchain: LLVM's coverage is a stable option of rustc. Only the address sanitizer is
//! unstable, and it finds little in a workspace without `unsafe`. Nothing is written outside of `target`.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use xtask::{command, report};

/// The manifest of the targets, which are not part of the workspace.
const MANIFEST: &str = "fuzz/Cargo.toml";

/// The binaries of the manifest.
const TARGETS: &[&str] = &["filter", "lines"];

/// The rustc flags that count branches for libFuzzer.
const INSTRUMENTED: &[&str] = &[
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "--cfg=fuzzing",
];

#[derive(Debug, PartialEq, Eq)]
enum Request {
    /// Fuzz every target for this long.
    Search { seconds: u32 },
    /// Run one target on one file, to reproduce a crash.
    Replay { target: &'static str, file: PathBuf },
}

/// Fuzzes all targets concurrently, or replays one input.
pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<(), String> {
    let request = parse(arguments)?;
    let programs = build(root)?;
    match request {
        Request::Search { seconds } => search(root, &programs, seconds),
        Request::Replay { target, file } => command::run(Command::new(programs.join(target)).arg(file)),
    }
}

/// Checks that the lock file of the targets matches the manifests of the workspace. Cargo never updates it by itself,
/// since the targets are outside of the workspace, and CI would only find out after the tests.
pub(crate) fn check_lock_file(root: &Path) -> Result<(), String> {
    let mut cargo = Command::new("cargo");
    cargo.current_dir(root).args([
        "metadata",
        "--quiet",
        "--locked",
        "--format-version=1",
        "--manifest-path",
        MANIFEST,
    ]);
    let output = cargo.output().map_err(|error| format!("cannot run cargo: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let reason = String::from_utf8_lossy(&output.stderr);
    Err(format!("fuzz/Cargo.lock is not current: run `cargo update --workspace --manifest-path {MANIFEST}`\n{reason}"))
}

/// Fuzzes all targets concurrently for this many seconds.
fn search(root: &Path, programs: &Path, seconds: u32) -> Result<(), String> {
    let names = TARGETS.join(", ");
    report::note(&format!("fuzzing {names} for {seconds} s, at the same time"));
    let begun: Result<Vec<Hunt>, String> =
        TARGETS.iter().map(|target| Hunt::begin(root, programs, target, seconds)).collect();
    let found: Vec<String> = begun?.into_iter().filter_map(|hunt| hunt.finish().err()).collect();
    if found.is_empty() { Ok(()) } else { Err(found.join("\n")) }
}

fn parse(arguments: &[String]) -> Result<Request, String> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        [] => Ok(Request::Search { seconds: 60 }),
        ["--seconds", count] => match count.parse() {
            Ok(seconds) if seconds > 0 => Ok(Request::Search { seconds }),
            _ => Err(format!("`--seconds` needs a number, not `{count}`")),
        },
        ["--replay", name, file] => {
            let target = TARGETS.iter().find(|target| **target == name);
            let target = target.ok_or_else(|| format!("unknown target `{name}` (expected: {})", TARGETS.join(", ")))?;
            Ok(Request::Replay { target, file: file.into() })
        }
        _ => Err("`fuzz` takes `--seconds N` or `--replay TARGET FILE`".to_owned()),
    }
}

/// Builds the targets and returns their folder.
fn build(root: &Path) -> Result<PathBuf, String> {
    let about = command::read(Command::new("rustc").arg("-vV").current_dir(root))?;
    let host = about.lines().find_map(|line| line.strip_prefix("host: ")).ok_or("`rustc -vV` names no host")?;
    let folder = command::target(root).join("fuzz");
    let fetched = command::run(&mut command::cargo(root, &["fetch", "--locked", "--manifest-path", MANIFEST]));
    fetched.map_err(|error| {
        format!(
            "{error}\nhint: after a change of dependencies, run `cargo update --workspace --manifest-path {MANIFEST}`"
        )
    })?;
    let mut cargo = command::cargo(root, &["build", "--quiet", "--release", "--locked"]);
    // With an explicit target, even for this machine: build scripts and macros must not be instrumented.
    cargo.args(["--manifest-path", MANIFEST, "--target", host, "--target-dir"]).arg(&folder);
    cargo.env("CARGO_ENCODED_RUSTFLAGS", INSTRUMENTED.join("\u{1f}"));
    report::note("building the fuzz targets; the first time takes minutes");
    command::run(&mut cargo)?;
    Ok(folder.join(host).join("release"))
}

struct Hunt {
    target: &'static str,
    process: Child,
    log: PathBuf,
    /// Path prefix of crash files, as libFuzzer expects it.
    crash: String,
}

impl Hunt {
    fn begin(root: &Path, programs: &Path, target: &'static str, seconds: u32) -> Result<Self, String> {
        let folder = command::target(root).join("fuzz");
        // The corpus of earlier runs is reused; the seeds are only read.
        let corpus = folder.join("corpus").join(target);
        let crashes = folder.join("crashes");
        for folder in [&corpus, &crashes] {
            fs::create_dir_all(folder).map_err(|error| format!("cannot make `{}`: {error}", folder.display()))?;
        }
        let log = folder.join(format!("{target}.log"));
        let crash = crashes.join(format!("{target}-")).display().to_string();
        let seeds = root.join("fuzz/seeds");
        let file = |file: std::io::Result<File>| file.map_err(|error| format!("cannot write a log: {error}"));
        let output = file(File::create(&log))?;
        let mut command = Command::new(programs.join(target));
        command.arg(corpus).arg(seeds.join(target)).arg(format!("-dict={}", seeds.join(target).display()) + ".dict");
        command.arg(format!("-max_total_time={seconds}")).arg(format!("-artifact_prefix={crash}"));
        command.args(["-max_len=4096", "-timeout=20", "-rss_limit_mb=1024", "-print_final_stats=1"]);
        command.stdout(file(output.try_clone())?).stderr(output);
        let process = command.spawn().map_err(|error| format!("cannot start the target `{target}`: {error}"))?;
        Ok(Self { target, process, log, crash })
    }

    fn finish(self) -> Result<(), String> {
        let Self { target, mut process, log, crash } = self;
        let status = process.wait().map_err(|error| format!("cannot wait for `{target}`: {error}"))?;
        let text = fs::read(&log).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        if status.success() {
            report::answer(&format!("{target:<10} {}", summary(&text)));
            return Ok(());
        }
        let file = crash_file(&text).map_or_else(|| format!("{crash}…"), str::to_owned);
        Err(format!(
            "{}\nthe target `{target}` failed: {status}; all of it is in {}\n\
            hint: see it again with `cargo xtask fuzz --replay {target} {file}`;\n\
            once it is repaired, keep the file in fuzz/seeds/{target}",
            tail(&text),
            log.display()
        ))
    }
}

/// Summarizes a run from libFuzzer's output.
fn summary(log: &str) -> String {
    let stat = |name: &str| {
        let line = log.lines().find_map(|line| line.strip_prefix("stat::")?.strip_prefix(name));
        line.map_or("?", |rest| rest.trim_start_matches(':').trim()).to_owned()
    };
    let branches = log.lines().rev().find_map(|line| {
        let (_, after) = line.split_once(" cov: ")?;
        after.split_whitespace().next()
    });
    let (runs, new) = (stat("number_of_executed_units"), stat("new_units_added"));
    format!("{runs} inputs, {} branches, {new} inputs that found something new", branches.unwrap_or("?"))
}

fn crash_file(log: &str) -> Option<&str> {
    let (_, after) = log.split_once("Test unit written to ")?;
    after.lines().next()
}

/// The lines around a panic, without the statistics before it.
fn tail(log: &str) -> String {
    let lines: Vec<&str> = log.lines().collect();
    let start = lines.iter().position(|line| line.contains("panicked at") || line.starts_with("==")).unwrap_or(0);
    lines[start..].iter().take(30).copied().collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(arguments: &[&str]) -> Result<Request, String> {
        let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
        parse(&arguments)
    }

    #[test]
    fn requests_are_read() {
        assert_eq!(parsed(&[]), Ok(Request::Search { seconds: 60 }));
        assert_eq!(parsed(&["--seconds", "5"]), Ok(Request::Search { seconds: 5 }));
        let replay = Request::Replay { target: "lines", file: "a/b".into() };
        assert_eq!(parsed(&["--replay", "lines", "a/b"]), Ok(replay));
        assert_eq!(parsed(&["--seconds", "0"]), Err("`--seconds` needs a number, not `0`".to_owned()));
        let error = "unknown target `words` (expected: filter, lines)";
        assert_eq!(parsed(&["--replay", "words", "a"]), Err(error.to_owned()));
        assert!(parsed(&["--fast"]).is_err());
    }

    const LOG: &str = "\
INFO: seed corpus: files: 16
#21\tINITED cov: 900 ft: 901 corp: 16/1Kb
#434997\tDONE   cov: 1234 ft: 5678 corp: 99/9Kb
stat::number_of_executed_units: 434997
stat::new_units_added:          3511
";

    #[test]
    fn summary_counts_inputs_and_branches() {
        assert_eq!(summary(LOG), "434997 inputs, 1234 branches, 3511 inputs that found something new");
    }

    #[test]
    fn crash_is_shown_with_its_file() {
        let log = format!(
            "{LOG}thread '<unnamed>' panicked at a.rs:1:1:\nno\n\
            artifact_prefix='/t/filter-'; Test unit written to /t/filter-crash-ab12\nBase64: eA==\n"
        );
        assert_eq!(crash_file(&log), Some("/t/filter-crash-ab12"));
        assert!(tail(&log).starts_with("thread '<unnamed>' panicked at a.rs:1:1:\nno\n"));
    }
}
