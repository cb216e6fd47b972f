//! Where someone wanted to go before they had to log in.

use axum::http::request::Parts;
use axum::http::{HeaderMap, Method};

use crate::pages::encoded;

/// A page of ours. What other sites might have put in its place is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WayBack(Option<String>);

impl WayBack {
    /// Reads what a request brings back from the form.
    pub(super) fn given(text: &str) -> Self {
        // Browsers take `//host` and `/\\host` for other machines.
        let is_ours = text.starts_with('/') && !text[1..].starts_with(['/', '\\']);
        let is_address = text.bytes().all(|byte| byte.is_ascii_graphic());
        Self((is_ours && is_address && text != "/").then(|| text.to_owned()))
    }

    /// Returns the page that a request is for.
    pub(super) fn of(parts: &Parts) -> Self {
        Self::given(parts.uri.path_and_query().map_or("", |asked| asked.as_str()))
    }

    /// Returns where to go.
    pub(super) fn place(self) -> String {
        self.0.unwrap_or_else(|| "/".to_owned())
    }

    /// Returns where to go, unless it is the first page.
    pub(super) fn elsewhere(&self) -> Option<&str> {
        self.0.as_deref()
    }

    /// Returns where to log in on the way.
    pub(super) fn by_login(&self) -> String {
        self.0.as_ref().map_or_else(|| "/login".to_owned(), |place| format!("/login?next={}", encoded(place)))
    }
}

/// Tells whether someone follows a link on another site. The browser keeps a strict cookie back then, so that nothing
/// is known about who it is until the page asks for itself.
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
    fn only_pages_of_ours_are_gone_back_to() {
        for place in ["/board/2", "/backlog?filter=a%20b&more=c"] {
            assert_eq!(WayBack::given(place).place(), place);
        }
        for other in ["", "/", "//evil.example", "/\\evil.example", "https://evil.example", "/a\r\nX: y", "board", "/ü"]
        {
            assert_eq!(WayBack::given(other).place(), "/", "{other}");
        }
        assert_eq!(WayBack::given("/search?q=a&b").by_login(), "/login?next=%2Fsearch%3Fq%3Da%26b");
        assert_eq!(WayBack::given("//evil.example").by_login(), "/login");
    }
}
