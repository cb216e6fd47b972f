//! Imports the operations of an export, unchanged. Operations that the log has already are skipped.

mod operations_file;

use std::collections::BTreeSet;
use std::io::{BufRead, Seek};

use model::attachment::MAX_BYTES;
use model::op::Stamp;
use model::text::counted;
use operations_file::OperationsFile;
use store::LineWriter;
use store::git::ObjectId;
use store::index::CLOCK_JUMP;

use crate::error::Error;
use crate::project::Project;
use crate::view::OperationsImportedView;

impl Project {
    /// Imports the lines of an export. All or nothing.
    pub fn import_operations(&mut self, input: &mut (impl BufRead + Seek)) -> Result<OperationsImportedView, Error> {
        let mut file = OperationsFile::read(self.index(), input)?;
        let view = self.view_of(&file)?;
        if view.operations == 0 {
            return Ok(view);
        }
        let contents = self.write_contents(&mut file)?;
        self.store.append_lines(&contents, |write: &mut LineWriter<'_>| {
            file.each_commit(|n, lines| Ok(write(&format!("import {}", counted(n, "operation")), lines)?))
        })?;
        Ok(view)
    }

    /// Returns what an import of these lines would do.
    pub fn check_operations(&self, input: &mut (impl BufRead + Seek)) -> Result<OperationsImportedView, Error> {
        self.view_of(&OperationsFile::read(self.index(), input)?)
    }

    fn view_of<R: BufRead + Seek>(&self, file: &OperationsFile<'_, R>) -> Result<OperationsImportedView, Error> {
        self.refuse_clock_jump(file.stamps())?;
        Ok(OperationsImportedView { operations: file.len(), known: file.n_known })
    }

    // No ref points to them yet. A content that the operations do not name is not written.
    fn write_contents<R: BufRead + Seek>(&self, file: &mut OperationsFile<'_, R>) -> Result<BTreeSet<ObjectId>, Error> {
        let mut written = BTreeSet::new();
        file.each_content(|line, blob, bytes| {
            if blob.len() != 2 * self.store.repository().hash_length() {
                // It is from a repository with another hash: the operations name a blob that cannot be here.
                return Ok(());
            }
            let invalid = |why: &str| Error::invalid(format!("line {line}: {why}"));
            if bytes.len() as u64 > MAX_BYTES {
                return Err(invalid(&format!("the content has more than {MAX_BYTES} bytes")));
            }
            let id = self.store.repository().write_blob(bytes)?;
            if id.to_string() != blob {
                return Err(invalid(&format!("the content is not that of the blob `{blob}`")));
            }
            written.insert(id);
            Ok(())
        })?;
        Ok(written)
    }

    // The index would skip an operation whose clock is too far ahead, and the import would lose it.
    fn refuse_clock_jump(&self, in_order: impl Iterator<Item = Stamp>) -> Result<(), Error> {
        let mut clock = self.index().clock()?;
        for stamp in in_order {
            if stamp.lamport > clock.saturating_add(CLOCK_JUMP) {
                return Err(Error::invalid(format!("operation {} has a clock too far in the future", stamp.id))
                    .hint("an export of the whole project has the operations in between"));
            }
            clock = clock.max(stamp.lamport);
        }
        Ok(())
    }
}
