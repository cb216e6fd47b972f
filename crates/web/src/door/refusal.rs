//! How those who do not get in are told, in the way of where they knocked. All who lack a token hear the same: nobody
//! learns whether one was nearly right, or whether what they asked for exists.

use axum::http::header::{CONTENT_TYPE, LOCATION, WWW_AUTHENTICATE};
use axum::http::request::Parts;
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::json;

/// Why someone does not get in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// No token, or none that is known.
    Unknown,
}

/// Which part of the server a request is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Dialect,
    Api,
    Pages,
}

impl Refusal {
    /// Tells whoever sent this request.
    pub(crate) fn answer(self, parts: &Parts) -> Response {
        let part = Part::of(parts.uri.path());
        match self {
            Self::Unknown => unauthorized(part, &parts.method),
        }
    }
}

impl Part {
    fn of(path: &str) -> Self {
        match path.split('/').nth(1) {
            Some("mcp") => Self::Dialect,
            Some("api") => Self::Api,
            _ => Self::Pages,
        }
    }
}

fn unauthorized(part: Part, method: &Method) -> Response {
    let status = StatusCode::UNAUTHORIZED;
    let ask = (WWW_AUTHENTICATE, "Bearer");
    match part {
        // The contract of `quicksilver` has these bytes.
        Part::Dialect => {
            (status, [ask, (CONTENT_TYPE, "application/json")], r#"{"error":"Unauthorized"}"#).into_response()
        }
        Part::Api => problem(status, "Unauthorized", "send a token: `Authorization: Bearer …`", ask),
        Part::Pages if method == Method::GET => (StatusCode::SEE_OTHER, [(LOCATION, "/login")]).into_response(),
        Part::Pages => (status, [ask], "Unauthorized").into_response(),
    }
}

/// Makes an answer in the form of RFC 9457.
fn problem(status: StatusCode, title: &str, detail: &str, header: (axum::http::HeaderName, &'static str)) -> Response {
    let body = json!({"type": "about:blank", "title": title, "status": status.as_u16(), "detail": detail});
    (status, [header, (CONTENT_TYPE, "application/problem+json")], body.to_string()).into_response()
}
