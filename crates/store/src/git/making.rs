//! A commit in the making: what git's own files say of where it comes from, and what one hook leaves there for the next.
//! Nothing of git's is changed.

use std::fs;
use std::io;

use super::{CommitId, GitError, Repository};

/// Ours, in the git directory of the work tree: the commits that the one in the making is made of, an id a line.
const SOURCES: &str = "CAIRN_SOURCES";
/// No honest list of squashed commits is longer.
const MAX_OUTPUT: u64 = 16 * 1024 * 1024;

impl Repository {
    /// Tells whether a rebase is under way.
    pub fn is_rebasing(&self) -> bool {
        ["rebase-merge", "rebase-apply"].iter().any(|folder| self.git_dir().join(folder).is_dir())
    }

    /// Returns the commits that the one in the making takes up: those that `git merge --squash` put together, or the one
    /// that is being cherry-picked.
    pub fn sources_in_the_making(&self) -> Result<Vec<CommitId>, GitError> {
        let squashed = self.small_file("SQUASH_MSG")?.map(|text| squashed_commits(&text)).unwrap_or_default();
        if !squashed.is_empty() {
            return Ok(squashed);
        }
        let picked = self.small_file("CHERRY_PICK_HEAD")?;
        Ok(picked.and_then(|text| text.trim().parse().ok()).into_iter().collect())
    }

    /// Leaves the sources of the commit in the making for when it is made; none takes away what is there.
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

    /// Returns what was left, and takes it away.
    pub fn take_sources(&self) -> Result<Vec<CommitId>, GitError> {
        let Some(text) = self.small_file(SOURCES)? else { return Ok(Vec::new()) };
        self.remember_sources(&[])?;
        Ok(text.lines().filter_map(|line| line.parse().ok()).collect())
    }

    /// Returns where `HEAD` was before it last moved, if the reflog says so.
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

/// Returns the commits that a message of `git merge --squash` names, oldest first; none when it is no such message.
pub fn squashed_commits(message: &str) -> Vec<CommitId> {
    if !message.contains("Squashed commit of the following:") {
        return Vec::new();
    }
    let ids = message.lines().filter_map(|line| line.strip_prefix("commit "));
    let mut commits: Vec<CommitId> = ids.filter_map(|id| id.split(' ').next()?.parse().ok()).collect();
    commits.reverse();
    commits
}
