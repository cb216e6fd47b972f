//! The changes of a commit: the lines of each file, and the trailers of its message, as the `git` program sees them.

use std::collections::HashSet;

use super::question::{ANSWER_TIMEOUT, Subcommand};
use super::tree_path::unquote;
use super::{CommitId, GitError, Repository, TreePath};

/// The lines of a file that a commit changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedFile {
    /// Path at the commit; deleted files are not included.
    pub path: TreePath,
    /// The changed lines, in order.
    pub spans: Vec<ChangedSpan>,
}

/// A range of changed lines, at the commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChangedSpan {
    /// First line; for a pure deletion, the line before it.
    pub start: u32,
    /// Number of lines; 0 for a pure deletion.
    pub count: u32,
}

/// A file before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePair {
    /// Path before; the same as after, unless it was renamed or is new.
    pub before: TreePath,
    /// Path after.
    pub after: TreePath,
}

impl Repository {
    /// Returns the changes of a commit against its parent. For a merge, only changes against all of its parents.
    pub fn changed_lines(&self, commit: &CommitId) -> Result<Vec<ChangedFile>, GitError> {
        let mut command = self.question(Subcommand::DiffTree);
        command.args(["--root", "--cc", "--unified=0", "--no-commit-id", "--find-renames", "--no-color"]);
        command.args(["--src-prefix=a/", "--dst-prefix=b/", "--end-of-options"]);
        command.args([commit.to_string()]);
        Ok(read_diff(&command.ask(ANSWER_TIMEOUT)?))
    }

    /// Returns the files that differ between two commits and exist in the second.
    pub fn differing_files(&self, before: &CommitId, after: &CommitId) -> Result<Vec<FilePair>, GitError> {
        let mut command = self.question(Subcommand::DiffTree);
        command.args(["-r", "-z", "--name-status", "--find-renames", "--diff-filter=AMR"]);
        command.args(["--end-of-options", &before.to_string(), &after.to_string()]);
        Ok(read_pairs(&command.ask(ANSWER_TIMEOUT)?))
    }

    /// Returns the paths of all files that differ between two commits, in either of them.
    pub fn changed_paths(&self, before: &CommitId, after: &CommitId) -> Result<HashSet<String>, GitError> {
        let mut command = self.question(Subcommand::DiffTree);
        command.args(["-r", "-z", "--name-only", "--no-renames", "--end-of-options"]);
        command.args([before.to_string(), after.to_string()]);
        let answer = command.ask(ANSWER_TIMEOUT)?;
        let names = answer.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        Ok(names.map(|name| String::from_utf8_lossy(name).into_owned()).collect())
    }

    /// Returns the trailers of a message as git parses them: key and value, in order, each on one line.
    pub fn trailers_of(&self, message: &str) -> Result<Vec<(String, String)>, GitError> {
        let mut question = self.question(Subcommand::InterpretTrailers);
        let answer = question.input(message.as_bytes()).ask(ANSWER_TIMEOUT)?;
        let text = String::from_utf8_lossy(&answer);
        let pairs = text.lines().filter_map(|line| line.split_once(':'));
        Ok(pairs.map(|(key, value)| (key.trim().to_owned(), value.trim().to_owned())).collect())
    }
}

// Lines of code begin with a sign or a space, so a line that begins with `diff` or `@@` is git's own. File names occur
// only between the two.
fn read_diff(diff: &[u8]) -> Vec<ChangedFile> {
    let mut files: Vec<ChangedFile> = Vec::new();
    let mut is_heading = false;
    let mut has_file = false;
    for line in diff.split(|byte| *byte == b'\n') {
        if line.starts_with(b"diff ") {
            (is_heading, has_file) = (true, false);
        } else if line.starts_with(b"@@") {
            is_heading = false;
            let span = str::from_utf8(line).ok().or_else(|| ascii_start(line)).and_then(read_span);
            if let (true, Some(span), Some(file)) = (has_file, span, files.last_mut()) {
                file.spans.push(span);
            }
        } else if is_heading && let Some(path) = line.strip_prefix(b"+++ ").and_then(read_name) {
            has_file = true;
            files.push(ChangedFile { path, spans: Vec::new() });
        }
    }
    files
}

// After the numbers comes code, which may be in any encoding.
fn ascii_start(line: &[u8]) -> Option<&str> {
    let end = line.iter().position(|byte| !byte.is_ascii()).unwrap_or(line.len());
    str::from_utf8(&line[..end]).ok()
}

fn read_name(name: &[u8]) -> Option<TreePath> {
    // Git appends a tab to names that contain spaces.
    let name = unquote(name.strip_suffix(b"\t").unwrap_or(name));
    TreePath::from_bytes(name.strip_prefix(b"b/")?).ok()
}

/// Parses `@@ -1,2 +3,4 @@`, or the form for merges with more signs and ranges.
fn read_span(header: &str) -> Option<ChangedSpan> {
    let numbers = header.split_whitespace().find_map(|word| word.strip_prefix('+'))?;
    let (start, count) = numbers.split_once(',').unwrap_or((numbers, "1"));
    Some(ChangedSpan { start: start.parse().ok()?, count: count.parse().ok()? })
}

fn read_pairs(answer: &[u8]) -> Vec<FilePair> {
    let mut pairs = Vec::new();
    let mut fields = answer.split(|byte| *byte == 0);
    while let Some(status) = fields.next().filter(|status| !status.is_empty()) {
        let Some(first) = fields.next() else { break };
        let last = if status.first() == Some(&b'R') { fields.next().unwrap_or(first) } else { first };
        if let (Ok(before), Ok(after)) = (TreePath::from_bytes(first), TreePath::from_bytes(last)) {
            pairs.push(FilePair { before, after });
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_that_looks_like_a_heading_is_code() {
        let diff = b"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1,2 @@ fn a\n-@@ -9 +9 @@\n+++ b/y\n+diff --git\n\
                     diff --git a/gone b/gone\n--- a/gone\n+++ /dev/null\n@@ -1,3 +0,0 @@\n-a\n\
                     diff --cc two words\n--- a/two words\t\n+++ b/two words\t\n@@@ -1,1 -1,1 +4,0 @@@ \xff\n";
        let files = read_diff(diff);
        let found: Vec<(&str, Vec<(u32, u32)>)> = files
            .iter()
            .map(|file| (file.path.as_str().unwrap(), file.spans.iter().map(|span| (span.start, span.count)).collect()))
            .collect();
        assert_eq!(found, [("x", vec![(1, 2)]), ("two words", vec![(4, 0)])]);
    }
}
