//! Questions that only the `git` program answers well and that may take long: blame, the history of lines, old names.
//!
//! Each is a process of its own. A few run beside each other, the rest wait their turn; one that takes too long is
//! ended. None writes, asks the person, opens a pager or runs another program.

use std::io::{self, Read};
use std::process::{Child, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Condvar, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::program::{GitCommand, Output, redact};
use super::{GitError, Repository, TreePath};

/// How long an answer may take.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// How soon a process that has said all is first asked whether it has ended: it needs a moment for that, not a
/// millisecond. The pause doubles up to `LONGEST_GLANCE`.
const GLANCE: Duration = Duration::from_micros(20);
const LONGEST_GLANCE: Duration = Duration::from_millis(5);

impl Repository {
    /// Prepares a question to git.
    pub(super) fn question(&self) -> GitCommand {
        let mut command = self.git();
        command.env("GIT_OPTIONAL_LOCKS", "0").env("GIT_TERMINAL_PROMPT", "0").env("GIT_PAGER", "cat");
        // A path is a path: no stars, no magic.
        command.env("GIT_LITERAL_PATHSPECS", "1").env_remove("GIT_EXTERNAL_DIFF");
        command.args(["--no-pager", "-c", "core.quotePath=false", "-c", "log.showSignature=false"]);
        command.args(["-c", "i18n.logOutputEncoding=UTF-8"]);
        command
    }
}

/// What git answered, byte for byte.
pub(super) struct Answer {
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: String,
    code: Option<i32>,
}

impl Answer {
    pub(super) fn is_success(&self) -> bool {
        self.code == Some(0)
    }
}

impl GitCommand {
    /// Runs a question; a failure is an error.
    pub(super) fn ask(&mut self, patience: Duration) -> Result<Vec<u8>, GitError> {
        let answer = self.ask_to_end(patience)?;
        if answer.code == Some(0) { Ok(answer.stdout) } else { Err(self.refusal(answer)) }
    }

    /// Runs a question to its end, whatever it exits with.
    pub(super) fn ask_to_end(&mut self, patience: Duration) -> Result<Answer, GitError> {
        let _turn = Turn::take();
        let mut child = self.start()?;
        match listen(&mut child, Instant::now() + patience) {
            Ok(Some(answer)) => Ok(answer),
            Ok(None) => {
                // It may have ended by itself in this moment; nobody is left to hear of a failure to end it.
                let _ = child.kill();
                let _ = child.wait();
                Err(GitError::TooSlow { command: self.command_line(), patience })
            }
            Err(source) => Err(GitError::NoProgram { source }),
        }
    }

    /// Turns an answer that is a failure into the error that says so.
    pub(super) fn refusal(&self, answer: Answer) -> GitError {
        self.failure(Output { stdout: String::new(), stderr: answer.stderr, code: answer.code })
    }

    /// Does the same for a question about lines of a file, which may not have them.
    pub(super) fn refusal_about(&self, path: &TreePath, answer: Answer) -> GitError {
        match length_told(&answer.stderr) {
            Some(n_lines) => GitError::TooFewLines { path: path.clone(), n_lines },
            None => self.refusal(answer),
        }
    }

    fn start(&mut self) -> Result<Child, GitError> {
        let command = self.command();
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().map_err(|source| GitError::NoProgram { source })
    }
}

// `fatal: file a.rs has only 3 lines`, with LC_ALL=C.
fn length_told(stderr: &str) -> Option<u32> {
    let (_, after) = stderr.split_once(" has only ")?;
    after.split(' ').next()?.parse().ok()
}

// `None` when time is up. Whoever still holds the pipes then, such as a child of git's, is not waited for.
fn listen(child: &mut Child, end: Instant) -> io::Result<Option<Answer>> {
    let said = [child.stdout.take().map(read_aside), child.stderr.take().map(read_aside)];
    let mut texts = Vec::new();
    for receiver in said.into_iter().flatten() {
        match receiver.recv_timeout(end.saturating_duration_since(Instant::now())) {
            Ok(bytes) => texts.push(bytes),
            Err(RecvTimeoutError::Timeout) => return Ok(None),
            Err(RecvTimeoutError::Disconnected) => texts.push(Vec::new()),
        }
    }
    let mut pause = GLANCE;
    loop {
        if let Some(status) = child.try_wait()? {
            let stderr = texts.pop().unwrap_or_default();
            let stdout = texts.pop().unwrap_or_default();
            let stderr = redact(&String::from_utf8_lossy(&stderr));
            return Ok(Some(Answer { stdout, stderr, code: status.code() }));
        }
        if Instant::now() >= end {
            return Ok(None);
        }
        thread::sleep(pause);
        pause = (pause * 2).min(LONGEST_GLANCE);
    }
}

fn read_aside(mut pipe: impl Read + Send + 'static) -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // What arrived before a failure is still what git said; its exit code tells the rest.
        let _ = pipe.read_to_end(&mut bytes);
        // After a timeout nobody listens any more.
        let _ = sender.send(bytes);
    });
    receiver
}

/// The right to run one process, until dropped.
struct Turn;

static RUNNING: Mutex<usize> = Mutex::new(0);
static FREED: Condvar = Condvar::new();

impl Turn {
    fn take() -> Self {
        let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        while *running >= most_at_once() {
            running = FREED.wait(running).unwrap_or_else(PoisonError::into_inner);
        }
        *running += 1;
        Self
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        *RUNNING.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        FREED.notify_one();
    }
}

// Blame and log keep one core busy each; one more hides the time a process takes to start.
fn most_at_once() -> usize {
    static MOST: OnceLock<usize> = OnceLock::new();
    *MOST.get_or_init(|| thread::available_parallelism().map_or(2, |n| n.get().clamp(1, 7) + 1))
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
                    let _turn = Turn::take();
                    let running = *RUNNING.lock().unwrap();
                    let mut most = most_seen.lock().unwrap();
                    *most = running.max(*most);
                });
            }
        });
        assert!(*most_seen.lock().unwrap() <= most_at_once());
        drop(Turn::take());
    }
}
