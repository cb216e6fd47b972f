//! `context` and `annotate`: read and write the reasons for code.

use annotations::{Annotated as _, ContextQuery, Measure, ReadQuery, Remarks, markdown};
use app::view::without_empty_keys;
use mcp::{Call, Effect, Fault, Tool, ToolResult};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::arguments::{MaxTokens, Texts, arguments, schema};
use super::progress::with_progress;
use super::{CairnState, fault};
use crate::caller::actor;

pub(super) const CONTEXT: Tool<CairnState> = Tool {
    name: "context",
    title: "Context of code",
    description: "Call it before you change code: reasons, constraints, dependents, open items, review messages and last \
                  commits of a file, function or lines, as they are in the working copy.",
    input: schema::<ContextArguments>,
    output: None,
    effect: Effect::Reads,
    toolset: "code",
    call: context,
};

pub(super) const ANNOTATE: Tool<CairnState> = Tool {
    name: "annotate",
    title: "Annotate code",
    description: "Records why code is so, for whoever changes it next. Call it after the commit.",
    input: schema::<AnnotateArguments>,
    output: None,
    effect: Effect::Writes,
    toolset: "code",
    call: annotate,
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ContextArguments {
    path: String,
    /// function or type, e.g. `Client::connect`
    #[schemars(with = "String")]
    #[serde(default)]
    anchor: Option<String>,
    /// START:END
    #[schemars(with = "String")]
    #[serde(default)]
    lines: Option<String>,
    /// `markdown` (default) or `json`
    #[schemars(with = "String")]
    #[serde(default)]
    format: Option<ContextFormat>,
    #[schemars(with = "MaxTokens")]
    #[serde(default)]
    max_tokens: Option<MaxTokens>,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum ContextFormat {
    Markdown,
    Json,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AnnotateArguments {
    path: String,
    /// function or type; the whole file if omitted
    #[schemars(with = "String")]
    #[serde(default)]
    anchor: Option<String>,
    /// what it is for
    intent: String,
    /// why so and not otherwise
    #[schemars(with = "String")]
    #[serde(default)]
    reasoning: Option<String>,
    /// what must stay true
    #[serde(default)]
    constraints: Texts,
    #[schemars(with = "String")]
    #[serde(default)]
    risk: Option<String>,
    /// `dead_end`: tried and rejected; `convention`: holds below a folder
    #[schemars(with = "String")]
    #[serde(default)]
    kind: Option<String>,
    /// default HEAD
    #[schemars(with = "String")]
    #[serde(default)]
    commit: Option<String>,
}

fn context(state: &CairnState, given: Value, call: &Call) -> Result<ToolResult, Fault> {
    let given: ContextArguments = arguments(given)?;
    let max_tokens = MaxTokens::of(given.max_tokens)?;
    let (measure, is_json) = match given.format {
        Some(ContextFormat::Json) => (Measure::COMPACT_JSON, true),
        Some(ContextFormat::Markdown) | None => (Measure::MARKDOWN, false),
    };
    let code = ReadQuery {
        anchor: given.anchor,
        lines: given.lines,
        max_tokens: Some(max_tokens),
        measure,
        ..ReadQuery::new(given.path)
    };
    let query = ContextQuery { code };
    let inbox = state.inbox.get().map_err(|error| fault(&error))?;
    let read = || state.projects.read_annotations(|project| project.annotations().context(&inbox, &query));
    let view = with_progress(call, "reading the history of the code", read).map_err(|error| fault(&error))?;
    if !is_json {
        return Ok(ToolResult::text(markdown::context(&view)));
    }
    let value = serde_json::to_value(&view).map_err(|error| Fault::Failed(error.to_string()))?;
    Ok(ToolResult::text(without_empty_keys(value).to_string()))
}

/// Returns the context of a file, within a limit, as Markdown.
pub(super) fn context_text(state: &CairnState, path: &str, max_tokens: usize) -> Result<String, Fault> {
    let code = ReadQuery { max_tokens: Some(max_tokens), measure: Measure::MARKDOWN, ..ReadQuery::new(path) };
    let inbox = state.inbox.get().map_err(|error| fault(&error))?;
    let query = ContextQuery { code };
    let view = state.projects.read_annotations(|project| project.annotations().context(&inbox, &query));
    Ok(markdown::context(&view.map_err(|error| fault(&error))?))
}

/// Returns a path relative to the repository root; an absolute path inside the work tree is accepted.
pub(super) fn in_repository(state: &CairnState, path: &str) -> Result<String, Fault> {
    state.projects.read(|project| project.annotations().in_repository(path)).map_err(|error| fault(&error))
}

fn annotate(state: &CairnState, given: Value, call: &Call) -> Result<ToolResult, Fault> {
    let given: AnnotateArguments = arguments(given)?;
    let path = in_repository(state, &given.path)?;
    let remarks = Remarks {
        target: given.anchor.map_or_else(|| path.clone(), |anchor| format!("{path}:{anchor}")),
        intent: given.intent,
        reasoning: given.reasoning,
        constraints: given.constraints.0,
        risk: given.risk,
        kind: given.kind,
        ..Remarks::default()
    };
    let (commit, noteref) = (given.commit.as_deref(), state.noteref.as_deref());
    let written = state
        .projects
        .write(actor(call), |project| project.annotations_mut().annotate_by_flags(commit, &remarks, noteref));
    let view = written.map_err(|error| fault(&error))?;
    let short = view.commit.get(..10).unwrap_or(&view.commit);
    let places: Vec<String> = view
        .regions
        .iter()
        .map(|region| match region.candidates.as_slice() {
            [] => format!("{}:{} ({})", region.file, region.anchor, region.resolution),
            near => format!("{}:{} ({}; near: {})", region.file, region.given, region.resolution, near.join(", ")),
        })
        .collect();
    let structured = serde_json::to_value(&view).map_err(|error| Fault::Failed(error.to_string()))?;
    let text = format!("annotated {short}: {}", places.join(", "));
    Ok(ToolResult { structured: Some(without_empty_keys(structured)), ..ToolResult::text(text) })
}
