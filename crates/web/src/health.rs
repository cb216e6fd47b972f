//! Whether the server lives and can work, for whoever starts and stops it; anyone may ask.

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CACHE_CONTROL;
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use crate::shared::Shared;

/// Returns the routes.
pub(crate) fn routes(shared: Shared) -> Router {
    Router::new()
        .route("/health/live", get(async || answer(StatusCode::OK, "live\n")))
        .route("/health/ready", get(ready))
        .with_state(shared)
}

/// Ready is who can find, open and read the repository. Why it cannot is nothing for strangers.
async fn ready(State(shared): State<Shared>) -> Response {
    let place = shared.context().place.clone();
    let read = shared.read(move |project| {
        // One that was opened before answers from its index, whatever became of the repository.
        app::locate(&place)?;
        project.state_name()
    });
    match read.await {
        Ok(_) => answer(StatusCode::OK, "ready\n"),
        Err(_) => answer(StatusCode::SERVICE_UNAVAILABLE, "not ready\n"),
    }
}

fn answer(status: StatusCode, text: &'static str) -> Response {
    (status, [(CACHE_CONTROL, "no-store")], text).into_response()
}
