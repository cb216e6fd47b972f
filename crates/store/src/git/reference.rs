//! Reading and moving references. A move is compare-and-swap: it happens only if the reference still is where
//! the caller saw it, and is on disk before it is acknowledged.

use super::ref_lock::RefLock;
use super::{CommitId, GitError, MoveError, RefName, RefStorage, Repository};

impl Repository {
    /// Returns the commit a reference points at, or none if there is no such reference.
    pub fn read_ref(&self, name: &RefName) -> Result<Option<CommitId>, GitError> {
        match self.ref_storage() {
            RefStorage::Files => self.read_ref_file(name),
            RefStorage::Reftable => self.read_reftable(name),
        }
    }

    /// Moves a reference from where it was seen (`None`: it did not exist) to a commit.
    ///
    /// `reason` goes to the reflog, if the person keeps one for this reference. A lock held by another git process
    /// is waited for up to two seconds.
    pub fn move_ref(
        &self,
        name: &RefName,
        from: Option<CommitId>,
        to: CommitId,
        reason: &str,
    ) -> Result<(), MoveError> {
        match self.ref_storage() {
            RefStorage::Files => self.move_ref_file(name, from, to, reason),
            RefStorage::Reftable => self.move_reftable(name, from, to, reason),
        }
    }

    fn read_ref_file(&self, name: &RefName) -> Result<Option<CommitId>, GitError> {
        let broken = |why: String| GitError::BrokenRef { name: name.clone(), why };
        let Some(found) = self.refs.try_find(name.as_str()).map_err(|error| broken(error.to_string()))? else {
            return Ok(None);
        };
        match found.target {
            gix::refs::Target::Object(id) if id.kind() == self.format.hash => Ok(Some(CommitId(id))),
            gix::refs::Target::Object(id) => Err(broken(format!("it holds `{id}`, an id of another kind"))),
            gix::refs::Target::Symbolic(target) => Err(broken(format!("it is a link to `{}`", target.as_bstr()))),
        }
    }

    fn move_ref_file(
        &self,
        name: &RefName,
        from: Option<CommitId>,
        to: CommitId,
        reason: &str,
    ) -> Result<(), MoveError> {
        let lock = RefLock::acquire(self.common_dir(), name, self.format.sharing)?;
        // Invariant: read under the lock, so nobody can move it between this line and the commit below.
        if self.read_ref_file(name)? != from {
            return Err(MoveError::Moved { name: name.clone() });
        }
        self.append_reflog(name, from, to, reason)?;
        lock.commit(&to)?;
        Ok(())
    }
}
