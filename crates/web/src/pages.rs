//! The pages that people look at: HTML from the server, readable without a script.
//!
//! A page is made from what `app` answers and never changes anything; what people change goes from the script to the
//! API. No page has a script, a style or a handler of its own inside it, and none asks another host for anything.

mod address;
mod assets;
mod card;
mod chart;
mod columns;
mod filter_bar;
mod flow;
mod frame;
mod item;
mod markdown;
mod mention;
mod milestones;
mod overview;
mod review;
mod search;
mod widgets;
mod words;

use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use axum::{Extension, Router};

use crate::principal::Principal;
use crate::shared::Shared;
pub(crate) use address::encoded;
pub(crate) use assets::routes as asset_routes;
pub(crate) use frame::outside;

/// Returns the routes of the pages.
pub(crate) fn routes(shared: Shared) -> Router {
    Router::new()
        .route("/", get(overview::show))
        .route("/backlog", get(columns::backlog))
        .route("/board/{id}", get(columns::board))
        .route("/board/{id}/flow", get(flow::show))
        .route("/item/{id}", get(item::show))
        .route("/item/{id}/code", get(item::show_code))
        .route("/milestones", get(milestones::list))
        .route("/milestone/{id}", get(milestones::show))
        .route("/review", get(review::show))
        .route("/search", get(search::show))
        .fallback(nowhere)
        .with_state(shared)
}

async fn nowhere(State(shared): State<Shared>, Extension(principal): Extension<Principal>) -> Response {
    frame::answer(shared, principal, |_, _| Err(app::Error::not_found("page not found"))).await
}
