//! The default branch of the project, here and as last fetched from the default remote.

use super::question::{ANSWER_TIMEOUT, Subcommand};
use super::reference::Target;
use super::{CommitId, GitError, RefName, RefStorage, Repository};

/// Names that are tried if neither a setting nor the remote names the default branch.
const COMMON_NAMES: [&str; 3] = ["main", "master", "trunk"];

/// The default branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefaultBranch {
    /// Its name, without `refs/heads/`.
    pub name: String,
    /// Its commits: of the local branch, and of the remote's as last fetched. Never empty.
    pub tips: Vec<CommitId>,
}

impl Repository {
    /// Returns the default branch: the setting `cairn.defaultBranch`, else the branch that the default remote checks
    /// out, else the setting `init.defaultBranch`, else `main`, `master` or `trunk`. `None` if no such branch exists.
    pub(crate) fn default_branch(&self) -> Result<Option<DefaultBranch>, GitError> {
        let remote = self.default_remote()?;
        let own = self.config_string("cairn.defaultBranch")?;
        let of_remote = match &remote {
            Some(remote) if own.is_none() => self.remote_default(remote)?,
            _ => None,
        };
        let named = own.or(of_remote).into_iter();
        let common = self.config_string("init.defaultBranch")?.into_iter().chain(COMMON_NAMES.map(str::to_owned));
        for name in named.chain(common) {
            let mut tips = Vec::new();
            tips.extend(self.branch_tip(&format!("refs/heads/{name}"))?);
            if let Some(remote) = &remote {
                tips.extend(self.branch_tip(&format!("refs/remotes/{remote}/{name}"))?);
            }
            tips.sort_unstable_by(|one, other| one.as_bytes().cmp(other.as_bytes()));
            tips.dedup();
            if !tips.is_empty() {
                return Ok(Some(DefaultBranch { name, tips }));
            }
        }
        Ok(None)
    }

    /// Returns the branch that a remote checks out, as recorded by `git clone` and `git remote set-head`.
    fn remote_default(&self, remote: &str) -> Result<Option<String>, GitError> {
        let prefix = format!("refs/remotes/{remote}/");
        let target = self.symbolic_target(&format!("{prefix}HEAD"))?;
        Ok(target.and_then(|target| target.strip_prefix(&prefix).map(str::to_owned)))
    }

    fn symbolic_target(&self, name: &str) -> Result<Option<String>, GitError> {
        match self.ref_storage() {
            RefStorage::Files => Ok(match self.find_target(name)? {
                Some(Target::Symbolic(target)) => Some(target),
                _ => None,
            }),
            RefStorage::Reftable => {
                let mut question = self.question(Subcommand::SymbolicRef);
                let answer = question.args(["--quiet", name]).ask_to_end(ANSWER_TIMEOUT)?;
                Ok(Some(answer.text().trim().to_owned()).filter(|target| !target.is_empty()))
            }
        }
    }

    fn branch_tip(&self, name: &str) -> Result<Option<CommitId>, GitError> {
        // A setting may hold any text; one that is not a name of a branch names none.
        name.parse::<RefName>().map_or(Ok(None), |name| self.read_ref(&name))
    }
}

#[cfg(test)]
mod tests {
    use testkit::TestRepository;

    use super::*;

    fn name(fixture: &TestRepository) -> Option<String> {
        let repository = Repository::discover(fixture.path()).unwrap();
        repository.default_branch().unwrap().map(|branch| branch.name)
    }

    #[test]
    fn setting_comes_before_the_remote_and_common_names() {
        let fixture = TestRepository::new();
        assert_eq!(name(&fixture), None);
        fixture.git(&["checkout", "-q", "-b", "trunk"]);
        fixture.git(&["commit", "-q", "--allow-empty", "-m", "one"]);
        assert_eq!(name(&fixture).as_deref(), Some("trunk"));
        fixture.git(&["remote", "add", "origin", "/nowhere"]);
        fixture.git(&["update-ref", "refs/remotes/origin/develop", "HEAD"]);
        fixture.git(&["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/develop"]);
        assert_eq!(name(&fixture).as_deref(), Some("develop"));
        fixture.git(&["config", "cairn.defaultBranch", "release/1"]);
        assert_eq!(name(&fixture).as_deref(), Some("trunk"), "a branch that does not exist is skipped");
        fixture.git(&["branch", "release/1"]);
        assert_eq!(name(&fixture).as_deref(), Some("release/1"));
    }
}
