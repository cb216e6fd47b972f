//! The types that a request names: what it brings, and what it takes. Names of types have no case, and a list may stand
//! in several headers of one name, as HTTP has it.

use axum::http::header::{ACCEPT, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue};

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";

/// Tells whether a client takes both forms of an answer.
pub(super) fn takes_both(headers: &HeaderMap) -> bool {
    takes(headers, JSON) && takes_events(headers)
}

/// Tells whether a client takes a stream.
pub(super) fn takes_events(headers: &HeaderMap) -> bool {
    takes(headers, EVENTS)
}

/// Tells whether a request says that it brings JSON.
pub(super) fn brings_json(headers: &HeaderMap) -> bool {
    headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).is_some_and(|value| is_named(value, JSON))
}

/// Writes down what was found out in the one way that the library reads.
pub(super) fn settle(headers: &mut HeaderMap) {
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
    fn list_may_stand_in_several_headers_and_has_no_case() {
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
