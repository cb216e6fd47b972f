//! Items as rows. All tools about items answer in one shape: `items`, `total`, `returned` and `nextCursor`. The text,
//! which the model reads, has one line for each item; the structured content has the same for programs.

use std::fmt::Write as _;

use app::Error;
use app::view::{ItemView, ListView, without_empty_keys};
use mcp::{Fault, Schema, ToolResult};
use model::person::Person;
use model::priority::PriorityLevel;
use model::text::escape_line;
use model::tokens::estimate;
use model::workflow::State;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{fault, object};

/// Maximum length of a description in a row, in characters.
const MAX_DESCRIPTION: usize = 200;
/// Tokens for the line with the numbers and the cursor.
const LAST_LINE: usize = 130;

/// The schema of all answers about items.
pub(super) fn rows_schema() -> Schema {
    let (list, number) = (json!({"type": "array", "items": {"type": "object"}}), json!({"type": "integer"}));
    let cursor = json!({"anyOf": [{"type": "string"}, {"type": "null"}]});
    object(&[("items", list), ("total", number.clone()), ("returned", number), ("nextCursor", cursor)])
}

/// An item in a list, without empty keys.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct RowView {
    number: u64,
    kind: &'static str,
    title: String,
    status: String,
    #[serde(skip_serializing_if = "is_zero")]
    priority: u8,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    labels: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    assignee: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    blocked_by: Vec<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    revision: Option<String>,
    /// The fields that the caller asked for.
    #[serde(flatten)]
    more: Map<String, Value>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &u8) -> bool {
    *number == 0
}

/// Answers with the row of each item that a write changed, with its revision for the next write.
pub(super) fn written_rows(items: Result<Vec<ItemView>, Error>) -> Result<ToolResult, Fault> {
    let items = items.map_err(|error| fault(&error))?;
    let lines: Vec<String> = items.iter().map(line).collect();
    let rows: Vec<RowView> =
        items.iter().map(|item| RowView { revision: Some(item.revision.clone()), ..row(item, &[]) }).collect();
    let structured = json!({"items": rows, "total": rows.len(), "returned": rows.len(), "nextCursor": null});
    Ok(ToolResult { structured: Some(structured), ..ToolResult::text(lines.join("\n")) })
}

/// A request for a page of rows.
pub(super) struct RowsRequest<'a> {
    /// Maximum number of items.
    pub(super) limit: usize,
    /// Maximum number of tokens of the text.
    pub(super) max_tokens: usize,
    /// Fields besides those of every row.
    pub(super) fields: &'a [String],
}

impl RowsRequest<'_> {
    /// Answers with a page: as many items as the limits allow. `fetch` returns a page of at most that many items.
    pub(super) fn answer(&self, fetch: impl Fn(usize) -> Result<ListView, Error>) -> Result<ToolResult, Fault> {
        let fetch = |limit: usize| fetch(limit).map_err(|error| fault(&error));
        let mut page = fetch(self.limit)?;
        let n_fitting = self.n_fitting(&page.items);
        let is_cut = n_fitting < page.items.len();
        if is_cut {
            // Fetched again, so that the cursor continues after the last row that is shown.
            page = fetch(n_fitting)?;
        }
        let mut text: String = page.items.iter().map(|item| self.text(item)).collect();
        text.push_str(&self.last_line(&page, is_cut));
        let rows: Vec<RowView> = page.items.iter().map(|item| row(item, self.fields)).collect();
        let (total, returned) = (page.total, rows.len());
        let structured = json!({"items": rows, "total": total, "returned": returned, "nextCursor": page.next_cursor});
        Ok(ToolResult { structured: Some(structured), ..ToolResult::text(text) })
    }

    /// Returns how many items fit into the budget; at least one.
    fn n_fitting(&self, items: &[ItemView]) -> usize {
        let mut spent = LAST_LINE.min(self.max_tokens / 2);
        let fits = |item: &&ItemView| {
            spent += estimate(&self.text(item));
            spent <= self.max_tokens
        };
        items.iter().take_while(fits).count().max(1)
    }

    fn text(&self, item: &ItemView) -> String {
        let more = picked(item, self.fields);
        let mut text = format!("{}\n", line(item));
        for (name, value) in &more {
            let _ = writeln!(text, "  {name}: {}", in_words(value));
        }
        text
    }

    fn last_line(&self, page: &ListView, is_cut: bool) -> String {
        let (returned, total) = (page.items.len(), page.total);
        let why = if is_cut { format!(", cut at {} tokens", self.max_tokens) } else { String::new() };
        match &page.next_cursor {
            Some(cursor) => format!("{returned} of {total}{why}; next page: cursor {cursor}"),
            None => format!("{returned} of {total}{why}"),
        }
    }
}

/// Formats an item as one line: `#12 task high in_progress Title [labels] @ada blocked by #3`.
pub(super) fn line(item: &ItemView) -> String {
    let mut words = vec![item.name(), item.kind.name().to_owned()];
    let level = PriorityLevel::of(item.priority);
    words.extend((level != PriorityLevel::None).then(|| level.word().to_owned()));
    words.extend([item.status.clone(), escape_line(&item.title)]);
    words.extend((!item.labels.is_empty()).then(|| format!("[{}]", escape_line(&item.labels.join(", ")))));
    words.extend(item.assignee.as_deref().map(|who| format!("@{}", escape_line(Person::parse(who).short()))));
    let blockers: Vec<String> = open_blockers(item).map(app::view::Reference::name).collect();
    words.extend((!blockers.is_empty()).then(|| format!("blocked by {}", blockers.join(", "))));
    match &item.blocked.reason {
        Some(reason) => words.push(format!("blocked: {}", escape_line(reason))),
        None => words.extend(item.blocked.is.then(|| "blocked".to_owned())),
    }
    words.extend(item.deleted.then(|| "deleted".to_owned()));
    words.join(" ")
}

fn open_blockers(item: &ItemView) -> impl Iterator<Item = &app::view::Reference> {
    item.blocked_by.iter().filter(|other| other.state != Some(State::Closed))
}

fn row(item: &ItemView, fields: &[String]) -> RowView {
    RowView {
        number: item.number,
        kind: item.kind.name(),
        title: item.title.clone(),
        status: item.status.clone(),
        priority: item.priority,
        labels: item.labels.clone(),
        assignee: item.assignee.clone(),
        blocked_by: open_blockers(item).filter_map(|other| other.number).collect(),
        revision: None,
        more: picked(item, fields),
    }
}

/// Returns more fields of an item, by their names in JSON; empty ones are left out, a description is shortened.
fn picked(item: &ItemView, fields: &[String]) -> Map<String, Value> {
    if fields.is_empty() {
        return Map::new();
    }
    let Value::Object(mut all) = without_empty_keys(json!(item)) else { return Map::new() };
    if let Some(Value::String(text)) = all.get_mut("description") {
        *text = first_characters(text);
    }
    all.retain(|name, _| fields.iter().any(|wanted| wanted == name));
    all
}

fn first_characters(text: &str) -> String {
    match text.char_indices().nth(MAX_DESCRIPTION) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

/// Formats a value in one line: references as `#5 Title`, lists with commas.
pub(super) fn in_words(value: &Value) -> String {
    match value {
        Value::String(text) => escape_line(text),
        Value::Array(list) => list.iter().map(in_words).collect::<Vec<_>>().join(", "),
        Value::Object(map) if map.contains_key("subject") => commit(map),
        Value::Object(map) => match (map.get("kind"), map.get("number"), map.get("title")) {
            (Some(Value::String(kind)), Some(number), Some(Value::String(title))) => {
                reference(kind, number, title, map)
            }
            _ => map.iter().map(|(name, value)| format!("{name} {}", in_words(value))).collect::<Vec<_>>().join(", "),
        },
        other => other.to_string(),
    }
}

/// Formats a commit: the beginning of its id, its subject, and what became of it.
fn commit(map: &Map<String, Value>) -> String {
    let part = |name: &str| map.get(name).and_then(Value::as_str).unwrap_or_default();
    let id = part("id").get(..8).unwrap_or_default();
    format!("{id} {} ({})", escape_line(part("subject")), part("state"))
}

fn reference(kind: &str, number: &Value, title: &str, map: &Map<String, Value>) -> String {
    let name = if matches!(kind, "milestone" | "board") { format!("{kind}/{number}") } else { format!("#{number}") };
    let closed = if map.get("state").is_some_and(|state| state == "closed") { " (closed)" } else { "" };
    format!("{name} {}{closed}", escape_line(title))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_in_one_line() {
        let other = json!([{"kind": "task", "number": 3, "title": "T", "state": "closed"}, "x"]);
        assert_eq!(in_words(&other), "#3 T (closed), x");
        assert_eq!(in_words(&json!({"kind": "board", "number": 3, "title": "T"})), "board/3 T");
        assert_eq!(in_words(&json!({"is": true, "reason": "lawyers\nagain"})), "is true, reason lawyers\\nagain");
    }

    #[test]
    fn a_long_description_is_shortened_between_characters() {
        assert_eq!(first_characters("ü"), "ü");
        let shortened = first_characters(&"ü".repeat(300));
        assert_eq!(shortened.chars().count(), MAX_DESCRIPTION + 1);
        assert!(shortened.ends_with('…'));
    }
}
