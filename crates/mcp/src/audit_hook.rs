//! Someone who is told of every call of a tool that writes, for a record of who did what.

use std::fmt;
use std::sync::Arc;

use crate::call::Caller;

/// A call of a tool that writes, once it is over.
#[derive(Debug, Clone, Copy)]
pub struct Deed<'a> {
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

/// Hears of calls of tools that write. A front puts one into the extensions of an HTTP request, made for that request.
#[derive(Clone)]
pub struct Witness(Arc<dyn Fn(Deed<'_>) + Send + Sync>);

impl Witness {
    /// Has this told.
    pub fn new(tell: impl Fn(Deed<'_>) + Send + Sync + 'static) -> Self {
        Self(Arc::new(tell))
    }

    pub(crate) fn hear(&self, deed: Deed<'_>) {
        (self.0)(deed);
    }
}

impl fmt::Debug for Witness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Witness")
    }
}
