//! The history of file names: every commit that created or renamed a file, as `git log -M` sees them.

use std::time::Duration;

use super::question::Subcommand;
use super::{CommitId, GitError, Repository, TreePath};

/// A commit that created or renamed a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEvent {
    /// The commit.
    pub commit: CommitId,
    /// Path before; `None` if the commit created the file.
    pub before: Option<String>,
    /// Path since then.
    pub after: String,
}

impl Repository {
    /// Returns the files created and renamed by the commits reachable from `head` but not from `known`, oldest first.
    /// Paths that are not UTF-8 are left out.
    pub fn file_events(
        &self,
        head: &CommitId,
        known: &[CommitId],
        timeout: Duration,
    ) -> Result<Vec<FileEvent>, GitError> {
        let mut command = self.question(Subcommand::Log);
        command.args(["--root", "--topo-order", "--reverse", "--find-renames", "--diff-filter=AR", "--name-status"]);
        command.args(["-z", "--no-color", "--no-notes"]);
        command.args(["--format=%H", "--end-of-options", &head.to_string()]);
        command.args(known.iter().map(|commit| format!("^{commit}")));
        command.args(["--"]);
        Ok(parse(&command.ask(timeout)?))
    }
}

/// Parses `COMMIT NUL NEWLINE`, then `A NUL name NUL` or `R100 NUL before NUL after NUL` per file.
fn parse(answer: &[u8]) -> Vec<FileEvent> {
    let mut events = Vec::new();
    let mut commit = None;
    let mut fields = answer.split(|byte| *byte == 0).map(<[u8]>::trim_ascii_start);
    while let Some(field) = fields.next() {
        let (before, after) = match field.first() {
            Some(b'A') if field.len() == 1 => (Some(None), fields.next()),
            Some(b'R') => (fields.next().map(name), fields.next()),
            _ => {
                commit = str::from_utf8(field).ok().and_then(|id| id.parse().ok()).or(commit);
                continue;
            }
        };
        if let (Some(commit), Some(before), Some(after)) = (commit, before, after.and_then(name)) {
            events.push(FileEvent { commit, before, after });
        }
    }
    events
}

fn name(bytes: &[u8]) -> Option<String> {
    TreePath::from_bytes(bytes).ok()?.as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn creations_and_renames_are_read_commit_by_commit() {
        let (first, second) = ("1".repeat(40), "2".repeat(40));
        let answer = format!("{first}\0\nA\0a b\0A\0R\0{second}\0\nR087\0a b\0c\0A\0d/e\0");
        let events = parse(answer.as_bytes());
        let found: Vec<_> = events
            .iter()
            .map(|event| (&event.commit.to_string()[..1] == "2", event.before.as_deref(), event.after.as_str()))
            .collect();
        let expected = [(false, None, "a b"), (false, None, "R"), (true, Some("a b"), "c"), (true, None, "d/e")];
        assert_eq!(found, expected);
    }
}
