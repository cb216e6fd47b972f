//! The envelope of every result: `{ok, data}` or `{ok, error}`, as text and as structured content.

use std::time::{Duration, Instant};

use mcp::{Call, Fault, LogLevel, LogMessage, ToolResult};
use serde_json::{Map, Value, json};
use tracker::Tracker;
use uuid::Uuid;

use super::arguments::Arguments;
use super::parameters::Parameters;
use super::refusal::{Category, Refusal};
use super::state::TaigaState;
use super::validate;
use crate::caller::actor;

/// Maximum length of an error message, in characters: server messages can be long, and cost tokens.
const MAX_TEXT: usize = 400;
/// Maximum length of a field name, in characters.
const MAX_NAME: usize = 60;
/// Maximum number of reported fields.
const MAX_DETAILS: usize = 20;

/// The tools that need no active project.
const WITHOUT_PROJECT: &[&str] = &["taiga.list_projects", "taiga.set_active_project", "taiga.get_project"];

/// What a tool does with checked arguments. A function pointer, so that the envelope is compiled once, not per tool.
pub(super) type Act = fn(&dyn Tracker, &Arguments<'_>) -> Result<Value, Refusal>;

/// Runs one call: checks the active project, validates the arguments, calls the tracker, wraps the result, and logs the
/// call.
pub(super) fn serve(
    state: &TaigaState,
    parameters: &Parameters,
    tool: &'static str,
    given: &Value,
    call: &Call,
    act: Act,
) -> Result<ToolResult, Fault> {
    let (began, trace) = (Instant::now(), Uuid::new_v4());
    let done = work(state, call, parameters, tool, given, act);
    let outcome = if done.is_ok() { "success" } else { "failure" };
    let text = format!("[MCP] {tool} ({outcome}) {}", began.elapsed().as_millis());
    state.log_call(&format!("{text} {trace}"));
    call.log(LogMessage {
        logger: Some("taiga".to_owned()),
        ..LogMessage::new(LogLevel::Debug, json!({"message": text, "traceId": trace}))
    });
    match done {
        Ok((data, waited)) => ToolResult::structured(&success(&data, waited)),
        Err(refusal) => Ok(ToolResult::structured(&failure(&refusal, trace))?.failed()),
    }
}

fn work(
    state: &TaigaState,
    call: &Call,
    parameters: &Parameters,
    tool: &'static str,
    given: &Value,
    act: Act,
) -> Result<(Value, Option<Duration>), Refusal> {
    // The contract's order: first the project, then the arguments.
    let tracker = state.tracker(actor(call))?;
    if !WITHOUT_PROJECT.contains(&tool) {
        tracker.check_active()?;
    }
    validate::check(parameters, tool, given)?;
    let data = act(tracker.as_ref(), &Arguments::of(given))?;
    Ok((data, tracker.waited()))
}

fn success(data: &Value, waited: Option<Duration>) -> Value {
    let mut envelope = json!({"ok": true, "data": data});
    if let Some(waited) = waited {
        envelope["_rateLimit"] = json!({"retryAfterMs": milliseconds(waited)});
    }
    envelope
}

fn failure(refusal: &Refusal, trace: Uuid) -> Value {
    let mut error = json!({"category": refusal.category.name(), "message": shortened(&refusal.message, MAX_TEXT)});
    if let Some(status) = refusal.http_status {
        error["httpStatus"] = json!(status);
    }
    if let Some(pause) = refusal.retry_after {
        error["retryAfterMs"] = json!(milliseconds(pause));
    }
    let details = details(refusal);
    if !details.is_empty() {
        error["details"] = Value::Object(details);
    }
    error["_traceId"] = json!(trace);
    json!({"ok": false, "error": error})
}

fn details(refusal: &Refusal) -> Map<String, Value> {
    let shown = refusal.details.iter().take(MAX_DETAILS);
    let mut details: Map<String, Value> =
        shown.map(|(field, text)| (shortened(field, MAX_NAME), json!(shortened(text, MAX_TEXT)))).collect();
    if refusal.is_conflict {
        details.insert("conflict".to_owned(), json!(true));
    }
    if let Some(hint) = &refusal.hint {
        details.insert("hint".to_owned(), json!(shortened(hint, MAX_TEXT)));
    }
    details
}

/// Wraps a fault that did not come from a tracker.
pub(super) fn of_fault(_: i32, message: &str) -> ToolResult {
    let envelope = failure(&Refusal::new(Category::Unknown, message), Uuid::new_v4());
    ToolResult { structured: Some(envelope.clone()), ..ToolResult::text(envelope.to_string()) }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

fn shortened(text: &str, longest: usize) -> String {
    if text.chars().count() <= longest {
        return text.to_owned();
    }
    format!("{}…", text.chars().take(longest - 1).collect::<String>())
}
