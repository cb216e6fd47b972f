//! `taiga`: projects, epics, user stories, tasks and issues, according to the contract of Taiga's MCP server. The items
//! are this repository's, or those of a Taiga server if the repository is bound to one.
//!
//! Every result is an envelope with `ok`; only an unknown tool is a protocol error.

mod arguments;
mod envelope;
mod parameters;
mod problems;
mod refusal;
mod schemas;
mod shapes;
mod state;
mod texts;
mod tools;
mod validate;

use mcp::{Dialect, ErrorPolicy, HttpPolicy, ServerName, Tool, Versions};

pub use state::TaigaState;

/// The dialect's table.
pub static TAIGA: Dialect<TaigaState> = dialect(tools::TOOLS);

/// The table with the extensions: sprints, due dates, points, comments and more.
pub static TAIGA_EXTENDED: Dialect<TaigaState> = dialect(tools::EXTENDED_TOOLS);

const fn dialect(tools: &'static [Tool<TaigaState>]) -> Dialect<TaigaState> {
    Dialect {
        name: "taiga",
        server: ServerName { name: "taiga-mcp", title: "Taiga projects", version: env!("CARGO_PKG_VERSION") },
        versions: Versions::Negotiated,
        instructions: "Epics, user stories, tasks and issues of one active project. If a tool says that none is active, call \
                       list_projects and set_active_project. Tools take ids, never a ref, which is the number that people \
                       see. Ids of statuses and people come from get_statuses and get_members. Answers are {ok, data} or \
                       {ok, error}; lists are {items, meta}.",
        tools,
        resources: None,
        prompts: &[],
        watch: None,
        logs: true,
        errors: ErrorPolicy {
            unknown_tool_words: |name| format!("Unknown tool: {name}"),
            failure: envelope::of_fault,
            explicit_is_error_false: true,
            ..ErrorPolicy::TO_THE_MODEL
        },
        http: HttpPolicy::PLAIN,
    }
}
