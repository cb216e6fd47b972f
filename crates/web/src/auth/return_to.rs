//! The page to return to after the login.

use axum::http::request::Parts;
use axum::http::{HeaderMap, Method};

use crate::pages::encoded;

/// A path on this server. Anything else, such as an open redirect, becomes the start page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ReturnTo(Option<String>);

impl ReturnTo {
    /// Parses the value of the form.
    pub(super) fn given(text: &str) -> Self {
        // Browsers treat `//host` and `/\\host` as other hosts.
        let is_ours = text.starts_with('/') && !text[1..].starts_with(['/', '\\']);
        let is_address = text.bytes().all(|byte| byte.is_ascii_graphic());
        Self((is_ours && is_address && text != "/").then(|| text.to_owned()))
    }

    /// Returns the page of a request.
    pub(super) fn of(parts: &Parts) -> Self {
        Self::given(parts.uri.path_and_query().map_or("", |asked| asked.as_str()))
    }

    /// Returns the path.
    pub(super) fn place(self) -> String {
        self.0.unwrap_or_else(|| "/".to_owned())
    }

    /// Returns the path, unless it is the start page.
    pub(super) fn elsewhere(&self) -> Option<&str> {
        self.0.as_deref()
    }

    /// Returns the URL of the login page that leads back here.
    pub(super) fn by_login(&self) -> String {
        self.0.as_ref().map_or_else(|| "/login".to_owned(), |place| format!("/login?next={}", encoded(place)))
    }
}

/// Returns whether a request follows a link from another site. Browsers withhold `SameSite=Strict` cookies then, so the
/// session is unknown until the page sends a request of its own.
pub(super) fn is_from_elsewhere(method: &Method, headers: &HeaderMap) -> bool {
    let says =
        |name: &str, words: &[&str]| headers.get(name).is_some_and(|value| words.iter().any(|word| value == word));
    method == Method::GET
        && says("sec-fetch-mode", &["navigate"])
        && says("sec-fetch-site", &["cross-site", "same-site"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_own_paths_are_returned_to() {
        for place in ["/board/2", "/backlog?filter=a%20b&more=c"] {
            assert_eq!(ReturnTo::given(place).place(), place);
        }
        for other in ["", "/", "//evil.example", "/\\evil.example", "https://evil.example", "/a\r\nX: y", "board", "/ü"]
        {
            assert_eq!(ReturnTo::given(other).place(), "/", "{other}");
        }
        assert_eq!(ReturnTo::given("/search?q=a&b").by_login(), "/login?next=%2Fsearch%3Fq%3Da%26b");
        assert_eq!(ReturnTo::given("//evil.example").by_login(), "/login");
    }
}
