//! The board: HTML rendered by the server, readable without scripts.
//!
//! A page is rendered from views of `app` and never changes anything; the script writes through the API. Pages have no
//! inline scripts, styles or handlers, and load nothing from other hosts.

mod address;
mod assets;
mod backlog;
mod board;
mod card;
mod chart;
mod code;
mod display;
mod epics;
mod feed;
mod filters;
mod frame;
mod highlight;
mod home;
mod hue;
mod icons;
mod insights;
mod item;
mod labels;
mod markdown;
mod mention;
mod milestones;
mod onboarding;
mod people;
mod preview;
mod request;
mod review;
mod search;
mod shell;
mod views;
mod widgets;
mod words;

use axum::Router;
use axum::response::Response;
use axum::routing::{get, post};

use crate::shared::Shared;
pub(crate) use address::encoded;
pub(crate) use assets::routes as asset_routes;
pub(crate) use hue::name_of as hue_of;
pub(crate) use icons::icon;
use request::PageRequest;
pub(crate) use shell::{mark, outside};

/// Returns the routes of the pages.
pub(crate) fn routes(shared: Shared) -> Router {
    Router::new()
        .route("/", get(home::show))
        .route("/mine", get(board::mine))
        .route("/all", get(board::all_work))
        .route("/all/list", get(board::all_work_list))
        .route("/board/{id}", get(board::one_board))
        .route("/board/{id}/list", get(board::one_board_list))
        .route("/board/{id}/flow", get(insights::flow))
        .route("/all/timeline", get(board::all_work_timeline))
        .route("/board/{id}/timeline", get(board::one_board_timeline))
        .route("/view/{name}", get(views::open))
        .route("/labels", get(labels::show))
        .route("/backlog", get(backlog::show))
        .route("/epics", get(epics::show))
        .route("/milestones", get(milestones::list))
        .route("/milestone/{id}", get(milestones::show))
        .route("/insights", get(insights::show))
        .route("/item/{id}", get(item::show))
        .route("/item/{id}/code", get(item::show_code))
        .route("/code", get(code::map))
        .route("/code/{*path}", get(code::file))
        .route("/review", get(review::show))
        .route("/search", get(search::show))
        .route("/preview", post(preview::show))
        .fallback(nowhere)
        .with_state(shared)
}

async fn nowhere(request: PageRequest) -> Response {
    request.answer(|_, _| Err(app::Error::not_found("page not found"))).await
}
