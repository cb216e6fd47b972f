//! Which commit each line comes from, as `git blame` says: renames followed, commits the person ignores skipped.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use super::question::Subcommand;
use super::tree_path::unquote;
use super::{CommitId, GitError, Repository, TreePath};

/// Lines that come from one commit, side by side here as they were there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlameHunk {
    /// The first of them in the file that was asked about, counted from 1.
    pub start: u32,
    /// How many.
    pub n_lines: u32,
    /// The commit that wrote them.
    pub commit: CommitId,
    /// The file's name in that commit.
    pub path: TreePath,
    /// The first of them in that file.
    pub source_start: u32,
}

impl BlameHunk {
    /// Returns the last line.
    pub fn end(&self) -> u32 {
        self.start + self.n_lines - 1
    }
}

impl Repository {
    /// Asks git about ranges of lines of a file at a commit, each given by its first and last line. Every line asked for
    /// is answered, or it is an error.
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
        // An id is never read as an option, and `git blame` knows no `--end-of-options`.
        command.args([&commit.to_string(), "--"]);
        command.args([path.to_os()]);
        let answer = command.ask_to_end(patience)?;
        if !answer.is_success() {
            return Err(command.refusal_about(path, answer));
        }
        let mut hunks = parse(&answer.stdout);
        hunks.sort_by_key(|hunk| hunk.start);
        // Git answers for the lines there are when a range begins in the file and ends beyond it.
        let reached = hunks.last().map_or(0, BlameHunk::end);
        if ranges.iter().any(|(_, last)| *last > reached) {
            return Err(GitError::TooFewLines { path: path.clone(), n_lines: reached });
        }
        Ok(hunks)
    }

    /// Returns a value that changes when the same question to blame may get another answer: with the settings, and with
    /// the list of commits to be ignored.
    pub fn blame_settings(&self) -> Result<u64, GitError> {
        let settings = self.settings()?;
        let mut hasher = DefaultHasher::new();
        settings.string("diff.algorithm").hash(&mut hasher);
        for name in settings.strings("blame.ignoreRevsFile") {
            name.hash(&mut hasher);
            let path = self.workdir().unwrap_or(self.git_dir()).join(&name);
            // Anything but a file is git's to judge; reading it here might never end.
            if path.is_file() {
                std::fs::read(&path).map_err(|source| GitError::reading(&path, source))?.hash(&mut hasher);
            }
        }
        Ok(hasher.finish())
    }
}

/// Reads `git blame --incremental`: for each hunk a line `commit there here count`, then lines about the commit, of which
/// the last names the file.
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
