//! `ready`, `list`, `search`, `show`: reading items.

use app::verb::ListOptions;
use mcp::{Effect, Fault, Tool};
use model::item::ItemKind;
use schemars::JsonSchema;
use serde::Deserialize;

use super::arguments::{MaxTokens, Texts, arguments, schema};
use super::rows::{RowsRequest, rows_schema};
use super::{CairnState, fault, shown};
use crate::caller::actor;
use crate::scalar::Scalar;

/// Default and maximum number of items in a result.
const DEFAULT_LIMIT: u32 = 20;
const MAX_LIMIT: u32 = 200;

pub(super) const READY: Tool<CairnState> = Tool {
    name: "ready",
    title: "List ready work",
    description: "Lists items that can be started now, most urgent first. Take one: `update` with `claim`.",
    input: schema::<ReadyArguments>,
    output: Some(rows_schema),
    effect: Effect::Reads,
    toolset: "work",
    call: |state, given, _| {
        let given: ReadyArguments = arguments(given)?;
        let cursor = given.cursor.as_deref();
        let rows =
            RowsRequest { limit: limit(given.limit)?, max_tokens: MaxTokens::of(given.max_tokens)?, fields: &[] };
        rows.answer(|limit| state.projects.read(|project| project.ready_page(limit, cursor)))
    },
};

pub(super) const LIST: Tool<CairnState> = Tool {
    name: "list",
    title: "List work",
    description: "Lists items, last updated first, one line each; `show` has the rest.",
    input: schema::<ListArguments>,
    output: Some(rows_schema),
    effect: Effect::Reads,
    toolset: "work",
    call: |state, given, call| {
        let given: ListArguments = arguments(given)?;
        let options = ListOptions {
            kinds: kinds(given.kind.as_deref())?,
            filter: given.filter,
            sort: given.sort.0,
            cursor: given.cursor,
            all: given.all,
            ..ListOptions::default()
        };
        let (limit, max_tokens) = (limit(given.limit)?, MaxTokens::of(given.max_tokens)?);
        let rows = RowsRequest { limit, max_tokens, fields: &given.fields.0 };
        let who = actor(call);
        rows.answer(|limit| {
            let options = ListOptions { limit: Some(limit), ..options.clone() };
            state.projects.read_as(who.as_ref(), |project| project.list(&options))
        })
    },
};

pub(super) const SEARCH: Tool<CairnState> = Tool {
    name: "search",
    title: "Search work",
    description: "Finds items, closed ones too, by words in titles, descriptions and comments. Use it before `create`.",
    input: schema::<SearchArguments>,
    output: Some(rows_schema),
    effect: Effect::Reads,
    toolset: "work",
    call: |state, given, _| {
        let given: SearchArguments = arguments(given)?;
        let options =
            ListOptions { words: Some(given.text), cursor: given.cursor, all: true, ..ListOptions::default() };
        let rows =
            RowsRequest { limit: limit(given.limit)?, max_tokens: MaxTokens::of(given.max_tokens)?, fields: &[] };
        rows.answer(|limit| {
            let options = ListOptions { limit: Some(limit), ..options.clone() };
            state.projects.read(|project| project.list(&options))
        })
    },
};

pub(super) const SHOW: Tool<CairnState> = Tool {
    name: "show",
    title: "Show an item",
    description: "Shows one whole item: description, comments, links, code, commits.",
    input: schema::<ShowArguments>,
    output: Some(rows_schema),
    effect: Effect::Reads,
    toolset: "work",
    call: |state, given, _| {
        let given: ShowArguments = arguments(given)?;
        let max_tokens = MaxTokens::of(given.max_tokens)?;
        let item = state
            .projects
            .read(|project| project.show_with_commits(&given.id.item()))
            .map_err(|error| fault(&error))?;
        Ok(shown::answer(&item, max_tokens))
    },
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReadyArguments {
    /// 1 to 200; default 20
    #[schemars(with = "u32")]
    #[serde(default)]
    limit: Option<u32>,
    /// `nextCursor` of the page before
    #[schemars(with = "String")]
    #[serde(default)]
    cursor: Option<String>,
    /// 1 to 20000; default 2000
    #[schemars(with = "MaxTokens")]
    #[serde(default)]
    max_tokens: Option<MaxTokens>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListArguments {
    /// issue, task, story, epic, milestone, board
    #[schemars(with = "String")]
    #[serde(default)]
    kind: Option<String>,
    /// e.g. `assignee == me and priority >= high`, `labels ~ bug`
    #[schemars(with = "String")]
    #[serde(default)]
    filter: Option<String>,
    /// e.g. `priority:desc`
    #[serde(default)]
    sort: Texts,
    /// more keys: description, parent, milestone, due, …
    #[serde(default)]
    fields: Texts,
    #[schemars(with = "u32")]
    #[serde(default)]
    limit: Option<u32>,
    #[schemars(with = "String")]
    #[serde(default)]
    cursor: Option<String>,
    /// closed items too
    #[serde(default)]
    all: bool,
    #[schemars(with = "MaxTokens")]
    #[serde(default)]
    max_tokens: Option<MaxTokens>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SearchArguments {
    text: String,
    #[schemars(with = "u32")]
    #[serde(default)]
    limit: Option<u32>,
    #[schemars(with = "String")]
    #[serde(default)]
    cursor: Option<String>,
    #[schemars(with = "MaxTokens")]
    #[serde(default)]
    max_tokens: Option<MaxTokens>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ShowArguments {
    /// number, `milestone/2`, or UUID
    id: Scalar,
    #[schemars(with = "MaxTokens")]
    #[serde(default)]
    max_tokens: Option<MaxTokens>,
}

/// Parses a kind.
pub(super) fn kinds(given: Option<&str>) -> Result<Vec<ItemKind>, Fault> {
    let Some(text) = given else { return Ok(Vec::new()) };
    let known = ItemKind::ALL.iter().copied().find(|kind| kind.name() == text);
    let names = || ItemKind::ALL.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ");
    let unknown = || app::Error::invalid(format!("unknown kind `{text}` (expected: {})", names()));
    known.map(|kind| vec![kind]).ok_or_else(|| fault(&unknown()))
}

/// Validates a limit; 0 is the default one.
fn limit(given: Option<u32>) -> Result<usize, Fault> {
    match given.filter(|limit| *limit > 0).unwrap_or(DEFAULT_LIMIT) {
        limit @ 1..=MAX_LIMIT => Ok(limit as usize),
        other => Err(Fault::Invalid(format!("invalid `limit`: {other} (expected: 1 to {MAX_LIMIT})"))),
    }
}
