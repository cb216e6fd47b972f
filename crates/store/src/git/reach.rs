//! Reachability of commits.

use std::collections::HashSet;
use std::time::Duration;

use super::question::{Subcommand, WALK_TIMEOUT};
use super::{CommitId, GitError, ReadError, Repository};

impl Repository {
    /// Returns those of the commits that are not reachable from `tip`; missing commits count as unreachable.
    pub(crate) fn not_reached_from(&self, tip: &CommitId, commits: &[CommitId]) -> Result<Vec<CommitId>, GitError> {
        if commits.is_empty() {
            return Ok(Vec::new());
        }
        let mut question = self.question(Subcommand::RevList);
        let mut tips: Vec<String> = commits.iter().map(CommitId::to_string).collect();
        tips.push(format!("^{tip}\n"));
        question.args(["--ignore-missing", "--stdin"]).input(tips.join("\n").as_bytes());
        let answer = question.ask(WALK_TIMEOUT)?;
        let outside: HashSet<CommitId> =
            String::from_utf8_lossy(&answer).lines().filter_map(|line| line.parse().ok()).collect();
        let mut found = Vec::new();
        for commit in commits {
            if outside.contains(commit) || !self.has_commit(commit)? {
                found.push(*commit);
            }
        }
        Ok(found)
    }

    /// Returns the commits reachable from `tip` but not from `without`, each with its number of parents.
    pub(crate) fn commits_between(
        &self,
        tip: CommitId,
        without: &[CommitId],
    ) -> Result<Vec<(CommitId, usize)>, GitError> {
        let mut tips: Vec<String> = vec![tip.to_string()];
        tips.extend(without.iter().map(|id| format!("^{id}")));
        let mut question = self.question(Subcommand::RevList);
        question.env("GIT_NO_REPLACE_OBJECTS", "1").args(["--ignore-missing", "--parents", "--stdin"]);
        question.input((tips.join("\n") + "\n").as_bytes());
        let answer = question.ask(WALK_TIMEOUT)?;
        let read = |line: &str| {
            let mut words = line.split(' ');
            Some((words.next()?.parse().ok()?, words.count()))
        };
        Ok(String::from_utf8_lossy(&answer).lines().filter_map(read).collect())
    }

    /// Returns the commits reachable from `from` but not from `base`.
    pub(crate) fn commits_beyond(
        &self,
        from: &CommitId,
        base: &CommitId,
        timeout: Duration,
    ) -> Result<Vec<CommitId>, GitError> {
        let mut command = self.question(Subcommand::RevList);
        command.args(["--end-of-options", &from.to_string(), &format!("^{base}"), "--"]);
        let answer = command.ask(timeout)?;
        let text = String::from_utf8_lossy(&answer);
        Ok(text.lines().filter_map(|line| line.parse().ok()).collect())
    }

    fn has_commit(&self, commit: &CommitId) -> Result<bool, GitError> {
        match self.read_commit(commit, u64::MAX) {
            Err(ReadError::Git(error)) => Err(error),
            other => Ok(other.is_ok()),
        }
    }
}
