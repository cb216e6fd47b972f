//! The cumulative flow chart of a board.

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::Response;
use maud::html;
use model::item_ref::ItemRef;

use super::frame::{Here, Page, answer};
use super::{chart, words};
use crate::principal::Principal;
use crate::shared::Shared;

/// Days in the chart.
const DAYS: u32 = 90;

/// `/board/{id}/flow`.
pub(super) async fn show(
    State(shared): State<Shared>,
    Extension(principal): Extension<Principal>,
    Path(id): Path<String>,
) -> Response {
    let make = move |project: &app::Project, _: &_| {
        let flow = project.flow(&ItemRef::parse(&id), DAYS)?;
        let number = flow.board.number.unwrap_or_default();
        let body = html! {
            section class="panel" {
                p class="crumbs" { a href={ "/board/" (number) } { (flow.board.title) } }
                h1 { "Flow" }
                p class="quiet" { "What lay where at the end of each of the last " (words::count(u64::from(DAYS), "day")) ". A band that widens is where work waits." }
                (chart::flow(&flow.statuses, &flow.days))
            }
        };
        Ok(Page::new(format!("Flow of {}", flow.board.title), Here::Work, body))
    };
    answer(shared, principal, make).await
}
