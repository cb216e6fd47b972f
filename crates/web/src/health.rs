//! Liveness and readiness for supervisors and load balancers; no authentication.

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CACHE_CONTROL;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use database::Database;

use crate::shared::Shared;

#[derive(Clone)]
struct HealthState {
    shared: Shared,
    databases: Arc<[Arc<Database>]>,
}

/// Each of these clients must reach its database: one of them may wait after a failure while another one is connected again.
pub(crate) fn routes(shared: Shared, databases: Arc<[Arc<Database>]>) -> Router {
    Router::new()
        .route("/health/live", get(async || answer(StatusCode::OK, "live\n")))
        .route("/health/ready", get(ready))
        .with_state(HealthState { shared, databases })
}

/// Ready if the repository can be found, opened and read, and the database answers. The reason of a failure is not
/// disclosed. A server may read from its clone while the database is away, but another one may be better off.
async fn ready(State(checked): State<HealthState>) -> Response {
    let HealthState { shared, databases } = checked;
    let place = shared.context().place.clone();
    let read = shared.read(move |project| {
        // An open project answers from its index even if the repository is gone, so the repository is located again.
        app::locate(&place)?;
        for database in databases.iter() {
            database.ping()?;
        }
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
