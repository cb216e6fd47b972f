//! Writes commits. A returned commit is on disk together with all objects that it refers to, or can be restored from the
//! write-ahead log.

use std::sync::atomic::Ordering;

use gix::objs::Kind;

use super::durable::{self, SyncTime};
use super::gix;
use super::identity::{Role, Signature};
use super::settings::Settings;
use super::wal::LoggedMove;
use super::{
    CommitId, GitError, Identity, MoveError, ObjectId, ObjectType, RawObject, RefName, RefStorage, Repository,
};

/// A commit to write.
#[derive(Debug, Clone, Copy)]
pub struct NewCommit<'a> {
    /// Parents, in order.
    pub parents: &'a [CommitId],
    /// Message, kept byte for byte; it must not contain NUL.
    pub message: &'a [u8],
    /// Path and content of each file in the tree; none gives the empty tree.
    pub files: &'a [(&'a str, &'a [u8])],
    /// A fixed author and time, instead of git's.
    pub author: Option<&'a FixedIdentity>,
}

/// A fixed author and committer: the same input gives the same commit everywhere, and it is never signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixedIdentity {
    /// Author and committer.
    pub identity: Identity,
    /// Time in seconds since 1970, in UTC.
    pub seconds: i64,
}

impl Repository {
    /// Writes a commit durably and returns its id.
    ///
    /// Without a fixed author, author and committer are those of git, and the commit is signed if git is configured to
    /// sign.
    pub fn write_commit(&self, commit: &NewCommit<'_>) -> Result<CommitId, GitError> {
        self.write_commit_of(commit, |repository| repository.tree_of(commit))
    }

    /// Does the same with a tree that has been written already.
    pub fn write_commit_with_tree(&self, commit: &NewCommit<'_>, tree: ObjectId) -> Result<CommitId, GitError> {
        self.write_commit_of(commit, |_| Ok(tree.0))
    }

    fn write_commit_of(
        &self,
        commit: &NewCommit<'_>,
        tree: impl FnOnce(&Self) -> Result<gix::ObjectId, GitError>,
    ) -> Result<CommitId, GitError> {
        if commit.message.contains(&0) {
            return Err(GitError::BadCommit { why: "the message holds a NUL byte".to_owned() });
        }
        let Some(fixed) = commit.author else {
            return self.write_as_person(commit, &*self.settings()?, tree);
        };
        let signature = Signature { identity: fixed.identity.clone(), seconds: fixed.seconds, offset: 0 };
        self.write_signatures(commit, tree(self)?, &signature, &signature)
    }

    fn write_as_person(
        &self,
        commit: &NewCommit<'_>,
        settings: &Settings,
        tree: impl FnOnce(&Self) -> Result<gix::ObjectId, GitError>,
    ) -> Result<CommitId, GitError> {
        // Resolved first: nothing is written if there is no identity.
        let author = Signature::resolve(settings, Role::Author)?;
        let committer = Signature::resolve(settings, Role::Committer)?;
        let tree = tree(self)?;
        if settings.boolean("commit.gpgsign", false) {
            return self.write_signed(commit, tree);
        }
        self.write_signatures(commit, tree, &author, &committer)
    }

    fn write_signatures(
        &self,
        commit: &NewCommit<'_>,
        tree: gix::ObjectId,
        author: &Signature,
        committer: &Signature,
    ) -> Result<CommitId, GitError> {
        self.write_object(Kind::Commit, &content(commit, tree, author, committer)).map(CommitId)
    }

    /// Writes a commit as the person, and moves a reference to it; both are durable when it returns, with one sync if
    /// possible. The caller holds the writer lock.
    pub(crate) fn commit_to(
        &self,
        commit: &NewCommit<'_>,
        name: &RefName,
        from: Option<CommitId>,
        reason: &str,
    ) -> Result<CommitId, MoveError> {
        if let Some(bytes) = self.content_to_log(commit)? {
            return self.commit_logged(&bytes, name, from, reason);
        }
        let id = self.write_commit(commit)?;
        self.move_ref(name, from, id, reason)?;
        Ok(id)
    }

    /// Returns the object of a commit as the person that has no files and that git does not sign, without writing it; `None`
    /// for another one.
    pub(crate) fn plain_commit(&self, commit: &NewCommit<'_>) -> Result<Option<(CommitId, RawObject)>, GitError> {
        let Some(bytes) = self.content_to_log(commit)? else { return Ok(None) };
        let id = self.object_id(Kind::Commit, &bytes)?;
        Ok(Some((CommitId(id), RawObject { id: ObjectId(id), kind: ObjectType::Commit, bytes })))
    }

    /// Returns the content of a commit that the write-ahead log can restore alone: it has no files, git does not sign it, and
    /// its reference is a file.
    fn content_to_log(&self, commit: &NewCommit<'_>) -> Result<Option<Vec<u8>>, GitError> {
        let settings = self.settings()?;
        let is_plain = commit.files.is_empty() && commit.author.is_none() && !commit.message.contains(&0);
        if !is_plain || settings.boolean("commit.gpgsign", false) || self.ref_storage() != RefStorage::Files {
            return Ok(None);
        }
        let author = Signature::resolve(&settings, Role::Author)?;
        let committer = Signature::resolve(&settings, Role::Committer)?;
        Ok(Some(content(commit, self.tree_of(commit)?, &author, &committer)))
    }

    /// Writes object and reference, and syncs only the record of both.
    fn commit_logged(
        &self,
        bytes: &[u8],
        name: &RefName,
        from: Option<CommitId>,
        reason: &str,
    ) -> Result<CommitId, MoveError> {
        let id = CommitId(self.object_id(Kind::Commit, bytes)?);
        let logged = LoggedMove { name: name.clone(), from, to: id, commit: bytes };
        let Some(mut wal) = self.wal_for(&logged)? else {
            self.write_object_of(&id.0, Kind::Commit, bytes, SyncTime::Now)?;
            self.move_ref(name, from, id, reason)?;
            return Ok(id);
        };
        self.write_object_of(&id.0, Kind::Commit, bytes, SyncTime::Later)?;
        let lock = self.lock_ref_at(name, from)?;
        self.append_reflog(name, from, id, reason)?;
        // Invariant: the reference is locked and has the expected value, so nothing but a failing disk comes between the
        // record and the move.
        wal.append(self, &logged)?;
        lock.commit_unsynced(&id).inspect_err(|_| wal.retract())?;
        Ok(id)
    }

    /// Lets git make the commit, so that keys, agents and prompts are the person's own.
    fn write_signed(&self, commit: &NewCommit<'_>, tree: gix::ObjectId) -> Result<CommitId, GitError> {
        let mut command = self.git_as_person();
        command.args(["-c", "core.fsync=all", "-c", "i18n.commitEncoding=UTF-8", "commit-tree", "-S"]);
        for parent in commit.parents {
            command.args(["-p", &parent.to_string()]);
        }
        command.args([&tree.to_hex().to_string()]);
        let output = command.input(commit.message).run()?;
        let id = output.stdout.trim().parse::<CommitId>();
        let id = id.map_err(|error| GitError::BadCommit { why: error.to_string() })?;
        // Git syncs the file but not its directory entry.
        durable::sync_if_present(&self.loose_path(&id.0))?;
        Ok(id)
    }

    fn tree_of(&self, commit: &NewCommit<'_>) -> Result<gix::ObjectId, GitError> {
        if !commit.files.is_empty() {
            return self.write_tree(commit.files);
        }
        // Git has a built-in empty tree, but `git fsck` and other programs need the object.
        let empty = gix::ObjectId::empty_tree(self.format.hash);
        let is_known = self.has_empty_tree.load(Ordering::Relaxed) || self.has_object(&empty)?;
        if !is_known {
            self.write_tree(&[])?;
        }
        self.has_empty_tree.store(true, Ordering::Relaxed);
        Ok(empty)
    }
}

/// Returns the content of a commit object.
fn content(commit: &NewCommit<'_>, tree: gix::ObjectId, author: &Signature, committer: &Signature) -> Vec<u8> {
    let mut header = vec![format!("tree {}", tree.to_hex())];
    header.extend(commit.parents.iter().map(|parent| format!("parent {parent}")));
    header.push(format!("author {}", author.line()));
    header.push(format!("committer {}\n\n", committer.line()));
    let mut bytes = header.join("\n").into_bytes();
    bytes.extend_from_slice(commit.message);
    bytes
}
