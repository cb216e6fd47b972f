//! CSRF check. Browsers add cookies to requests from other sites too, so a cookie alone proves nothing;
//! `Sec-Fetch-Site` and `Origin` do.

use axum::http::HeaderMap;
use axum::http::header::{HOST, ORIGIN};

/// Returns whether the browser declares the request as same-origin.
pub(super) fn is_same_origin(headers: &HeaderMap) -> bool {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(site) = text("sec-fetch-site") {
        return site == "same-origin";
    }
    let host = text(HOST.as_str()).unwrap_or_default();
    let origin = text(ORIGIN.as_str()).and_then(|origin| origin.split_once("://"));
    origin.is_some_and(|(_, authority)| !host.is_empty() && authority.eq_ignore_ascii_case(host))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sender_must_be_named_and_be_us() {
        let check = |pairs: &[(&'static str, &str)]| {
            let headers = pairs
                .iter()
                .map(|(name, value)| (axum::http::HeaderName::from_static(name), value.parse().expect("a header")));
            is_same_origin(&headers.collect())
        };
        let host = ("host", "localhost:8931");
        assert!(check(&[host, ("origin", "http://localhost:8931")]));
        assert!(check(&[host, ("sec-fetch-site", "same-origin")]));
        assert!(!check(&[host]));
        assert!(!check(&[host, ("origin", "http://localhost:1")]));
        assert!(!check(&[host, ("origin", "null")]));
        assert!(!check(&[("origin", "http://")]));
        assert!(!check(&[host, ("origin", "http://localhost:8931"), ("sec-fetch-site", "cross-site")]));
    }
}
