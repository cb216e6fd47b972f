//! A dialect is a table: server name, protocol versions, tools, resources, prompts and error codes. The capabilities
//! that are sent to clients are derived from the table.

use serde_json::Value;

use crate::fault::Fault;
use crate::registry::Tool;
use crate::resources::{Prompt, Resources};
use crate::results::ToolResult;
use crate::validate::{METHOD_NOT_FOUND, PARSE_ERROR};
use crate::watch::Watch;

/// One MCP contract; `C` is the state its tools work on.
pub struct Dialect<C: 'static> {
    /// Name on the command line and in URL paths.
    pub name: &'static str,
    /// The `serverInfo` of `initialize`.
    pub server: ServerName,
    /// Protocol versions for clients that begin with `initialize`.
    pub versions: Versions,
    /// The `instructions` for the model; empty means none.
    pub instructions: &'static str,
    /// The tools, in the order in which they are listed.
    pub tools: &'static [Tool<C>],
    /// Resources and resource templates, if the dialect has any.
    pub resources: Option<Resources<C>>,
    /// Prompts that a person can choose.
    pub prompts: &'static [Prompt<C>],
    /// The source of server-initiated notifications, if the dialect has one.
    pub watch: Option<Watch<C>>,
    /// The dialect has the `logging` capability: calls or its watch send log messages, and clients may set a level.
    pub logs: bool,
    /// Codes and texts of errors.
    pub errors: ErrorPolicy,
    /// Deviations over HTTP.
    pub http: HttpPolicy,
}

/// The `serverInfo` of a dialect.
#[derive(Debug, Clone, Copy)]
pub struct ServerName {
    /// Name for programs.
    pub name: &'static str,
    /// Display name; empty means none.
    pub title: &'static str,
    /// Version of the program, not of the protocol.
    pub version: &'static str,
}

/// The protocol version in the response to `initialize`. Clients of 2026-07-28 do not send `initialize`: each request
/// names its version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Versions {
    /// Always this version.
    Fixed(&'static str),
    /// The requested version if it is known, otherwise the newest.
    Negotiated,
}

/// Spelling of tool names in `tools/list`. Calls accept both spellings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ToolNames {
    /// As in the contract, with dots.
    #[default]
    Dotted,
    /// With `_` in place of dots, for clients that reject dots.
    Underscore,
}

/// How each kind of failure is reported to clients that begin with `initialize`. Clients of 2026-07-28 get what the
/// specification says.
#[derive(Debug, Clone, Copy)]
pub struct ErrorPolicy {
    /// Code for an unknown tool.
    pub unknown_tool: i32,
    /// Text for an unknown tool, from its name.
    pub unknown_tool_words: fn(&str) -> String,
    /// Code for an unknown resource.
    pub unknown_resource: i32,
    /// Code for a tool that the caller may not call.
    pub forbidden: i32,
    /// Arguments that are missing or have the wrong type.
    pub undecodable: ErrorPlacement,
    /// Arguments with invalid values.
    pub invalid: ErrorPlacement,
    /// Arguments that refer to something that does not exist.
    pub missing: ErrorPlacement,
    /// The operation itself failed.
    pub failed: ErrorPlacement,
    /// Makes the text of a protocol error, from its code and message.
    pub error: fn(i32, &str) -> ErrorText,
    /// Makes the result of a failed tool call, from its code and message; `isError` is added by the caller.
    pub failure: fn(i32, &str) -> ToolResult,
    /// Successful results have `"isError": false`; otherwise the member is left out.
    pub explicit_is_error_false: bool,
}

/// The text of a protocol error.
#[derive(Debug, Clone, PartialEq)]
pub struct ErrorText {
    /// The `message` of the error.
    pub message: String,
    /// The `data` of the error.
    pub data: Option<Value>,
}

/// Where a failure is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorPlacement {
    /// As a JSON-RPC error with this code.
    Error(i32),
    /// As a tool result with `isError`, with this code in its text.
    Result(i32),
}

/// Deviations of a dialect over HTTP, for clients that begin with `initialize`.
#[derive(Debug, Clone, Copy)]
pub struct HttpPolicy {
    /// Clients get a session with an event stream for notifications. Without sessions, every request is independent.
    pub sessions: bool,
    /// Rules of quicksilver's contract: every request except `initialize` must name the dialect's version in a header,
    /// and an incomplete `Accept` header is a bad request (400).
    pub is_strict: bool,
    /// HTTP status for the code of an error response to a well-formed request; `None` means 200.
    pub status: Option<fn(i32) -> u16>,
}

impl HttpPolicy {
    /// The specification without sessions.
    pub const PLAIN: Self = Self { sessions: false, is_strict: false, status: None };
    /// The specification with sessions.
    pub const SESSIONS: Self = Self { sessions: true, ..Self::PLAIN };
}

impl<C> Dialect<C> {
    /// Finds a tool by either spelling of its name.
    pub fn try_find(&self, name: &str) -> Option<&'static Tool<C>> {
        self.tools.iter().find(|tool| tool.is_called(name))
    }

    /// Returns the names of all toolsets, without duplicates.
    pub fn toolsets(&self) -> Vec<&'static str> {
        let mut names: Vec<&str> = self.tools.iter().map(|tool| tool.toolset).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

impl ErrorPolicy {
    /// The default policy: every failure of a tool is a tool result, so that the model can read it.
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
        failure: |_, message| ToolResult::text(message),
        explicit_is_error_false: false,
    };

    /// Makes the text of an error. A parse error and an unknown method get the standard text of JSON-RPC, with the
    /// actual message as `data`.
    fn standard_words(code: i32, message: &str) -> ErrorText {
        let standard = match code {
            PARSE_ERROR => "Parse error",
            METHOD_NOT_FOUND => "Method not found",
            _ => return ErrorText { message: message.to_owned(), data: None },
        };
        ErrorText { message: standard.to_owned(), data: Some(message.into()) }
    }

    /// The text for an unknown tool, where the contract does not define one.
    pub fn no_such_tool(name: &str) -> String {
        format!("unknown tool `{name}`")
    }

    /// Returns where a fault is reported, and its code.
    pub(crate) fn for_fault(&self, fault: &Fault) -> ErrorPlacement {
        match fault {
            Fault::Undecodable(_) => self.undecodable,
            Fault::Invalid(_) => self.invalid,
            Fault::Missing(_) => self.missing,
            Fault::Failed(_) | Fault::Unable(_) | Fault::NeedsInput(_) => self.failed,
            Fault::Coded(code, _) => ErrorPlacement::Error(*code),
        }
    }
}
