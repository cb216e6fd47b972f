//! Secrets in the credential helpers that the person configured for git: the secure store of each platform, or a file.
//!
//! Git runs outside every repository, so that no repository's configuration names a helper, and never prompts.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::GitError;
use super::program::{FOREIGN_VARIABLES, GitCommand};
use super::question::{GitAnswer, GitQuestion};

/// Timeout of a helper: long enough for the person to unlock the platform's store.
const HELPER_TIMEOUT: Duration = Duration::from_mins(1);

/// Variables that would make git read the configuration of a repository.
const REPOSITORY_VARIABLES: [&str; 3] = ["GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR"];

/// The name of a secret. Helpers look it up by host and user name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Credential<'a> {
    /// A host name; one under `.invalid` never collides with a server that git itself uses.
    pub host: &'a str,
    /// The user name.
    pub username: &'a str,
}

impl Credential<'_> {
    /// Returns the secret, if a helper has it. Git does not tell a helper that failed from one without the secret.
    pub fn fill(&self) -> Result<Option<String>, GitError> {
        let answer = self.run("fill", None)?;
        if !answer.is_success() {
            return Ok(None);
        }
        let text = answer.text();
        Ok(text.lines().find_map(|line| line.strip_prefix("password=")).map(str::to_owned))
    }

    /// Gives a secret, which must be one line, to all helpers. Git reports no helper that fails; `fill` shows whether
    /// one kept it.
    pub fn approve(&self, secret: &str) -> Result<(), GitError> {
        self.run("approve", Some(secret)).map(drop)
    }

    /// Makes all helpers forget the secret.
    pub fn reject(&self) -> Result<(), GitError> {
        self.run("reject", None).map(drop)
    }

    fn run(&self, verb: &str, secret: Option<&str>) -> Result<GitAnswer, GitError> {
        let Self { host, username } = self;
        let mut input = format!("protocol=https\nhost={host}\nusername={username}\n");
        if let Some(secret) = secret {
            input.extend(["password=", secret, "\n"]);
        }
        let mut command = Command::new("git");
        command.args(["credential", verb]).current_dir(outside_of_repositories()).env("LC_ALL", "C");
        for variable in FOREIGN_VARIABLES.iter().chain(&REPOSITORY_VARIABLES) {
            command.env_remove(variable);
        }
        // An empty program for prompts also disables `core.askPass` and `SSH_ASKPASS`.
        command.env("GIT_TERMINAL_PROMPT", "0").env("GIT_ASKPASS", "");
        GitQuestion::from_command(GitCommand::new(command)).input(input.as_bytes()).ask_to_end(HELPER_TIMEOUT)
    }
}

// The top of the file system: git looks for a repository there and above it.
fn outside_of_repositories() -> &'static Path {
    Path::new(std::path::MAIN_SEPARATOR_STR)
}
