//! Exports the whole log, one operation per line; `import` reads it back.

use std::io::Write;

use store::format::v1;

use crate::error::Error;
use crate::project::Project;

impl Project {
    /// Writes every operation, in order, and returns their number.
    pub fn export(&self, out: &mut dyn Write) -> Result<usize, Error> {
        let mut lines: Vec<(model::op::Stamp, Vec<u8>)> = Vec::new();
        let gathered = self.index().each_line(|line| {
            if let Ok(op) = v1::read(line) {
                lines.push((op.stamp, line.to_vec()));
            }
            Ok(())
        })?;
        gathered.map_err(|error| cannot_write(&error))?;
        lines.sort();
        for (_, line) in &lines {
            out.write_all(line).and_then(|()| out.write_all(b"\n")).map_err(|error| cannot_write(&error))?;
        }
        out.flush().map_err(|error| cannot_write(&error))?;
        Ok(lines.len())
    }
}

fn cannot_write(error: &std::io::Error) -> Error {
    Error::unavailable(format!("cannot write the export: {error}"))
}
