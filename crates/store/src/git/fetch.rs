//! Fetching our references, whole, into our own space. Nothing else of the person's repository is changed: no
//! tags, no branches, no `FETCH_HEAD`, no pruning, no housekeeping.

use super::program::Progress;
use super::{GitError, RefName, Repository, remote};

impl Repository {
    /// Brings a remote's references to where [`Repository::tracking_ref`] says; one the remote lacks is no failure.
    pub fn fetch(&self, remote: &str, names: &[RefName], progress: Progress) -> Result<(), GitError> {
        remote::check(remote)?;
        let mut command = self.git();
        command.args(["-c", "gc.auto=0", "-c", "fetch.writeCommitGraph=false", "fetch"]);
        command.args(["--no-write-fetch-head", "--no-tags", "--no-auto-maintenance", "--no-recurse-submodules"]);
        // No `remote.*.fetch` of the person's on top, and no filter: what we cannot read is as good as lost.
        command.args(["--no-prune", "--refmap=", "--no-filter"]);
        command.args([if progress == Progress::Show { "--progress" } else { "--quiet" }, "--", remote]);
        for name in names {
            let tracking = self.tracking_ref(remote, name)?;
            command.args([format!("+{}:{}", name.glob(), tracking.glob())]);
        }
        command.progress(progress).run()?;
        Ok(())
    }
}
