//! Runs the built program as a person or a script would, in an environment without the machine's own settings.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;

use serde_json::Value;
use tempfile::TempDir;

use crate::redact::redact;

/// The program, a working directory, and a temporary home directory.
#[derive(Debug, Clone)]
pub struct Cairn {
    program: PathBuf,
    directory: PathBuf,
    home: Arc<TempDir>,
}

/// The result of a run.
#[derive(Debug)]
pub struct Ran {
    /// Standard output, byte for byte.
    pub stdout: Vec<u8>,
    /// Standard error, byte for byte.
    pub stderr: Vec<u8>,
    /// Exit status.
    pub status: ExitStatus,
}

impl Cairn {
    /// Runs `program` in `directory`. Git finds an identity in the home directory and no other settings.
    pub fn new(program: &str, directory: &Path) -> Self {
        let home = TempDir::new().expect("a temporary directory");
        let settings = "[user]\n\tname = Ada Lovelace\n\temail = ada@example.com\n[gc]\n\tauto = 0\n\
                        [protocol \"file\"]\n\tallow = always\n";
        fs::write(home.path().join("gitconfig"), settings).expect("a new file in a new directory");
        Self { program: program.into(), directory: directory.to_owned(), home: Arc::new(home) }
    }

    /// Returns the same program and environment in another directory.
    #[must_use]
    pub fn at(&self, directory: &Path) -> Self {
        Self { directory: directory.to_owned(), ..self.clone() }
    }

    /// Returns the working directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Returns the path of git's configuration in this environment; a test may append to it.
    pub fn gitconfig(&self) -> PathBuf {
        self.home.path().join("gitconfig")
    }

    /// Prepares a run, for tests that start, observe or kill it themselves.
    pub fn command<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Command {
        self.prepared(Command::new(&self.program), arguments)
    }

    /// Prepares a run through another program, such as a shell that limits memory; our arguments come last.
    pub fn command_through<S: AsRef<OsStr>>(&self, wrapper: &[&str], arguments: &[S]) -> Command {
        let mut command = Command::new(wrapper[0]);
        command.args(&wrapper[1..]).arg(&self.program);
        self.prepared(command, arguments)
    }

    fn prepared<S: AsRef<OsStr>>(&self, mut command: Command, arguments: &[S]) -> Command {
        command.args(arguments).current_dir(&self.directory).env_clear();
        command
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.home.path())
            .env("XDG_CONFIG_HOME", self.home.path())
            .env("GIT_CONFIG_GLOBAL", self.gitconfig())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("NO_COLOR", "1")
            .env("TZ", "UTC")
            .env("LC_ALL", "C.UTF-8")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs the program, whatever its exit status.
    pub fn run<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Ran {
        Ran::of(self.command(arguments).spawn().expect("the program was built"))
    }

    /// Runs the program with standard input.
    pub fn run_with_input<S: AsRef<OsStr>>(&self, arguments: &[S], input: &[u8]) -> Ran {
        let mut child = self.command(arguments).stdin(Stdio::piped()).spawn().expect("the program was built");
        let mut pipe = child.stdin.take().expect("it was asked for");
        let input = input.to_owned();
        // The program may exit before it has read everything.
        let feeder = std::thread::spawn(move || pipe.write_all(&input));
        let ran = Ran::of(child);
        let _ = feeder.join();
        ran
    }

    /// Runs the program; fails the test with its output unless it succeeds.
    #[track_caller]
    pub fn ok<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Ran {
        let ran = self.run(arguments);
        let words: Vec<_> = arguments.iter().map(|word| word.as_ref().to_string_lossy()).collect();
        assert!(ran.status.success(), "cairn {words:?} in {}: {ran}", self.directory.display());
        ran
    }

    /// Runs the program; fails the test unless it succeeds without output on stderr.
    #[track_caller]
    pub fn quiet<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Ran {
        let ran = self.ok(arguments);
        assert!(ran.stderr.is_empty(), "{ran}");
        ran
    }

    /// Runs the program with `--json` and returns the parsed output.
    #[track_caller]
    pub fn json<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Value {
        let mut words = vec![OsStr::new("--json")];
        words.extend(arguments.iter().map(AsRef::as_ref));
        self.ok(&words).json()
    }
}

impl Ran {
    /// Waits for a process whose output is piped.
    pub fn of(child: Child) -> Self {
        let output = child.wait_with_output().expect("it was started");
        Self { stdout: output.stdout, stderr: output.stderr, status: output.status }
    }

    /// Returns the exit code; `None` if a signal ended it.
    pub fn code(&self) -> Option<i32> {
        self.status.code()
    }

    /// Returns standard output as text.
    pub fn out(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// Returns standard error as text.
    pub fn err(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }

    /// Returns exit code, stdout and stderr as one text for a snapshot; see [`redact`].
    pub fn snapshot(&self) -> String {
        let mut shown = String::new();
        if self.code() != Some(0) {
            let _ = writeln!(shown, "{}", self.status);
        }
        for (name, text) in [("stdout", self.out()), ("stderr", self.err())] {
            if !text.is_empty() {
                let _ = write!(shown, "--- {name}\n{text}");
            }
        }
        redact(&shown)
    }

    /// Parses standard output as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.stdout).unwrap_or_else(|error| panic!("no JSON ({error}): {self}"))
    }
}

impl std::fmt::Display for Ran {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        const MAX_SHOWN: usize = 4000;
        let short = |text: String| text.chars().take(MAX_SHOWN).collect::<String>();
        write!(f, "{}\n--- stdout\n{}\n--- stderr\n{}", self.status, short(self.out()), short(self.err()))
    }
}
