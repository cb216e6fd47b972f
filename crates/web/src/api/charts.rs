//! Data for burndown and cumulative flow charts, per day.

use app::Project;
use app::verb::MAX_DAYS;
use schemars::JsonSchema;
use serde::Deserialize;

use super::reply;
use super::request::ApiRequest;
use super::route::{ApiState, HandlerResult};

/// Days in a chart by default.
const DEFAULT_DAYS: u32 = 90;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ChartQuery {
    /// Number of days up to today, from 1 to 366; default 90. Days before the first item are left out.
    #[schemars(range(min = 1, max = MAX_DAYS))]
    days: Option<u32>,
}

pub(super) async fn burndown(served: ApiState, request: ApiRequest) -> HandlerResult {
    let (id, n_days) = (request.item()?, days(&request.query()?));
    reply::tagged(&request.headers, &served.shared.read(move |project: &Project| project.burndown(&id, n_days)).await?)
}

pub(super) async fn flow(served: ApiState, request: ApiRequest) -> HandlerResult {
    let (id, n_days) = (request.item()?, days(&request.query()?));
    reply::tagged(&request.headers, &served.shared.read(move |project: &Project| project.flow(&id, n_days)).await?)
}

fn days(query: &ChartQuery) -> u32 {
    query.days.unwrap_or(DEFAULT_DAYS)
}
