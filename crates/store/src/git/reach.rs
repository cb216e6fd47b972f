//! Which commits are part of a history, and which are not.

use std::collections::HashSet;

use super::{CommitId, GitError, Repository};

impl Repository {
    /// Returns those of the commits that cannot be reached from `tip`; one that git does not have is among them.
    pub fn not_reached_from(&self, tip: &CommitId, commits: &[CommitId]) -> Result<Vec<CommitId>, GitError> {
        if commits.is_empty() {
            return Ok(Vec::new());
        }
        let mut command = self.question();
        let mut tips: Vec<String> = commits.iter().map(CommitId::to_string).collect();
        tips.push(format!("^{tip}\n"));
        command.args(["rev-list", "--ignore-missing", "--stdin"]).input(tips.join("\n").as_bytes());
        let answer = command.run()?.stdout;
        let outside: HashSet<CommitId> = answer.lines().filter_map(|line| line.parse().ok()).collect();
        let is_outside = |commit: &&CommitId| outside.contains(commit) || !self.has_commit(commit);
        Ok(commits.iter().filter(is_outside).copied().collect())
    }

    fn has_commit(&self, commit: &CommitId) -> bool {
        self.read_commit(commit, u64::MAX).is_ok()
    }
}
