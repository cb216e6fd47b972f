//! One whole item as text and as structured content. Within the token limit the newest comments are kept; omitted parts
//! are named.

use std::fmt::Write as _;

use app::view::{ItemView, without_empty_keys};
use mcp::ToolResult;
use model::person::Person;
use model::tokens::{estimate, shorten};
use serde_json::{Map, Value, json};

use super::attachments;
use super::rows::{in_words, line};

/// Keys that the first line has, or that mean nothing to a reader.
const NOT_LISTED: &[&str] = &[
    "number",
    "kind",
    "title",
    "status",
    "category",
    "priority",
    "labels",
    "assignee",
    "blockedBy",
    "blocked",
    "rank",
    "commentCount",
    "deleted",
    "description",
    "comments",
    "cut",
];

pub(super) fn answer(item: &ItemView, max_tokens: usize) -> ToolResult {
    let (mut shown, first) = (fields(item), line(item));
    let text = fit(&mut shown, &first, max_tokens);
    let structured = json!({"items": [shown], "total": 1, "returned": 1, "nextCursor": null});
    ToolResult { structured: Some(structured), ..ToolResult::text(text) }
}

/// Returns one item as text, within a limit.
pub(super) fn text(item: &ItemView, max_tokens: usize) -> String {
    fit(&mut fields(item), &line(item), max_tokens)
}

fn fields(item: &ItemView) -> Map<String, Value> {
    let Value::Object(mut fields) = without_empty_keys(json!(item)) else { return Map::new() };
    if !item.attachments.is_empty() {
        fields.insert("attachments".to_owned(), attachments::listed(item));
    }
    if item.assignees.len() < 2 {
        fields.remove("assignees");
    }
    fields
}

/// Shortens the description and drops the oldest comments until the text fits; returns the text.
fn fit(fields: &mut Map<String, Value>, first: &str, max_tokens: usize) -> String {
    let mut text = written(fields, first);
    if estimate(&text) <= max_tokens {
        return text;
    }
    let whole = std::mem::take(fields);
    // The estimates of the parts do not add up to that of the text exactly: aim lower until the text itself fits.
    for less in [0, 4, 8, 16, 32, 64] {
        *fields = cut_to(whole.clone(), first, max_tokens.saturating_sub(less));
        text = written(fields, first);
        if estimate(&text) <= max_tokens {
            break;
        }
    }
    text
}

/// Cuts the description and the oldest comments to about this many tokens, and names the omitted parts.
fn cut_to(mut fields: Map<String, Value>, first: &str, max_tokens: usize) -> Map<String, Value> {
    let comments = fields.remove("comments").and_then(|comments| comments.as_array().cloned()).unwrap_or_default();
    let mut cut = Vec::new();
    // The comments get the tokens that the description leaves, at least a third.
    let share = if comments.is_empty() { max_tokens } else { max_tokens * 2 / 3 };
    if let Some(description) = fields.get("description").and_then(Value::as_str).map(str::to_owned) {
        let left = share.saturating_sub(cost_without_description(&fields, first) + CUT_LINE);
        let kept = shorten(&description, left);
        if kept != description {
            cut.push("the end of the description".to_owned());
            fields.insert("description".to_owned(), kept.into());
        }
    }
    let n_comments = comments.len();
    let kept = newest_fitting(&fields, first, comments, max_tokens);
    if kept.len() < n_comments {
        cut.push(format!("the {} oldest comments", n_comments - kept.len()));
    }
    if !kept.is_empty() {
        fields.insert("comments".to_owned(), kept.into());
    }
    if !cut.is_empty() {
        fields.insert("cut".to_owned(), cut.into());
    }
    fields
}

fn cost_without_description(fields: &Map<String, Value>, first: &str) -> usize {
    let mut rest = fields.clone();
    rest.remove("description");
    estimate(&written(&rest, first))
}

/// Tokens for the line that names the omitted parts.
const CUT_LINE: usize = 30;

fn newest_fitting(fields: &Map<String, Value>, first: &str, comments: Vec<Value>, max_tokens: usize) -> Vec<Value> {
    let mut left = max_tokens.saturating_sub(estimate(&written(fields, first)) + CUT_LINE);
    let mut kept: Vec<Value> = Vec::new();
    for comment in comments.into_iter().rev() {
        let cost = estimate(&one_comment(&comment)) + 1;
        if cost > left {
            break;
        }
        left -= cost;
        kept.push(comment);
    }
    kept.reverse();
    kept
}

/// Formats the fields: the first line, one line for each other field, the description, the comments.
fn written(fields: &Map<String, Value>, first: &str) -> String {
    let mut text = format!("{first}\n");
    for (name, value) in fields.iter().filter(|(name, _)| !NOT_LISTED.contains(&name.as_str())) {
        let _ = writeln!(text, "{name}: {}", in_words(value));
    }
    if let Some(description) = fields.get("description").and_then(Value::as_str) {
        let _ = writeln!(text, "\n{}", description.trim_end());
    }
    let comments = fields.get("comments").and_then(Value::as_array);
    if comments.is_some() {
        text.push_str("\nComments, oldest first:\n");
    }
    text.extend(comments.into_iter().flatten().map(one_comment));
    if let Some(cut) = fields.get("cut") {
        let _ = writeln!(text, "\nCut: {}; a higher `max_tokens` shows more.", in_words(cut));
    }
    text
}

fn one_comment(comment: &Value) -> String {
    let part = |name: &str| comment[name].as_str().unwrap_or_default().to_owned();
    let day = part("created").get(..10).unwrap_or_default().to_owned();
    format!("- {day} {}: {}\n", Person::parse(&part("author")).short(), part("body").trim_end())
}
