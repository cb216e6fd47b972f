//! Reads commits and their files. This is the hot path of every index build: one object lookup per commit, one reused
//! buffer. It ignores replacement refs: a commit must have the same content in every clone.

use gix::objs::{CommitRef, Kind, TreeRefIter};

use super::gix;
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
        self.with_object(id.0, Kind::Commit, limit, |bytes| {
            parse_plain(id.0.kind(), bytes).map_or_else(|| parse(id.0, bytes), Ok)
        })
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

/// Parses a commit with exactly the headers that git writes for an unsigned one. `None` for any other, which gix parses
/// or refuses: its parser accepts all forms that ever existed, and takes five times as long.
fn parse_plain(hash: gix::hash::Kind, bytes: &[u8]) -> Option<RawCommit> {
    let mut rest = bytes;
    let tree = hex_id(hash, header(&mut rest, b"tree ")?)?;
    let mut parents = Vec::with_capacity(1);
    while let Some(parent) = header(&mut rest, b"parent ") {
        parents.push(CommitId(hex_id(hash, parent)?));
    }
    let author = signature(header(&mut rest, b"author ")?)?;
    let committer = signature(header(&mut rest, b"committer ")?)?;
    let message = rest.strip_prefix(b"\n")?.to_vec();
    let (author_time, committer_time) = (author.seconds, committer.seconds);
    let author = Identity { name: text(author.name), email: text(author.email) };
    let (tree, has_empty_tree) = (ObjectId(tree), tree.is_empty_tree());
    Some(RawCommit { parents, tree, has_empty_tree, author, author_time, committer_time, message })
}

/// Takes the next line if it begins with `name`, and returns the rest of it.
fn header<'a>(rest: &mut &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    let after = rest.strip_prefix(name)?;
    let end = after.iter().position(|byte| *byte == b'\n')?;
    *rest = &after[end + 1..];
    Some(&after[..end])
}

fn hex_id(hash: gix::hash::Kind, hex: &[u8]) -> Option<gix::ObjectId> {
    if hex.len() == hash.len_in_hex() { gix::ObjectId::from_hex(hex).ok() } else { None }
}

/// The parts of `Name <address> 1700000000 +0100`.
struct PlainSignature<'a> {
    name: &'a [u8],
    email: &'a [u8],
    seconds: i64,
}

fn signature(line: &[u8]) -> Option<PlainSignature<'_>> {
    let open = line.iter().position(|byte| *byte == b'<')?;
    let close = open + line[open..].iter().position(|byte| *byte == b'>')?;
    let (name, email) = (line[..open].strip_suffix(b" ")?, &line[open + 1..close]);
    let is_trimmed = |part: &[u8]| part.trim_ascii().len() == part.len();
    let (seconds, zone) = line[close + 1..].strip_prefix(b" ")?.split_at_checked(line.len().checked_sub(close + 8)?)?;
    let is_zone = matches!(zone, [b' ', b'+' | b'-', digits @ ..] if digits.iter().all(u8::is_ascii_digit));
    // Eighteen digits always fit into the type.
    let is_time = (1..=18).contains(&seconds.len()) && seconds.iter().all(u8::is_ascii_digit);
    let is_plain = is_trimmed(name) && is_trimmed(email) && !name.is_empty() && is_zone && is_time;
    let seconds = is_plain.then(|| seconds.iter().fold(0, |all, digit| all * 10 + i64::from(digit - b'0')))?;
    Some(PlainSignature { name, email, seconds })
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

#[cfg(test)]
mod tests {
    use super::*;

    const TREE: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
    const PARENT: &str = "8e0d4b2c6f1a3957d2e4b8c0a1f3e5d7c9b0a2f4";

    fn commit(author: &str, more: &str) -> Vec<u8> {
        format!(
            "tree {TREE}\nparent {PARENT}\nparent {TREE}\nauthor {author}\n\
             committer Grace <g@x.org> 1800000000 -0930\n{more}\nsubject\n\nbody\n"
        )
        .into_bytes()
    }

    #[track_caller]
    fn check(bytes: &[u8], is_plain: bool) {
        let plain = parse_plain(gix::hash::Kind::Sha1, bytes);
        assert_eq!(plain.is_some(), is_plain, "{}", String::from_utf8_lossy(bytes));
        if let Some(plain) = plain {
            let id = gix::ObjectId::null(gix::hash::Kind::Sha1);
            assert_eq!(plain, parse(id, bytes).unwrap(), "{}", String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn a_plain_commit_is_read_as_gix_reads_it() {
        check(&commit("Ada Lovelace <ada@x.org> 1700000000 +0100", ""), true);
        check(&commit("A <> 0 +0000", ""), true);
        check(&commit("Jos\u{e9} <j@x> 999999999999999999 +0000", ""), true);
        let mut latin = commit("Jos <j@x> 1 +0000", "");
        latin[150] = 0xe9;
        check(&latin, true);
    }

    #[test]
    fn any_other_commit_is_left_to_gix() {
        for author in [
            "nobody at all",
            "<a@x> 1 +0000",
            " <a@x> 1 +0000",
            "A  <a@x> 1 +0000",
            "A < a@x> 1 +0000",
            "A <a@x>1 +0000",
            "A <a@x> -1 +0000",
            "A <a@x> 1 +000",
            "A <a@x> 1 +00000",
            "A <a@x> 1",
            "A <a@x>",
            "A <a@x> 1 0000 ",
            "A <a@x> 9999999999999999999 +0000",
        ] {
            check(&commit(author, ""), false);
        }
        check(&commit("A <a@x> 1 +0000", "encoding latin1\n"), false);
        check(&commit("A <a@x> 1 +0000", "gpgsig -----BEGIN\n end\n"), false);
        check(b"tree x\n", false);
        check(b"", false);
    }
}
