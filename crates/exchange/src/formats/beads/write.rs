//! Writes items as beads does: a JSON object per line, which `bd import` and `cairn import beads` read.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::PRIORITIES;
use crate::export::{Exported, closed_at, referred, text, texts};

/// Returns the id of an item in beads: the one it came with, else one made of its kind and number.
pub(crate) fn id(item: &Exported) -> String {
    if referred(item, "imported", "from") == "beads" {
        return referred(item, "imported", "id").to_owned();
    }
    let number = item.get("number").and_then(Value::as_u64).unwrap_or(0);
    match text(item, "kind") {
        kind @ ("milestone" | "board") => format!("cairn-{kind}-{number}"),
        _ => format!("cairn-{number}"),
    }
}

/// Returns the line of an item; `None` for a board, which beads has not. `ids` has the ids of all items by UUID.
pub(crate) fn line(item: &Exported, ids: &HashMap<String, String>) -> Option<String> {
    let kind = text(item, "kind");
    if kind == "board" {
        return None;
    }
    let id = id(item);
    let mut issue = Map::new();
    let mut put = |name: &str, value: Value| {
        if !value.is_null() && value != "" && value != json!([]) {
            issue.insert(name.to_owned(), value);
        }
    };
    put("id", id.as_str().into());
    put("title", text(item, "title").into());
    put("description", text(item, "description").into());
    put("status", status(item).into());
    put("priority", priority(item.get("priority").and_then(Value::as_u64).unwrap_or(0)).into());
    put("issue_type", issue_type(kind, text(item, "type")).into());
    put("assignee", text(item, "assignee").into());
    put("created_at", text(item, "created").into());
    put("created_by", text(item, "author").into());
    put("updated_at", text(item, "updated").into());
    if text(item, "state") == "closed" {
        put("closed_at", closed_at(item).map(|at| at.to_string()).into());
    }
    if !text(item, "due").is_empty() {
        put("due_at", format!("{}T00:00:00Z", text(item, "due")).into());
    }
    put("labels", texts(item, "labels").into());
    put("dependencies", dependencies(item, &id, ids));
    put("comments", comments(item, &id));
    // What came from there and has no place here.
    let extra = item.get("extra").and_then(Value::as_object);
    for name in super::KEPT {
        put(name, extra.and_then(|extra| extra.get(*name)).cloned().unwrap_or_default());
    }
    Some(Value::Object(issue).to_string())
}

fn status(item: &Exported) -> &'static str {
    match (text(item, "state"), text(item, "category")) {
        ("closed", _) => "closed",
        (_, "doing" | "review") => "in_progress",
        _ if item.get("blocked").and_then(|blocked| blocked.get("is")) == Some(&Value::Bool(true)) => "blocked",
        _ => "open",
    }
}

// The nearest of the five; without a priority, the middle one, which is the default of beads.
fn priority(priority: u64) -> usize {
    let distance = |own: u8| u64::from(own).abs_diff(priority);
    let nearest = PRIORITIES.iter().enumerate().min_by_key(|(_, own)| distance(**own)).map_or(2, |(n, _)| n);
    if priority == 0 { 2 } else { nearest }
}

fn issue_type<'a>(kind: &'a str, type_: &'a str) -> &'a str {
    match (kind, type_) {
        ("issue", "") => "bug",
        ("issue", type_) | ("task", type_ @ ("chore" | "spike" | "decision")) => type_,
        (kind, _) => kind,
    }
}

fn dependencies(item: &Exported, id: &str, ids: &HashMap<String, String>) -> Value {
    let mut found = Vec::new();
    let mut push = |reference: &Value, kind: &str| {
        if let Some(other) = reference.get("id").and_then(Value::as_str).and_then(|other| ids.get(other)) {
            found.push(
                json!({"issue_id": id, "depends_on_id": other, "type": kind, "created_at": text(item, "created")}),
            );
        }
    };
    item.get("parent").into_iter().for_each(|parent| push(parent, "parent-child"));
    for (list, kind) in [("blockedBy", "blocks"), ("relates", "related")] {
        for other in item.get(list).and_then(Value::as_array).into_iter().flatten() {
            push(other, original_type(item, ids, other).unwrap_or(kind));
        }
    }
    found.into()
}

/// Returns the type that a link had in beads, if it came from there.
fn original_type<'a>(item: &'a Exported, ids: &HashMap<String, String>, other: &Value) -> Option<&'a str> {
    let id = other.get("id").and_then(Value::as_str).and_then(|id| ids.get(id))?;
    let lists = item.get("extra")?.get(super::LINKS)?.as_object()?;
    let has_it = |list: &Value| list.as_array().is_some_and(|list| list.iter().any(|one| one == id.as_str()));
    lists.iter().find(|(_, list)| has_it(list)).map(|(kind, _)| kind.as_str())
}

fn comments(item: &Exported, id: &str) -> Value {
    let comments = item.get("comments").and_then(Value::as_array).into_iter().flatten();
    comments
        .map(|comment| {
            json!({"id": comment["id"], "issue_id": id, "author": comment["author"], "text": comment["body"],
                "created_at": comment["created"]})
        })
        .collect()
}
