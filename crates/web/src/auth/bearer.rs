//! The bearer token of a request.

use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;

/// Returns the bearer token; `None` if the header is missing, repeated or has another scheme.
pub(crate) fn token(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return None };
    let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_bearer_token_counts() {
        let read = |values: &[&str]| {
            let headers = values.iter().map(|value| (AUTHORIZATION, value.parse().expect("a header"))).collect();
            token(&headers).map(str::to_owned)
        };
        assert_eq!(read(&["Bearer abc"]).as_deref(), Some("abc"));
        assert_eq!(read(&["bearer  abc "]).as_deref(), Some("abc"));
        for values in [&[][..], &[""], &["abc"], &["Bearer"], &["Bearer "], &["Basic abc"], &["Bearer a", "Bearer b"]] {
            assert_eq!(read(values), None, "{values:?}");
        }
    }
}
