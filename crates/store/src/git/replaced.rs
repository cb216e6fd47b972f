//! Replaced commits: those that no branch reaches any more, and commits of another history with the same change.

use std::collections::{HashMap, HashSet};

use super::question::{ANSWER_TIMEOUT, GitQuestion, Subcommand, WALK_TIMEOUT};
use super::{CommitId, GitError, Repository};

/// Commits per run of git, which holds their diffs in memory.
const COMMITS_PER_RUN: usize = 200;

impl Repository {
    /// Returns those of the commits that exist here but are not reachable from any branch, remote branch, tag or
    /// `HEAD`.
    pub fn unreached(&self, commits: &[CommitId]) -> Result<Vec<CommitId>, GitError> {
        if commits.is_empty() {
            return Ok(Vec::new());
        }
        let mut refs = self.question(Subcommand::ForEachRef);
        refs.args(["--format=^%(objectname)", "refs/heads", "refs/remotes", "refs/tags"]);
        let mut lines = String::from_utf8_lossy(&refs.ask(ANSWER_TIMEOUT)?).into_owned();
        if let Some(head) = self.head()? {
            lines.extend(["^", &head.to_string(), "\n"]);
        }
        for commit in commits {
            lines.extend([&commit.to_string(), "\n"]);
        }
        let mut command = self.question(Subcommand::RevList);
        command.args(["--ignore-missing", "--stdin"]).input(lines.as_bytes());
        let answer = command.ask(WALK_TIMEOUT)?;
        let outside: HashSet<CommitId> =
            String::from_utf8_lossy(&answer).lines().filter_map(|line| line.parse().ok()).collect();
        Ok(commits.iter().filter(|commit| outside.contains(commit)).copied().collect())
    }

    /// Returns the commits of one history that another lacks, oldest first, without merges, which have no change of
    /// their own.
    pub fn non_merges_beyond(&self, tip: &CommitId, other: &CommitId, limit: usize) -> Result<Vec<CommitId>, GitError> {
        let mut command = self.question(Subcommand::RevList);
        command.args(["--no-merges", "--topo-order", &format!("--max-count={limit}")]);
        command.args(["--end-of-options", &tip.to_string(), &format!("^{other}")]);
        let answer = command.ask(ANSWER_TIMEOUT)?;
        let mut commits: Vec<CommitId> =
            String::from_utf8_lossy(&answer).lines().filter_map(|line| line.parse().ok()).collect();
        commits.reverse();
        Ok(commits)
    }

    /// Returns those of the commits that are not ancestors of another one.
    pub fn independent(&self, commits: &[CommitId]) -> Result<Vec<CommitId>, GitError> {
        if commits.is_empty() {
            return Ok(Vec::new());
        }
        let mut command = self.question(Subcommand::MergeBase);
        command.args(["--independent"]).args(commits.iter().map(CommitId::to_string));
        let answer = command.ask(ANSWER_TIMEOUT)?;
        Ok(String::from_utf8_lossy(&answer).lines().filter_map(|line| line.parse().ok()).collect())
    }

    /// Returns the patch id of each commit: equal changes have equal ids. A commit without changes has none.
    pub fn patch_ids(&self, commits: &[CommitId]) -> Result<HashMap<CommitId, String>, GitError> {
        let mut found = HashMap::new();
        for some in commits.chunks(COMMITS_PER_RUN) {
            let mut command = self.diff_tree();
            let lines: String = some.iter().flat_map(|commit| [commit.to_string(), "\n".to_owned()]).collect();
            command.args(["--stdin"]).input(lines.as_bytes());
            let diffs = String::from_utf8_lossy(&command.ask(WALK_TIMEOUT)?).into_owned();
            found.extend(self.read_patch_ids(&diffs)?.into_iter().filter_map(|(id, commit)| Some((commit?, id))));
        }
        Ok(found)
    }

    /// Returns the patch id of the diff between two commits.
    pub fn patch_id_between(&self, before: &CommitId, after: &CommitId) -> Result<Option<String>, GitError> {
        let mut command = self.diff_tree();
        command.args(["--end-of-options", &before.to_string(), &after.to_string()]);
        let diff = String::from_utf8_lossy(&command.ask(ANSWER_TIMEOUT)?).into_owned();
        Ok(self.read_patch_ids(&diff)?.into_iter().next().map(|(id, _)| id))
    }

    /// Returns the lines that a commit added, each with its file, without white space.
    pub fn added_lines(&self, commit: &CommitId) -> Result<HashSet<String>, GitError> {
        let mut command = self.diff_tree();
        command.args(["--unified=0", "--no-commit-id", "--end-of-options", &commit.to_string()]);
        let diff = String::from_utf8_lossy(&command.ask(ANSWER_TIMEOUT)?).into_owned();
        let mut file = "";
        let mut lines = HashSet::new();
        for line in diff.lines() {
            if let Some(name) = line.strip_prefix("+++ ") {
                file = name;
            } else if let Some(text) = line.strip_prefix('+').map(str::trim).filter(|text| text.len() > 1) {
                lines.insert(format!("{file} {text}"));
            }
        }
        Ok(lines)
    }

    fn diff_tree(&self) -> GitQuestion {
        let mut command = self.question(Subcommand::DiffTree);
        command.args(["-r", "-p", "--root", "--no-color"]);
        command.args(["--no-renames", "--src-prefix=a/", "--dst-prefix=b/"]);
        command
    }

    fn read_patch_ids(&self, diffs: &str) -> Result<Vec<(String, Option<CommitId>)>, GitError> {
        if diffs.is_empty() {
            return Ok(Vec::new());
        }
        let mut command = self.question(Subcommand::PatchId);
        let answer = command.args(["--stable"]).input(diffs.as_bytes()).ask(WALK_TIMEOUT)?;
        let answer = String::from_utf8_lossy(&answer);
        let pairs = answer.lines().filter_map(|line| line.split_once(' '));
        Ok(pairs.map(|(id, commit)| (id.to_owned(), commit.trim().parse().ok())).collect())
    }

    /// Returns the files in a commit's tree that contain one of the texts, each with the text.
    pub(crate) fn files_with(&self, tip: &CommitId, texts: &[String]) -> Result<Vec<(String, String)>, GitError> {
        let mut command = self.question(Subcommand::Grep);
        command.args(["--text", "--fixed-strings", "--only-matching", "--full-name", "-z", "--no-color"]);
        for text in texts {
            command.args(["-e", text]);
        }
        command.args(["--end-of-options", &tip.to_string()]);
        let answer = command.ask_to_end(ANSWER_TIMEOUT)?;
        let output = String::from_utf8_lossy(&answer.stdout).into_owned();
        // `git grep` exits with an error code if it finds nothing.
        let pairs = output.lines().filter_map(|line| line.split_once('\0'));
        let name = |file: &str| file.split_once(':').map_or_else(|| file.to_owned(), |(_, name)| name.to_owned());
        Ok(pairs.map(|(file, text)| (name(file), text.to_owned())).collect())
    }
}
