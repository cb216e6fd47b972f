//! Messages of commits that contain item numbers.

use super::question::{Subcommand, WALK_TIMEOUT};
use super::{CommitId, GitError, Repository};

/// A commit with its author and message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitMessage {
    /// The commit.
    pub id: CommitId,
    /// Author time in seconds since 1970. Amending and rebasing keep it.
    pub authored: i64,
    /// Commit time in seconds since 1970: when it was made, amended or rebased.
    pub committed: i64,
    /// `Name <email>`.
    pub author: String,
    /// The whole message; invalid UTF-8 is replaced.
    pub message: String,
}

impl CommitMessage {
    /// Returns the first line.
    pub fn subject(&self) -> &str {
        self.message.lines().next().unwrap_or_default()
    }
}

/// One field per line; the message is last, since it has many.
const FORMAT: &str = "--format=%H%n%at %ct%n%an <%ae>%n%B";

impl Repository {
    /// Returns the commits reachable from `tips` but not from `without` whose messages contain `#` and a digit, newest
    /// first.
    pub(crate) fn numbered_messages(
        &self,
        tips: &[CommitId],
        without: &[CommitId],
    ) -> Result<Vec<CommitMessage>, GitError> {
        if tips.is_empty() {
            return Ok(Vec::new());
        }
        let mut question = self.question(Subcommand::Log);
        // The pattern is explicit about its syntax, which `grep.patternType` would change.
        question.args(["-z", "--no-color", "--no-notes", "--basic-regexp", "--grep=#[0-9]", FORMAT]);
        question.args(["--end-of-options"]).args(tips.iter().map(CommitId::to_string));
        question.args(without.iter().map(|commit| format!("^{commit}"))).args(["--"]);
        Ok(parse(&question.ask(WALK_TIMEOUT)?))
    }

    /// Returns one commit with its message; `None` if it does not exist here.
    pub(crate) fn message_of(&self, commit: &str) -> Result<Option<CommitMessage>, GitError> {
        let mut question = self.question(Subcommand::Log);
        question.args(["-z", "--no-color", "--no-notes", "--max-count=1", FORMAT, "--end-of-options", commit, "--"]);
        let answer = question.ask_to_end(WALK_TIMEOUT)?;
        Ok(if answer.is_success() { parse(&answer.stdout).pop() } else { None })
    }

    /// Returns whether a branch or a tag, here or of a remote, contains a commit.
    pub(crate) fn is_on_some_branch(&self, commit: &CommitId) -> Result<bool, GitError> {
        let mut question = self.question(Subcommand::ForEachRef);
        question.args(["--count=1", "--format=%(refname)", "--contains", &commit.to_string()]);
        question.args(["refs/heads", "refs/remotes", "refs/tags"]);
        Ok(!question.ask(WALK_TIMEOUT)?.trim_ascii().is_empty())
    }

    /// Returns commits that have the same time with descendants before their ancestors.
    pub fn newest_of_one_time(&self, commits: &[CommitId], time: i64) -> Result<Vec<CommitId>, GitError> {
        let mut question = self.question(Subcommand::RevList);
        // Older commits are not between them.
        question.args(["--topo-order", &format!("--max-age={}", time.max(0)), "--end-of-options"]);
        question.args(commits.iter().map(CommitId::to_string)).args(["--"]);
        let answer = question.ask(WALK_TIMEOUT)?;
        let found = String::from_utf8_lossy(&answer);
        let found = found.lines().filter_map(|line| line.parse().ok()).filter(|commit| commits.contains(commit));
        Ok(found.collect())
    }

    /// Returns the commits reachable from `from` but not from `base`.
    pub fn commits_lost(&self, from: &[CommitId], base: &[CommitId]) -> Result<Vec<CommitId>, GitError> {
        let mut question = self.question(Subcommand::RevList);
        question.args(["--end-of-options"]).args(from.iter().map(CommitId::to_string));
        question.args(base.iter().map(|commit| format!("^{commit}"))).args(["--"]);
        let answer = question.ask(WALK_TIMEOUT)?;
        Ok(String::from_utf8_lossy(&answer).lines().filter_map(|line| line.parse().ok()).collect())
    }
}

fn parse(answer: &[u8]) -> Vec<CommitMessage> {
    String::from_utf8_lossy(answer).split('\0').filter_map(parse_one).collect()
}

fn parse_one(text: &str) -> Option<CommitMessage> {
    let mut fields = text.splitn(4, '\n');
    let id = fields.next()?.parse().ok()?;
    let (authored, committed) = fields.next()?.split_once(' ')?;
    let (authored, committed) = (authored.parse().ok()?, committed.parse().ok()?);
    Some(CommitMessage {
        id,
        authored,
        committed,
        author: fields.next()?.to_owned(),
        message: fields.next()?.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use testkit::TestRepository;

    use super::*;

    #[test]
    fn only_messages_with_numbers_are_read() {
        let fixture = TestRepository::new();
        fixture.git(&["config", "grep.patternType", "fixed"]);
        for message in ["one", "two\n\nFixes #2\nmore", "three #x"] {
            fixture.git(&["commit", "-q", "--allow-empty", "-m", message]);
        }
        let repository = Repository::discover(fixture.path()).unwrap();
        let head = repository.head().unwrap().unwrap();
        let found = repository.numbered_messages(&[head], &[]).unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].subject(), found[0].message.as_str()), ("two", "two\n\nFixes #2\nmore\n"));
        assert!(repository.numbered_messages(&[head], &[head]).unwrap().is_empty());
        assert_eq!(repository.message_of(&head.to_string()).unwrap().unwrap().subject(), "three #x");
        assert_eq!(repository.message_of(&"1".repeat(40)).unwrap(), None);
    }
}
