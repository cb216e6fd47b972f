//! `ultragit`: why the code is so, as ultragit's contract has it. Four tools that read; what they answer is what the
//! command line answers, byte for byte.

mod tools;

use app::Error;
use app::ProjectPool;
use mcp::{Dialect, ErrorPolicy, Fault, HttpPolicy, ServerName, Versions};

use crate::words::with_hint;

/// The table.
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

/// The one table from errors to faults: every fault is told where the model can read it.
fn fault(error: &Error) -> Fault {
    Fault::Failed(with_hint(error))
}
