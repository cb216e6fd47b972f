//! Writes operations into a commit: in its message if they are few, otherwise in the files of its tree.

use std::collections::BTreeMap;

use model::op::Op;

use crate::format::{self, v1};
use crate::git::{CommitId, FixedIdentity, NewCommit, ObjectId, Repository};
use crate::open::StoreError;

/// Writes a commit with operations. No ref points to it yet.
pub(crate) fn write_operations(
    repository: &Repository,
    parents: &[CommitId],
    subject: &str,
    lines: &[u8],
    author: Option<&FixedIdentity>,
) -> Result<CommitId, StoreError> {
    write_with_blobs(repository, parents, subject, lines, author, &BTreeMap::new())
}

// Attachments are written only by a person's own writes, and with contents that came with the operations: operations
// from elsewhere may name any blob, also one that nobody wanted to publish.
pub(crate) fn write_with_blobs(
    repository: &Repository,
    parents: &[CommitId],
    subject: &str,
    lines: &[u8],
    author: Option<&FixedIdentity>,
    blobs: &BTreeMap<String, ObjectId>,
) -> Result<CommitId, StoreError> {
    let is_small = lines.len() <= format::MESSAGE_TARGET;
    let message = format::write_message(subject, if is_small { lines } else { b"" });
    let files = if is_small { Vec::new() } else { split_into_files(lines) };
    let files: Vec<(&str, &[u8])> = files.iter().map(|(path, bytes)| (path.as_str(), *bytes)).collect();
    let commit = NewCommit { parents, message: &message, files: &files, author };
    if blobs.is_empty() {
        return Ok(repository.write_commit(&commit)?);
    }
    let tree = repository.write_tree_with(&files, blobs)?;
    Ok(repository.write_commit_with_tree(&commit, tree)?)
}

fn split_into_files(lines: &[u8]) -> Vec<(String, &[u8])> {
    let mut files = Vec::new();
    let mut rest = lines;
    while !rest.is_empty() {
        let target = rest.len().min(format::FILE_TARGET);
        let end = rest[target - 1..].iter().position(|byte| *byte == b'\n').map_or(rest.len(), |at| target + at);
        let (file, after) = rest.split_at(end);
        files.push((file_path(files.len()), file));
        rest = after;
    }
    files
}

/// Returns the path of the file after the first `n_files`.
fn file_path(n_files: usize) -> String {
    format!("{}/{:06}.jsonl", format::FOLDER, n_files + 1)
}

/// Operations of one commit that are written to files as they come: a long list is never in memory as a whole. The
/// commit is the one that [`write_operations`] makes of the same lines.
pub(crate) struct OperationFiles<'a> {
    repository: &'a Repository,
    lines: Vec<u8>,
    files: BTreeMap<String, ObjectId>,
}

impl<'a> OperationFiles<'a> {
    pub(crate) fn new(repository: &'a Repository) -> Self {
        Self { repository, lines: Vec::new(), files: BTreeMap::new() }
    }

    pub(crate) fn push(&mut self, op: &Op) -> Result<(), StoreError> {
        v1::write(op, &mut self.lines);
        if self.lines.len() >= format::FILE_TARGET { self.write_file() } else { Ok(()) }
    }

    pub(crate) fn commit(
        mut self,
        parents: &[CommitId],
        subject: &str,
        author: Option<&FixedIdentity>,
    ) -> Result<CommitId, StoreError> {
        if self.files.is_empty() {
            return write_operations(self.repository, parents, subject, &self.lines, author);
        }
        if !self.lines.is_empty() {
            self.write_file()?;
        }
        let tree = self.repository.write_tree_with(&[], &self.files)?;
        let message = format::write_message(subject, b"");
        let commit = NewCommit { parents, message: &message, files: &[], author };
        Ok(self.repository.write_commit_with_tree(&commit, tree)?)
    }

    fn write_file(&mut self) -> Result<(), StoreError> {
        let blob = self.repository.write_blob(&self.lines)?;
        self.files.insert(file_path(self.files.len()), blob);
        self.lines.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use model::id::{EntityId, OpId};
    use model::op::{Change, Stamp};
    use model::person::Person;
    use testkit::TestRepository;
    use uuid::Uuid;

    use crate::git::Identity;

    use super::*;

    fn renumbering(n: u64, n_bytes: usize) -> Op {
        let id = Uuid::from_u128(u128::from(n));
        let stamp = Stamp { lamport: n, id: OpId::new(id) };
        let change = Change::Renumber { number: n, releases: vec![7; n_bytes / 2] };
        let by = Person::new("Ada", "ada@example.com");
        let at = Timestamp::UNIX_EPOCH;
        Op { stamp, entity: EntityId::from_bytes(*id.as_bytes()), at, by, imported: None, undoes: None, change }
    }

    /// Returns the commits of the same operations, written as they come and at once.
    fn both_ways(ops: &[Op]) -> [CommitId; 2] {
        let directory = TestRepository::new();
        let repository = Repository::discover(directory.path()).unwrap();
        let identity = Identity { name: "Ada".to_owned(), email: "ada@example.com".to_owned() };
        let author = FixedIdentity { identity, seconds: 1 };
        let (mut files, mut lines) = (OperationFiles::new(&repository), Vec::new());
        for op in ops {
            files.push(op).unwrap();
            v1::write(op, &mut lines);
        }
        let streamed = files.commit(&[], "renumber", Some(&author)).unwrap();
        [streamed, write_operations(&repository, &[], "renumber", &lines, Some(&author)).unwrap()]
    }

    #[test]
    fn streamed_operations_make_the_same_commit() {
        for (n_ops, n_bytes) in [(0, 0), (3, 10), (3, format::MESSAGE_TARGET / 2), (5, format::FILE_TARGET / 2 + 1)] {
            let ops: Vec<Op> = (1..=n_ops).map(|n| renumbering(n, n_bytes)).collect();
            let [streamed, at_once] = both_ways(&ops);
            assert_eq!(streamed, at_once, "{n_ops} operations of {n_bytes} bytes");
        }
    }

    #[test]
    fn files_are_split_at_line_ends() {
        let line = vec![b'x'; format::FILE_TARGET / 2 + 1].into_iter().chain([b'\n']).collect::<Vec<u8>>();
        let lines = line.repeat(5);
        let files = split_into_files(&lines);
        assert_eq!(files.len(), 3);
        assert_eq!(files[0].0, "ops/000001.jsonl");
        assert!(files.iter().all(|(_, bytes)| bytes.ends_with(b"\n")));
        assert_eq!(files.iter().map(|(_, bytes)| bytes.len()).sum::<usize>(), lines.len());
    }
}
