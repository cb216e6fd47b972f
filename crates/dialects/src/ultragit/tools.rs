//! The four tools. Names, descriptions and arguments are exactly the contract's.

use annotations::Annotated as _;
use annotations::{HistoryQuery, ReadQuery};
use app::ProjectPool;
use app::{Error, Project};
use mcp::{Call, Effect, Fault, Schema, Tool, ToolResult, schema, with_whole_numbers};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::fault;

/// Default number of history entries.
const DEFAULT_LIMIT: i64 = 10;

pub(super) const READ: Tool<ProjectPool> = tool(
    "ultragit_read",
    "Read annotations",
    "Retrieve Ultragit annotations for a file or code region. Returns intent, reasoning, constraints, semantic \
     dependencies, and risk notes captured at commit time. Use before modifying existing code.",
    schema::<ReadArguments>,
    |projects, given, _| {
        let given: ReadArguments = decode(given)?;
        let path = given.path.required()?;
        let max_tokens = positive("max_tokens", given.max_tokens)?;
        let query = ReadQuery { anchor: given.anchor, lines: given.lines, max_tokens, ..ReadQuery::new(path) };
        answer(projects, |project| project.annotations().read(&query))
    },
);

pub(super) const DEPS: Tool<ProjectPool> = tool(
    "ultragit_deps",
    "Find dependents",
    "Find code that depends on behavioral assumptions about the specified function or region. Critical before modifying \
     any function's behavior or signature.",
    schema::<DepsArguments>,
    |projects, given, _| {
        let given: DepsArguments = decode(given)?;
        let path = given.path.required()?;
        answer(projects, |project| project.annotations().dependents(&path, given.anchor.as_deref()))
    },
);

pub(super) const HISTORY: Tool<ProjectPool> = tool(
    "ultragit_history",
    "Show the reasoning timeline",
    "Show the reasoning timeline for a code region: what changed and why at each step. Use when debugging surprising \
     behavior.",
    schema::<HistoryArguments>,
    |projects, given, _| {
        let given: HistoryArguments = decode(given)?;
        let path = given.path.required()?;
        let limit = positive("limit", Some(given.limit.unwrap_or(DEFAULT_LIMIT)))?.unwrap_or_default();
        let query = HistoryQuery { path, anchor: given.anchor, limit };
        answer(projects, |project| project.annotations().history(&query))
    },
);

pub(super) const SUMMARY: Tool<ProjectPool> = tool(
    "ultragit_summary",
    "Summarise a file or folder",
    "Get a condensed view of intent and constraints for all annotated regions in a file or directory. Use for broad \
     orientation on an unfamiliar module.",
    schema::<SummaryArguments>,
    |projects, given, call| {
        let given: SummaryArguments = decode(given)?;
        let path = given.path.required()?;
        let progress = |done, total| report_progress(call, done, total);
        answer(projects, |project| project.annotations().summary(&path, given.anchor.as_deref(), &progress))
    },
);

#[derive(Deserialize, JsonSchema)]
#[expect(clippy::doc_markdown, reason = "descriptions are the contract's, to the letter")]
struct ReadArguments {
    /// File path relative to repository root
    path: Path,
    /// Function or type name to scope the query (e.g., 'MqttClient::connect')
    #[schemars(with = "String")]
    #[serde(default)]
    anchor: Option<String>,
    /// Line range in START:END format (e.g., '42:67')
    #[schemars(with = "String")]
    #[serde(default)]
    lines: Option<String>,
    /// Maximum token budget for the response. Output is trimmed to fit.
    #[schemars(with = "i64")]
    #[serde(default)]
    max_tokens: Option<i64>,
}

#[derive(Deserialize, JsonSchema)]
struct DepsArguments {
    /// File path relative to repository root
    path: Path,
    /// Function or type name to check dependencies for
    #[schemars(with = "String")]
    #[serde(default)]
    anchor: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
struct HistoryArguments {
    /// File path relative to repository root
    path: Path,
    /// Function or type name
    #[schemars(with = "String")]
    #[serde(default)]
    anchor: Option<String>,
    /// Maximum number of history entries to return. Default: 10.
    #[schemars(with = "i64")]
    #[serde(default)]
    limit: Option<i64>,
}

#[derive(Deserialize, JsonSchema)]
struct SummaryArguments {
    /// File or directory path relative to repository root
    path: Path,
    /// Optional function or type name to scope the summary
    #[schemars(with = "String")]
    #[serde(default)]
    anchor: Option<String>,
}

/// A path that must be given: the contract has its own words for one that is not, or is empty.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(transparent)]
struct Path(String);

impl Path {
    fn required(self) -> Result<String, Fault> {
        if self.0.trim().is_empty() { Err(missing()) } else { Ok(self.0) }
    }
}

fn missing() -> Fault {
    Fault::Undecodable("Missing required argument: path".to_owned())
}

const fn tool(
    name: &'static str,
    title: &'static str,
    description: &'static str,
    input: fn() -> Schema,
    call: fn(&ProjectPool, Value, &Call) -> Result<ToolResult, Fault>,
) -> Tool<ProjectPool> {
    Tool { name, title, description, input, output: None, effect: Effect::Reads, toolset: "annotations", call }
}

fn decode<T: DeserializeOwned>(given: Value) -> Result<T, Fault> {
    let has_path = given.get("path").is_some_and(|path| !path.is_null());
    if !has_path {
        return Err(missing());
    }
    serde_json::from_value(with_whole_numbers(given))
        .map_err(|error| Fault::Undecodable(format!("Invalid arguments: {error}")))
}

/// Reports progress at intervals; returns whether the client still waits for the call.
fn report_progress(call: &Call, done: usize, total: usize) -> bool {
    /// Number of files between two progress messages.
    const PROGRESS_INTERVAL: usize = 20;
    if done > 0 && done.is_multiple_of(PROGRESS_INTERVAL) {
        let number = |n: usize| f64::from(u32::try_from(n).unwrap_or(u32::MAX));
        call.progress(number(done), Some(number(total)), Some("files read"));
    }
    !call.is_cancelled()
}

fn positive(name: &str, given: Option<i64>) -> Result<Option<usize>, Fault> {
    let Some(given) = given else { return Ok(None) };
    match usize::try_from(given) {
        Ok(number @ 1..) => Ok(Some(number)),
        _ => Err(Fault::Invalid(format!("Invalid argument: {name} must be 1 or more, and is {given}"))),
    }
}

fn answer<T: Serialize>(
    projects: &ProjectPool,
    question: impl Fn(&Project) -> Result<T, Error>,
) -> Result<ToolResult, Fault> {
    let view = projects.read_annotations(question).map_err(|error| fault(&error))?;
    ToolResult::json(&view)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_are_integers_with_or_without_a_fraction_of_zero() {
        let limit =
            |limit: Value| decode::<HistoryArguments>(json!({"path": "a.rs", "limit": limit})).map(|given| given.limit);
        assert_eq!([limit(json!(3)), limit(json!(3.0)), limit(json!(null))], [Ok(Some(3)), Ok(Some(3)), Ok(None)]);
        for wrong in [json!(2.5), json!("3"), json!([3])] {
            assert!(matches!(limit(wrong), Err(Fault::Undecodable(_))));
        }
    }
}
