//! The `Content-Type` and `Accept` headers. Media types are case-insensitive, and a list may be spread over several
//! headers of the same name.

use axum::http::header::{ACCEPT, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue};

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";

/// Returns whether the client accepts both JSON and event streams.
pub(super) fn takes_both(headers: &HeaderMap) -> bool {
    takes(headers, JSON) && takes_events(headers)
}

/// Returns whether the client accepts event streams.
pub(super) fn takes_events(headers: &HeaderMap) -> bool {
    takes(headers, EVENTS)
}

/// Returns whether the request body is declared as JSON.
pub(super) fn brings_json(headers: &HeaderMap) -> bool {
    headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).is_some_and(|value| is_named(value, JSON))
}

/// Normalizes the checked headers to the one form that the library parses.
pub(super) fn normalize(headers: &mut HeaderMap) {
    headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(JSON));
}

fn takes(headers: &HeaderMap, wanted: &str) -> bool {
    let lists = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    lists.flat_map(|list| list.split(',')).any(|entry| is_named(entry, wanted))
}

fn is_named(entry: &str, wanted: &str) -> bool {
    entry.split(';').next().is_some_and(|name| name.trim().eq_ignore_ascii_case(wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: &axum::http::HeaderName, values: &[&str]) -> HeaderMap {
        values.iter().map(|value| (name.clone(), value.parse().expect("a header"))).collect()
    }

    #[test]
    fn accept_list_may_span_headers_and_ignores_case() {
        for values in [
            &["application/json, text/event-stream"][..],
            &["text/event-stream;q=0.5,application/json;q=0.9"],
            &["application/json", "text/event-stream"],
            &["Application/JSON, TEXT/Event-Stream"],
        ] {
            assert!(takes_both(&headers(&ACCEPT, values)), "{values:?}");
        }
        for values in [&[][..], &[""], &["*/*"], &["application/json"], &["application/jsonx, text/event-stream"]] {
            assert!(!takes_both(&headers(&ACCEPT, values)), "{values:?}");
        }
    }

    #[test]
    fn only_json_is_json() {
        for value in ["application/json", "Application/JSON", "application/json; charset=utf-8", "application/json;x=y"]
        {
            assert!(brings_json(&headers(&CONTENT_TYPE, &[value])), "{value}");
        }
        for value in ["", "text/plain", "application/jsonx", "application/json-patch+json"] {
            assert!(!brings_json(&headers(&CONTENT_TYPE, &[value])), "{value}");
        }
        assert!(!brings_json(&HeaderMap::new()));
    }
}
