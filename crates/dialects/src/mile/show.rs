//! `git_mile.show`.

use app::ProjectPool;
use app::{Error, Project};
use mcp::{Call, Effect, Fault, Tool, ToolAnswer, arguments, schema};
use model::item::ItemKind;
use model::item_ref::ItemRef;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::shapes::ItemShape;
use super::{entity, fault};
use crate::scalar::Scalar;

/// The tool.
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

fn call(projects: &ProjectPool, given: Value, _: &Call) -> Result<ToolAnswer, Fault> {
    let given: Arguments = arguments(given)?;
    let shown = projects.read(|project| show(project, &[entity(&given.entity)?], &given.id.item()));
    ToolAnswer::json(&shown.map_err(|error| fault(&error))?)
}

/// Returns an item of one of these kinds. Deleted items are not found.
pub fn show(project: &Project, kinds: &[ItemKind], name: &ItemRef) -> Result<ItemShape, Error> {
    let item = match kinds {
        [kind @ ItemKind::Milestone] => project.show_of(*kind, name)?,
        _ => project.show(name)?,
    };
    let is_meant = !item.deleted && kinds.contains(&item.kind);
    if is_meant {
        return Ok(item.into());
    }
    let names: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
    let shown: String = model::text::escape_line(&name.to_string()).chars().take(80).collect();
    Err(Error::not_found(format!("there is no {} `{shown}`", names.join(" or "))))
}
