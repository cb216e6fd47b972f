//! `git_mile.show`.

use app::ProjectPool;
use mcp::{Call, Effect, Fault, Tool, ToolResult, arguments, schema};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::shapes::ItemShape;
use super::{entity, fault};
use crate::scalar::Scalar;

pub(super) const TOOL: Tool<ProjectPool> = Tool {
    name: "git_mile.show",
    title: "Show an issue or a milestone",
    description: "Shows one issue or milestone with its description, labels and all comments, oldest first. Use it \
                  after `git_mile.list`, before working on something or answering a question about it.",
    input: schema::<Arguments>,
    output: None,
    effect: Effect::Reads,
    toolset: "mile",
    call,
};

#[derive(Debug, Deserialize, JsonSchema)]
struct Arguments {
    /// What it is.
    #[schemars(extend("enum" = ["milestone", "issue"]))]
    entity: String,
    /// Its UUID, a unique beginning of it of at least 4 digits, or its number.
    id: Scalar,
}

fn call(projects: &ProjectPool, given: Value, _: &Call) -> Result<ToolResult, Fault> {
    let given: Arguments = arguments(given)?;
    let shown = projects.read(|project| project.show_among(&[entity(&given.entity)?], &given.id.item()));
    ToolResult::json(&ItemShape::from(shown.map_err(|error| fault(&error))?))
}
