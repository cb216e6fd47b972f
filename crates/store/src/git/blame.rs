//! The commit of each line, by `git blame`: follows renames and skips commits that the person ignores.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use super::question::Subcommand;
use super::tree_path::unquote;
use super::{CommitId, GitError, Repository, TreePath};

/// Adjacent lines from one commit that were adjacent there too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlameHunk {
    /// First line in the requested file, counted from 1.
    pub start: u32,
    /// Number of lines.
    pub n_lines: u32,
    /// The commit that wrote them.
    pub commit: CommitId,
    /// Path of the file in that commit.
    pub path: TreePath,
    /// First line in that file.
    pub source_start: u32,
}

impl BlameHunk {
    /// Returns the last line.
    pub fn end(&self) -> u32 {
        self.start + self.n_lines - 1
    }
}

impl Repository {
    /// Blames ranges of lines of a file at a commit, each given by its first and last line. All requested lines are
    /// returned, or it is an error.
    pub fn blame(
        &self,
        commit: &CommitId,
        path: &TreePath,
        ranges: &[(u32, u32)],
        patience: Duration,
    ) -> Result<Vec<BlameHunk>, GitError> {
        let mut command = self.question(Subcommand::Blame);
        command.args(["--incremental"]);
        command.args(ranges.iter().map(|(first, last)| format!("-L{first},{last}")));
        // A commit id cannot be mistaken for an option, and `git blame` does not support `--end-of-options`.
        command.args([&commit.to_string(), "--"]);
        command.args([path.to_os()]);
        let answer = command.ask_to_end(patience)?;
        if !answer.is_success() {
            return Err(command.refusal_about(path, answer));
        }
        let mut hunks = parse(&answer.stdout);
        hunks.sort_by_key(|hunk| hunk.start);
        // If a range ends beyond the end of the file, git returns only the existing lines.
        let reached = hunks.last().map_or(0, BlameHunk::end);
        if ranges.iter().any(|(_, last)| *last > reached) {
            return Err(GitError::TooFewLines { path: path.clone(), n_lines: reached });
        }
        Ok(hunks)
    }

    /// Returns a hash that changes when blame of the same lines may change: it covers the settings and the list of
    /// ignored commits.
    pub(crate) fn blame_settings(&self) -> Result<u64, GitError> {
        let settings = self.settings()?;
        let mut hasher = DefaultHasher::new();
        settings.string("diff.algorithm").hash(&mut hasher);
        for name in settings.strings("blame.ignoreRevsFile") {
            name.hash(&mut hasher);
            let path = self.workdir().unwrap_or(self.git_dir()).join(&name);
            // Git decides about anything but a regular file; reading it here might block.
            if path.is_file() {
                std::fs::read(&path).map_err(|source| GitError::reading(&path, source))?.hash(&mut hasher);
            }
        }
        Ok(hasher.finish())
    }
}

/// Parses `git blame --incremental`: per hunk a line `commit source-line line count`, then lines about the commit; the
/// last names the file.
fn parse(bytes: &[u8]) -> Vec<BlameHunk> {
    let mut hunks = Vec::new();
    let mut head = None;
    for line in bytes.split(|byte| *byte == b'\n') {
        if let Some(name) = line.strip_prefix(b"filename ") {
            let path = TreePath::from_bytes(&unquote(name));
            if let (Some((commit, source_start, start, n_lines)), Ok(path)) = (head.take(), path) {
                hunks.push(BlameHunk { start, n_lines, commit, path, source_start });
            }
        } else if head.is_none() {
            head = parse_head(line);
        }
    }
    hunks
}

fn parse_head(line: &[u8]) -> Option<(CommitId, u32, u32, u32)> {
    let mut words = str::from_utf8(line).ok()?.split(' ');
    let commit = words.next()?.parse().ok()?;
    let mut number = || words.next()?.parse().ok();
    Some((commit, number()?, number()?, number()?))
}
