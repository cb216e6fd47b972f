//! Fetches our references into `refs/cairn/remotes`. Nothing else in the person's repository changes: no tags, no
//! branches, no `FETCH_HEAD`, no maintenance. References that the remote no longer has are pruned, so that they are
//! pushed again rather than assumed to be shared.

use std::thread;
use std::time::Duration;

use super::program::{GitCommand, GitProgress};
use super::question::GitQuestion;
use super::{GitError, RefName, Repository, remote};

/// Deeper than any history, but not git's own "infinite" value, which would also unshallow the person's branches.
const WHOLE_HISTORY: &str = "--depth=1000000000";

/// Delay before a fetch that lost a race is retried; it doubles up to the maximum.
const RETRY_INTERVAL: Duration = Duration::from_millis(50);
const MAX_RETRY_INTERVAL: Duration = Duration::from_millis(1600);

impl Repository {
    /// Fetches a remote's references to [`Repository::tracking_ref`].
    ///
    /// A reference that the remote lacks is not an error. A shallow clone fetches their whole history and stays as
    /// shallow as it was, unless their history itself is cut off here: [`Repository::fetch_whole`] fixes that.
    pub fn fetch(&self, remote: &str, names: &[RefName], progress: GitProgress) -> Result<(), GitError> {
        self.fetch_with(&[], remote, names, progress)
    }

    /// Does the same and completes truncated history of these references.
    pub fn fetch_whole(&self, remote: &str, names: &[RefName], progress: GitProgress) -> Result<(), GitError> {
        self.fetch_with(&[WHOLE_HISTORY], remote, names, progress)
    }

    /// Does the same and fetches everything again, including objects that git believes to have.
    pub(crate) fn fetch_again(&self, remote: &str, names: &[RefName], progress: GitProgress) -> Result<(), GitError> {
        self.fetch_with(&["--refetch"], remote, names, progress)
    }

    /// Does the same for one reference without prompts, with a timeout.
    pub(crate) fn fetch_with_timeout(&self, remote: &str, name: &RefName, timeout: Duration) -> Result<(), GitError> {
        let command = self.fetch_command(&[], remote, std::slice::from_ref(name), GitProgress::Quiet)?;
        let mut question = GitQuestion::from_command(command);
        question.env("GIT_TERMINAL_PROMPT", "0").ask(timeout).map(|_| ())
    }

    fn fetch_with(
        &self,
        options: &[&str],
        remote: &str,
        names: &[RefName],
        progress: GitProgress,
    ) -> Result<(), GitError> {
        let mut command = self.fetch_command(options, remote, names, progress)?;
        command.progress(progress);
        let mut interval = RETRY_INTERVAL;
        loop {
            match command.run() {
                Err(error) if interval <= MAX_RETRY_INTERVAL && is_lost_race(&error) => thread::sleep(interval),
                done => return done.map(|_| ()),
            }
            interval *= 2;
        }
    }

    fn fetch_command(
        &self,
        options: &[&str],
        remote: &str,
        names: &[RefName],
        progress: GitProgress,
    ) -> Result<GitCommand, GitError> {
        remote::check(remote)?;
        let mut command = self.git_as_person();
        command.args(["-c", "gc.auto=0", "-c", "fetch.writeCommitGraph=false", "fetch"]);
        command.args(["--no-write-fetch-head", "--no-tags", "--no-auto-maintenance", "--no-recurse-submodules"]);
        // Ignores the person's `remote.*.fetch`, and applies no filter: a log with missing objects cannot be read.
        command.args(["--prune", "--refmap=", "--no-filter"]).args(options);
        command.args([if progress == GitProgress::Show { "--progress" } else { "--quiet" }, "--", remote]);
        for name in names {
            let tracking = self.tracking_ref(remote, name)?;
            command.args([format!("+{}:{}", name.glob(), tracking.glob())]);
        }
        Ok(command)
    }
}

/// Returns whether another fetch into the same references was faster: of a concurrent sync, or of a killed one whose
/// git process still runs.
fn is_lost_race(error: &GitError) -> bool {
    matches!(error, GitError::Program { stderr, .. } if stderr.contains("cannot lock ref"))
}
