//! `quicksilver`: tasks and boards over HTTP with a bearer token, according to quicksilver's contract.
//!
//! Tasks and boards are the project's items of those kinds, and their ids are the item numbers; boards and people
//! (`owner_id`) have number spaces of their own. An unknown id is rejected with a list of existing ones. `status` is
//! free text that is mapped to the project's workflow where possible (see `app::tasks`). A null argument clears a
//! field, like an empty text; a task without a description has null there, never an empty text.
//!
//! Three tools belong to the contract. The others need `--extended`.

mod call_arguments;
mod extended;
mod resources;
mod shapes;
mod tools;
mod unknown;

use app::ProjectPool;
use app::{Detail, Error, ErrorKind};
use mcp::{
    Dialect, ErrorPlacement, ErrorPolicy, ErrorText, Fault, HttpPolicy, Resources, ServerName, ToolResult, Versions,
};

use crate::words::with_hint;

/// The dialect's table.
pub static QUICKSILVER: Dialect<ProjectPool> = Dialect {
    name: "quicksilver",
    // The contract's version, not ours; it has neither title nor instructions.
    server: ServerName { name: "quicksilver-mcp", title: "", version: "0.1.0" },
    versions: Versions::Fixed("2025-06-18"),
    instructions: "",
    tools: &[
        tools::CREATE,
        tools::UPDATE,
        tools::COMPLETE,
        extended::LIST,
        extended::AVAILABLE,
        extended::PROPOSED,
        extended::CLAIM,
        extended::ACCEPT,
        extended::MEMBERS,
    ],
    resources: Some(Resources {
        list: resources::list,
        templates: resources::TEMPLATES,
        read: resources::read,
        ends_with_null: true,
    }),
    prompts: &[],
    watch: None,
    logs: false,
    errors: ErrorPolicy {
        unknown_tool: INVALID_PARAMS,
        unknown_tool_words: ErrorPolicy::no_such_tool,
        unknown_resource: NOT_FOUND,
        forbidden: FORBIDDEN,
        undecodable: ErrorPlacement::Error(INVALID_PARAMS),
        invalid: ErrorPlacement::Error(INVALID_PARAMS),
        missing: ErrorPlacement::Error(NOT_FOUND),
        failed: ErrorPlacement::Error(INTERNAL),
        error: |code, message| ErrorText { message: name(code).to_owned(), data: Some(message.into()) },
        failure: |_, message| ToolResult::text(message),
        explicit_is_error_false: false,
    },
    http: HttpPolicy { is_strict: true, status: Some(status), ..HttpPolicy::PLAIN },
};

const INVALID_PARAMS: i32 = -32602;
const INTERNAL: i32 = -32603;
const NOT_FOUND: i32 = -32002;
const FORBIDDEN: i32 = -32003;

/// The contract's name of an error code; the message is separate.
fn name(code: i32) -> &'static str {
    match code {
        -32700 => "Parse error",
        -32600 => "Invalid Request",
        -32601 => "Method not found",
        INVALID_PARAMS => "Invalid params",
        NOT_FOUND => "Resource not found",
        FORBIDDEN => "Forbidden",
        _ => "Internal error",
    }
}

/// The contract's HTTP statuses. An unknown method is 200, as in JSON-RPC.
fn status(code: i32) -> u16 {
    match code {
        -32700 | -32600 | INVALID_PARAMS => 400,
        NOT_FOUND => 404,
        FORBIDDEN => 403,
        INTERNAL => 500,
        _ => 200,
    }
}

/// The table from error kinds to faults.
fn fault(error: &Error) -> Fault {
    let message = match &error.detail {
        Some(Detail::UnknownNumber(unknown)) => unknown::text(unknown, error.kind),
        _ => error.message.clone(),
    };
    match error.kind {
        ErrorKind::Invalid | ErrorKind::Conflict => Fault::Invalid(message),
        ErrorKind::NotFound => Fault::Missing(message),
        ErrorKind::NotARepository | ErrorKind::Unavailable | ErrorKind::IndexDamaged | ErrorKind::Internal => {
            Fault::Failed(with_hint(error))
        }
    }
}
