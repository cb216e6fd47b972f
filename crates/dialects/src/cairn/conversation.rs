//! `inbox` and `inbox_reply`: review messages of a person, and the replies.

use app::inbox::Inbox;
use mcp::{Effect, Tool, ToolAnswer};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{CairnState, answer, arguments, fault, list_schema, schema};
use crate::scalar::Scalar;

pub(super) const INBOX: Tool<CairnState> = Tool {
    name: "inbox",
    title: "Read review messages",
    description: "Takes the review messages that a person has sent since the last call, oldest first, each with its lines and \
                  their current position. Reply to each with `inbox_reply`.",
    input: schema::<Nothing>,
    output: Some(list_schema),
    // Not idempotent: messages are marked as delivered.
    effect: Effect::Writes,
    toolset: "inbox",
    call: |state, given, _| {
        let Nothing {} = arguments(given)?;
        let taken = state.inbox.get().and_then(|inbox| inbox.take()).map_err(|error| fault(&error))?;
        let view = json!({"items": taken.messages, "total": taken.messages.len()});
        let now = state.inbox.env().now;
        Ok(ToolAnswer::structured(&view)?.then(move || _ = taken.done(now())))
    },
};

pub(super) const REPLY: Tool<CairnState> = Tool {
    name: "inbox_reply",
    title: "Reply to a review message",
    description: "Replies to a review message: what you changed, or why not. Set `resolves` if nothing is left to do.",
    input: schema::<ReplyArguments>,
    output: None,
    effect: Effect::Writes,
    toolset: "inbox",
    call: |state, given, _| {
        let given: ReplyArguments = arguments(given)?;
        let inbox = state.inbox.get().map_err(|error| fault(&error))?;
        let author = given.author.as_deref().or(Some("agent"));
        let reply = if given.resolves { Inbox::resolve } else { Inbox::reply };
        answer(reply(&inbox, &given.id.0, &given.text, author))
    },
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Nothing {}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReplyArguments {
    /// The message's id, or the end of it.
    id: Scalar,
    /// The text, in Markdown.
    text: String,
    /// Nothing is left to do.
    #[serde(default)]
    resolves: bool,
    /// The author, if it is not the agent.
    #[schemars(with = "String")]
    #[serde(default)]
    author: Option<String>,
}
