//! `ultragit`: annotations of code, according to ultragit's contract. Four read-only tools whose output is byte for
//! byte that of the command line.

mod tools;

use app::Error;
use app::ProjectPool;
use mcp::{Dialect, ErrorPolicy, Fault, HttpPolicy, ServerName, Versions};

use crate::words::with_hint;

/// The dialect's table.
pub static ULTRAGIT: Dialect<ProjectPool> = Dialect {
    name: "ultragit",
    server: ServerName { name: "ultragit", title: "Why the code is so", version: env!("CARGO_PKG_VERSION") },
    versions: Versions::Negotiated,
    instructions: "Annotations that were written when code was committed. Read them before you change code: what it is \
                   for, what must stay true, who relies on it, what was tried before.",
    tools: &[tools::READ, tools::DEPS, tools::HISTORY, tools::SUMMARY],
    resources: None,
    prompts: &[],
    watch: None,
    logs: false,
    errors: ErrorPolicy { unknown_tool_words: |name| format!("Unknown tool: {name}"), ..ErrorPolicy::TO_THE_MODEL },
    http: HttpPolicy::PLAIN,
};

/// All errors are failed results, where the model can read them.
fn fault(error: &Error) -> Fault {
    Fault::Failed(with_hint(error))
}
