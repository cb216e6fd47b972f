//! Lists of items: list, search, ready.

use app::verb::ListOptions;
use model::item::ItemKind;
use schemars::JsonSchema;
use serde::Deserialize;

use super::fields::{kind, limit};
use super::reply;
use super::request::ApiRequest;
use super::route::{ApiState, HandlerResult};
use crate::problem::Problem;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ListQuery {
    /// Only these kinds: `issue`, or several separated by commas.
    kind: Option<String>,
    /// Only items that match this filter, such as `priority >= 5 and assignee == me`.
    filter: Option<String>,
    /// Sort order: fields separated by commas, each as `field` or `field:desc`.
    sort: Option<String>,
    /// Maximum number of items, from 1 to 200; default 50.
    #[schemars(range(min = 1, max = 200))]
    limit: Option<u32>,
    /// The `nextCursor` of the previous page.
    cursor: Option<String>,
    /// Include closed items.
    #[serde(default)]
    all: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SearchQuery {
    /// Words to find in titles, descriptions, comments and labels.
    text: String,
    /// Maximum number of items, from 1 to 200; default 50.
    #[schemars(range(min = 1, max = 200))]
    limit: Option<u32>,
    /// The `nextCursor` of the previous page.
    cursor: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ReadyQuery {
    /// Maximum number of items, from 1 to 200; default 50.
    #[schemars(range(min = 1, max = 200))]
    limit: Option<u32>,
}

pub(super) async fn list(served: ApiState, request: ApiRequest) -> HandlerResult {
    let query: ListQuery = request.query()?;
    let options = ListOptions {
        kinds: query.kind.as_deref().map(kinds).transpose()?.unwrap_or_default(),
        filter: query.filter,
        sort: query.sort.iter().flat_map(|sort| parts(sort)).map(str::to_owned).collect(),
        limit: Some(limit(query.limit)?),
        cursor: query.cursor,
        all: query.all,
        ..ListOptions::default()
    };
    let list = served.shared.read_as(&request.principal, move |project| project.list(&options)).await?;
    reply::tagged(&request.headers, &list)
}

pub(super) async fn search(served: ApiState, request: ApiRequest) -> HandlerResult {
    let query: SearchQuery = request.query()?;
    let options = ListOptions {
        words: Some(query.text),
        limit: Some(limit(query.limit)?),
        cursor: query.cursor,
        all: true,
        ..ListOptions::default()
    };
    let list = served.shared.read(move |project| project.list(&options)).await?;
    reply::tagged(&request.headers, &list)
}

pub(super) async fn ready(served: ApiState, request: ApiRequest) -> HandlerResult {
    let query: ReadyQuery = request.query()?;
    let limit = Some(limit(query.limit)?);
    let ready = served.shared.read(move |project| project.ready(limit)).await?;
    reply::tagged(&request.headers, &ready)
}

fn kinds(text: &str) -> Result<Vec<ItemKind>, Problem> {
    parts(text).map(kind).collect()
}

fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim).filter(|part| !part.is_empty())
}
