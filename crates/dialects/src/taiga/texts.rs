//! Rules for texts that a schema cannot say in words a model understands. They are the same for both back ends, so that
//! what one takes the other takes too.

use app::tracker::{Answer, Failure, Priority};
use serde_json::Value;

/// Fields whose text is one line that says something.
const LINES: [&str; 4] = ["subject", "severity", "type", "query"];

/// Refuses texts that no back end can keep as they are.
pub(super) fn check(given: &Value) -> Answer<()> {
    let mut details = Vec::new();
    for (field, value) in given.as_object().into_iter().flatten() {
        refuse_nul(field, value, &mut details);
        match (field.as_str(), value) {
            ("tags", Value::Array(tags)) => details.extend(tags.iter().enumerate().filter_map(tag_mistake)),
            (name, Value::String(text)) if LINES.contains(&name) => {
                details.extend(line_mistake(text).map(|reason| (field.clone(), reason.to_owned())));
            }
            ("blocked", Value::Object(blocked)) => {
                let reason = blocked.get("reason").and_then(Value::as_str).unwrap_or_default();
                if reason.contains(['\n', '\r']) {
                    details.push(("blocked.reason".to_owned(), ONE_LINE.to_owned()));
                }
            }
            _ => {}
        }
    }
    if details.is_empty() { Ok(()) } else { Err(Failure::fields(details)) }
}

const ONE_LINE: &str = "Must be one line";
const EMPTY: &str = "Must not be empty";

fn line_mistake(text: &str) -> Option<&'static str> {
    if text.trim().is_empty() {
        return Some(EMPTY);
    }
    text.trim().contains(['\n', '\r']).then_some(ONE_LINE)
}

fn tag_mistake((place, tag): (usize, &Value)) -> Option<(String, String)> {
    let tag = tag.as_str()?;
    let reason = match line_mistake(tag) {
        Some(reason) => reason,
        None if tag.contains(',') => "Must not contain a comma",
        None if Priority::is_tag(tag.trim()) => "Stands for a priority; give priority instead",
        None => return None,
    };
    Some((format!("tags.{place}"), reason.to_owned()))
}

fn refuse_nul(field: &str, value: &Value, details: &mut Vec<(String, String)>) {
    let has_nul = match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(texts) => texts.iter().filter_map(Value::as_str).any(|text| text.contains('\0')),
        Value::Object(texts) => texts.values().filter_map(Value::as_str).any(|text| text.contains('\0')),
        _ => false,
    };
    if has_nul {
        details.push((field.to_owned(), "Must not contain a NUL character".to_owned()));
    }
}
