//! A response of the server: status, headers and bytes, parsed as the expected value or as an error.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use serde::de::{DeserializeOwned, IgnoredAny};
use zeroize::Zeroizing;

use crate::error_body::ErrorBody;
use crate::{AuthProblem, Error, ErrorKind};

/// A response as received.
pub(crate) struct HttpResponse {
    pub(crate) status: u16,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    /// Wiped from memory after use, since it may contain tokens.
    pub(crate) body: Zeroizing<Vec<u8>>,
}

/// Pause when the server asks for one without saying how long.
const DEFAULT_RETRY_INTERVAL: Duration = Duration::from_secs(10);

/// Maximum pause that is accepted.
const MAX_RETRY_INTERVAL: Duration = Duration::from_hours(1);

impl HttpResponse {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn number(&self, name: &str) -> Option<u64> {
        self.header(name)?.trim().parse().ok()
    }

    pub(crate) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Parses the body of a successful response. `what` is the path, for the error message.
    pub(crate) fn json<T: DeserializeOwned>(&self, what: &str) -> Result<T, Error> {
        serde_json::from_slice(&self.body).map_err(|error| {
            // Only the position: the parser's message may quote the body.
            let place = format!("line {}, column {}", error.line(), error.column());
            let message = if self.looks_like_page() {
                answered_with_page(what)
            } else {
                format!("the answer to `{what}` is not what a Taiga sends ({:?} at {place})", error.classify())
            };
            Error::unknown(message).with_status(self.status)
        })
    }

    /// Returns how long the server asks to wait.
    pub(crate) fn pause(&self, time_of_day: Timestamp) -> Duration {
        let asked = self.header("x-throttle-wait-seconds").or_else(|| self.header("retry-after"));
        let pause = asked.and_then(|text| seconds(text).or_else(|| until(text, time_of_day)));
        pause.unwrap_or(DEFAULT_RETRY_INTERVAL).min(MAX_RETRY_INTERVAL)
    }

    /// Converts an error response. `what` is the path, for responses without a message.
    pub(crate) fn error(&self, what: &str, time_of_day: Timestamp) -> Error {
        if self.is_of_somebody_else() {
            return Error::unknown(answered_with_page(what)).with_status(self.status);
        }
        let body = ErrorBody::read(&self.body);
        let message = body.summary().unwrap_or_else(|| self.unexplained(what));
        let kind = match self.status {
            400 | 409 | 412 | 413 | 422 => validation(body, &message),
            401 => ErrorKind::Auth(AuthProblem::Refused),
            403 => forbidden(&message),
            404 | 410 => ErrorKind::NotFound,
            429 => return Error::rate_limit(self.pause(time_of_day)).with_status(self.status),
            451 => ErrorKind::Auth(AuthProblem::Blocked),
            500..=599 => ErrorKind::Server,
            _ => ErrorKind::Unknown,
        };
        Error { kind, message, status: Some(self.status), may_be_done: false }
    }

    /// Returns whether a "not found" response does not come from a Taiga. A Taiga reports a missing object in JSON; an
    /// HTML page comes from a wrong address, or from a proxy in front of a Taiga that is down. Treating it as "not
    /// found" would end a list too early or delete an item for good.
    fn is_of_somebody_else(&self) -> bool {
        let is_absent = matches!(self.status, 404 | 405 | 410);
        is_absent && !self.body.trim_ascii().is_empty() && serde_json::from_slice::<IgnoredAny>(&self.body).is_err()
    }

    fn looks_like_page(&self) -> bool {
        self.body.trim_ascii_start().first() == Some(&b'<')
    }

    fn unexplained(&self, what: &str) -> String {
        let status = self.status;
        match status {
            401 => "the server does not accept these credentials".to_owned(),
            403 => format!("the server refuses `{what}`"),
            404 | 410 => format!("the server has no `{what}`"),
            500..=599 => format!("the server failed with status {status}"),
            _ => format!("the server answered `{what}` with status {status}"),
        }
    }
}

fn answered_with_page(what: &str) -> String {
    format!("`{what}` was answered with a web page: is this the address of a Taiga's API?")
}

fn validation(body: ErrorBody, message: &str) -> ErrorKind {
    let mut fields = body.fields;
    if let Some(field) = foreign_field(message) {
        fields.insert(field.to_owned(), message.to_owned());
    }
    ErrorKind::Validation { fields, conflict: body.version_refused }
}

fn forbidden(message: &str) -> ErrorKind {
    if let Some(field) = foreign_field(message) {
        let fields = BTreeMap::from([(field.to_owned(), message.to_owned())]);
        return ErrorKind::Validation { fields, conflict: false };
    }
    // All of these have the same error type; only the text differs, and English was requested.
    let is_archived = message == "Archived element";
    ErrorKind::Auth(if is_archived { AuthProblem::Archived } else { AuthProblem::Forbidden })
}

/// Field names in Taiga's message, and the same fields in requests.
const FIELDS: &[(&str, &str)] = &[
    ("status ", "status"),
    ("sprint ", "milestone"),
    ("milestone ", "milestone"),
    ("user story ", "user_story"),
    ("severity ", "severity"),
    ("priority ", "priority"),
    ("type ", "type"),
    ("swimlane ", "swimlane"),
];

/// Returns the field that holds an object of another project: "You don't have permissions to set this sprint to this
/// task."
fn foreign_field(message: &str) -> Option<&'static str> {
    let named = message.strip_prefix("You don't have permissions to set this ")?;
    FIELDS.iter().find(|(word, _)| named.starts_with(word)).map(|(_, field)| *field)
}

fn seconds(text: &str) -> Option<Duration> {
    text.trim().parse().ok().map(Duration::from_secs)
}

/// The time until an HTTP date.
fn until(text: &str, now: Timestamp) -> Option<Duration> {
    let moment = jiff::fmt::rfc2822::parse(text.trim()).ok()?.timestamp();
    let left: SignedDuration = moment.duration_since(now);
    Some(Duration::try_from(left).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn response(status: u16, headers: &[(&str, &str)], body: &str) -> HttpResponse {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        HttpResponse { status, headers, body: Zeroizing::new(body.as_bytes().to_vec()) }
    }

    #[test]
    fn pause_is_read_from_either_header() {
        let now: Timestamp = "2026-11-15T19:00:00Z".parse().unwrap();
        let pause = |headers: &[(&str, &str)]| response(429, headers, "").pause(now).as_secs();
        assert_eq!(pause(&[("x-throttle-wait-seconds", "59"), ("retry-after", "7")]), 59);
        assert_eq!(pause(&[("retry-after", "7")]), 7);
        assert_eq!(pause(&[("retry-after", "Sun, 15 Nov 2026 19:00:30 GMT")]), 30);
        assert_eq!(pause(&[("retry-after", "Sun, 15 Nov 2026 18:00:00 GMT")]), 0);
        assert_eq!(pause(&[("retry-after", "soon")]), 10);
        assert_eq!(pause(&[("retry-after", "99999999")]), 3600);
        assert_eq!(pause(&[]), 10);
    }

    #[test]
    fn body_of_a_good_answer_is_not_quoted_in_the_error() {
        let error =
            response(200, &[], r#"{"auth_token": 5, "refresh": "sesame"}"#).json::<Vec<u64>>("/auth").unwrap_err();
        assert_eq!(error.kind, ErrorKind::Unknown);
        assert!(!error.message.contains("sesame"), "{error}");
        let error = response(200, &[], "\n<!doctype html>").json::<Vec<u64>>("/projects").unwrap_err();
        insta::assert_snapshot!(error.message, @"`/projects` was answered with a web page: is this the address of a Taiga's API?");
    }

    #[test]
    fn not_found_from_a_proxy_is_not_trusted() {
        let kind = |body: &str| response(404, &[], body).error("/tasks/3", Timestamp::UNIX_EPOCH).kind;
        for ours in [r#"{"_error_message": ""}"#, r#""gone""#, "", "\n"] {
            assert_eq!(kind(ours), ErrorKind::NotFound, "{ours}");
        }
        for foreign in ["404 page not found\n", "\n<!doctype html>\n<title>Not Found</title>"] {
            assert_eq!(kind(foreign), ErrorKind::Unknown, "{foreign}");
        }
    }

    #[test]
    fn things_of_another_project_are_a_mistake_in_a_field() {
        let text = r#"{"_error_message": "You don't have permissions to set this sprint to this issue."}"#;
        for status in [400, 403] {
            let error = response(status, &[], text).error("/issues", Timestamp::UNIX_EPOCH);
            let ErrorKind::Validation { fields, conflict: false } = error.kind else { panic!("{error:?}") };
            assert_eq!(fields.keys().collect::<Vec<_>>(), ["milestone"]);
        }
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_some_error(status in 300u16..600, body in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200)) {
            let response = HttpResponse { status, headers: Vec::new(), body: Zeroizing::new(body) };
            let error = response.error("/x", Timestamp::UNIX_EPOCH);
            proptest::prop_assert_eq!(error.status, Some(status));
            proptest::prop_assert!(!error.message.is_empty());
        }

        #[test]
        fn any_json_is_some_error(status in 300u16..600, key in "[a-z_]{0,12}|version|detail|error|_error_message", text in ".{0,40}") {
            for value in [serde_json::json!(text), serde_json::json!([text, 1, null]), serde_json::json!({"a": [text]})] {
                let body = serde_json::json!({ key.as_str(): value }).to_string();
                let error = response(status, &[], &body).error("/x", Timestamp::UNIX_EPOCH);
                proptest::prop_assert!(!error.message.is_empty() && !error.message.contains(char::is_control));
            }
        }
    }
}
