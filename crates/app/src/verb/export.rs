//! Exports the log, one operation per line, then the contents of the attachments that the operations name;
//! `import_operations` reads it back.

use std::collections::BTreeSet;
use std::io::{self, Write};

use model::attachment::{Attachment, MAX_BYTES};
use model::id::EntityId;
use model::op::Stamp;
use store::format::v1;
use store::git::ObjectId;
use store::index::OpPlace;

use super::content_line::ContentLine;

use crate::error::Error;
use crate::project::Project;

impl Project {
    /// Writes every operation, in order, and returns their number.
    pub fn export(&self, out: &mut dyn Write) -> Result<usize, Error> {
        let mut exported = ExportedOperations::default();
        self.index().each_line(|place, line| exported.add(place, line))?;
        self.write_exported(exported, out)
    }

    /// Writes the operations of some items, in order, and returns their number.
    pub fn export_items(&self, items: &[EntityId], out: &mut dyn Write) -> Result<usize, Error> {
        let mut exported = ExportedOperations::default();
        for item in items {
            self.index().each_line_of(*item, |place, line| exported.add(place, line))?;
        }
        self.write_exported(exported, out)
    }

    fn write_exported(&self, mut exported: ExportedOperations, out: &mut dyn Write) -> Result<usize, Error> {
        exported.ops.sort_unstable();
        for same in exported.ops.chunk_by(|one, next| one.0 == next.0) {
            // Several operations with one stamp exist only if one is forged; then the texts decide, as everywhere.
            let lines = same.iter().map(|(_, place)| self.index().line_at(*place));
            let mut lines = lines.collect::<Result<Vec<Vec<u8>>, _>>()?;
            lines.sort_unstable();
            lines.iter().try_for_each(|line| write_line(out, line)).map_err(|error| cannot_write(&error))?;
        }
        let contents = exported.blobs.iter().try_for_each(|blob| self.write_content(blob, out));
        contents.and_then(|()| out.flush()).map_err(|error| cannot_write(&error))?;
        Ok(exported.ops.len())
    }

    // A content that is not in this clone is left out: after an import, reading it is an error that says so.
    fn write_content(&self, blob: &str, out: &mut dyn Write) -> io::Result<()> {
        let Ok(id) = blob.parse::<ObjectId>() else { return Ok(()) };
        let line = |content: &[u8]| serde_json::to_vec(&ContentLine::new(blob, content));
        match self.store.repository().with_blob(&id, MAX_BYTES, line) {
            Ok(line) => write_line(out, &line?),
            Err(_) => Ok(()),
        }
    }
}

/// What an export writes: where each operation is, not the operations, so that memory does not grow with their texts.
#[derive(Default)]
struct ExportedOperations {
    ops: Vec<(Stamp, OpPlace)>,
    /// The blobs of the attachments.
    blobs: BTreeSet<String>,
}

impl ExportedOperations {
    fn add(&mut self, place: OpPlace, line: &[u8]) {
        if let Ok(op) = v1::read(line) {
            self.blobs.extend(Attachment::of_change(&op.change).into_iter().map(|attached| attached.blob));
            self.ops.push((op.stamp, place));
        }
    }
}

fn write_line(out: &mut dyn Write, line: &[u8]) -> io::Result<()> {
    out.write_all(line)?;
    out.write_all(b"\n")
}

fn cannot_write(error: &io::Error) -> Error {
    Error::unavailable(format!("cannot write the export: {error}"))
}
