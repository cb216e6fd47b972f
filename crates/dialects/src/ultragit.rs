//! `ultragit`: why the code is so, as ultragit's contract has it. Four tools that read; what they answer is what the
//! command line answers, byte for byte.

mod tools;

use app::Error;
use mcp::{Answering, Dialect, ErrorPolicy, ErrorWords, Fault, HttpPolicy, ServerName, ToolAnswer, Versions};

use crate::projects::Projects;

/// The table.
pub static ULTRAGIT: Dialect<Projects> = Dialect {
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
    errors: ErrorPolicy {
        unknown_tool: -32602,
        unknown_tool_words: |name| format!("Unknown tool: {name}"),
        unknown_resource: -32602,
        forbidden: -32602,
        undecodable: Answering::Result(-32602),
        invalid: Answering::Result(-32602),
        missing: Answering::Result(-32602),
        failed: Answering::Result(-32603),
        error: |_, message| ErrorWords { message: message.to_owned(), data: None },
        failure: |_, message| ToolAnswer::text(message),
        tells_success: false,
    },
    http: HttpPolicy::PLAIN,
};

/// The one table from errors to faults: every fault is told where the model can read it.
fn fault(error: &Error) -> Fault {
    let message = match &error.hint {
        Some(hint) => format!("{}\nhint: {hint}", error.message),
        None => error.message.clone(),
    };
    Fault::Failed(message)
}
