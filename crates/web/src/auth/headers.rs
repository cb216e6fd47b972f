//! Security headers of every page: content security policy, no framing, no content sniffing, HSTS.

use axum::extract::{Request, State};
use axum::http::header::{
    CONTENT_SECURITY_POLICY, HOST, REFERRER_POLICY, STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::Response;

use crate::proxy::Proxy;

/// No inline scripts or styles: they would let stored text, such as a title, inject code.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; \
                      connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; \
                      frame-ancestors 'none'";

/// HSTS lifetime: one year.
const STRICT_TRANSPORT: HeaderValue = HeaderValue::from_static("max-age=31536000");

/// Sets HSTS. Not for `localhost`: the rule holds for all ports of a host and would break every other server on a
/// developer's machine.
pub(super) async fn keep_private(State(proxy): State<Proxy>, request: Request, next: Next) -> Response {
    let host = request.headers().get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let name = host.split(':').next().unwrap_or_default();
    let is_localhost = name.eq_ignore_ascii_case("localhost") || name.to_ascii_lowercase().ends_with(".localhost");
    let is_told = !is_localhost && !proxy.says_plain(request.headers());
    let mut response = next.run(request).await;
    if is_told {
        response.headers_mut().insert(STRICT_TRANSPORT_SECURITY, STRICT_TRANSPORT);
    }
    response
}

/// Adds the security headers to every response, except for scripts, styles and fonts: these headers are about documents,
/// and on two dozen files they would weigh as much as the page itself.
pub(super) async fn protect(request: Request, next: Next) -> Response {
    let is_asset = request.uri().path().starts_with("/assets/");
    let mut response = next.run(request).await;
    if is_asset && response.status() == StatusCode::OK {
        return response;
    }
    let headers = [
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "DENY"),
        // Not `no-referrer`: browsers then send `Origin: null` with forms, and our own would fail the same-origin
        // check.
        (REFERRER_POLICY, "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ];
    for (name, value) in headers {
        // A response may have a stricter policy, such as that of an attachment.
        response.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}
