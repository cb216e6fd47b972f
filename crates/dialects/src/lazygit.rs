//! `lazygit`: a person's review messages, according to the contract of lazygit-mcp-bridge.

mod check;
mod messages;
mod text;
mod watch;

use app::Error;
use inbox::LazyInbox;
use mcp::{
    Dialect, ErrorPlacement, ErrorPolicy, ErrorText, Fault, HttpPolicy, Resources, ServerName, ToolResult, Versions,
};

use crate::words::with_hint;
pub use text::text;

/// The dialect's table.
pub static LAZYGIT: Dialect<LazyInbox> = Dialect {
    name: "lazygit",
    // The contract's version, not ours; it has neither title nor instructions.
    server: ServerName { name: "lazygit-mcp-bridge", title: "", version: "1.0.0" },
    versions: Versions::Fixed("2024-11-05"),
    instructions: "",
    tools: &[check::TOOL],
    resources: Some(Resources { list: messages::list, templates: &[], read: messages::read, ends_with_null: false }),
    prompts: &[],
    watch: Some(watch::WATCH),
    // Log messages are sent, but the contract declares no such capability.
    logs: false,
    errors: ErrorPolicy {
        unknown_tool: -32602,
        unknown_tool_words: ErrorPolicy::no_such_tool,
        unknown_resource: -32602,
        forbidden: -32602,
        undecodable: ErrorPlacement::Error(-32602),
        invalid: ErrorPlacement::Error(-32602),
        missing: ErrorPlacement::Error(-32602),
        failed: ErrorPlacement::Result(-32603),
        error: words,
        failure: |_, message| ToolResult::text(message),
        explicit_is_error_false: false,
    },
    http: HttpPolicy::SESSIONS,
};

/// The contract's errors consist of a code and its name only.
fn words(code: i32, _: &str) -> ErrorText {
    let name = match code {
        -32700 => "Parse error",
        -32600 => "Invalid request",
        -32601 => "Method not found",
        -32602 => "Invalid params",
        _ => "Internal error",
    };
    ErrorText { message: name.to_owned(), data: None }
}

/// All errors are failed results: the tools take no arguments that could be invalid.
fn fault(error: &Error) -> Fault {
    Fault::Failed(with_hint(error))
}
