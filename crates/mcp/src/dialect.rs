//! A dialect is a table: who the server says it is, which versions it speaks, what it offers, and what its errors look
//! like. What it can do, as told to clients, follows from the table.

use serde_json::Value;

use crate::answer::ToolAnswer;
use crate::fault::Fault;
use crate::registry::Tool;
use crate::resources::{Prompt, Resources};
use crate::validate::{METHOD_NOT_FOUND, PARSE_ERROR};
use crate::watch::Watch;

/// One contract; `C` is what its tools work on.
pub struct Dialect<C: 'static> {
    /// What it is called on the command line and in paths.
    pub name: &'static str,
    /// Who the server says it is.
    pub server: ServerName,
    /// Which versions of the protocol it speaks to clients that begin with `initialize`.
    pub versions: Versions,
    /// What a model should know before it calls anything; empty for nothing.
    pub instructions: &'static str,
    /// What can be done.
    pub tools: &'static [Tool<C>],
    /// What can be read.
    pub resources: Option<Resources<C>>,
    /// What a person can choose to begin with.
    pub prompts: &'static [Prompt<C>],
    /// How it speaks first, if it does.
    pub watch: Option<Watch<C>>,
    /// Its calls or its watch send messages, and clients may say which they want.
    pub logs: bool,
    /// What its errors look like.
    pub errors: ErrorPolicy,
    /// What is its own over HTTP.
    pub http: HttpPolicy,
}

/// Who a server says it is.
#[derive(Debug, Clone, Copy)]
pub struct ServerName {
    /// For programs.
    pub name: &'static str,
    /// For people; empty for none.
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
    /// What is said of a tool that does not exist.
    pub unknown_tool_words: fn(&str) -> String,
    /// The code for a resource that does not exist.
    pub unknown_resource: i32,
    /// The code for a tool that the caller may not use.
    pub forbidden: i32,
    /// Arguments that are missing or have the wrong type.
    pub undecodable: ErrorPlacement,
    /// Arguments that make no sense.
    pub invalid: ErrorPlacement,
    /// Arguments that name what does not exist.
    pub missing: ErrorPlacement,
    /// Work that failed.
    pub failed: ErrorPlacement,
    /// Makes the words of an error of the protocol, from its code and message.
    pub error: fn(i32, &str) -> ErrorText,
    /// Makes the result that says a tool failed, from its code and message; that it failed is added.
    pub failure: fn(i32, &str) -> ToolAnswer,
    /// A result that did not fail says so, too; else it says nothing about it.
    pub explicit_is_error_false: bool,
}

/// The words of an error of the protocol.
#[derive(Debug, Clone, PartialEq)]
pub struct ErrorText {
    /// Its message.
    pub message: String,
    /// What goes with it.
    pub data: Option<Value>,
}

/// Where a failure is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorPlacement {
    /// As an error of the protocol.
    Error(i32),
    /// As a result that says it failed, with this code.
    Result(i32),
}

/// What a dialect does its own way over HTTP, for clients that begin with `initialize`.
#[derive(Debug, Clone, Copy)]
pub struct HttpPolicy {
    /// A client gets a session, with a stream on which it is spoken to. Without one, each request stands alone.
    pub sessions: bool,
    /// As quicksilver's contract has it: every request but `initialize` names in a header the version that the dialect
    /// answers with, and an `Accept` that lacks something is a bad request.
    pub is_strict: bool,
    /// The status of an error, by its code, when the message was a request; 200 without.
    pub status: Option<fn(i32) -> u16>,
}

impl HttpPolicy {
    /// As the specification has it, without sessions.
    pub const PLAIN: Self = Self { sessions: false, is_strict: false, status: None };
    /// As the specification has it, with sessions.
    pub const SESSIONS: Self = Self { sessions: true, ..Self::PLAIN };
}

impl<C> Dialect<C> {
    /// Finds a tool by either spelling of its name.
    pub fn try_find(&self, name: &str) -> Option<&'static Tool<C>> {
        self.tools.iter().find(|tool| tool.is_called(name))
    }

    /// Returns the groups that its tools are in, each once.
    pub fn toolsets(&self) -> Vec<&'static str> {
        let mut names: Vec<&str> = self.tools.iter().map(|tool| tool.toolset).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

impl ErrorPolicy {
    /// Every fault of a tool is told where the model can read it, in plain words.
    pub const TO_THE_MODEL: Self = Self {
        unknown_tool: -32602,
        unknown_tool_words: Self::no_such_tool,
        unknown_resource: -32602,
        forbidden: -32602,
        undecodable: ErrorPlacement::Result(-32602),
        invalid: ErrorPlacement::Result(-32602),
        missing: ErrorPlacement::Result(-32602),
        failed: ErrorPlacement::Result(-32603),
        error: Self::standard_words,
        failure: |_, message| ToolAnswer::text(message),
        explicit_is_error_false: false,
    };

    /// Makes the words of an error: for something that is not a message, or a method that nobody has, those of JSON-RPC, with what
    /// happened beside them.
    pub fn standard_words(code: i32, message: &str) -> ErrorText {
        let standard = match code {
            PARSE_ERROR => "Parse error",
            METHOD_NOT_FOUND => "Method not found",
            _ => return ErrorText { message: message.to_owned(), data: None },
        };
        ErrorText { message: standard.to_owned(), data: Some(message.into()) }
    }

    /// Says that there is no such tool, where the contract has no words of its own.
    pub fn no_such_tool(name: &str) -> String {
        format!("unknown tool `{name}`")
    }

    /// Returns where a fault is told and with which code.
    pub fn for_fault(&self, fault: &Fault) -> ErrorPlacement {
        match fault {
            Fault::Undecodable(_) => self.undecodable,
            Fault::Invalid(_) => self.invalid,
            Fault::Missing(_) => self.missing,
            Fault::Failed(_) | Fault::Unable(_) | Fault::NeedsInput(_) => self.failed,
            Fault::Coded(code, _) => ErrorPlacement::Error(*code),
        }
    }
}
