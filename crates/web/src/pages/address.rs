//! URLs of pages: parsing and encoding of query strings.

use std::fmt::Write as _;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// The query parameters of a URL, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Asked(Vec<(String, String)>);

impl Asked {
    /// Wraps decoded parameters.
    pub(super) fn of(pairs: Vec<(String, String)>) -> Self {
        Self(pairs)
    }

    /// Returns the first nonempty value of a parameter.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        let mut given = self.0.iter().filter(|(given, _)| given == name).map(|(_, value)| value.as_str());
        given.find(|value| !value.trim().is_empty())
    }

    /// Returns all values of a parameter.
    pub(super) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(given, _)| given == name).map(|(_, value)| value.as_str())
    }

    /// Returns the query with a parameter replaced, or removed for `None`.
    pub(super) fn with(&self, name: &str, value: Option<&str>) -> Self {
        let mut pairs = self.0.clone();
        pairs.retain(|(given, _)| given != name);
        pairs.extend(value.map(|value| (name.to_owned(), value.to_owned())));
        Self(pairs)
    }

    /// Returns the query with one more value of a parameter.
    pub(super) fn and(mut self, name: &str, value: &str) -> Self {
        self.0.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Returns the URL of a page with this query.
    pub(super) fn at(&self, path: &str) -> String {
        let mut address = path.to_owned();
        for (place, (name, value)) in self.0.iter().enumerate() {
            let mark = if place == 0 { '?' } else { '&' };
            let _ = write!(address, "{mark}{}={}", encoded(name), encoded(value));
        }
        address
    }
}

/// Percent-encodes text for any part of a URL.
pub(crate) fn encoded(text: &str) -> String {
    utf8_percent_encode(text, ENCODED).to_string()
}

/// All but the unreserved characters of a URL.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_can_be_read() {
        let asked = Asked::default().and("filter", "labels ~ \"a&b\" and ü").and("more", "x=1");
        let address = asked.at("/backlog");
        assert_eq!(address, "/backlog?filter=labels%20~%20%22a%26b%22%20and%20%C3%BC&more=x%3D1");
        let uri: axum::http::Uri = address.parse().unwrap();
        let axum::extract::Query(pairs) = axum::extract::Query::<Vec<(String, String)>>::try_from_uri(&uri).unwrap();
        assert_eq!(Asked(pairs), asked);
    }

    #[test]
    fn another_value_takes_the_place_of_the_first() {
        let asked = Asked::default().and("filter", "a").and("more", "b");
        assert_eq!(asked.with("filter", Some("c")).at("/"), "/?more=b&filter=c");
        assert_eq!(asked.with("filter", None).at("/"), "/?more=b");
        assert_eq!(asked.with("more", Some(" ")).text("more"), None);
    }
}
