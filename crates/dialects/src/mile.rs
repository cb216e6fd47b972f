//! `mile`: lists and shows issues and milestones, according to git-mile's contract.

mod list;
mod shapes;
mod show;

use app::ProjectPool;
use app::{Error, ErrorKind};
use mcp::{Dialect, ErrorPlacement, ErrorPolicy, ErrorText, Fault, HttpPolicy, ServerName, ToolResult, Versions};
use model::item::ItemKind;
use serde_json::{Value, json};

use crate::words::with_hint;
pub use shapes::{EntryShape, ItemShape, PageShape};

/// The dialect's table.
pub static MILE: Dialect<ProjectPool> = Dialect {
    name: "mile",
    server: ServerName { name: "git-mile", title: "Issues and milestones in git", version: env!("CARGO_PKG_VERSION") },
    versions: Versions::Fixed("2024-11-05"),
    instructions: "Issues and milestones of this git repository. List them with a filter, then show the ones that \
                   matter; ids from the list are what show takes.",
    tools: &[list::TOOL, show::TOOL],
    resources: None,
    prompts: &[],
    watch: None,
    logs: false,
    errors: ErrorPolicy {
        unknown_tool: -32601,
        unknown_tool_words: ErrorPolicy::no_such_tool,
        unknown_resource: -32602,
        forbidden: -32003,
        undecodable: ErrorPlacement::Error(-32600),
        invalid: ErrorPlacement::Error(-32602),
        missing: ErrorPlacement::Error(-32602),
        failed: ErrorPlacement::Result(-32001),
        error: |code, message| ErrorText { message: message.to_owned(), data: Some(body(code, message)) },
        failure: |code, message| ToolResult::text(body(code, message).to_string()),
        explicit_is_error_false: true,
    },
    http: HttpPolicy::PLAIN,
};

fn body(code: i32, message: &str) -> Value {
    json!({"error": {"code": code.to_string(), "message": message}})
}

/// The table from error kinds to faults.
fn fault(error: &Error) -> Fault {
    let message = with_hint(error);
    match error.kind {
        ErrorKind::Invalid | ErrorKind::NotFound | ErrorKind::Conflict => Fault::Invalid(message),
        ErrorKind::NotARepository | ErrorKind::Unavailable | ErrorKind::IndexDamaged | ErrorKind::Internal => {
            Fault::Failed(message)
        }
    }
}

/// Parses the contract's `entity`.
fn entity(text: &str) -> Result<ItemKind, Error> {
    match text {
        "issue" => Ok(ItemKind::Issue),
        "milestone" => Ok(ItemKind::Milestone),
        _ => {
            let shown = model::text::quoted(text);
            Err(Error::invalid(format!("`{shown}` is no entity; one of milestone, issue")))
        }
    }
}
