//! Objects as they are, to copy a history to another store and back: which ones a history has, and their bytes.

use gix::objs::tree::EntryRef;
use gix::objs::{CommitRef, Kind, TreeRefIter};

use super::gix;
use super::objects::{damaged, malformed};
use super::question::{Subcommand, WALK_TIMEOUT};
use super::{CommitId, GitError, ObjectId, ReadError, Repository, durable, pack};

/// Up to this many objects are written loose, as git does (`fetch.unpackLimit` is 100): packing them costs a process,
/// writing each costs two waits for the disk.
pub(super) const MAX_LOOSE: usize = 32;

/// The type of an object that a history consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObjectType {
    /// A commit.
    Commit,
    /// A tree.
    Tree,
    /// A blob.
    Blob,
}

/// An object with its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawObject {
    /// Its id.
    pub id: ObjectId,
    /// Its type.
    pub kind: ObjectType,
    /// Its bytes, without git's header.
    pub bytes: Vec<u8>,
}

impl Repository {
    /// Returns the objects that are reachable from a commit and not from another one, in an order in which each can be
    /// written: what it refers to comes before. The last one is the commit itself, even if the other one has it.
    pub fn objects_between(&self, without: Option<CommitId>, tip: CommitId) -> Result<Vec<ObjectId>, ReadError> {
        if self.is_single_commit(without, tip)? {
            return Ok(vec![tip.into()]);
        }
        let mut question = self.question(Subcommand::RevList);
        question.env("GIT_NO_REPLACE_OBJECTS", "1");
        question.args(["--objects", "--in-commit-order", "--topo-order", "--reverse", &tip.to_string()]);
        question.args(without.map(|id| format!("^{id}")));
        let answer = question.ask(WALK_TIMEOUT)?;
        let mut objects = parents_first(&String::from_utf8_lossy(&answer));
        let tip = ObjectId::from(tip);
        if objects.last() != Some(&tip) {
            objects.push(tip);
        }
        Ok(objects)
    }

    /// Returns whether a commit without files is all that is new, as after most writes: git need not be asked.
    fn is_single_commit(&self, without: Option<CommitId>, tip: CommitId) -> Result<bool, ReadError> {
        let Some(without) = without else { return Ok(false) };
        let commit = self.read_commit(&tip, u64::MAX)?;
        Ok(commit.has_empty_tree && commit.parents == [without])
    }

    /// Reads an object.
    pub fn read_object(&self, id: &ObjectId) -> Result<RawObject, ReadError> {
        let read = |kind: Kind| self.with_object(id.0, kind, u64::MAX, |bytes| Ok(bytes.to_vec()));
        let types =
            [(Kind::Commit, ObjectType::Commit), (Kind::Blob, ObjectType::Blob), (Kind::Tree, ObjectType::Tree)];
        let mut last = malformed(id.0, "it is of another type".to_owned());
        for (kind, name) in types {
            match read(kind) {
                Ok(bytes) => return Ok(RawObject { id: *id, kind: name, bytes }),
                Err(error @ ReadError::Malformed { .. }) => last = error,
                Err(error) => return Err(error),
            }
        }
        Err(last)
    }

    /// Checks that the bytes of an object are those that its id names.
    pub fn verify_object(&self, object: &RawObject) -> Result<(), ReadError> {
        let actual = gix::objs::compute_hash(self.format.hash, object.kind.into(), &object.bytes);
        let actual = actual.map_err(|error| damaged(object.id.0, error.to_string()))?;
        if actual == object.id.0 {
            return Ok(());
        }
        Err(damaged(object.id.0, format!("its content is that of `{}`", actual.to_hex())))
    }

    /// Returns the objects that an object refers to.
    pub fn references(&self, object: &RawObject) -> Result<Vec<ObjectId>, ReadError> {
        let unreadable = |why: String| malformed(object.id.0, why);
        match object.kind {
            ObjectType::Blob => Ok(Vec::new()),
            ObjectType::Commit => {
                let commit = CommitRef::from_bytes(&object.bytes, self.format.hash);
                let commit = commit.map_err(|error| unreadable(error.to_string()))?;
                // Every repository has the empty tree.
                let tree = Some(commit.tree()).filter(|tree| !tree.is_empty_tree());
                Ok(commit.parents().chain(tree).map(ObjectId).collect())
            }
            ObjectType::Tree => {
                let entries = TreeRefIter::from_bytes(&object.bytes, self.format.hash);
                let id = |entry: Result<EntryRef<'_>, _>| match entry {
                    Ok(entry) => Ok(ObjectId(entry.oid.to_owned())),
                    Err(error) => Err(unreadable(ToString::to_string(&error))),
                };
                entries.map(id).collect()
            }
        }
    }

    /// Writes verified objects durably: loose if they are few, else as a pack.
    pub fn write_objects(&self, objects: &[RawObject]) -> Result<(), GitError> {
        if objects.len() > MAX_LOOSE {
            return self.write_pack(objects);
        }
        for object in objects {
            self.write_object(object.kind.into(), &object.bytes)?;
        }
        Ok(())
    }

    fn write_pack(&self, objects: &[RawObject]) -> Result<(), GitError> {
        let bytes = pack::encode(self.format.hash, objects)?;
        let mut command = self.git_as_person();
        // Git's own default does not sync the index of a pack.
        command.args(["-c", "core.fsync=all", "index-pack", "--stdin"]);
        command.input(&bytes).run()?;
        durable::sync_directory(&self.objects_dir().join("pack"))
    }

    /// Returns whether a commit is in the object store.
    pub fn has_commit_object(&self, id: &CommitId) -> Result<bool, GitError> {
        self.has_object(&id.0)
    }

    /// Returns the root commits of the code, as far as they are known here: none in a shallow clone or without a branch.
    pub fn code_roots(&self) -> Result<Vec<CommitId>, GitError> {
        if self.is_shallow()? { Ok(Vec::new()) } else { self.roots_of("HEAD") }
    }

    /// Returns the commits without parents in the history of a revision; none if it does not exist.
    pub fn roots_of(&self, revision: &str) -> Result<Vec<CommitId>, GitError> {
        let mut question = self.question(Subcommand::RevList);
        question.args(["--max-parents=0", revision, "--"]);
        let answer = question.ask_to_end(WALK_TIMEOUT)?;
        // A repository without a commit has no `HEAD` yet.
        Ok(answer.text().lines().filter_map(|line| line.parse().ok()).collect())
    }

    /// Returns the hash of object ids, in git's words.
    pub fn object_format(&self) -> String {
        self.format.hash.to_string()
    }
}

/// Reads git's list: each commit, then its new trees and blobs, a tree before what is in it. Only lines of commits have
/// no path. Within a commit the order is turned round.
fn parents_first(list: &str) -> Vec<ObjectId> {
    let (mut objects, mut of_commit) = (Vec::new(), Vec::new());
    for line in list.lines() {
        let (id, is_commit) = match line.split_once(' ') {
            Some((id, _)) => (id, false),
            None => (line, true),
        };
        if is_commit {
            objects.extend(of_commit.drain(..).rev());
        }
        of_commit.extend(id.parse::<ObjectId>().ok());
    }
    objects.extend(of_commit.drain(..).rev());
    objects
}

impl From<ObjectType> for Kind {
    fn from(kind: ObjectType) -> Self {
        match kind {
            ObjectType::Commit => Self::Commit,
            ObjectType::Tree => Self::Tree,
            ObjectType::Blob => Self::Blob,
        }
    }
}
