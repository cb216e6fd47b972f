//! Writes items as requests for GitHub's import of issues (`POST /repos/OWNER/NAME/import/issues`), one per line. That
//! interface takes times and comments, but no authors: they are named at the top of each text.

use serde_json::{Map, Value, json};

use crate::export::{Exported, closed_at, text, texts};

/// Maximum lengths that GitHub takes, in characters.
const MAX_TITLE: usize = 256;
const MAX_BODY: usize = 65_536;
const MAX_LABEL: usize = 50;

/// Returns the request for an item; `None` for milestones and boards, which are not issues.
pub(crate) fn request(item: &Exported) -> Option<String> {
    if matches!(text(item, "kind"), "milestone" | "board") {
        return None;
    }
    let is_closed = text(item, "state") == "closed";
    let (created, title) = (text(item, "created"), text(item, "title"));
    let short_title = shortened(title, MAX_TITLE);
    let whole_title = if short_title == title { String::new() } else { format!("# {title}\n\n") };
    let mut bodies = signed(text(item, "author"), &format!("{whole_title}{}", text(item, "description"))).into_iter();
    let mut issue = Map::new();
    issue.insert("title".into(), short_title.into());
    issue.insert("body".into(), bodies.next().unwrap_or_default().into());
    issue.insert("created_at".into(), created.into());
    issue.insert("updated_at".into(), text(item, "updated").into());
    issue.insert("closed".into(), is_closed.into());
    if let Some(at) = closed_at(item).filter(|_| is_closed) {
        issue.insert("closed_at".into(), at.to_string().into());
    }
    issue.insert("labels".into(), labels(item).into());
    // What is too long for one text goes on in comments.
    let mut comments: Vec<Value> = bodies.map(|body| json!({"created_at": created, "body": body})).collect();
    for comment in item.get("comments").and_then(Value::as_array).into_iter().flatten() {
        let bodies =
            signed(comment["author"].as_str().unwrap_or_default(), comment["body"].as_str().unwrap_or_default());
        comments.extend(bodies.into_iter().map(|body| json!({"created_at": comment["created"], "body": body})));
    }
    Some(json!({"issue": issue, "comments": comments}).to_string())
}

/// Returns the labels, with the kind and the type, which only a label says there. GitHub ignores the case of labels.
fn labels(item: &Exported) -> Vec<String> {
    let kind = Some(text(item, "kind")).filter(|kind| *kind != "issue");
    let type_ = Some(text(item, "type")).filter(|type_| !type_.is_empty());
    let mut labels: Vec<String> = Vec::new();
    for label in texts(item, "labels").into_iter().chain(kind).chain(type_) {
        let label = shortened(label, MAX_LABEL);
        if labels.iter().all(|known| known.to_lowercase() != label.to_lowercase()) {
            labels.push(label);
        }
    }
    labels
}

/// Returns a line, or its beginning if it is too long.
fn shortened(line: &str, max_chars: usize) -> String {
    if line.chars().count() <= max_chars {
        return line.to_owned();
    }
    let start: String = line.chars().take(max_chars - 1).collect();
    format!("{}…", start.trim_end())
}

/// Returns a text with its author, in parts that GitHub takes. Without the address: the page may be public.
fn signed(author: &str, text: &str) -> Vec<String> {
    let name = model::person::Person::parse(author).short().to_owned();
    let whole = format!("> by {name}\n\n{text}");
    let (mut parts, mut rest) = (Vec::new(), whole.trim_end());
    while let Some((end, _)) = rest.char_indices().nth(MAX_BODY) {
        // Between lines, if there are any.
        let end = rest[..end].rfind('\n').filter(|line_end| *line_end > end / 2).map_or(end, |line_end| line_end + 1);
        parts.push(rest[..end].to_owned());
        rest = &rest[end..];
    }
    parts.push(rest.to_owned());
    parts
}
