//! Walks the commits below a reference of another tracker that keeps its work in git.

use std::collections::HashSet;

use app::Error;
use store::StoreError;
use store::git::{CommitId, RawCommit, ReadError, Repository};

use crate::input::{Input, MAX_UNIT};

/// Maximum number of commits of one item.
const MAX_COMMITS: usize = 100_000;

/// Opens the repository that an input names.
pub(crate) fn repository(input: &Input) -> Result<Repository, Error> {
    Ok(Repository::discover(input.path())?)
}

/// Returns all commits reachable from a tip, parents after children.
pub(crate) fn commits(repository: &Repository, tip: CommitId) -> Result<Vec<(CommitId, RawCommit)>, Error> {
    let mut found = Vec::new();
    let mut seen = HashSet::from([tip]);
    let mut open = vec![tip];
    while let Some(id) = open.pop() {
        let commit = repository.read_commit(&id, MAX_UNIT as u64).map_err(failed)?;
        open.extend(commit.parents.iter().copied().filter(|parent| seen.insert(*parent)));
        found.push((id, commit));
        if found.len() > MAX_COMMITS {
            return Err(Error::invalid(format!("more than {MAX_COMMITS} commits below {tip}")));
        }
    }
    Ok(found)
}

/// Returns the error of a failed read.
pub(crate) fn failed(error: ReadError) -> Error {
    StoreError::from(error).into()
}
