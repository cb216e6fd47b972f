//! The operations of one commit of the log, to describe a write or to take it back.

use model::op::Op;

use crate::format::{self, v1};
use crate::git::{CommitId, ReadError};
use crate::open::{Store, StoreError};

/// How much of a commit is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// The message only, which has all operations of a commit of ordinary size.
    Message,
    /// The message and the files of operations.
    Whole,
}

impl Store {
    /// Returns the operations of a commit, in order. What cannot be read is left out: the index has warned about it.
    pub fn operations_of(&self, commit: CommitId, extent: Extent) -> Result<Vec<Op>, StoreError> {
        let mut ops = Vec::new();
        match self.read_operations(commit, extent, &mut ops) {
            Err(ReadError::Git(error)) => Err(error.into()),
            _ => Ok(ops),
        }
    }

    fn read_operations(&self, commit: CommitId, extent: Extent, ops: &mut Vec<Op>) -> Result<(), ReadError> {
        let raw = self.repository().read_commit(&commit, format::MESSAGE_LIMIT)?;
        ops.extend(operations(format::read_message(&raw.message).body));
        if extent == Extent::Message {
            return Ok(());
        }
        for (_, blob) in self.repository().list_folder(&raw, format::FOLDER, format::FILE_LIMITS.files)? {
            self.repository()
                .with_blob(&blob, format::FILE_LIMITS.file_bytes, |bytes| ops.extend(operations(bytes)))?;
        }
        Ok(())
    }
}

fn operations(lines: &[u8]) -> impl Iterator<Item = Op> {
    lines.split(|byte| *byte == b'\n').filter_map(|line| v1::read(line.trim_ascii()).ok())
}
