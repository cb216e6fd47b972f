//! Reads and moves references. A move is a compare-and-swap: it happens only if the reference still has the expected
//! value, and it is on disk before it is acknowledged.

use std::fs;
use std::io;

use super::gix;
use super::objects::describe;
use super::ref_lock::RefLock;
use super::waiting::SystemClock;
use super::{CommitId, GitError, MoveError, RefName, RefStorage, Repository};

/// References that are private to each work tree.
const PRIVATE: [&str; 3] = ["refs/bisect/", "refs/worktree/", "refs/rewritten/"];

/// The value of a reference.
pub(super) enum Target {
    Object(gix::ObjectId),
    Symbolic(String),
    /// Content that git would not have written.
    Broken(String),
}

impl Repository {
    /// Returns the commit of a reference; `None` if it does not exist.
    pub fn read_ref(&self, name: &RefName) -> Result<Option<CommitId>, GitError> {
        match self.ref_storage() {
            RefStorage::Files => self.read_ref_file(name),
            RefStorage::Reftable => self.read_reftable(name),
        }
    }

    /// Moves a reference from its expected value (`None`: it must not exist) to a commit.
    ///
    /// `reason` goes to the reflog, if the person keeps one for this reference. A lock of another git process is waited
    /// for up to two seconds.
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
        match self.find_target(name.as_str())? {
            None => Ok(None),
            Some(Target::Object(id)) => Ok(Some(CommitId(id))),
            Some(Target::Symbolic(target)) => Err(broken(format!("it is a link to `{target}`"))),
            Some(Target::Broken(why)) => Err(broken(why)),
        }
    }

    /// Returns the value of a reference in files. A failed read is an error, never "no reference".
    ///
    /// The loose file is read before `packed-refs`: `git pack-refs` writes the packed file before it removes the loose
    /// one, so a reference that moves meanwhile is found in one of them. gix reads them in the other order.
    pub(super) fn find_target(&self, name: &str) -> Result<Option<Target>, GitError> {
        if gix::validate::reference::name(name.into()).is_err() {
            return Ok(Some(Target::Broken(format!("`{name}` is not a name of a reference"))));
        }
        let is_private = !name.starts_with("refs/") || PRIVATE.iter().any(|prefix| name.starts_with(prefix));
        let path = if is_private { self.git_dir() } else { self.common_dir() }.join(name);
        match fs::read(&path) {
            Ok(bytes) => Ok(Some(self.parse_loose(&bytes))),
            Err(error) if is_absent(error.kind()) => self.find_packed(name),
            Err(source) => Err(GitError::reading(&path, source)),
        }
    }

    fn find_packed(&self, name: &str) -> Result<Option<Target>, GitError> {
        let path = self.refs.packed_refs_path();
        let failed = |error: gix::Error| GitError::broken(&path, describe(&error));
        let Some(packed) = self.refs.open_packed_buffer().map_err(failed)? else { return Ok(None) };
        let Ok(name) = <&gix::refs::FullNameRef>::try_from(name) else { return Ok(None) };
        let found = packed.try_find(name).map_err(failed)?;
        Ok(found.map(|found| self.object_target(found.target())))
    }

    fn parse_loose(&self, bytes: &[u8]) -> Target {
        let text = String::from_utf8_lossy(bytes);
        if let Some(target) = text.strip_prefix("ref:") {
            return Target::Symbolic(target.trim().to_owned());
        }
        match gix::ObjectId::from_hex(text.trim_end().as_bytes()) {
            Ok(id) => self.object_target(id),
            Err(_) => Target::Broken(format!("it holds `{}`", text.trim_end().escape_debug())),
        }
    }

    fn object_target(&self, id: gix::ObjectId) -> Target {
        if id.kind() == self.format.hash {
            Target::Object(id)
        } else {
            Target::Broken(format!("it holds `{id}`, an id of another kind"))
        }
    }

    fn move_ref_file(
        &self,
        name: &RefName,
        from: Option<CommitId>,
        to: CommitId,
        reason: &str,
    ) -> Result<(), MoveError> {
        let lock = self.lock_ref_at(name, from)?;
        self.append_reflog(name, from, to, reason)?;
        lock.commit(&to)?;
        Ok(())
    }

    /// Locks a reference in a file that has the expected value; nobody can move it while the lock is held.
    pub(super) fn lock_ref_at(&self, name: &RefName, expected: Option<CommitId>) -> Result<RefLock, MoveError> {
        let lock = RefLock::acquire(&SystemClock, self.common_dir(), name, self.format.sharing)?;
        if self.read_ref_file(name)? == expected { Ok(lock) } else { Err(MoveError::Moved { name: name.clone() }) }
    }
}

/// Returns whether there is no loose reference; a directory of that name holds other references.
fn is_absent(kind: io::ErrorKind) -> bool {
    matches!(kind, io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::IsADirectory)
}
