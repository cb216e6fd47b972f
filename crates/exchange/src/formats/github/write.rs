//! Writes items as requests for GitHub's import of issues (`POST /repos/OWNER/NAME/import/issues`), one per line. That
//! interface takes times and comments, but no authors: they are named at the top of each text.

use serde_json::{Map, Value, json};

use crate::export::{Exported, text, texts};

/// Returns the request for an item; `None` for milestones and boards, which are not issues.
pub(crate) fn request(item: &Exported) -> Option<String> {
    if matches!(text(item, "kind"), "milestone" | "board") {
        return None;
    }
    let is_closed = text(item, "state") == "closed";
    let mut issue = Map::new();
    issue.insert("title".into(), text(item, "title").into());
    issue.insert("body".into(), signed(text(item, "author"), text(item, "description")).into());
    issue.insert("created_at".into(), text(item, "created").into());
    issue.insert("updated_at".into(), text(item, "updated").into());
    issue.insert("closed".into(), is_closed.into());
    if is_closed {
        let day = text(item, "completed");
        let closed = if day.is_empty() { text(item, "updated").to_owned() } else { format!("{day}T00:00:00Z") };
        issue.insert("closed_at".into(), closed.into());
    }
    issue.insert("labels".into(), labels(item).into());
    let comments = item.get("comments").and_then(Value::as_array).into_iter().flatten();
    let comments: Vec<Value> = comments
        .map(|comment| {
            let author = comment["author"].as_str().unwrap_or_default();
            let body = signed(author, comment["body"].as_str().unwrap_or_default());
            json!({"created_at": comment["created"], "body": body})
        })
        .collect();
    Some(json!({"issue": issue, "comments": comments}).to_string())
}

// The kind says what a label says there.
fn labels(item: &Exported) -> Vec<&str> {
    let kind = Some(text(item, "kind")).filter(|kind| *kind != "issue");
    let type_ = Some(text(item, "type")).filter(|type_| !type_.is_empty());
    let mut labels = texts(item, "labels");
    labels.extend(kind.into_iter().chain(type_));
    labels.dedup();
    labels
}

// Without the address: the page may be public.
fn signed(author: &str, text: &str) -> String {
    let name = model::person::Person::parse(author).short().to_owned();
    format!("> by {name}\n\n{text}").trim_end().to_owned()
}
