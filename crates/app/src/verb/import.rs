//! Imports the operations of an export, unchanged. Operations that the log has already are skipped.

use std::collections::HashSet;
use std::io::BufRead;

use model::op::Stamp;
use store::format::v1;
use store::index::CLOCK_JUMP;

use crate::error::Error;
use crate::project::Project;
use crate::view::OperationsImportedView;

impl Project {
    /// Imports the lines of an export. All or nothing.
    pub fn import_operations(&mut self, input: &mut dyn BufRead) -> Result<OperationsImportedView, Error> {
        let mut operations = Vec::new();
        let mut seen: HashSet<Vec<u8>> = HashSet::new();
        let mut known = 0;
        for (n, line) in input.split(b'\n').enumerate() {
            let line = line.map_err(|error| Error::unavailable(format!("cannot read line {}: {error}", n + 1)))?;
            let line = line.trim_ascii();
            if line.is_empty() {
                continue;
            }
            let op = v1::read(line).map_err(|why| not_an_operation(n + 1, &why.to_string()))?;
            // `seen` finds duplicates within the file, the index those in the log.
            let is_new = seen.insert(line.to_vec()) && !self.index().has_line(op.entity, line)?;
            if is_new { operations.push((op.stamp, line.to_vec())) } else { known += 1 }
        }
        let n_operations = operations.len();
        if n_operations > 0 {
            // In stamp order, so that the clock check sees each operation after its predecessors.
            operations.sort();
            self.refuse_clock_jump(operations.iter().map(|(stamp, _)| *stamp))?;
            let lines: Vec<u8> =
                operations.into_iter().flat_map(|(_, line)| [line, b"\n".to_vec()]).flatten().collect();
            self.store.append_lines(&format!("import {n_operations} operations"), &lines)?;
        }
        Ok(OperationsImportedView { operations: n_operations, known })
    }

    // The index would skip an operation whose clock is too far ahead, and the import would lose it.
    fn refuse_clock_jump(&self, in_order: impl Iterator<Item = Stamp>) -> Result<(), Error> {
        let mut clock = self.index().clock()?;
        for stamp in in_order {
            if stamp.lamport > clock.saturating_add(CLOCK_JUMP) {
                return Err(Error::invalid(format!("operation {} runs too far ahead of the clock", stamp.id))
                    .hint("an export of the whole project has the operations in between"));
            }
            clock = clock.max(stamp.lamport);
        }
        Ok(())
    }
}

fn not_an_operation(line: usize, why: &str) -> Error {
    Error::invalid(format!("line {line}: not an operation of an export: {why}"))
        .hint("import items and the operations of an export from two files, so that each is taken whole or not at all")
}
