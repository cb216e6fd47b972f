//! Rules for texts that a schema cannot express with a useful message. They are the same for both back ends, so that
//! both accept the same texts.

use serde_json::Value;
use tracker::Priority;

/// Fields with a single non-empty line.
const LINES: [&str; 5] = ["subject", "severity", "type", "query", "name"];

/// Returns the texts that a back end could not store unchanged: the field, and the reason.
pub(super) fn mistakes(tool: &str, given: &Value) -> Vec<(String, String)> {
    let reserved = reserved(tool);
    let mut details = Vec::new();
    for (field, value) in given.as_object().into_iter().flatten() {
        refuse_nul(field, value, &mut details);
        match (field.as_str(), value) {
            ("tags", Value::Array(tags)) => details.extend(tag_mistakes(tags, reserved)),
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
    details
}

const ONE_LINE: &str = "Must be one line";
const EMPTY: &str = "Must not be empty";

fn line_mistake(text: &str) -> Option<&'static str> {
    if text.trim().is_empty() {
        return Some(EMPTY);
    }
    text.trim().contains(['\n', '\r']).then_some(ONE_LINE)
}

/// Returns why a tag such as `priority:high` is not allowed for this tool; `None` if it is an ordinary tag. Stories and
/// tasks store their priority in that tag on a server, so it is never among their visible tags.
fn reserved(tool: &str) -> Option<&'static str> {
    let noun = tool.split_once('_').map_or(tool, |(_, noun)| noun);
    match noun {
        "user_story" | "task" => Some("Stands for a priority; give priority instead"),
        "user_stories" | "tasks" => Some("Stands for a priority, which lists cannot be narrowed by"),
        _ => None,
    }
}

fn tag_mistakes(tags: &[Value], reserved: Option<&'static str>) -> impl Iterator<Item = (String, String)> {
    let reason = move |tag: &str| match line_mistake(tag) {
        Some(reason) => Some(reason),
        None if tag.contains(',') => Some("Must not contain a comma"),
        None => reserved.filter(|_| Priority::is_tag(tag.trim())),
    };
    let mistake =
        move |(place, tag): (usize, &Value)| Some((format!("tags.{place}"), reason(tag.as_str()?)?.to_owned()));
    tags.iter().enumerate().filter_map(mistake)
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
