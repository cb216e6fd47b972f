//! `check_lazygit_messages`: delivers pending messages once. A message counts as delivered only after the response was
//! written.

use inbox::LazyInbox;
use mcp::{Call, Effect, Fault, Schema, Tool, ToolResult};
use serde_json::{Value, json};

use super::{fault, text};

pub(super) const TOOL: Tool<LazyInbox> = Tool {
    name: "check_lazygit_messages",
    title: "Check review messages",
    description: "Check for new messages from lazygit",
    input: no_arguments,
    output: None,
    // Not idempotent: messages are marked as delivered.
    effect: Effect::Writes,
    toolset: "inbox",
    call,
};

fn no_arguments() -> Schema {
    Schema::from_iter([("type".to_owned(), json!("object")), ("properties".to_owned(), json!({}))])
}

fn call(inbox: &LazyInbox, _: Value, _: &Call) -> Result<ToolResult, Fault> {
    let taken = inbox.get().and_then(|inbox| inbox.take()).map_err(|error| fault(&error))?;
    let answer = ToolResult::text(text(&taken.messages));
    let now = inbox.env().now;
    // If this cannot be recorded, the messages are delivered again, with a mark, after this server has ended.
    Ok(answer.then(move || _ = taken.done(now())))
}
