//! `inbox` and `inbox_reply`: review messages of a person, and the replies.

use std::fmt::Write as _;

use app::view::without_empty_keys;
use inbox::Inbox;
use inbox::view::MessageView;
use mcp::{Effect, Fault, Tool, ToolResult};
use model::person::Person;
use model::tokens::estimate;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::arguments::{MaxTokens, arguments, schema};
use super::rows::rows_schema;
use super::{CairnState, fault};
use crate::scalar::Scalar;

pub(super) const INBOX: Tool<CairnState> = Tool {
    name: "inbox",
    title: "Read review messages",
    description: "Takes the review messages that a person has sent since the last call. Reply to each with `inbox_reply`.",
    input: schema::<InboxArguments>,
    output: Some(rows_schema),
    // Not idempotent: messages are marked as delivered.
    effect: Effect::Writes,
    toolset: "inbox",
    call: |state, given, _| {
        let given: InboxArguments = arguments(given)?;
        let max_tokens = MaxTokens::of(given.max_tokens)?;
        let mut taken = state.inbox.get().and_then(|inbox| inbox.take()).map_err(|error| fault(&error))?;
        let total = taken.messages.len();
        // The others stay in the inbox for the next call.
        taken.keep_first(n_fitting(&taken.messages, max_tokens));
        let now = state.inbox.env().now;
        Ok(messages(&taken.messages, total)?.then(move || _ = taken.done(now())))
    },
};

pub(super) const REPLY: Tool<CairnState> = Tool {
    name: "inbox_reply",
    title: "Reply to a review message",
    description: "Replies to a review message: what you changed, or why not.",
    input: schema::<ReplyArguments>,
    output: Some(rows_schema),
    effect: Effect::Writes,
    toolset: "inbox",
    call: |state, given, _| {
        let given: ReplyArguments = arguments(given)?;
        let inbox = state.inbox.get().map_err(|error| fault(&error))?;
        let author = given.author.as_deref().or(Some("agent"));
        let reply = if given.resolves { Inbox::resolve } else { Inbox::reply };
        let message = reply(&inbox, &given.id.0, &given.text, author).map_err(|error| fault(&error))?;
        messages(&[message], 1)
    },
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct InboxArguments {
    #[schemars(with = "MaxTokens")]
    #[serde(default)]
    max_tokens: Option<MaxTokens>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReplyArguments {
    id: Scalar,
    text: String,
    /// nothing is left to do
    #[serde(default)]
    resolves: bool,
    /// default: agent
    #[schemars(with = "String")]
    #[serde(default)]
    author: Option<String>,
}

/// Answers with messages; `total` counts those that stay in the inbox too.
fn messages(shown: &[MessageView], total: usize) -> Result<ToolResult, Fault> {
    let items = serde_json::to_value(shown).map_err(|error| Fault::Failed(error.to_string()))?;
    let structured =
        json!({"items": without_empty_keys(items), "total": total, "returned": shown.len(), "nextCursor": null});
    Ok(ToolResult { structured: Some(structured), ..ToolResult::text(text(shown, total)) })
}

/// Formats messages, and how many are left.
fn text(shown: &[MessageView], total: usize) -> String {
    let mut text: String = shown.iter().map(one).collect();
    let last = match total - shown.len() {
        _ if total == 0 => "no new messages".to_owned(),
        0 => format!("{total} of {total}"),
        left => format!("{} of {total}; {left} stay in the inbox: call `inbox` again", shown.len()),
    };
    text.push_str(&last);
    text
}

/// Returns how many messages fit into the limit; at least one.
fn n_fitting(messages: &[MessageView], max_tokens: usize) -> usize {
    let mut spent = 0;
    let fits = |message: &&MessageView| {
        spent += estimate(&one(message));
        spent <= max_tokens
    };
    messages.iter().take_while(fits).count().max(1)
}

/// Formats one message: its id, kind, place and state of the code; the code; the comment; the replies.
fn one(message: &MessageView) -> String {
    let id = message.id.get(message.id.len().saturating_sub(6)..).unwrap_or(&message.id);
    let lines = message.lines.map(|lines| format!(":{lines}")).unwrap_or_default();
    let author = Person::parse(&message.author);
    let now = message.code.as_ref().map_or_else(String::new, |code| {
        let place = code.lines.map(|lines| format!(" lines {lines}")).unwrap_or_default();
        let file = code.file.as_deref().map(|file| format!(" of {file}")).unwrap_or_default();
        format!(" (code {}{place}{file})", code.status)
    });
    let (kind, state) = (message.kind.name(), message.state.name());
    let mut text = format!("{id} {kind} {state} by {}: {}{lines}{now}\n", author.short(), message.file);
    for line in message.excerpt.iter().flat_map(|excerpt| excerpt.lines()) {
        let _ = writeln!(text, "> {line}");
    }
    text.push_str(message.comment.trim_end());
    text.push('\n');
    for reply in &message.replies {
        let what = if reply.resolves { "resolved" } else { "replied" };
        let author = Person::parse(&reply.author);
        let _ = writeln!(text, "{what} by {}: {}", author.short(), reply.body.trim_end());
    }
    text
}

/// Returns the messages that wait, without taking them, as JSON.
pub(super) fn waiting(state: &CairnState) -> Result<Value, Fault> {
    let view = state.inbox.get().and_then(|inbox| inbox.waiting()).map_err(|error| fault(&error))?;
    serde_json::to_value(&view).map_err(|error| Fault::Failed(error.to_string()))
}
