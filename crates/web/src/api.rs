//! The JSON API at `/api`.

use axum::Router;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use crate::shared::Shared;

/// Returns the routes of the API.
pub(crate) fn routes(shared: Shared) -> Router {
    Router::new().route("/api/project", get(project)).with_state(shared)
}

async fn project(State(shared): State<Shared>) -> Response {
    match shared.read(app::Project::state_name).await {
        Ok(state) => axum::Json(serde_json::json!({"state": state})).into_response(),
        Err(error) => (axum::http::StatusCode::INTERNAL_SERVER_ERROR, error.message).into_response(),
    }
}
