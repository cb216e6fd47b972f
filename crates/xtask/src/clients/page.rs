//! The page with the tested clients and the results.

use std::fmt::Write as _;

use super::conversation::{CONVERSATIONS, Era};
use super::scene::Transport;
use super::{CLIENTS, Row};

/// Path of the page.
pub(super) const PATH: &str = "docs/reference/mcp-clients.md";

const HEAD: &str = "\
# MCP clients

Made by `cargo xtask clients --write`; CI runs the same conversations and fails when this page tells anything else.

Each client connects, lists the tools, calls some that succeed and some that fail, reads resources where a dialect has them, and goes on after the errors.
`initialize` is a session of 2024-11-05 to 2025-11-25, as the client and the contract agree; 2026-07-28 names its version in every request.

";

const TAIL: &str = "
## Tried by hand

These were run once against a build of November 2026, without a login to a model; nothing repeats it.

| client | version | stdio | HTTP | result |
|---|---|---|---|---|
| fastmcp | 4.1.2 | six dialects | six dialects | works; its `ping()` fails, since 2026-07-28 has none |
| langchain-mcp-adapters | 0.3.2 | six listed, `cairn` called | listed, called | works |
| pydantic-ai-slim | 2.66.0 | six listed | an agent run with a test model | works |
| openai-agents | 0.24.0 | six listed, `cairn` called | listed, called | works; `mile` and `taiga` need `--tool-names underscore` |
| Claude Code | 2.1.197 | six connected | six connected | health check only |
| TypeScript SDK | 1.0.1 (2024) | five dialects | not tried | refuses the fixed version of `quicksilver`, 2025-06-18 |

Not tried: Claude Desktop (not for Linux), Gemini CLI (wants a login), Inspector 0.5.1 (no longer in the registry).

## What to know

- `quicksilver` over HTTP answers wrong arguments with status 400 and unknown tasks with 404, as its contract has it. The Python SDK 1.x ends the session on
  either, and the TypeScript SDKs report a transport error. `cairn serve --http-status spec` answers 200; the table was made with it.
- Claude Desktop, Cursor, Copilot CLI and the APIs of model vendors refuse dots in tool names. `--tool-names underscore` lists the tools of `mile` and `taiga`
  without; `cairn mcp install` adds it where it is needed.
- A client that is set up for git-mile, lazygit-mcp-bridge or ultragit needs no change: `cairn compat link` makes links of those names.
- `cairn mcp install --client NAME` writes the settings of eleven clients, `cairn mcp doctor` starts what they name and compares who answers.
";

/// Renders the page from the results.
pub(super) fn page(rows: &[Row]) -> String {
    let mut page = HEAD.to_owned();
    let dialects: Vec<&str> = CONVERSATIONS.iter().map(|conversation| conversation.dialect).collect();
    let _ = writeln!(page, "| client | version | protocol | transport | {} |", dialects.join(" | "));
    let _ = writeln!(page, "|---|---|---|---|{}", "---|".repeat(dialects.len()));
    for client in CLIENTS {
        for transport in [Transport::Stdio, Transport::Http] {
            let outcome = |dialect: &&str| {
                let is_meant = |row: &&Row| {
                    std::ptr::eq(row.client, client) && row.transport == transport && row.dialect == *dialect
                };
                match rows.iter().find(is_meant) {
                    Some(row) if row.outcome.is_ok() => "passed",
                    Some(_) => "failed",
                    None => "not tried",
                }
            };
            let outcomes: Vec<&str> = dialects.iter().map(outcome).collect();
            let protocol = if client.era == Era::Legacy { "`initialize`" } else { "2026-07-28" };
            let transport = if transport == Transport::Stdio { "stdio" } else { "HTTP" };
            let (name, version) = (client.name, client.version);
            let _ = writeln!(page, "| {name} | {version} | {protocol} | {transport} | {} |", outcomes.join(" | "));
        }
    }
    page + TAIL
}
