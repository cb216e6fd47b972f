//! The line that a person viewed last, offered first when they comment on the file.
//!
//! A convenience only: an unreadable mark counts as none.

use std::fs;
use std::io;
use std::path::PathBuf;

use super::{FileSpool, SpoolError};
use crate::git::GitError;

/// A line of a file of the work tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineMark {
    /// Path from the top of the repository, with `/`.
    pub file: String,
    /// Line number, counted from 1.
    pub line: u32,
}

impl FileSpool {
    /// Stores a mark, replacing the previous one.
    pub(in crate::spool) fn set_mark(&self, mark: &LineMark) -> Result<(), SpoolError> {
        self.write(&self.mark_path(), format!("{} {}\n", mark.line, mark.file).as_bytes())
    }

    /// Returns the stored mark.
    pub(in crate::spool) fn mark(&self) -> Option<LineMark> {
        let text = fs::read_to_string(self.mark_path()).ok()?;
        let (line, file) = text.strip_suffix('\n')?.split_once(' ')?;
        Some(LineMark { file: file.to_owned(), line: line.parse().ok()? })
    }

    pub(in crate::spool) fn clear_mark(&self) -> Result<(), SpoolError> {
        match fs::remove_file(self.mark_path()) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                Err(GitError::writing(&self.mark_path(), source).into())
            }
            _ => Ok(()),
        }
    }

    fn mark_path(&self) -> PathBuf {
        self.root.join("mark")
    }
}
