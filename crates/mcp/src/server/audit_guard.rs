//! Reports each call of a tool that writes to the audit hook, also when the call is abandoned.

use super::request_source::RequestSource;
use super::work::Outcome;
use crate::audit_hook::{AuditHook, Outcome as ToolCallOutcome, ToolCallEvent};
use crate::call::Caller;
use crate::fault::Fault;
use crate::registry::Effect;
use crate::results::ToolResult;

/// A running tool call. Its end is reported to the audit hook if the tool writes. Dropping the guard reports an
/// abandoned call: the handler thread may still finish its write.
pub(super) struct AuditGuard {
    tool: &'static str,
    writes: bool,
    caller: Option<Caller>,
    audit_hook: Option<AuditHook>,
}

impl AuditGuard {
    pub(super) fn begin(tool: &'static str, effect: Effect, source: RequestSource<'_>) -> Self {
        Self { tool, writes: !effect.is_read_only(), caller: source.caller(), audit_hook: source.audit_hook() }
    }

    /// Returns whether the tool writes and the caller may only read.
    pub(super) fn is_forbidden(&self) -> bool {
        self.writes && self.caller.as_ref().is_some_and(|caller| !caller.may_write)
    }

    pub(super) fn end(mut self, outcome: ToolCallOutcome) {
        self.report(outcome);
    }

    fn report(&mut self, outcome: ToolCallOutcome) {
        if let Some(audit_hook) = self.audit_hook.take().filter(|_| self.writes) {
            audit_hook.call(ToolCallEvent { caller: self.caller.as_ref(), tool: self.tool, outcome });
        }
    }
}

impl Drop for AuditGuard {
    fn drop(&mut self) {
        self.report(ToolCallOutcome::Abandoned);
    }
}

impl ToolCallOutcome {
    pub(super) fn of(outcome: &Outcome<ToolResult>) -> Self {
        match outcome {
            Outcome::Done(answer) if answer.is_error => Self::Failed,
            Outcome::Done(_) => Self::Done,
            Outcome::Fault(Fault::NeedsInput(_)) | Outcome::Cancelled => Self::Abandoned,
            Outcome::Fault(_) | Outcome::Broken => Self::Failed,
        }
    }
}
