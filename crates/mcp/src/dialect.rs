//! A dialect is a table: who the server says it is, which versions it speaks, its tools, and what its errors look like.

use serde_json::Value;

use crate::fault::Fault;
use crate::registry::Tool;

/// One contract; `C` is what its tools work on.
pub struct Dialect<C: 'static> {
    /// What it is called on the command line and in paths.
    pub name: &'static str,
    /// Who the server says it is.
    pub server: ServerName,
    /// Which versions of the protocol it speaks to clients that begin with `initialize`.
    pub versions: Versions,
    /// What a model should know before it calls anything.
    pub instructions: &'static str,
    /// What it offers.
    pub tools: &'static [Tool<C>],
    /// What its errors look like.
    pub errors: ErrorPolicy,
}

/// Who a server says it is.
#[derive(Debug, Clone, Copy)]
pub struct ServerName {
    /// For programs.
    pub name: &'static str,
    /// For people.
    pub title: &'static str,
    /// The program's own.
    pub version: &'static str,
}

/// Which version is answered to `initialize`. Clients of 2026-07-28 never ask: each of their requests says its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Versions {
    /// Always this one.
    Fixed(&'static str),
    /// The client's, when it is known; else the newest.
    Negotiated,
}

/// How the tools are listed. Both spellings are always understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ToolNames {
    /// As the contract has them.
    #[default]
    Dotted,
    /// With `_` for each dot.
    Underscore,
}

/// Which answer each kind of failure gets, for clients that begin with `initialize`. Clients of 2026-07-28 get what the
/// specification says instead.
#[derive(Debug, Clone, Copy)]
pub struct ErrorPolicy {
    /// The code for a tool that does not exist.
    pub unknown_tool: i32,
    /// Arguments that are missing or have the wrong type.
    pub undecodable: Answering,
    /// Arguments that make no sense.
    pub invalid: Answering,
    /// Work that failed.
    pub failed: Answering,
    /// Makes the body that goes with an error, from its code and message.
    pub body: fn(i32, &str) -> Value,
}

/// Where a failure is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answering {
    /// As an error of the protocol.
    Error(i32),
    /// As a result that says it failed, with this code in its body.
    Result(i32),
}

impl<C> Dialect<C> {
    /// Finds a tool by either spelling of its name.
    pub fn try_find(&self, name: &str) -> Option<&'static Tool<C>> {
        self.tools.iter().find(|tool| tool.is_called(name))
    }
}

impl ErrorPolicy {
    /// Returns where a fault is told and with which code.
    pub fn for_fault(&self, fault: &Fault) -> Answering {
        match fault {
            Fault::Undecodable(_) => self.undecodable,
            Fault::Invalid(_) => self.invalid,
            Fault::Failed(_) => self.failed,
        }
    }
}
