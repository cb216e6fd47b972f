//! Reading commits and the files they carry. This is the hot path of every index build: one object lookup a
//! commit, one reused buffer. It follows no replacement refs: what a commit says must be the same in every clone.

use gix::objs::{CommitRef, Kind, TreeRefIter};

use super::objects::{damaged, too_large};
use super::{CommitId, Identity, ObjectId, ReadError, Repository};

/// A directory listing over this is refused; it would hold hundreds of thousands of entries.
const LARGEST_TREE: u64 = 16 * 1024 * 1024;

/// A commit as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawCommit {
    /// The parents, in the order the commit names them.
    pub parents: Vec<CommitId>,
    /// The tree.
    pub tree: ObjectId,
    /// Whether the tree is the empty one, so that there are no files to read.
    pub has_empty_tree: bool,
    /// Who wrote it; bytes that are not UTF-8 are replaced.
    pub author: Identity,
    /// When it was written, in seconds since 1970.
    pub author_time: i64,
    /// When it was committed, in seconds since 1970.
    pub committer_time: i64,
    /// The message, byte for byte.
    pub message: Vec<u8>,
}

/// How much [`Repository::read_files`] may take into memory.
#[derive(Debug, Clone, Copy)]
pub struct FileLimits {
    /// The most files.
    pub files: usize,
    /// The most bytes in one file.
    pub file_bytes: u64,
    /// The most bytes in all files together.
    pub total_bytes: u64,
}

impl Repository {
    /// Reads a commit of at most `limit` bytes.
    pub fn read_commit(&self, id: &CommitId, limit: u64) -> Result<RawCommit, ReadError> {
        self.with_object(id.0, Kind::Commit, limit, |bytes| parse(id.0, bytes))
    }

    /// Reads the files directly in the top-level `folder` of a commit's tree, by name; none if there is no such folder.
    pub fn read_files(
        &self,
        commit: &CommitId,
        folder: &str,
        limits: FileLimits,
    ) -> Result<Vec<(String, Vec<u8>)>, ReadError> {
        let tree = self.with_object(commit.0, Kind::Commit, limits.total_bytes, |bytes| {
            CommitRef::from_bytes(bytes, commit.0.kind())
                .map(|commit| commit.tree())
                .map_err(|error| damaged(commit.0, error.to_string()))
        })?;
        if tree == gix::ObjectId::empty_tree(self.format.hash) {
            return Ok(Vec::new());
        }
        let folders = self.entries(tree, |entry| entry.mode.is_tree() && entry.filename == folder)?;
        let Some((_, folder)) = folders.into_iter().next() else {
            return Ok(Vec::new());
        };
        let blobs = self.entries(folder, |entry| entry.mode.is_blob())?;
        if blobs.len() > limits.files {
            return Err(ReadError::TooMany { id: ObjectId(folder), limit: limits.files });
        }
        self.read_blobs(blobs, limits)
    }

    fn read_blobs(
        &self,
        blobs: Vec<(String, gix::ObjectId)>,
        limits: FileLimits,
    ) -> Result<Vec<(String, Vec<u8>)>, ReadError> {
        let mut left = limits.total_bytes;
        let mut files = Vec::with_capacity(blobs.len());
        for (name, id) in blobs {
            let limit = limits.file_bytes.min(left);
            let bytes = self.with_object(id, Kind::Blob, limit, |bytes| Ok(bytes.to_vec()));
            let bytes = bytes.map_err(|error| match error {
                ReadError::TooLarge { .. } if left < limits.file_bytes => too_large(id, limits.total_bytes),
                other => other,
            })?;
            left = left.saturating_sub(bytes.len() as u64);
            files.push((name, bytes));
        }
        files.sort();
        Ok(files)
    }

    fn entries(
        &self,
        tree: gix::ObjectId,
        wanted: impl Fn(&gix::objs::tree::EntryRef<'_>) -> bool,
    ) -> Result<Vec<(String, gix::ObjectId)>, ReadError> {
        self.with_object(tree, Kind::Tree, LARGEST_TREE, |bytes| {
            let mut entries = Vec::new();
            for entry in TreeRefIter::from_bytes(bytes, tree.kind()) {
                let entry = entry.map_err(|error| damaged(tree, error.to_string()))?;
                if wanted(&entry) {
                    entries.push((entry.filename.to_string(), entry.oid.to_owned()));
                }
            }
            Ok(entries)
        })
    }
}

fn parse(id: gix::ObjectId, bytes: &[u8]) -> Result<RawCommit, ReadError> {
    let unreadable = |error: gix::Error| damaged(id, error.to_string());
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
