//! `sync`: sharing work and annotations with a remote.

use std::fmt::Write as _;

use app::verb::{GitProgress, NotesOutcome};
use app::view::{SyncView, without_empty_keys};
use mcp::{Call, Effect, Fault, Tool, ToolResult};
use model::text::escape_line;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::arguments::{arguments, schema};
use super::progress::with_progress;
use super::{CairnState, fault};
use crate::caller::actor;

pub(super) const SYNC: Tool<CairnState> = Tool {
    name: "sync",
    title: "Share the work",
    description: "Exchanges items and annotations with the git remote; never in conflict. Call it at the start and the end.",
    input: schema::<SyncArguments>,
    output: None,
    effect: Effect::Sets,
    toolset: "sync",
    call: sync,
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SyncArguments {
    #[schemars(with = "String")]
    #[serde(default)]
    remote: Option<String>,
}

fn sync(state: &CairnState, given: Value, call: &Call) -> Result<ToolResult, Fault> {
    let given: SyncArguments = arguments(given)?;
    let remote = given.remote.as_deref().filter(|remote| !remote.is_empty());
    let run = || {
        state
            .projects
            .write(actor(call), |project| project.sync(remote, GitProgress::Quiet, tracker::bridge::after_sync))
    };
    let view = with_progress(call, "exchanging with the remote", run).map_err(|error| fault(&error))?;
    let structured = serde_json::to_value(&view).map_err(|error| Fault::Failed(error.to_string()))?;
    Ok(ToolResult { structured: Some(without_empty_keys(structured)), ..ToolResult::text(in_text(&view)) })
}

/// Formats the result: numbers first, then every item that changed its number.
fn in_text(view: &SyncView) -> String {
    let (received, sent) = (view.received.total, view.sent.total);
    let mut text = format!("{}: received {received} changes, sent {sent}", view.remote);
    text.push_str(match view.notes {
        NotesOutcome::Same => "",
        NotesOutcome::Shared => "; annotations shared",
        NotesOutcome::Merged => "; annotations merged",
    });
    for one in &view.renumbered {
        let (from, to, title) = (one.item.name_with(one.from), one.item.name(), &one.item.title);
        let _ = write!(text, "\nrenumbered: {from} is now {to} {}", escape_line(title));
    }
    for one in &view.closed {
        let (name, commit) = (one.item.name(), one.commit.get(..8).unwrap_or(&one.commit));
        let _ = write!(text, "\nclosed: {name} {} by {commit}", escape_line(&one.item.title));
    }
    text
}
