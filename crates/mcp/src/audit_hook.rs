//! A hook for every call of a tool that writes, for an audit log of who did what.

use std::fmt;
use std::sync::Arc;

use crate::call::Caller;

/// A call of a tool that writes, once it is over.
#[derive(Debug, Clone, Copy)]
pub struct ToolCallEvent<'a> {
    /// Who called, when something in front of the server found out.
    pub caller: Option<&'a Caller>,
    /// The name of the tool.
    pub tool: &'a str,
    /// How it ended.
    pub outcome: Outcome,
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It did what it was asked to.
    Done,
    /// It could not.
    Failed,
    /// The caller may not write.
    Forbidden,
    /// Nobody waits for it any more; what was begun may still have been done.
    Abandoned,
}

/// Called after each call of a tool that writes. The HTTP server puts one into the extensions of a request.
#[derive(Clone)]
pub struct AuditHook(Arc<dyn Fn(ToolCallEvent<'_>) + Send + Sync>);

impl AuditHook {
    /// Wraps a function.
    pub fn new(tell: impl Fn(ToolCallEvent<'_>) + Send + Sync + 'static) -> Self {
        Self(Arc::new(tell))
    }

    pub(crate) fn call(&self, deed: ToolCallEvent<'_>) {
        (self.0)(deed);
    }
}

impl fmt::Debug for AuditHook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AuditHook")
    }
}
