//! Compresses responses with gzip, if the client accepts it. Only whole bodies are compressed: event streams and the
//! answers of MCP pass through unchanged, since a compressor would hold their messages back.

use std::io::Write as _;

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::Request;
use axum::http::header::{ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, ETAG, VARY};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::Response;
use flate2::Compression;
use flate2::write::GzEncoder;
use http_body::Body as _;

/// Smaller bodies fit into one packet anyway.
const MIN_BYTES: u64 = 1024;
/// Larger bodies are sent as they are: compressing them would block the thread for too long.
const MAX_BYTES: u64 = 8 * 1024 * 1024;
/// 4 is three times as fast as the usual 6 on pages, and 5 % larger. Files that browsers keep forever are worth more.
const LEVEL: u32 = 4;
const IMMUTABLE_LEVEL: u32 = 9;

/// Types of which the content is text.
const TYPES: [&str; 6] =
    ["text/html", "text/css", "text/javascript", "application/json", "application/problem+json", "image/svg+xml"];

/// Compresses the response to a request where it helps.
pub(crate) async fn compress(request: Request, next: Next) -> Response {
    let is_accepted = request.method() != Method::HEAD && accepts_gzip(request.headers());
    let mut response = next.run(request).await;
    if !is_text(response.headers()) {
        return response;
    }
    // A cache must know that the response depends on the header.
    response.headers_mut().append(VARY, HeaderValue::from_static("accept-encoding"));
    if !is_accepted || !is_worth_it(&response) {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    // Invariant: the length is known and below the limit, so this reads memory only.
    let Ok(bytes) = to_bytes(body, usize::MAX).await else { return failed() };
    let Some(compressed) = gzip(&bytes, level(&parts.headers)) else {
        return Response::from_parts(parts, Body::from(bytes));
    };
    parts.headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    parts.headers.insert(CONTENT_LENGTH, HeaderValue::from(compressed.len()));
    Response::from_parts(parts, Body::from(compressed))
}

pub(crate) fn accepts_gzip(headers: &HeaderMap) -> bool {
    let given = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    given.flat_map(|value| value.split(',')).any(|part| {
        let mut parts = part.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let is_refused =
            parts.any(|part| matches!(part.strip_prefix("q=").map(str::parse::<f32>), Some(Ok(q)) if q <= 0.0));
        name.eq_ignore_ascii_case("gzip") && !is_refused
    })
}

/// Compresses a file that browsers keep forever; `None` if it does not become smaller.
pub(crate) fn gzip_once(bytes: &Bytes) -> Option<Bytes> {
    gzip(bytes, Compression::new(IMMUTABLE_LEVEL)).filter(|compressed| compressed.len() < bytes.len()).map(Bytes::from)
}

fn is_text(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    TYPES.contains(&kind) && !headers.contains_key(CONTENT_ENCODING)
}

// A strong tag names exact bytes: an item keeps its tag for `If-Match`, so its body is not changed.
fn is_worth_it(response: &Response) -> bool {
    let is_strong = response.headers().get(ETAG).is_some_and(|tag| !tag.as_bytes().starts_with(b"W/"));
    let length = response.body().size_hint().exact();
    !is_strong && length.is_some_and(|length| (MIN_BYTES..=MAX_BYTES).contains(&length))
}

fn level(headers: &HeaderMap) -> Compression {
    let cache = headers.get(CACHE_CONTROL).and_then(|value| value.to_str().ok()).unwrap_or_default();
    Compression::new(if cache.contains("immutable") { IMMUTABLE_LEVEL } else { LEVEL })
}

fn gzip(bytes: &[u8], level: Compression) -> Option<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(bytes.len() / 4), level);
    encoder.write_all(bytes).ok()?;
    encoder.finish().ok()
}

fn failed() -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_clients_that_accept_gzip_get_it() {
        let accepts = |value: &'static str| {
            accepts_gzip(&HeaderMap::from_iter([(ACCEPT_ENCODING, HeaderValue::from_static(value))]))
        };
        assert!(accepts("gzip, deflate, br") && accepts("br;q=1.0, GZIP;q=0.5"));
        assert!(!accepts("br") && !accepts("gzip;q=0") && !accepts("gzip; q=0.0") && !accepts(""));
    }
}
