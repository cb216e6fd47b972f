//! Runs the `git` program with the person's own configuration: credentials, proxies, hooks and signing. Only fetch,
//! push, signing, maintenance and `credential` may do so; every read is a `GitQuestion` (`question`). Git's output is kept for
//! errors, with passwords removed.

use std::ffi::OsStr;
use std::io::{self, IsTerminal, Read, Write};
use std::process::{Child, Command, Stdio};
use std::thread;

use super::{GitError, Repository};

/// Variables that would make git use other files than we do.
pub(super) const FOREIGN_VARIABLES: [&str; 6] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_INDEX_FILE",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_SHALLOW_FILE",
];

/// Whether git's progress is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GitProgress {
    /// Git's progress is forwarded to stderr.
    Show,
    /// Nothing is shown.
    Quiet,
}

/// The output of a finished run.
pub(super) struct Output {
    pub(super) stdout: String,
    pub(super) stderr: String,
    pub(super) code: Option<i32>,
}

/// A `git` command under construction.
pub(super) struct GitCommand {
    command: Command,
    input: Vec<u8>,
    progress: GitProgress,
}

impl Repository {
    /// Prepares a `git` command that may start programs named in the configuration: hooks, helpers, `ssh`, `gpg`. Never
    /// for reads.
    pub(super) fn git_as_person(&self) -> GitCommand {
        let mut command = Command::new("git");
        command.current_dir(self.workdir().filter(|path| path.is_dir()).unwrap_or(self.git_dir()));
        for variable in FOREIGN_VARIABLES {
            command.env_remove(variable);
        }
        command.env("GIT_DIR", self.git_dir()).env("LC_ALL", "C");
        if let Some(work_tree) = self.workdir() {
            command.env("GIT_WORK_TREE", work_tree);
        }
        if self.git_dir() != self.common_dir() {
            command.env("GIT_COMMON_DIR", self.common_dir());
        }
        // Without a terminal, a prompt would block a server forever.
        let is_unset = std::env::var_os("GIT_TERMINAL_PROMPT").is_none();
        if is_unset && !io::stdin().is_terminal() {
            command.env("GIT_TERMINAL_PROMPT", "0");
        }
        GitCommand::new(command)
    }
}

impl GitCommand {
    pub(super) fn new(command: Command) -> Self {
        Self { command, input: Vec::new(), progress: GitProgress::Quiet }
    }

    pub(super) fn args<S: AsRef<OsStr>>(&mut self, arguments: impl IntoIterator<Item = S>) -> &mut Self {
        self.command.args(arguments);
        self
    }

    pub(super) fn into_command(self) -> Command {
        self.command
    }

    /// Sets standard input; empty by default.
    pub(super) fn input(&mut self, bytes: &[u8]) -> &mut Self {
        bytes.clone_into(&mut self.input);
        self
    }

    pub(super) fn progress(&mut self, progress: GitProgress) -> &mut Self {
        self.progress = progress;
        self
    }

    /// Runs git; a nonzero exit code is an error.
    pub(super) fn run(&mut self) -> Result<Output, GitError> {
        let output = self.run_to_end()?;
        if output.code == Some(0) { Ok(output) } else { Err(self.failure(output)) }
    }

    /// Runs git, whatever its exit code.
    pub(super) fn run_to_end(&mut self) -> Result<Output, GitError> {
        let stdin = if self.input.is_empty() { Stdio::null() } else { Stdio::piped() };
        self.command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = self.command.spawn().map_err(|source| GitError::NoProgram { source })?;
        let (stdout, stderr) = self.converse(&mut child);
        let status = child.wait().map_err(|source| GitError::NoProgram { source })?;
        Ok(Output {
            stdout: String::from_utf8_lossy(&stdout).into_owned(),
            stderr: redact(&String::from_utf8_lossy(&stderr)),
            code: status.code(),
        })
    }

    /// Makes the error of a failed run.
    pub(super) fn failure(&self, output: Output) -> GitError {
        GitError::Program { command: command_line(&self.command), code: output.code, stderr: output.stderr }
    }

    /// Starts git in its own process group, so that signals of the terminal do not reach it.
    pub(super) fn spawn_detached(&mut self) -> io::Result<Child> {
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut self.command, 0);
        self.command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()
    }

    /// Serves all three pipes concurrently, so that a full pipe cannot block git.
    fn converse(&self, child: &mut Child) -> (Vec<u8>, Vec<u8>) {
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        thread::scope(|scope| {
            scope.spawn(move || {
                // Git closes its end when it fails early; its exit code tells.
                stdin.map(|mut pipe| pipe.write_all(&self.input));
            });
            let read = scope.spawn(move || {
                let mut bytes = Vec::new();
                let _ = stdout.map(|mut pipe| pipe.read_to_end(&mut bytes));
                bytes
            });
            let text = stderr.map(|pipe| listen(pipe, self.progress)).unwrap_or_default();
            (read.join().unwrap_or_default(), text)
        })
    }
}

/// Returns a failed command for display: the subcommand and what it is about, as a person would type it, without our options
/// and refspecs and without credentials. The log has all of it.
pub(super) fn command_line(command: &Command) -> String {
    let words: Vec<_> = command.get_args().map(|word| word.to_string_lossy()).collect();
    tracing::debug!(command = redact(&words.join(" ")), "git failed");
    let mut line = "git".to_owned();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if word == "-c" {
            words.next();
        } else if !word.starts_with('-') && !word.contains(":refs/") {
            line = line + " " + word;
        }
    }
    redact(&line)
}

fn listen(mut pipe: impl Read, progress: GitProgress) -> Vec<u8> {
    let mut text = Vec::new();
    let mut buffer = [0; 4096];
    while let Ok(length @ 1..) = pipe.read(&mut buffer) {
        text.extend_from_slice(&buffer[..length]);
        if progress == GitProgress::Show {
            // Nobody reads our stderr any more.
            let _ = io::stderr().write_all(&buffer[..length]);
        }
    }
    text
}

/// Removes user names, passwords and tokens from all URLs in a text.
pub(super) fn redact(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(position) = rest.find("://") {
        let (before, after) = rest.split_at(position + 3);
        clean.push_str(before);
        let end = after.find(|mark: char| mark == '/' || mark.is_whitespace() || mark == '\'' || mark == '"');
        let authority = &after[..end.unwrap_or(after.len())];
        let host = authority.rfind('@').map_or(0, |at| at + 1);
        // The usual ssh user is not a secret.
        let is_secret = host > 0 && &authority[..host] != "git@";
        clean.push_str(if is_secret { "***@" } else { &authority[..host] });
        rest = &after[host..];
    }
    clean + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failed_command_is_shown_as_a_person_would_type_it() {
        let check = |words: &[&str], expected: &str| {
            assert_eq!(command_line(Command::new("git").args(words)), expected);
        };
        let refspec = "+refs/cairn/wor*:refs/cairn/remotes/origin/wor*";
        check(&["-c", "gc.auto=0", "fetch", "--no-tags", "--", "origin", refspec], "git fetch origin");
        check(
            &["push", "--porcelain", "https://ada:secret@host/x", "0a1b:refs/cairn/work"],
            "git push https://***@host/x",
        );
        check(&["blame", "-L1,1", "HEAD", "--", "a:b.rs"], "git blame HEAD a:b.rs");
    }

    #[test]
    fn secrets_in_urls_are_redacted() {
        let check = |text: &str, expected: &str| assert_eq!(redact(text), expected);
        check("git fetch origin", "git fetch origin");
        check("https://me:pass@host/x y", "https://***@host/x y");
        check(
            "fatal: 'https://token@host/' and ssh://git@host/a@b",
            "fatal: 'https://***@host/' and ssh://git@host/a@b",
        );
        check("https://a:p@ss@host", "https://***@host");
    }
}
