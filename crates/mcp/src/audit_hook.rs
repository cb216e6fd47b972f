//! A hook that is called for each call of a writing tool; the HTTP server uses it for its audit log.

use std::fmt;
use std::sync::Arc;

use crate::call::Caller;

/// A finished call of a writing tool.
#[derive(Debug, Clone, Copy)]
pub struct ToolCallEvent<'a> {
    /// The authenticated caller, if the server in front of the endpoint identified one.
    pub caller: Option<&'a Caller>,
    /// Name of the tool.
    pub tool: &'a str,
    /// How the call ended.
    pub outcome: Outcome,
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The tool succeeded.
    Done,
    /// The tool failed.
    Failed,
    /// The caller has read-only access.
    Forbidden,
    /// The client disconnected or cancelled. The handler may still have completed its write.
    Abandoned,
}

/// A callback that receives each call of a writing tool. The HTTP server puts one into the extensions of a request.
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
