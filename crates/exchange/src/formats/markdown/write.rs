//! Writes items as Markdown.

use std::fmt::Write as _;
use std::io::Read as _;
use std::path::Path;

use serde_json::{Map, Value};

use super::super::front_matter::write_value;
use super::{COMMENT_MARK, ITEM_MARK, MARK_START};

/// Keys of an item that are not written: they follow from others, are the body, or are nothing without contents.
const UNWRITTEN: &[&str] = &[
    "attachments",
    "description",
    "comments",
    "children",
    "formerlyThisNumber",
    "commits",
    "formerNumbers",
    "revision",
    "commentCount",
    "category",
    "state",
    "blockedBy",
    "assignee",
];

/// Writes an item, in the shape of `cairn show --json`, as the content of a file.
pub(crate) fn item(item: &Map<String, Value>) -> String {
    let mut text = String::from("---\n");
    for (name, value) in
        item.iter().filter(|(name, value)| !UNWRITTEN.contains(&name.as_str()) && is_given(name, value))
    {
        let _ = writeln!(text, "{name}: {}", write_value(&plain(name, value)));
    }
    let description = item.get("description").and_then(Value::as_str).unwrap_or_default();
    if !is_kept_in_body(description) {
        let _ = writeln!(text, "description: {}", write_value(&description.into()));
    }
    text.push_str("---\n");
    if !description.is_empty() && is_kept_in_body(description) {
        let _ = write!(text, "\n{}\n", escape(description));
    }
    for comment in item.get("comments").and_then(Value::as_array).into_iter().flatten() {
        let mut body = comment["body"].as_str().unwrap_or_default();
        let in_head = if is_kept_in_body(body) { None } else { Some("body") };
        let keys = ["id", "author", "created"].into_iter().chain(in_head);
        let head: Map<String, Value> = keys.map(|key| (key.to_owned(), comment[key].clone())).collect();
        if in_head.is_some() {
            body = "";
        }
        let _ = write!(text, "{COMMENT_MARK}{} -->\n{}\n", no_end(&write_value(&Value::Object(head))), escape(body));
    }
    text
}

/// Writes an item as one of several in a file.
pub(crate) fn one_of_many(fields: &Map<String, Value>) -> String {
    format!("{ITEM_MARK}\n{}", item(fields))
}

// Editors and git change the line breaks of a file as a whole, so those of a text with carriage returns are escaped.
fn is_kept_in_body(text: &str) -> bool {
    !text.contains('\r')
}

fn is_given(name: &str, value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(values) => !values.is_empty(),
        Value::Object(fields) if name == "blocked" => fields.get("is") == Some(&Value::Bool(true)),
        Value::Object(fields) => !fields.is_empty(),
        Value::Number(number) => number.as_u64() != Some(0),
        Value::Bool(true) => true,
    }
}

// Other items are named by their ids.
fn plain(name: &str, value: &Value) -> Value {
    let id = |value: &Value| value.get("id").cloned().unwrap_or(Value::Null);
    match name {
        "parent" | "milestone" | "board" => id(value),
        "blocks" | "relates" => value.as_array().into_iter().flatten().map(id).collect(),
        _ => value.clone(),
    }
}

// A name must not close the comment that it is in.
fn no_end(json: &str) -> String {
    json.replace("-->", "--\\u003e").replace("--!>", "--!\\u003e")
}

/// Marks lines that would look like those which only a machine reads.
fn escape(text: &str) -> String {
    if !text.contains(MARK_START) {
        return text.to_owned();
    }
    let escaped = text.split_inclusive('\n').map(|line| {
        let looks_marked = line.trim_start_matches('\\').starts_with(MARK_START);
        if looks_marked { format!("\\{line}") } else { line.to_owned() }
    });
    escaped.collect()
}

/// Returns how the names of an item's files begin, whatever its title is.
pub(crate) fn file_prefix(item: &Map<String, Value>) -> String {
    let kind = item.get("kind").and_then(Value::as_str).unwrap_or_default();
    format!("{kind}-{}", item.get("number").and_then(Value::as_u64).unwrap_or(0))
}

/// Returns the beginning of a file's name that says whose it is; `None` if an export does not write such names.
pub(crate) fn prefix_of(name: &str) -> Option<&str> {
    let (kind, rest) = name.strip_suffix(".md")?.split_once('-')?;
    let n_digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    Some(&name[..kind.len() + 1 + n_digits]).filter(|_| n_digits > 0)
}

/// Returns whether a file was written for this item: its front matter begins with the item's id.
pub(crate) fn is_file_of(path: &Path, item: &Map<String, Value>) -> bool {
    let id = item.get("id").cloned().unwrap_or_default();
    let expected = format!("---\nid: {}\n", write_value(&id));
    let mut start = vec![0; expected.len()];
    let read = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut start));
    read.is_ok() && start == expected.as_bytes()
}

/// Returns the name of an item's file: the number and the words of its title, nothing that a path could mean.
pub(crate) fn file_name(item: &Map<String, Value>) -> String {
    let prefix = file_prefix(item);
    let title = item.get("title").and_then(Value::as_str).unwrap_or_default();
    let mut words = String::new();
    for c in title.chars().flat_map(char::to_lowercase) {
        if c.is_alphanumeric() {
            words.push(c);
        } else if !words.is_empty() && !words.ends_with('-') {
            words.push('-');
        }
        // Counted in bytes: a name may have 255 of them.
        if words.len() >= 60 {
            break;
        }
    }
    let words = words.trim_end_matches('-');
    if words.is_empty() { format!("{prefix}.md") } else { format!("{prefix}-{words}.md") }
}
