//! The changed lines of a diff on both sides: between two commits, of the index, or of the work tree. Changes of white
//! space only are left out.

use super::question::{ANSWER_TIMEOUT, Subcommand, WorkTreeSubcommand};
use super::tree_path::unquote;
use super::{ChangedSpan, CommitId, GitError, Repository};

/// What is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiffSource {
    /// Two commits.
    Commits {
        /// Before.
        base: CommitId,
        /// After.
        tip: CommitId,
    },
    /// `HEAD` and the index.
    Staged,
    /// `HEAD` and the work tree, without untracked files.
    WorkTree,
}

/// The changes of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileHunks {
    /// Path before; `None` for a new file.
    pub old: Option<String>,
    /// Path after; `None` for a deleted file.
    pub new: Option<String>,
    /// The changed lines, in order.
    pub hunks: Vec<DiffHunk>,
}

/// Lines that were replaced. A count of 0 is a pure insertion or deletion after the line `start`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiffHunk {
    /// Lines before.
    pub old: ChangedSpan,
    /// Lines after.
    pub new: ChangedSpan,
}

const OPTIONS: [&str; 6] =
    ["--unified=0", "--find-renames", "--ignore-all-space", "--no-color", "--src-prefix=a/", "--dst-prefix=b/"];

impl Repository {
    /// Returns the changes of each file. Paths that are not UTF-8 are left out.
    pub fn diff_hunks(&self, source: &DiffSource) -> Result<Vec<FileHunks>, GitError> {
        let mut question = match source {
            DiffSource::Commits { base, tip } => {
                let mut question = self.question(Subcommand::DiffTree);
                question.args(["-r", "-p"]).args(OPTIONS);
                question.args(["--end-of-options", &base.to_string(), &tip.to_string()]);
                question
            }
            DiffSource::Staged => {
                let mut question = self.work_tree_question(WorkTreeSubcommand::Diff)?;
                question.args(OPTIONS).args(["--cached", "HEAD", "--"]);
                question
            }
            DiffSource::WorkTree => {
                let mut question = self.work_tree_question(WorkTreeSubcommand::Diff)?;
                question.args(OPTIONS).args(["HEAD", "--"]);
                question
            }
        };
        Ok(parse(&question.ask(ANSWER_TIMEOUT)?))
    }
}

// Lines of code begin with a sign, so a line that begins with `diff` or `@@` is git's own. File names occur only between
// the two.
fn parse(diff: &[u8]) -> Vec<FileHunks> {
    let mut files: Vec<FileHunks> = Vec::new();
    let mut old = None;
    let mut is_heading = false;
    for line in diff.split(|byte| *byte == b'\n') {
        if line.starts_with(b"diff ") {
            is_heading = true;
        } else if line.starts_with(b"@@") {
            is_heading = false;
            if let (Some(hunk), Some(file)) = (hunk(line), files.last_mut()) {
                file.hunks.push(hunk);
            }
        } else if is_heading && let Some(name) = line.strip_prefix(b"--- ") {
            old = path(name, b"a/");
        } else if is_heading && let Some(name) = line.strip_prefix(b"+++ ") {
            files.push(FileHunks { old: old.take(), new: path(name, b"b/"), hunks: Vec::new() });
        }
    }
    files.retain(|file| file.old.is_some() || file.new.is_some());
    files
}

fn path(name: &[u8], prefix: &[u8]) -> Option<String> {
    // Git appends a tab to names that contain spaces.
    let name = unquote(name.strip_suffix(b"\t").unwrap_or(name));
    String::from_utf8(name.strip_prefix(prefix)?.to_vec()).ok()
}

/// Parses `@@ -1,2 +3 @@`; what follows is code in any encoding.
fn hunk(line: &[u8]) -> Option<DiffHunk> {
    let end = line.iter().skip(2).position(|byte| *byte == b'@')? + 2;
    let mut words = str::from_utf8(&line[..end]).ok()?.split_whitespace().skip(1);
    let mut span = |sign: char| {
        let numbers = words.next()?.strip_prefix(sign)?;
        let (start, count) = numbers.split_once(',').unwrap_or((numbers, "1"));
        Some(ChangedSpan { start: start.parse().ok()?, count: count.parse().ok()? })
    };
    Some(DiffHunk { old: span('-')?, new: span('+')? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_of_every_hunk_are_read() {
        let diff = b"diff --git a/x b/y\n--- a/x\n+++ b/y\n@@ -1 +1,2 @@ fn a\n-@@ -9 +9 @@\n+++ b/z\n+b\n\
                     @@ -7,0 +9,3 @@ \xff\ndiff --git a/gone b/gone\n--- a/gone\n+++ /dev/null\n@@ -1,3 +0,0 @@\n-a\n";
        let files = parse(diff);
        let found: Vec<_> = files
            .iter()
            .map(|file| {
                let hunk = |hunk: &DiffHunk| (hunk.old.start, hunk.old.count, hunk.new.start, hunk.new.count);
                (file.old.as_deref(), file.new.as_deref(), file.hunks.iter().map(hunk).collect::<Vec<_>>())
            })
            .collect();
        let expected =
            [(Some("x"), Some("y"), vec![(1, 1, 1, 2), (7, 0, 9, 3)]), (Some("gone"), None, vec![(1, 3, 0, 0)])];
        assert_eq!(found, expected);
    }
}
