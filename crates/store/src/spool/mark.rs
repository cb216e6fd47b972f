//! The line a person looked at last, so that it can be offered first when they say something about the file.
//!
//! It is a convenience: what cannot be read counts as no mark, and losing it loses nothing.

use std::fs;
use std::io;
use std::path::PathBuf;

use super::{Spool, SpoolError};
use crate::git::GitError;

/// A line of a file of the work tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineMark {
    /// The file, from the top of the repository, with `/`.
    pub file: String,
    /// The line, counted from 1.
    pub line: u32,
}

impl Spool {
    /// Remembers a line, and forgets the one before.
    pub fn set_mark(&self, mark: &LineMark) -> Result<(), SpoolError> {
        self.write(&self.mark_path(), format!("{} {}\n", mark.line, mark.file).as_bytes())
    }

    /// Returns the line that was remembered.
    pub fn mark(&self) -> Option<LineMark> {
        let text = fs::read_to_string(self.mark_path()).ok()?;
        let (line, file) = text.strip_suffix('\n')?.split_once(' ')?;
        Some(LineMark { file: file.to_owned(), line: line.parse().ok()? })
    }

    /// Forgets it.
    pub fn clear_mark(&self) -> Result<(), SpoolError> {
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
