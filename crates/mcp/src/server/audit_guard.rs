//! A call of a tool, as far as those are concerned who keep a record of writes.

use super::asker::Asker;
use super::work::Outcome;
use crate::answer::ToolAnswer;
use crate::call::Caller;
use crate::fault::Fault;
use crate::witness::{Deed, Outcome as Heard, Witness};

/// A call of a tool. When it ends, the witness hears of it, if the tool writes and there is one; also when the task that
/// serves it is given up, since what it began goes on.
pub(super) struct Watched {
    tool: &'static str,
    writes: bool,
    caller: Option<Caller>,
    witness: Option<Witness>,
}

impl Watched {
    pub(super) fn begin(tool: &'static str, only_reads: bool, asker: Asker<'_>) -> Self {
        Self { tool, writes: !only_reads, caller: asker.caller(), witness: asker.witness() }
    }

    /// Tells whether the caller may not do this.
    pub(super) fn is_forbidden(&self) -> bool {
        self.writes && self.caller.as_ref().is_some_and(|caller| !caller.may_write)
    }

    pub(super) fn end(mut self, outcome: Heard) {
        self.tell(outcome);
    }

    fn tell(&mut self, outcome: Heard) {
        if let Some(witness) = self.witness.take().filter(|_| self.writes) {
            witness.hear(Deed { caller: self.caller.as_ref(), tool: self.tool, outcome });
        }
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.tell(Heard::Abandoned);
    }
}

impl Heard {
    pub(super) fn of(outcome: &Outcome<ToolAnswer>) -> Self {
        match outcome {
            Outcome::Done(answer) if answer.is_error => Self::Failed,
            Outcome::Done(_) => Self::Done,
            Outcome::Fault(Fault::NeedsInput(_)) | Outcome::Cancelled => Self::Abandoned,
            Outcome::Fault(_) | Outcome::Broken => Self::Failed,
        }
    }
}
