//! Exports the log, one operation per line, then the contents of the attachments that the operations name;
//! `import_operations` reads it back.

use std::collections::BTreeSet;
use std::io::{self, Write};

use model::attachment::{Attachment, MAX_BYTES};
use model::id::EntityId;
use model::op::Stamp;
use store::format::v1;
use store::git::ObjectId;

use super::content_line::ContentLine;

use crate::error::Error;
use crate::project::Project;

impl Project {
    /// Writes every operation, in order, and returns their number.
    pub fn export(&self, out: &mut dyn Write) -> Result<usize, Error> {
        let mut exported = Exported::default();
        let gathered = self.index().each_line(|line| {
            exported.add(line);
            Ok(())
        })?;
        gathered.map_err(|error| cannot_write(&error))?;
        self.write_exported(exported, out)
    }

    /// Writes the operations of some items, in order, and returns their number.
    pub fn export_items(&self, items: &[EntityId], out: &mut dyn Write) -> Result<usize, Error> {
        let mut exported = Exported::default();
        for item in items {
            self.index().lines(*item)?.iter().for_each(|line| exported.add(line));
        }
        self.write_exported(exported, out)
    }

    fn write_exported(&self, mut exported: Exported, out: &mut dyn Write) -> Result<usize, Error> {
        exported.lines.sort();
        let mut write = || {
            exported.lines.iter().try_for_each(|(_, line)| write_line(out, line))?;
            exported.blobs.iter().try_for_each(|blob| self.write_content(blob, out))?;
            out.flush()
        };
        write().map_err(|error| cannot_write(&error))?;
        Ok(exported.lines.len())
    }

    // A content that is not in this clone is left out; whoever imports the operations is told when they ask for it.
    fn write_content(&self, blob: &str, out: &mut dyn Write) -> io::Result<()> {
        let Ok(id) = blob.parse::<ObjectId>() else { return Ok(()) };
        let line = |content: &[u8]| serde_json::to_vec(&ContentLine::new(blob, content));
        match self.store.repository().with_blob(&id, MAX_BYTES, line) {
            Ok(line) => write_line(out, &line?),
            Err(_) => Ok(()),
        }
    }
}

/// What an export writes.
#[derive(Default)]
struct Exported {
    lines: Vec<(Stamp, Vec<u8>)>,
    /// The blobs of the attachments.
    blobs: BTreeSet<String>,
}

impl Exported {
    fn add(&mut self, line: &[u8]) {
        if let Ok(op) = v1::read(line) {
            self.blobs.extend(Attachment::of_change(&op.change).into_iter().map(|attached| attached.blob));
            self.lines.push((op.stamp, line.to_vec()));
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
