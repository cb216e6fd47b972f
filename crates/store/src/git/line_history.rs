//! The history of lines and names: the commits that changed lines, as `git log -L` follows them, and earlier names of a
//! file, as `git log --follow` finds them.

use std::time::Duration;

use super::question::Subcommand;
use super::{CommitId, GitError, Repository, TreePath};

/// A commit that changed lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineChange {
    /// The commit.
    pub commit: CommitId,
    /// Commit time in seconds since 1970.
    pub seconds: i64,
    /// Message in UTF-8, without the final line break.
    pub message: String,
}

impl Repository {
    /// Returns the commits that changed ranges of lines of a file, each given by its first and last line, newest first.
    pub fn line_history(
        &self,
        commit: &CommitId,
        path: &TreePath,
        ranges: &[(u32, u32)],
        patience: Duration,
    ) -> Result<Vec<LineChange>, GitError> {
        let mut command = self.question(Subcommand::Log);
        command.args(["--no-patch", "--no-color", "--no-notes", "--no-mailmap"]);
        command.args(["--format=%x00%H%x00%ct%x00%B"]);
        for (first, last) in ranges {
            let mut range = std::ffi::OsString::from(format!("-L{first},{last}:"));
            range.push(path.to_os());
            command.args([range]);
        }
        command.args(["--end-of-options", &commit.to_string(), "--"]);
        let answer = command.ask_to_end(patience)?;
        if !answer.is_success() {
            return Err(command.refusal_about(path, answer));
        }
        let text = String::from_utf8_lossy(&answer.stdout);
        let fields: Vec<&str> = text.split('\0').skip(1).collect();
        Ok(fields.chunks_exact(3).filter_map(read_change).collect())
    }

    /// Returns the earlier names of a file at a commit, newest first, without its current name.
    pub fn former_names(
        &self,
        commit: &CommitId,
        path: &TreePath,
        patience: Duration,
    ) -> Result<Vec<TreePath>, GitError> {
        let mut command = self.question(Subcommand::Log);
        command.args(["--follow", "--find-renames", "--diff-filter=R", "--name-status", "-z"]);
        command.args(["--no-color", "--format=", "--end-of-options", &commit.to_string(), "--"]);
        command.args([path.to_os()]);
        let answer = command.ask(patience)?;
        let mut names = Vec::new();
        let mut fields = answer.split(|byte| *byte == 0);
        while let Some(field) = fields.next() {
            // `R` with the similarity, the name before, the name after.
            if field.trim_ascii_start().first() == Some(&b'R') {
                let before = fields.next().and_then(|name| TreePath::from_bytes(name).ok());
                names.extend(before.filter(|name| name != path && !names.contains(name)));
                fields.next();
            }
        }
        Ok(names)
    }
}

fn read_change(fields: &[&str]) -> Option<LineChange> {
    let [commit, seconds, message] = fields else { return None };
    Some(LineChange {
        commit: commit.parse().ok()?,
        seconds: seconds.parse().ok()?,
        message: message.trim_end_matches('\n').to_owned(),
    })
}
