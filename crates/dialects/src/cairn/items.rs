//! `list`, `search`, `show`: reading items.

use app::verb::ListOptions;
use mcp::{Call, Effect, Fault, Tool, ToolAnswer};
use model::item::ItemKind;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::{CairnState, answer, arguments, fault, item_schema, list_schema, schema};
use crate::scalar::Scalar;

/// Default and maximum number of items in a result.
const DEFAULT_LIMIT: u32 = 20;
const MAX_LIMIT: u32 = 200;

pub(super) const LIST: Tool<CairnState> = Tool {
    name: "list",
    title: "List work",
    description: "Lists items, most recently updated first: issues, tasks, stories, epics, milestones, boards. Filter them, \
                  as in `status == open and labels ~ bug`; closed items are included with `all`.",
    input: schema::<ListArguments>,
    output: Some(list_schema),
    effect: Effect::Reads,
    toolset: "work",
    call: |state, given, _| {
        let given: ListArguments = arguments(given)?;
        let options = ListOptions {
            kinds: kinds(given.kind.as_deref())?,
            filter: given.filter,
            sort: given.sort,
            limit: Some(limit(given.limit)?),
            cursor: given.cursor,
            all: given.all,
            ..ListOptions::default()
        };
        answer(state.projects.read(|project| project.list(&options)))
    },
};

pub(super) const SEARCH: Tool<CairnState> = Tool {
    name: "search",
    title: "Search work",
    description: "Finds items by words in their titles, descriptions and comments, closed ones too. Use it before you \
                  create an item that may exist.",
    input: schema::<SearchArguments>,
    output: Some(list_schema),
    effect: Effect::Reads,
    toolset: "work",
    call: |state, given, _| {
        let given: SearchArguments = arguments(given)?;
        let limit = Some(limit(given.limit)?);
        let options = ListOptions { words: Some(given.text), limit, all: true, ..ListOptions::default() };
        answer(state.projects.read(|project| project.list(&options)))
    },
};

pub(super) const SHOW: Tool<CairnState> = Tool {
    name: "show",
    title: "Show an item",
    description: "Shows one item with its description, comments, links and history of names. An id is a number, or a UUID \
                  or the beginning of one.",
    input: schema::<ShowArguments>,
    output: Some(item_schema),
    effect: Effect::Reads,
    toolset: "work",
    call: show,
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListArguments {
    /// Only this kind: issue, task, story, epic, milestone or board.
    #[schemars(with = "String")]
    #[serde(default)]
    kind: Option<String>,
    /// A filter, such as `priority >= 5 and assignee == me`.
    #[schemars(with = "String")]
    #[serde(default)]
    filter: Option<String>,
    /// Fields to sort by, each as `field` or `field:desc`.
    #[serde(default, deserialize_with = "one_or_many")]
    sort: Vec<String>,
    /// Maximum number, from 1 to 200; 20 by default.
    #[schemars(with = "u32", range(min = 1, max = 200))]
    #[serde(default)]
    limit: Option<u32>,
    /// The `nextCursor` of the previous page.
    #[schemars(with = "String")]
    #[serde(default)]
    cursor: Option<String>,
    /// Closed items too.
    #[serde(default)]
    all: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SearchArguments {
    /// The words.
    text: String,
    /// Maximum number, from 1 to 200; 20 by default.
    #[schemars(with = "u32", range(min = 1, max = 200))]
    #[serde(default)]
    limit: Option<u32>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ShowArguments {
    /// A number, or a UUID or the beginning of one.
    id: Scalar,
}

fn show(state: &CairnState, given: Value, _: &Call) -> Result<ToolAnswer, Fault> {
    let given: ShowArguments = arguments(given)?;
    answer(state.projects.read(|project| project.show(&given.id.item())))
}

/// Deserializes a list, or a single value as a list of one.
fn one_or_many<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum OneOrMany {
        One(String),
        Many(Vec<String>),
    }
    Ok(match Option::deserialize(deserializer)? {
        None => Vec::new(),
        Some(OneOrMany::One(one)) => vec![one],
        Some(OneOrMany::Many(many)) => many,
    })
}

/// Parses a kind.
pub(super) fn kinds(given: Option<&str>) -> Result<Vec<ItemKind>, Fault> {
    let Some(text) = given else { return Ok(Vec::new()) };
    let known = ItemKind::ALL.iter().copied().find(|kind| kind.name() == text);
    let names = || ItemKind::ALL.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ");
    let unknown = || app::Error::invalid(format!("unknown kind `{text}` (expected: {})", names()));
    known.map(|kind| vec![kind]).ok_or_else(|| fault(&unknown()))
}

/// Validates a limit.
pub(super) fn limit(given: Option<u32>) -> Result<usize, Fault> {
    match given.unwrap_or(DEFAULT_LIMIT) {
        limit @ 1..=MAX_LIMIT => Ok(limit as usize),
        other => Err(Fault::Invalid(format!("invalid `limit`: {other} (expected: 1 to {MAX_LIMIT})"))),
    }
}
