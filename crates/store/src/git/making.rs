//! A commit in progress: the source commits that git's own files name, and what one hook stores for the next. Git's
//! files are not changed.

use std::fs;
use std::io;

use super::{CommitId, GitError, Repository};

/// Our file in the git directory of the work tree: the source commits of the commit in progress, one id per line.
const SOURCES: &str = "CAIRN_SOURCES";
/// Maximum size of such a file; a list of squashed commits is far shorter.
const MAX_OUTPUT: u64 = 16 * 1024 * 1024;

impl Repository {
    /// Returns whether a rebase is in progress.
    pub fn is_rebasing(&self) -> bool {
        ["rebase-merge", "rebase-apply"].iter().any(|folder| self.git_dir().join(folder).is_dir())
    }

    /// Returns the source commits of the commit in progress: those of `git merge --squash`, or the one that is being
    /// cherry-picked.
    pub fn sources_in_the_making(&self) -> Result<Vec<CommitId>, GitError> {
        let squashed = self.small_file("SQUASH_MSG")?.map(|text| squashed_commits(&text)).unwrap_or_default();
        if !squashed.is_empty() {
            return Ok(squashed);
        }
        let picked = self.small_file("CHERRY_PICK_HEAD")?;
        Ok(picked.and_then(|text| text.trim().parse().ok()).into_iter().collect())
    }

    /// Stores the source commits until the commit is made; an empty list deletes them.
    pub fn remember_sources(&self, sources: &[CommitId]) -> Result<(), GitError> {
        let path = self.git_dir().join(SOURCES);
        let done = if sources.is_empty() {
            match fs::remove_file(&path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
                other => other,
            }
        } else {
            fs::write(&path, sources.iter().fold(String::new(), |text, id| format!("{text}{id}\n")))
        };
        done.map_err(|source| GitError::writing(&path, source))
    }

    /// Returns the stored source commits and deletes them.
    pub fn take_sources(&self) -> Result<Vec<CommitId>, GitError> {
        let Some(text) = self.small_file(SOURCES)? else { return Ok(Vec::new()) };
        self.remember_sources(&[])?;
        Ok(text.lines().filter_map(|line| line.parse().ok()).collect())
    }

    /// Returns the previous value of `HEAD`, if the reflog has it.
    pub fn previous_head(&self) -> Result<Option<CommitId>, GitError> {
        let text = self.small_file("logs/HEAD")?;
        let id = text.as_deref().and_then(|text| text.lines().last()?.split(' ').next());
        let is_some = |id: &&str| id.bytes().any(|digit| digit != b'0');
        Ok(id.filter(is_some).and_then(|id| id.parse().ok()))
    }

    fn small_file(&self, name: &str) -> Result<Option<String>, GitError> {
        let path = self.git_dir().join(name);
        let read = fs::metadata(&path).and_then(|metadata| {
            let is_small = metadata.is_file() && metadata.len() <= MAX_OUTPUT;
            if is_small { fs::read(&path).map(Some) } else { Ok(None) }
        });
        match read {
            Ok(bytes) => Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(GitError::reading(&path, source)),
        }
    }
}

/// Returns the commits that a message of `git merge --squash` lists, oldest first; none if it is not such a message.
pub fn squashed_commits(message: &str) -> Vec<CommitId> {
    if !message.contains("Squashed commit of the following:") {
        return Vec::new();
    }
    let ids = message.lines().filter_map(|line| line.strip_prefix("commit "));
    let mut commits: Vec<CommitId> = ids.filter_map(|id| id.split(' ').next()?.parse().ok()).collect();
    commits.reverse();
    commits
}
