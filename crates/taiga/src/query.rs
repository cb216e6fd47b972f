//! Query strings.

use std::fmt::Display;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// The parameters of a query string.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    pairs: Vec<(&'static str, String)>,
}

impl Query {
    pub(crate) fn with(mut self, name: &'static str, value: impl Display) -> Self {
        self.add(name, value);
        self
    }

    pub(crate) fn add(&mut self, name: &'static str, value: impl Display) {
        self.pairs.push((name, value.to_string()));
    }

    /// Adds a parameter if it has a value.
    pub(crate) fn add_some(&mut self, name: &'static str, value: Option<impl Display>) {
        if let Some(value) = value {
            self.add(name, value);
        }
    }

    /// Adds a comma-separated list, which means any of its values; nothing if it is empty.
    pub(crate) fn add_any(&mut self, name: &'static str, values: impl IntoIterator<Item = impl Display>) {
        let values: Vec<String> = values.into_iter().map(|value| value.to_string()).collect();
        if !values.is_empty() {
            self.add(name, values.join(","));
        }
    }

    /// Appends the query to a path.
    pub(crate) fn after(&self, path: &str) -> String {
        let mut text = path.to_owned();
        for (index, (name, value)) in self.pairs.iter().enumerate() {
            text.push(if index == 0 { '?' } else { '&' });
            text.push_str(name);
            text.push('=');
            text.extend(utf8_percent_encode(value, ENCODED));
        }
        text
    }
}

/// All but the unreserved characters of a URL, and the comma, which separates values.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b',');

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_encoded() {
        let mut query = Query::default().with("q", "a&b=ü +%");
        query.add_any("status", [1, 2]);
        query.add_any("tags", [""; 0]);
        query.add_some("milestone", None::<u64>);
        assert_eq!(query.after("/x"), "/x?q=a%26b%3D%C3%BC%20%2B%25&status=1,2");
    }
}
