//! Queries to the `git` program: all reads through it. Each is a separate process; a few run concurrently, the others
//! wait, and one that exceeds its timeout is killed.
//!
//! A query runs no program that the repository's configuration names, fetches nothing, rewrites no file, prompts nobody
//! and opens no pager (invariant 16). [`Subcommand`] lists the allowed subcommands with the options that ensure it.

use std::ffi::OsStr;
use std::io::{self, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use super::program::{GitCommand, command_line, redact};
use super::{GitError, Repository, TreePath};
use parking_lot::{Condvar, Mutex};

/// Default timeout of a query.
pub const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);

/// Timeout of a walk over the whole log: a first sync can bring a million commits.
pub(super) const WALK_TIMEOUT: Duration = Duration::from_mins(5);

/// First interval for polling the exit of a process that has closed its output: it exits within microseconds. The
/// interval doubles up to `MAX_POLL_INTERVAL`.
const POLL_INTERVAL: Duration = Duration::from_micros(20);
const MAX_POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Settings that would start a program, overridden with harmless values, and some that would change the output.
const NEUTRAL_SETTINGS: [&str; 9] = [
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.quotePath=false",
    "i18n.logOutputEncoding=UTF-8",
    "log.showSignature=false",
    "gpg.program=/dev/null",
    "gpg.ssh.program=/dev/null",
    "gpg.x509.program=/dev/null",
    "status.submoduleSummary=false",
];

/// Git's variable for whether it may fetch missing objects of a partial clone. A repository cannot set it.
const NO_LAZY_FETCH: &str = "GIT_NO_LAZY_FETCH";

/// Holds an empty value for settings whose name may contain any character, which `-c` cannot express.
const EMPTY_VARIABLE: &str = "CAIRN_EMPTY_SETTING";

/// Subcommands that query the object store, the references and the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Subcommand {
    Blame,
    CatFile,
    Config,
    DiffTree,
    ForEachRef,
    Grep,
    InterpretTrailers,
    Log,
    MergeBase,
    PatchId,
    RevList,
    RevParse,
    Show,
    SymbolicRef,
    Var,
}

impl Subcommand {
    /// Returns the name with the options that prevent external diffs, text conversion and submodule access that the
    /// repository's configuration may define.
    fn words(self) -> &'static [&'static str] {
        match self {
            Self::Blame => &["blame", "--no-textconv"],
            Self::CatFile => &["cat-file"],
            Self::Config => &["config"],
            Self::DiffTree => &["diff-tree", "--no-ext-diff", "--no-textconv", "--submodule=short"],
            Self::ForEachRef => &["for-each-ref"],
            Self::Grep => &["grep", "--no-textconv"],
            // Only trailers of the message: otherwise `trailer.*.command` would add some.
            Self::InterpretTrailers => &["interpret-trailers", "--parse", "--only-input", "--no-divider"],
            Self::Log => &["log", "--no-ext-diff", "--no-textconv", "--submodule=short", "--no-show-signature"],
            Self::MergeBase => &["merge-base"],
            Self::PatchId => &["patch-id"],
            Self::RevList => &["rev-list"],
            Self::RevParse => &["rev-parse"],
            Self::Show => &["show", "--no-ext-diff", "--no-textconv", "--submodule=short", "--no-show-signature"],
            Self::SymbolicRef => &["symbolic-ref"],
            Self::Var => &["var"],
        }
    }
}

/// Subcommands that query the work tree, where git would run filters on each file that may have changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WorkTreeSubcommand {
    Diff,
    Status,
}

impl WorkTreeSubcommand {
    // A submodule is a separate repository with unknown filters, so only its commit is compared.
    fn words(self) -> &'static [&'static str] {
        match self {
            Self::Diff => &["diff", "--no-ext-diff", "--no-textconv", "--submodule=short", "--ignore-submodules=dirty"],
            Self::Status => &["status", "--ignore-submodules=dirty"],
        }
    }
}

impl Repository {
    /// Prepares a query.
    pub(super) fn question(&self, subcommand: Subcommand) -> GitQuestion {
        let mut command = self.neutral_git();
        command.args(subcommand.words());
        self.prepared(command)
    }

    /// Prepares a query of the work tree. Files are compared without the filters of `.gitattributes`, so a filtered
    /// file may be reported as changed.
    pub(super) fn work_tree_question(&self, subcommand: WorkTreeSubcommand) -> Result<GitQuestion, GitError> {
        let mut command = self.neutral_git();
        command.env(EMPTY_VARIABLE, "");
        for name in self.filter_names()? {
            for key in ["clean", "smudge", "process", "required"] {
                command.arg(format!("--config-env=filter.{name}.{key}={EMPTY_VARIABLE}"));
            }
        }
        command.args(subcommand.words());
        Ok(self.prepared(command))
    }

    fn prepared(&self, command: Command) -> GitQuestion {
        let lacks_objects = !may_fetch() && self.is_partial_clone().unwrap_or_default();
        GitQuestion { command, input: Vec::new(), lacks_objects }
    }

    /// Returns the names of all configured filters. Git itself is asked, because it reads every configuration file that
    /// it will read later.
    fn filter_names(&self) -> Result<Vec<String>, GitError> {
        let mut question = self.question(Subcommand::Config);
        question.args(["--null", "--name-only", "--get-regexp", r"^filter\."]);
        let answer = question.ask_to_end(ANSWER_TIMEOUT)?;
        // Exit code 1 means none.
        if !matches!(answer.code, Some(0 | 1)) {
            return Err(question.refusal(answer));
        }
        let text = answer.text();
        let names = text.split('\0').filter_map(|key| key.strip_prefix("filter.")?.rsplit_once('.'));
        let mut names: Vec<String> = names.map(|(name, _)| name.to_owned()).collect();
        names.sort_unstable();
        names.dedup();
        Ok(names)
    }

    fn neutral_git(&self) -> Command {
        let mut command = self.git_as_person().into_command();
        command.env("GIT_OPTIONAL_LOCKS", "0").env("GIT_TERMINAL_PROMPT", "0").env("GIT_PAGER", "cat");
        // Literal paths: no wildcards, no pathspec magic.
        command.env("GIT_LITERAL_PATHSPECS", "1").env_remove("GIT_EXTERNAL_DIFF");
        if !may_fetch() {
            // The second variable is for git versions that do not know the first.
            command.env(NO_LAZY_FETCH, "1").env("GIT_ALLOW_PROTOCOL", "none");
        }
        command.arg("--no-pager");
        command.args(NEUTRAL_SETTINGS.iter().flat_map(|setting| ["-c", setting]));
        command
    }
}

/// Returns whether the person allows git to fetch missing objects of a partial clone.
pub(super) fn may_fetch() -> bool {
    let value = std::env::var(NO_LAZY_FETCH).unwrap_or_default();
    matches!(value.to_ascii_lowercase().as_str(), "0" | "false" | "no" | "off")
}

/// A query under construction.
pub(super) struct GitQuestion {
    command: Command,
    input: Vec<u8>,
    /// The repository is a partial clone, and git may not fetch.
    lacks_objects: bool,
}

/// Git's answer, byte for byte.
pub(super) struct GitAnswer {
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: String,
    pub(super) code: Option<i32>,
}

impl GitAnswer {
    pub(super) fn is_success(&self) -> bool {
        self.code == Some(0)
    }

    /// Returns standard output, with invalid UTF-8 replaced.
    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }
}

impl GitQuestion {
    /// Runs any git command with the timeout of a query.
    pub(super) fn from_command(command: GitCommand) -> Self {
        Self { command: command.into_command(), input: Vec::new(), lacks_objects: false }
    }

    pub(super) fn args<S: AsRef<OsStr>>(&mut self, arguments: impl IntoIterator<Item = S>) -> &mut Self {
        self.command.args(arguments);
        self
    }

    pub(super) fn env(&mut self, name: &str, value: &str) -> &mut Self {
        self.command.env(name, value);
        self
    }

    /// Sets standard input; empty by default.
    pub(super) fn input(&mut self, bytes: &[u8]) -> &mut Self {
        bytes.clone_into(&mut self.input);
        self
    }

    /// Runs a query; a nonzero exit code is an error.
    pub(super) fn ask(&mut self, patience: Duration) -> Result<Vec<u8>, GitError> {
        let answer = self.ask_to_end(patience)?;
        if answer.is_success() { Ok(answer.stdout) } else { Err(self.refusal(answer)) }
    }

    /// Runs a query, whatever its exit code.
    pub(super) fn ask_to_end(&mut self, patience: Duration) -> Result<GitAnswer, GitError> {
        let _turn = ProcessPermit::take();
        let mut child = self.start()?;
        match listen(&mut child, Instant::now() + patience) {
            Ok(Some(answer)) => Ok(answer),
            Ok(None) => {
                // It may have exited just now, so a failed kill is ignored.
                let _ = child.kill();
                let _ = child.wait();
                Err(GitError::TooSlow { command: self.command_line(), patience })
            }
            Err(source) => Err(GitError::NoProgram { source }),
        }
    }

    /// Makes the error of a failed query.
    pub(super) fn refusal(&self, answer: GitAnswer) -> GitError {
        // Blame reports a file that it cannot read as one that does not exist.
        let signs = ["lazy fetching disabled", "' not allowed", "no such path"];
        if self.lacks_objects && signs.iter().any(|sign| answer.stderr.contains(sign)) {
            return GitError::NotFetched;
        }
        GitError::Program { command: self.command_line(), code: answer.code, stderr: answer.stderr }
    }

    /// Does the same for a query about lines, which the file may not have.
    pub(super) fn refusal_about(&self, path: &TreePath, answer: GitAnswer) -> GitError {
        match length_in_error(&answer.stderr) {
            Some(n_lines) => GitError::TooFewLines { path: path.clone(), n_lines },
            None => self.refusal(answer),
        }
    }

    /// Returns the query for display, without the settings that all queries have.
    fn command_line(&self) -> String {
        let mut shown = Command::new("git");
        let mut words = self.command.get_args();
        while let Some(word) = words.next() {
            let text = word.to_string_lossy();
            // Skip the options before the subcommand, which all queries share.
            if text == "-c" {
                words.next();
            } else if text != "--no-pager" && !text.starts_with("--config-env=") {
                shown.arg(word);
                break;
            }
        }
        shown.args(words);
        command_line(&shown)
    }

    fn start(&mut self) -> Result<Child, GitError> {
        let stdin = if self.input.is_empty() { Stdio::null() } else { Stdio::piped() };
        self.command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = self.command.spawn().map_err(|source| GitError::NoProgram { source })?;
        if let Some(mut pipe) = child.stdin.take() {
            let input = self.input.clone();
            // Git closes its end when it fails early; its exit code tells.
            thread::spawn(move || pipe.write_all(&input));
        }
        Ok(child)
    }
}

// `fatal: file a.rs has only 3 lines`, with LC_ALL=C.
fn length_in_error(stderr: &str) -> Option<u32> {
    let (_, after) = stderr.split_once(" has only ")?;
    after.split(' ').next()?.parse().ok()
}

// `None` on timeout. Other processes that still hold the pipes, such as a child of git, are not waited for.
fn listen(child: &mut Child, end: Instant) -> io::Result<Option<GitAnswer>> {
    let readers = [child.stdout.take().map(read_aside), child.stderr.take().map(read_aside)];
    let mut texts = Vec::new();
    for receiver in readers.into_iter().flatten() {
        match receiver.recv_timeout(end.saturating_duration_since(Instant::now())) {
            Ok(bytes) => texts.push(bytes),
            Err(RecvTimeoutError::Timeout) => return Ok(None),
            Err(RecvTimeoutError::Disconnected) => texts.push(Vec::new()),
        }
    }
    let mut pause = POLL_INTERVAL;
    loop {
        if let Some(status) = child.try_wait()? {
            let stderr = texts.pop().unwrap_or_default();
            let stdout = texts.pop().unwrap_or_default();
            let stderr = redact(&String::from_utf8_lossy(&stderr));
            return Ok(Some(GitAnswer { stdout, stderr, code: status.code() }));
        }
        if Instant::now() >= end {
            return Ok(None);
        }
        // The output is closed, so git is about to exit. Polled, because the standard library has no wait with a
        // timeout.
        thread::sleep(pause);
        pause = (pause * 2).min(MAX_POLL_INTERVAL);
    }
}

fn read_aside(mut pipe: impl Read + Send + 'static) -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // Output before a read error still counts; the exit code tells the rest.
        let _ = pipe.read_to_end(&mut bytes);
        // After a timeout there is no receiver.
        let _ = sender.send(bytes);
    });
    receiver
}

/// Permit to run one process, released when dropped.
struct ProcessPermit;

static RUNNING: Mutex<usize> = Mutex::new(0);
static FREED: Condvar = Condvar::new();

impl ProcessPermit {
    fn take() -> Self {
        let mut running = RUNNING.lock();
        while *running >= max_processes() {
            FREED.wait(&mut running);
        }
        *running += 1;
        Self
    }
}

impl Drop for ProcessPermit {
    fn drop(&mut self) {
        *RUNNING.lock() -= 1;
        FREED.notify_one();
    }
}

// Blame and log keep one core busy each; one more process hides the start-up time.
fn max_processes() -> usize {
    static MAX_PROCESSES: OnceLock<usize> = OnceLock::new();
    *MAX_PROCESSES.get_or_init(|| thread::available_parallelism().map_or(2, |n| n.get().clamp(1, 7) + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_given_back_and_never_too_many() {
        let most_seen = Mutex::new(0);
        thread::scope(|scope| {
            for _ in 0..32 {
                scope.spawn(|| {
                    let _turn = ProcessPermit::take();
                    let running = *RUNNING.lock();
                    let mut most = most_seen.lock();
                    *most = running.max(*most);
                });
            }
        });
        assert!(*most_seen.lock() <= max_processes());
        drop(ProcessPermit::take());
    }
}
