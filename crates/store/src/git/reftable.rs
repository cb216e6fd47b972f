//! References in the reftable format. Only the `git` program reads and writes them: git would never see a loose file
//! next to them.

use super::gix;
use super::question::{ANSWER_TIMEOUT, Subcommand};
use super::{CommitId, GitError, MoveError, RefName, Repository};

impl Repository {
    pub(super) fn read_reftable(&self, name: &RefName) -> Result<Option<CommitId>, GitError> {
        let mut question = self.question(Subcommand::ForEachRef);
        // The pattern also matches names below it, and an absent name is not an error.
        let answer = question.args(["--format=%(objectname) %(refname)", name.as_str()]).ask(ANSWER_TIMEOUT)?;
        for line in String::from_utf8_lossy(&answer).lines() {
            let Some((id, found)) = line.split_once(' ') else {
                continue;
            };
            if found == name.as_str() {
                let id = id.parse::<CommitId>();
                let id = id.map_err(|error| GitError::BrokenRef { name: name.clone(), why: error.to_string() })?;
                return Ok(Some(id));
            }
        }
        Ok(None)
    }

    pub(super) fn move_reftable(
        &self,
        name: &RefName,
        from: Option<CommitId>,
        to: CommitId,
        reason: &str,
    ) -> Result<(), MoveError> {
        let old = match from {
            Some(id) => id.to_string(),
            None => gix::ObjectId::null(self.format.hash).to_hex().to_string(),
        };
        let mut command = self.git_as_person();
        // No hooks, as for references in files, which we write ourselves.
        command.args(["-c", "core.hooksPath=/dev/null", "-c", "core.fsync=all", "-c", "reftable.lockTimeout=2000"]);
        command.args(["update-ref", "--no-deref", "-m"]);
        command.args([reason, name.as_str(), &to.to_string(), &old]);
        let Err(error) = command.run() else {
            return Ok(());
        };
        // Git uses one exit code for all failures, so check whether the reference still has the expected value.
        let is_moved = self.read_reftable(name)? != from;
        if is_moved { Err(MoveError::Moved { name: name.clone() }) } else { Err(error.into()) }
    }
}
