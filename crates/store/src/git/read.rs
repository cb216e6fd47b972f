//! Reads commits and their files. This is the hot path of every index build: one object lookup per commit, one reused
//! buffer. It ignores replacement refs: a commit must have the same content in every clone.

use gix::objs::{CommitRef, Kind, TreeRefIter};

use super::objects::malformed;
use super::{CommitId, Identity, ObjectId, ReadError, Repository};

/// Maximum size of a tree object; a larger one would have hundreds of thousands of entries.
const MAX_TREE: u64 = 16 * 1024 * 1024;

/// A commit as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawCommit {
    /// Parents, in order.
    pub parents: Vec<CommitId>,
    /// The tree.
    pub tree: ObjectId,
    /// The tree is empty, so there are no files to read.
    pub has_empty_tree: bool,
    /// The author; invalid UTF-8 is replaced.
    pub author: Identity,
    /// Author time in seconds since 1970.
    pub author_time: i64,
    /// Commit time in seconds since 1970.
    pub committer_time: i64,
    /// The message, byte for byte.
    pub message: Vec<u8>,
}

/// Limits for reading the files of one commit.
#[derive(Debug, Clone, Copy)]
pub struct FileLimits {
    /// Maximum number of files.
    pub files: usize,
    /// Maximum bytes of one file.
    pub file_bytes: u64,
    /// Maximum bytes of all files together; a file that occurs twice counts once.
    pub total_bytes: u64,
}

impl Repository {
    /// Reads a commit of at most `limit` bytes.
    pub fn read_commit(&self, id: &CommitId, limit: u64) -> Result<RawCommit, ReadError> {
        self.with_object(id.0, Kind::Commit, limit, |bytes| parse(id.0, bytes))
    }

    /// Returns the files directly in the top-level `folder` of a commit's tree, by name; none if there is no such
    /// folder.
    pub fn list_folder(
        &self,
        commit: &RawCommit,
        folder: &str,
        max_files: usize,
    ) -> Result<Vec<(String, ObjectId)>, ReadError> {
        if commit.has_empty_tree {
            return Ok(Vec::new());
        }
        let folders = self.entries(commit.tree.0, |entry| entry.mode.is_tree() && entry.filename == folder)?;
        let Some((_, folder)) = folders.into_iter().next() else {
            return Ok(Vec::new());
        };
        let blobs = self.entries(folder, |entry| entry.mode.is_blob())?;
        if blobs.len() > max_files {
            return Err(ReadError::TooMany { id: ObjectId(folder), limit: max_files });
        }
        let mut files: Vec<_> = blobs.into_iter().map(|(name, id)| (name, ObjectId(id))).collect();
        files.sort();
        Ok(files)
    }

    /// Returns the files directly in a commit's tree, by name.
    pub fn list_root(&self, commit: &RawCommit) -> Result<Vec<(String, ObjectId)>, ReadError> {
        let blobs = self.entries(commit.tree.0, |entry| entry.mode.is_blob())?;
        Ok(blobs.into_iter().map(|(name, id)| (name, ObjectId(id))).collect())
    }

    /// Passes the bytes of a blob of at most `limit` bytes to `use_bytes`, without a copy. `use_bytes` must not read
    /// another object: it would deadlock on the handle.
    pub fn with_blob<T>(&self, id: &ObjectId, limit: u64, use_bytes: impl FnOnce(&[u8]) -> T) -> Result<T, ReadError> {
        self.with_object(id.0, Kind::Blob, limit, |bytes| Ok(use_bytes(bytes)))
    }

    fn entries(
        &self,
        tree: gix::ObjectId,
        wanted: impl Fn(&gix::objs::tree::EntryRef<'_>) -> bool,
    ) -> Result<Vec<(String, gix::ObjectId)>, ReadError> {
        self.with_object(tree, Kind::Tree, MAX_TREE, |bytes| {
            let mut entries = Vec::new();
            for entry in TreeRefIter::from_bytes(bytes, tree.kind()) {
                let entry = entry.map_err(|error| malformed(tree, error.to_string()))?;
                if wanted(&entry) {
                    entries.push((entry.filename.to_string(), entry.oid.to_owned()));
                }
            }
            Ok(entries)
        })
    }
}

fn parse(id: gix::ObjectId, bytes: &[u8]) -> Result<RawCommit, ReadError> {
    let unreadable = |error: gix::Error| malformed(id, error.to_string());
    let commit = CommitRef::from_bytes(bytes, id.kind()).map_err(unreadable)?;
    let author = commit.author().map_err(unreadable)?;
    let tree = commit.tree();
    Ok(RawCommit {
        parents: commit.parents().map(CommitId).collect(),
        tree: ObjectId(tree),
        has_empty_tree: tree.is_empty_tree(),
        author: Identity { name: text(author.name), email: text(author.email) },
        author_time: author.seconds(),
        committer_time: commit.committer().map_err(unreadable)?.seconds(),
        message: commit.message.to_vec(),
    })
}

// Not `to_string`, which goes through the formatter byte by byte; this runs for every commit of an index build.
fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
