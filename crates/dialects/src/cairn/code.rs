//! `context`: annotations, items and messages about a piece of code, in one call.

use annotations::Annotated as _;
use annotations::{ContextQuery, ReadQuery};
use mcp::{Call, Effect, Fault, Schema, Tool, ToolAnswer};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{CairnState, answer, arguments, fault, object, schema};

/// Default token budget: enough for one function.
const DEFAULT_TOKENS: usize = 2_000;

pub(super) const CONTEXT: Tool<CairnState> = Tool {
    name: "context",
    title: "Context of code",
    description: "Call it before you change code: its intent, constraints and dependents, open items about it, and review \
                  messages. Give a file, and a function or lines in it to get less.",
    input: schema::<Arguments>,
    output: Some(output),
    effect: Effect::Reads,
    toolset: "code",
    call,
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The file, from the top of the repository.
    path: String,
    /// A function or type in it, such as `Client::connect`.
    #[schemars(with = "String")]
    #[serde(default)]
    anchor: Option<String>,
    /// Lines of it, as START:END.
    #[schemars(with = "String")]
    #[serde(default)]
    lines: Option<String>,
    /// Maximum number of tokens of the answer; 2000 by default.
    #[schemars(with = "u32", range(min = 1))]
    #[serde(default)]
    max_tokens: Option<u32>,
}

fn output() -> Schema {
    let list = || json!({"type": "array", "items": {"type": "object"}});
    object(&[("annotations", json!({"type": "object"})), ("items", list()), ("messages", list())])
}

fn call(state: &CairnState, given: Value, _: &Call) -> Result<ToolAnswer, Fault> {
    let given: Arguments = arguments(given)?;
    let max_tokens = Some(given.max_tokens.map_or(DEFAULT_TOKENS, |tokens| tokens as usize));
    let code = ReadQuery { anchor: given.anchor, lines: given.lines, max_tokens, ..ReadQuery::new(given.path) };
    let inbox = state.inbox.get().map_err(|error| fault(&error))?;
    let query = ContextQuery { code };
    answer(state.projects.read_annotations(|project| project.annotations().context(&inbox, &query)))
}
