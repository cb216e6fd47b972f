//! `check_lazygit_messages`: what waits, once. It counts as delivered when the answer has been written, and not before.

use app::inbox::LazyInbox;
use mcp::{Call, Effect, Fault, Schema, Tool, ToolAnswer};
use serde_json::{Value, json};

use super::{fault, text};

pub(super) const TOOL: Tool<LazyInbox> = Tool {
    name: "check_lazygit_messages",
    title: "Check review messages",
    description: "Check for new messages from lazygit",
    input: no_arguments,
    output: None,
    // Nothing is lost, but asking twice is not asking once.
    effect: Effect::Writes,
    toolset: "inbox",
    call,
};

fn no_arguments() -> Schema {
    Schema::from_iter([("type".to_owned(), json!("object")), ("properties".to_owned(), json!({}))])
}

fn call(inbox: &LazyInbox, _: Value, _: &Call) -> Result<ToolAnswer, Fault> {
    let taken = inbox.get().and_then(|inbox| inbox.take()).map_err(|error| fault(&error))?;
    let answer = ToolAnswer::text(text(&taken.messages));
    let now = inbox.env().now;
    // What cannot be recorded is delivered again, marked, when this server has ended.
    Ok(answer.then(move || _ = taken.done(now())))
}
