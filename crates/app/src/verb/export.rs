//! Exports the log, one operation per line; `import_operations` reads it back.

use std::io::Write;

use model::id::EntityId;
use model::op::Stamp;
use store::format::v1;

use crate::error::Error;
use crate::project::Project;

impl Project {
    /// Writes every operation, in order, and returns their number.
    pub fn export(&self, out: &mut dyn Write) -> Result<usize, Error> {
        let mut lines = Vec::new();
        let gathered = self.index().each_line(|line| {
            push_line(&mut lines, line);
            Ok(())
        })?;
        gathered.map_err(|error| cannot_write(&error))?;
        write_sorted(lines, out)
    }

    /// Writes the operations of some items, in order, and returns their number.
    pub fn export_items(&self, items: &[EntityId], out: &mut dyn Write) -> Result<usize, Error> {
        let mut lines = Vec::new();
        for item in items {
            for line in self.index().lines(*item)? {
                push_line(&mut lines, &line);
            }
        }
        write_sorted(lines, out)
    }
}

fn push_line(lines: &mut Vec<(Stamp, Vec<u8>)>, line: &[u8]) {
    if let Ok(op) = v1::read(line) {
        lines.push((op.stamp, line.to_vec()));
    }
}

fn write_sorted(mut lines: Vec<(Stamp, Vec<u8>)>, out: &mut dyn Write) -> Result<usize, Error> {
    lines.sort();
    for (_, line) in &lines {
        out.write_all(line).and_then(|()| out.write_all(b"\n")).map_err(|error| cannot_write(&error))?;
    }
    out.flush().map_err(|error| cannot_write(&error))?;
    Ok(lines.len())
}

fn cannot_write(error: &std::io::Error) -> Error {
    Error::unavailable(format!("cannot write the export: {error}"))
}
