//! Error responses as RFC 9457 problem details. The only place that maps kinds of `app::Error` to HTTP statuses.

use app::{Detail, Error, ErrorKind};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use model::value_error::ValueError;
use schemars::JsonSchema;
use serde::Serialize;

/// The content type of problem details.
pub(crate) const MIME: &str = "application/problem+json";

/// Value of `Retry-After` for unavailable services: a failover of a database takes a few seconds.
pub(crate) const RETRY_SECONDS: u64 = 2;

/// An error response.
#[derive(Debug)]
pub(crate) struct Problem(Box<Inner>);

#[derive(Debug)]
struct Inner {
    status: StatusCode,
    view: ProblemView,
    headers: Vec<(HeaderName, HeaderValue)>,
}

/// An error.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Problem")]
pub(crate) struct ProblemView {
    /// Always `about:blank`: the status is the kind of error.
    #[serde(rename = "type")]
    kind: &'static str,
    /// The status as text.
    title: String,
    /// The HTTP status.
    status: u16,
    /// What went wrong, for people.
    detail: String,
    /// What to do next.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
    /// Column of the error in the filter, counted in characters from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
    /// The current revision of the item, if another one was expected.
    #[serde(skip_serializing_if = "Option::is_none")]
    revision: Option<String>,
}

impl Problem {
    pub(crate) fn new(status: StatusCode, detail: impl Into<String>) -> Self {
        let title = status.canonical_reason().unwrap_or_default().to_owned();
        let view = ProblemView {
            kind: "about:blank",
            title,
            status: status.as_u16(),
            detail: detail.into(),
            hint: None,
            column: None,
            revision: None,
        };
        Self(Box::new(Inner { status, view, headers: Vec::new() }))
    }

    /// A 400 response.
    pub(crate) fn invalid(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, detail)
    }

    /// Adds a hint about what to do next.
    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.0.view.hint = Some(hint.into());
        self
    }

    /// Adds a header.
    #[must_use]
    pub(crate) fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.0.headers.push((name, value));
        self
    }
}

impl From<ValueError> for Problem {
    fn from(error: ValueError) -> Self {
        Error::from(error).into()
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let is_lost_race = matches!(error.detail, Some(Detail::Revision(_)));
        let status = match error.kind {
            ErrorKind::Invalid => StatusCode::BAD_REQUEST,
            ErrorKind::NotFound => StatusCode::NOT_FOUND,
            ErrorKind::Conflict if is_lost_race => StatusCode::PRECONDITION_FAILED,
            ErrorKind::Conflict => StatusCode::CONFLICT,
            ErrorKind::NotARepository | ErrorKind::Unavailable | ErrorKind::IndexDamaged => {
                StatusCode::SERVICE_UNAVAILABLE
            }
            ErrorKind::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        };
        let mut problem = Self::new(status, error.message);
        if error.kind == ErrorKind::Unavailable {
            problem = problem.header(RETRY_AFTER, RETRY_SECONDS.into());
        }
        problem.0.view.hint = error.hint;
        match error.detail {
            Some(Detail::Column(column)) => problem.0.view.column = Some(column),
            Some(Detail::Revision(revision)) => problem.0.view.revision = Some(revision),
            // Only the dialect with tasks shows it.
            Some(Detail::UnknownNumber(_)) | None => {}
        }
        problem
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let Inner { status, view, headers } = *self.0;
        let body = serde_json::to_vec(&view).unwrap_or_default();
        let fixed = [(CONTENT_TYPE, MIME), (CACHE_CONTROL, "no-store")];
        let mut response = (status, fixed, body).into_response();
        response.headers_mut().extend(headers);
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_error_become_statuses() {
        for (error, status) in [
            (Error::invalid("a"), 400),
            (Error::not_found("a"), 404),
            (Error::conflict("a"), 409),
            (Error::conflict("a").detail(Detail::Revision("r".into())), 412),
            (Error::unavailable("a"), 503),
        ] {
            assert_eq!(Problem::from(error).into_response().status(), status);
        }
    }

    #[test]
    fn unavailable_responses_have_retry_after() {
        let retry = |error: Error| Problem::from(error).into_response().headers().get(RETRY_AFTER).cloned();
        assert_eq!(retry(Error::unavailable("a")), Some(HeaderValue::from(RETRY_SECONDS)));
        assert_eq!(retry(Error::not_found("a")), None);
    }
}
