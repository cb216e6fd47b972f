//! The board: HTML rendered by the server, readable without scripts.
//!
//! A page is rendered from views of `app` and never changes anything; the script writes through the API. Pages have no
//! inline scripts, styles or handlers, and load nothing from other hosts.

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
