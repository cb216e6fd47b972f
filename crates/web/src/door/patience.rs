//! How much is read of a request and how long it may take, for pages and API; the dialects have limits of their own.

use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;

use super::refusal::Refusal;

/// How long a body may be, in bytes; as for the dialects.
const LONGEST_BODY: usize = 4 * 1024 * 1024;

/// How long a client may take to send a body; a slow one must not hold a connection for ever.
const LONGEST_READ: Duration = Duration::from_secs(30);

/// How long an answer may take to begin.
const LONGEST_WORK: Duration = Duration::from_mins(2);

/// Reads a body whole before anything is done with it, and does not wait for ever.
pub(super) async fn limit(request: Request, next: Next) -> Response {
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let refuse = |refusal: Refusal| refusal.answer(&method, &path);
    let (parts, body) = request.into_parts();
    let bytes = match tokio::time::timeout(LONGEST_READ, to_bytes(body, LONGEST_BODY)).await {
        Ok(Ok(bytes)) => bytes,
        Ok(Err(_)) => return refuse(Refusal::TooLong),
        Err(_) => return refuse(Refusal::TooSlow),
    };
    let answer = next.run(Request::from_parts(parts, Body::from(bytes)));
    tokio::time::timeout(LONGEST_WORK, answer).await.unwrap_or_else(|_| refuse(Refusal::TooBusy))
}
