//! The door: who gets in, and as whom.

use app::Role;
use axum::Router;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use mcp::http::Access;

use crate::visitor::Visitor;

/// Puts the door in front of pages and API.
pub(crate) fn guard(router: Router, access: &Access) -> Router {
    router.layer(from_fn_with_state(access.clone(), admit))
}

// Whoever reaches a loopback address is the person whose machine it is.
async fn admit(State(access): State<Access>, mut request: Request, next: Next) -> Response {
    if !access.admits(request.headers()) {
        return StatusCode::FORBIDDEN.into_response();
    }
    request.extensions_mut().insert(Visitor { name: "local".to_owned(), person: None, role: Role::Admin });
    next.run(request).await
}
