//! JSON responses with their cache headers.

use app::view::ItemView;
use axum::http::header::{CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, ETAG, LOCATION, VARY, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use uuid::Uuid;

use super::precondition::is_known;
use super::route::HandlerResult;
use crate::problem::Problem;

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// Not cacheable: the response depends on the principal and changes with every write.
const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");

/// Only the client may cache it, and must revalidate each time.
const ASK_FIRST: HeaderValue = HeaderValue::from_static("private, no-cache");

/// Responds with a value that must not be cached.
pub(super) fn json(value: &impl Serialize) -> HandlerResult {
    Ok(answer(StatusCode::OK, encode(value)?, [(CACHE_CONTROL, NO_STORE)]))
}

/// Responds with a cacheable value; with 304 if the client has it.
///
/// The tag is a hash of the body, not the state of the work: a list may depend on the time and on the principal, and
/// may stay the same when something else changes.
pub(super) fn tagged(headers: &HeaderMap, value: &impl Serialize) -> HandlerResult {
    let body = encode(value)?;
    let name = Uuid::new_v5(&Uuid::NAMESPACE_OID, &body).simple().to_string();
    let vary = (VARY, HeaderValue::from_static("authorization, cookie"));
    let fixed = [(CACHE_CONTROL, ASK_FIRST), vary, (ETAG, header(&format!("W/\"{name}\""))?)];
    if is_known(headers, &name) {
        return Ok((StatusCode::NOT_MODIFIED, HeaderMap::from_iter(fixed)).into_response());
    }
    Ok(answer(StatusCode::OK, body, fixed))
}

/// Responds with an item; its revision is the `ETag`.
pub(super) fn item(item: &ItemView) -> HandlerResult {
    Ok(answer(StatusCode::OK, encode(item)?, named(item)?))
}

/// Responds with an item; with 304 if the client has this revision.
pub(super) fn item_unless_known(headers: &HeaderMap, item: &ItemView) -> HandlerResult {
    if is_known(headers, &item.revision) {
        return Ok((StatusCode::NOT_MODIFIED, HeaderMap::from_iter(named(item)?)).into_response());
    }
    self::item(item)
}

/// Responds 201 with an item that was created or got a new part. `Location` uses the id, which never changes.
pub(super) fn created(item: &ItemView) -> HandlerResult {
    let mut response = answer(StatusCode::CREATED, encode(item)?, named(item)?);
    response.headers_mut().insert(LOCATION, header(&format!("/api/items/{}", item.id))?);
    Ok(response)
}

/// Responds 201 with something new that has no path of its own.
pub(super) fn made(value: &impl Serialize) -> HandlerResult {
    Ok(answer(StatusCode::CREATED, encode(value)?, [(CACHE_CONTROL, NO_STORE)]))
}

fn named(item: &ItemView) -> Result<[(HeaderName, HeaderValue); 2], Problem> {
    Ok([(CACHE_CONTROL, NO_STORE), (ETAG, header(&format!("\"{}\"", item.revision))?)])
}

fn answer(status: StatusCode, body: Vec<u8>, headers: impl IntoIterator<Item = (HeaderName, HeaderValue)>) -> Response {
    let length = HeaderValue::from(body.len());
    let mut response = (status, body).into_response();
    let fixed = [
        (CONTENT_TYPE, JSON),
        // Set explicitly, since HEAD removes the body.
        (CONTENT_LENGTH, length),
        (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    ];
    for (name, value) in fixed.into_iter().chain(headers) {
        response.headers_mut().insert(name, value);
    }
    response
}

fn encode(value: &impl Serialize) -> Result<Vec<u8>, Problem> {
    serde_json::to_vec(value).map_err(|error| broken(&error))
}

fn header(text: &str) -> Result<HeaderValue, Problem> {
    HeaderValue::from_str(text).map_err(|error| broken(&error))
}

fn broken(error: &dyn std::error::Error) -> Problem {
    Problem::new(StatusCode::INTERNAL_SERVER_ERROR, format!("cannot encode the response: {error}"))
}
