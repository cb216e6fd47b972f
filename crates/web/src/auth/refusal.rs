//! Error responses for refused requests, as a page, as JSON or for MCP. Every request without a valid token gets the
//! same response, so that nobody learns whether a token was nearly right or whether a path exists.

use std::time::Duration;

use axum::http::header::{CACHE_CONTROL, CONNECTION, CONTENT_TYPE, LOCATION, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method, StatusCode};
use axum::response::{Html, IntoResponse, Response};
use maud::html;
use serde_json::json;

use super::return_to::{ReturnTo, is_from_elsewhere};
use crate::pages::outside;
use crate::problem::Problem;

/// Why a request is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// No token, or an unknown one.
    Unknown,
    /// Rate limit reached; the client may retry after this time.
    TooMany(Duration),
    /// Sent by a page of another site, or the origin cannot be verified.
    Foreign,
    /// `Host` or `Origin` names another server.
    Misnamed,
    /// The body is too long.
    TooLong,
    /// The body arrives too slowly.
    TooSlow,
    /// The handler takes too long; nothing is changed.
    TooBusy,
    /// The handler of a change takes too long, and goes on.
    Unfinished,
    /// No room for another connection or stream.
    Crowded,
}

/// The part of the server that a request is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Dialect,
    Api,
    Pages,
}

impl Refusal {
    /// The response to a request for a page or the API. A login redirect leads back to the requested page.
    pub(super) fn answer_principal(self, parts: &Parts) -> Response {
        let path = parts.uri.path();
        if self != Self::Unknown || Part::of(path) != Part::Pages || parts.method != Method::GET {
            return self.answer(&parts.method, path);
        }
        if is_from_elsewhere(&parts.method, &parts.headers) {
            return ask_again();
        }
        (StatusCode::SEE_OTHER, [(LOCATION, ReturnTo::of(parts).by_login())]).into_response()
    }

    /// The response to a request with this method and path.
    pub(crate) fn answer(self, method: &Method, path: &str) -> Response {
        let part = Part::of(path);
        let mut response = match (self, part) {
            (Self::Unknown, Part::Pages) if method == Method::GET => {
                return (StatusCode::SEE_OTHER, [(LOCATION, "/login")]).into_response();
            }
            // The contract of `quicksilver` fixes these bytes for requests without a token.
            (_, Part::Dialect) => json_body(self.status(), &json!({"error": self.title()})),
            (_, Part::Api) => Problem::new(self.status(), self.detail()).into_response(),
            (_, Part::Pages) => self.page(),
        };
        match self {
            Self::Unknown => {
                response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            Self::TooMany(wait) => {
                // Rounded up, so that a retry at that time succeeds.
                let seconds = wait.as_secs() + 1;
                response.headers_mut().insert(RETRY_AFTER, seconds.into());
            }
            Self::Crowded => {
                // `Connection: close`, so that a refused client does not hold a connection.
                response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
                response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("5"));
            }
            _ => {}
        }
        response
    }

    fn page(self) -> Response {
        let body = html! {
            section class="narrow" {
                h1 { (self.title()) }
                p { (self.detail()) }
                p { a href="/" { "To the overview" } }
            }
        };
        let page = outside(self.title(), &html! {}, &body).into_string();
        (self.status(), [(CACHE_CONTROL, "no-store")], Html(page)).into_response()
    }

    fn status(self) -> StatusCode {
        match self {
            Self::Unknown => StatusCode::UNAUTHORIZED,
            Self::TooMany(_) => StatusCode::TOO_MANY_REQUESTS,
            Self::Foreign | Self::Misnamed => StatusCode::FORBIDDEN,
            Self::TooLong => StatusCode::PAYLOAD_TOO_LARGE,
            Self::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Self::TooBusy | Self::Crowded => StatusCode::SERVICE_UNAVAILABLE,
            // Not 503: a client would repeat a change that may have been made.
            Self::Unfinished => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    fn title(self) -> &'static str {
        self.status().canonical_reason().unwrap_or("Refused")
    }

    fn detail(self) -> &'static str {
        match self {
            Self::Unknown => "send a token: `Authorization: Bearer …`",
            Self::TooMany(_) => "too many requests; retry after the time in `Retry-After`",
            Self::Foreign => "the request came from another site",
            Self::Misnamed => "unknown host name; `cairn serve --host NAME` adds one",
            Self::TooLong => "the body is too long",
            Self::TooSlow => "timed out while reading the body",
            Self::Crowded => {
                "this token has reached its limit of connections or streams; close some, or try again later"
            }
            Self::TooBusy => "the request timed out",
            Self::Unfinished => {
                "the request timed out, and whether the change was made is not known; look before you repeat it"
            }
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

/// Responds with a page that reloads itself; the reload is same-site, so the browser sends the cookie.
fn ask_again() -> Response {
    let again = html! { meta http-equiv="refresh" content="0"; };
    let body = html! { section class="narrow" { h1 { "One moment" } p { a href="" { "Go on to the page" } } } };
    ([(CACHE_CONTROL, "no-store")], Html(outside("One moment", &again, &body).into_string())).into_response()
}

fn json_body(status: StatusCode, body: &serde_json::Value) -> Response {
    (status, [(CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_of_the_server_has_its_refusal() {
        let refused = |refusal: Refusal, path| refusal.answer(&Method::GET, path);
        assert_eq!(refused(Refusal::Unknown, "/mcp/mile").status(), 401);
        assert_eq!(refused(Refusal::Unknown, "/api/items").headers()[CONTENT_TYPE], "application/problem+json");
        assert_eq!(refused(Refusal::Unknown, "/mcpx").headers()[LOCATION], "/login");
        assert_eq!(Refusal::Unknown.answer(&Method::POST, "/").status(), 401);
        let waiting = refused(Refusal::TooMany(Duration::from_millis(1200)), "/mcp");
        assert_eq!((waiting.status().as_u16(), &waiting.headers()[RETRY_AFTER]), (429, &HeaderValue::from(2)));
    }
}
