//! History queries that the `git` program answers best: commits between two tips, ancestry, merge bases, and settings.

use super::question::{ANSWER_TIMEOUT, GitQuestion, Subcommand, WALK_TIMEOUT};
use super::remote::short_name;
use super::{CommitId, GitError, RefName, Repository};

/// One line of the project's log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogLine {
    /// The commit.
    pub id: String,
    /// Name of the author.
    pub author: String,
    /// Commit time in seconds since 1970.
    pub seconds: i64,
    /// The subject.
    pub subject: String,
}

impl Repository {
    /// Returns the number of commits, without merges, that `tip` has and `without` lacks, and the newest `most` of
    /// them.
    pub fn log_between(
        &self,
        without: Option<CommitId>,
        tip: CommitId,
        most: usize,
    ) -> Result<(usize, Vec<LogLine>), GitError> {
        let range = |question: &mut GitQuestion| {
            question.args([tip.to_string()]);
            question.args(without.map(|id| format!("^{id}")));
        };
        let mut log = self.question(Subcommand::Log);
        log.args(["--no-merges", "--no-color", "--format=%H%x00%an%x00%at%x00%s"]);
        // Git counts in 32 bits.
        log.args([format!("--max-count={}", most.saturating_add(1).min(i32::MAX as usize))]);
        range(&mut log);
        let answer = log.ask(WALK_TIMEOUT)?;
        let mut newest: Vec<LogLine> = String::from_utf8_lossy(&answer).lines().filter_map(read_line).collect();
        if newest.len() <= most {
            return Ok((newest.len(), newest));
        }
        newest.truncate(most);
        let mut count = self.question(Subcommand::RevList);
        count.args(["--count", "--no-merges"]);
        range(&mut count);
        let answer = count.ask(WALK_TIMEOUT)?;
        let n_commits = String::from_utf8_lossy(&answer).trim().parse().unwrap_or(newest.len());
        Ok((n_commits, newest))
    }

    /// Returns whether all commits of `inner` are reachable from `outer`; `None` as `inner` is always contained.
    pub fn contains(&self, outer: Option<CommitId>, inner: Option<CommitId>) -> Result<bool, GitError> {
        let (Some(outer), Some(inner)) = (outer, inner) else { return Ok(inner.is_none()) };
        // A reader that loses the race to move a ref asks this: no process for it.
        if outer == inner {
            return Ok(true);
        }
        let mut question = self.question(Subcommand::MergeBase);
        question.args(["--is-ancestor", &inner.to_string(), &outer.to_string()]);
        let answer = question.ask_to_end(WALK_TIMEOUT)?;
        match answer.code {
            Some(0) => Ok(true),
            Some(1) => Ok(false),
            _ => Err(question.refusal(answer)),
        }
    }

    /// Returns the parents of a commit that is too large or malformed for [`Repository::read_commit`]; `None` if git
    /// cannot read it either.
    pub(crate) fn parents_of(&self, id: &CommitId) -> Result<Option<Vec<CommitId>>, GitError> {
        let mut question = self.question(Subcommand::RevList);
        question.env("GIT_NO_REPLACE_OBJECTS", "1").args(["--parents", "--max-count=1", &id.to_string()]);
        let answer = question.ask_to_end(ANSWER_TIMEOUT)?;
        let text = answer.text();
        let words = text.split_whitespace().skip(1).map(|word| word.parse().ok());
        Ok(if answer.is_success() { words.collect() } else { None })
    }

    /// Returns the references below a prefix such as `refs/bugs/`, each with the rest of its name and its commit.
    pub fn tips_below(&self, prefix: &str) -> Result<Vec<(String, CommitId)>, GitError> {
        let mut question = self.question(Subcommand::ForEachRef);
        let answer = question.args(["--format=%(objectname) %(refname)", prefix]).ask(ANSWER_TIMEOUT)?;
        let tip = |line: &str| {
            let (id, name) = line.split_once(' ')?;
            Some((name.strip_prefix(prefix)?.to_owned(), id.parse().ok()?))
        };
        Ok(String::from_utf8_lossy(&answer).lines().filter_map(tip).collect())
    }

    /// Returns the tips of this reference on all remotes, as of the last fetch or push.
    pub fn tracked(&self, name: &RefName) -> Result<Vec<CommitId>, GitError> {
        let pattern = format!("refs/cairn/remotes/*/{}", short_name(name));
        let mut question = self.question(Subcommand::ForEachRef);
        let answer = question.args(["--format=%(objectname)", &pattern]).ask(ANSWER_TIMEOUT)?;
        Ok(String::from_utf8_lossy(&answer).lines().filter_map(|line| line.parse().ok()).collect())
    }

    /// Returns all values of a git setting.
    pub fn config_all(&self, name: &str) -> Result<Vec<String>, GitError> {
        let mut question = self.question(Subcommand::Config);
        let answer = question.args(["--get-all", name]).ask_to_end(ANSWER_TIMEOUT)?;
        match answer.code {
            Some(0) => Ok(answer.text().lines().map(str::to_owned).collect()),
            Some(1) => Ok(Vec::new()),
            _ => Err(question.refusal(answer)),
        }
    }

    /// Returns git's editor command, for a shell.
    pub fn editor(&self) -> Result<String, GitError> {
        let answer = self.question(Subcommand::Var).args(["GIT_EDITOR"]).ask(ANSWER_TIMEOUT)?;
        Ok(String::from_utf8_lossy(&answer).trim().to_owned())
    }

    /// Adds a value to a setting of this repository.
    pub fn add_config(&self, name: &str, value: &str) -> Result<(), GitError> {
        let mut command = self.git_as_person();
        command.args(["config", "--local", "--add", name, value]);
        command.run().map(|_| ())
    }

    /// Returns the refspec with which a plain `git fetch` fetches a reference too.
    pub fn fetch_spec(&self, remote: &str, name: &RefName) -> Result<String, GitError> {
        Ok(format!("+{}:{}", name.glob(), self.tracking_ref(remote, name)?.glob()))
    }

    /// Returns the single best common ancestor of two commits; `None` if there is none or more than one.
    pub fn only_merge_base(&self, one: CommitId, other: CommitId) -> Result<Option<CommitId>, GitError> {
        let mut question = self.question(Subcommand::MergeBase);
        let answer = question.args(["--all", &one.to_string(), &other.to_string()]).ask_to_end(WALK_TIMEOUT)?;
        match answer.code {
            Some(0 | 1) => {}
            _ => return Err(question.refusal(answer)),
        }
        let text = answer.text();
        let mut bases = text.lines().filter_map(|line| line.parse().ok());
        let first = bases.next();
        Ok(first.filter(|_| bases.next().is_none()))
    }
}

fn read_line(line: &str) -> Option<LogLine> {
    let mut fields = line.splitn(4, '\0');
    Some(LogLine {
        id: fields.next()?.to_owned(),
        author: fields.next()?.to_owned(),
        seconds: fields.next()?.parse().ok()?,
        subject: fields.next()?.to_owned(),
    })
}
