//! Fetching our references, whole, into our own space. Nothing else of the person's repository is changed: no tags, no
//! branches, no `FETCH_HEAD`, no housekeeping. What the remote no longer has is forgotten in our space, so that it is
//! sent again rather than taken for shared.

use std::thread;
use std::time::Duration;

use super::program::{GitCommand, Progress};
use super::question::GitQuestion;
use super::{GitError, RefName, Repository, remote};

/// Longer than any history, yet not git's own "infinite": that one would also undo the person's `--depth`.
const WHOLE_HISTORY: &str = "--depth=1000000000";

/// The wait before a fetch that lost a race is tried again; it doubles up to the maximum.
const RETRY_INTERVAL: Duration = Duration::from_millis(50);
const MAX_RETRY_INTERVAL: Duration = Duration::from_millis(1600);

impl Repository {
    /// Brings a remote's references to where [`Repository::tracking_ref`] says.
    ///
    /// One the remote lacks is no failure. A shallow clone gets them whole and stays as shallow as it was, unless
    /// their own history has been cut short here: [`Repository::fetch_whole`] mends that.
    pub fn fetch(&self, remote: &str, names: &[RefName], progress: Progress) -> Result<(), GitError> {
        self.fetch_with(&[], remote, names, progress)
    }

    /// Does the same and fills in history that is cut short, of these references only.
    pub fn fetch_whole(&self, remote: &str, names: &[RefName], progress: Progress) -> Result<(), GitError> {
        self.fetch_with(&[WHOLE_HISTORY], remote, names, progress)
    }

    /// Does the same and takes everything anew, also what git believes is here.
    pub fn fetch_again(&self, remote: &str, names: &[RefName], progress: Progress) -> Result<(), GitError> {
        self.fetch_with(&["--refetch"], remote, names, progress)
    }

    /// Does the same for one reference without asking anybody anything, and gives up after a time.
    pub fn fetch_with_timeout(&self, remote: &str, name: &RefName, timeout: Duration) -> Result<(), GitError> {
        let command = self.fetch_command(&[], remote, std::slice::from_ref(name), Progress::Quiet)?;
        let mut question = GitQuestion::from_command(command);
        question.env("GIT_TERMINAL_PROMPT", "0").ask(timeout).map(|_| ())
    }

    fn fetch_with(
        &self,
        options: &[&str],
        remote: &str,
        names: &[RefName],
        progress: Progress,
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
        progress: Progress,
    ) -> Result<GitCommand, GitError> {
        remote::check(remote)?;
        let mut command = self.git_as_person();
        command.args(["-c", "gc.auto=0", "-c", "fetch.writeCommitGraph=false", "fetch"]);
        command.args(["--no-write-fetch-head", "--no-tags", "--no-auto-maintenance", "--no-recurse-submodules"]);
        // No `remote.*.fetch` of the person's on top, and no filter: what we cannot read is as good as lost.
        command.args(["--prune", "--refmap=", "--no-filter"]).args(options);
        command.args([if progress == Progress::Show { "--progress" } else { "--quiet" }, "--", remote]);
        for name in names {
            let tracking = self.tracking_ref(remote, name)?;
            command.args([format!("+{}:{}", name.glob(), tracking.glob())]);
        }
        Ok(command)
    }
}

/// Tells whether another fetch into the same references was faster: that of a second sync, or of one that was killed, whose
/// git goes on.
fn is_lost_race(error: &GitError) -> bool {
    matches!(error, GitError::Program { stderr, .. } if stderr.contains("cannot lock ref"))
}
