//! Parses the body of an error response, in any of the shapes that Taiga uses.
//!
//! Texts are truncated and cleaned here, and HTML pages are never quoted.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// The content of an error body, whatever its shape.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ErrorBody {
    /// Message for the whole request; may be empty.
    pub(crate) message: String,
    /// Messages by field.
    pub(crate) fields: BTreeMap<String, String>,
    /// Whether the version was rejected as outdated, as opposed to malformed.
    pub(crate) version_refused: bool,
}

/// Maximum length of a text.
const MAX_TEXT: usize = 500;

impl ErrorBody {
    pub(crate) fn read(body: &[u8]) -> Self {
        match serde_json::from_slice(body) {
            Ok(Value::Object(object)) => Self::of_object(&object),
            Ok(Value::String(text)) => Self::of_message(&text),
            // HTML, an empty body, or JSON that Taiga does not use for errors.
            Ok(_) | Err(_) => Self::default(),
        }
    }

    fn of_object(object: &Map<String, Value>) -> Self {
        let message = ["_error_message", "detail", "error"].iter().find_map(|key| object.get(*key)?.as_str());
        // `error` may also be the name of a field, but then its value is a list.
        if let Some(message) = message {
            return Self::of_message(message);
        }
        let messages = object.iter().filter(|(key, _)| !key.starts_with("_error_"));
        let fields: BTreeMap<_, _> = messages.map(|(key, value)| (tidy(key), tidy(&joined(value)))).collect();
        let version_refused = object.get("version").is_some_and(Value::is_string);
        Self { message: String::new(), fields, version_refused }
    }

    fn of_message(message: &str) -> Self {
        Self { message: tidy(message), ..Self::default() }
    }

    /// Returns everything on one line.
    pub(crate) fn summary(&self) -> Option<String> {
        if !self.message.is_empty() {
            return Some(self.message.clone());
        }
        let messages: Vec<String> = self.fields.iter().map(|(field, why)| format!("{field}: {why}")).collect();
        (!messages.is_empty()).then(|| cut(&messages.join("; ")))
    }
}

/// All texts in a value, at any depth.
fn joined(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(joined).collect::<Vec<_>>().join(" "),
        Value::Object(object) => object.values().map(joined).collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    }
}

/// Cleans untrusted text for one line on a terminal.
fn tidy(text: &str) -> String {
    let spaced: String = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    cut(spaced.trim())
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_TEXT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(body: &str) -> Option<String> {
        ErrorBody::read(body.as_bytes()).summary()
    }

    #[test]
    fn every_shape_is_read() {
        let messages = [
            (r#"{"_error_message": "Archived element", "_error_type": "x"}"#, Some("Archived element")),
            (r#"{"_error_message": ""}"#, None),
            (r#"{"subject": ["Required."], "project": ["a", "b"]}"#, Some("project: a b; subject: Required.")),
            (r#"{"points": "Invalid role id '9'"}"#, Some("points: Invalid role id '9'")),
            (r#"{"detail": "Token is invalid", "code": "token_not_valid", "messages": []}"#, Some("Token is invalid")),
            (r#"{"error": "comment is required"}"#, Some("comment is required")),
            (r#""ref param is needed""#, Some("ref param is needed")),
            ("\n<!doctype html>\n<title>Not Found</title>", None),
            ("", None),
        ];
        for (body, expected) in messages {
            assert_eq!(summary(body).as_deref(), expected, "{body}");
        }
    }

    #[test]
    fn version_counts_as_refused_only_when_it_was_compared() {
        let refused = |body: &str| ErrorBody::read(body.as_bytes()).version_refused;
        assert!(refused(r#"{"version": "The version doesn't match with the current one"}"#));
        assert!(!refused(r#"{"version": ["Enter a whole number."]}"#));
        assert!(!refused(r#"{"subject": ["Required."]}"#));
    }

    #[test]
    fn text_is_cut_and_cleaned() {
        let long = format!(r#""\u001b[31m{}""#, "é".repeat(9000));
        let messages = summary(&long).unwrap();
        assert!(messages.starts_with("[31mé") && messages.ends_with('…') && messages.chars().count() == MAX_TEXT + 1);
    }
}
