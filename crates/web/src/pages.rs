//! The pages that people look at.

use axum::Router;
use axum::extract::State;
use axum::response::Html;
use axum::routing::get;
use maud::{DOCTYPE, html};

use crate::shared::Shared;

/// Returns the routes of the pages.
pub(crate) fn routes(shared: Shared) -> Router {
    Router::new().route("/", get(front)).with_state(shared)
}

async fn front(State(shared): State<Shared>) -> Html<String> {
    Html(html! { (DOCTYPE) title { (shared.setting().place.display()) } }.into_string())
}
