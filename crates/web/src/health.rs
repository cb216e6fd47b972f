//! Liveness and readiness for supervisors and load balancers; no authentication.

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

/// Ready if the repository can be found, opened and read. The reason of a failure is not disclosed.
async fn ready(State(shared): State<Shared>) -> Response {
    let place = shared.context().place.clone();
    let read = shared.read(move |project| {
        // An open project answers from its index even if the repository is gone, so the repository is located again.
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
