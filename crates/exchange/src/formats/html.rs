//! A board in one HTML file, to be read without a server: no script, no request, everything escaped.

use std::fmt::Write as _;

use app::view::WorkflowView;
use serde_json::Value;

use crate::export::{Exported, referred, text, texts};

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;margin:1.5rem;background:#f7f7f5;color:#1c1917}\
h1{font-size:1.4rem}h2{font-size:.95rem;margin:.3rem 0}small,.meta{color:#57534e;font-size:.85rem}\
main{display:flex;gap:1rem;align-items:flex-start;overflow-x:auto}section{flex:0 0 18rem;background:#eceae6;border-radius:8px;padding:.6rem}\
details{background:#fff;border-radius:6px;padding:.5rem .6rem;margin:.4rem 0}summary{cursor:pointer}\
pre{white-space:pre-wrap;font:inherit;overflow-wrap:anywhere}.label{background:#e7e5e4;border-radius:4px;padding:0 .35rem;margin-right:.25rem}\
@media(prefers-color-scheme:dark){body{background:#15181b;color:#e7e5e4}section{background:#1c2024}details{background:#262b30}.label{background:#3a4047}small,.meta{color:#a8a29e}}";

/// Returns the page. Columns are the statuses of all kinds of work, in the order of their workflows.
pub(crate) fn page(project: &str, workflows: &[WorkflowView], items: &[Exported]) -> String {
    let work: Vec<&Exported> =
        items.iter().filter(|item| !matches!(text(item, "kind"), "milestone" | "board")).collect();
    let mut columns: Vec<&str> = Vec::new();
    for status in workflows.iter().flat_map(|workflow| &workflow.statuses) {
        if !columns.contains(&status.name.as_str()) && work.iter().any(|item| text(item, "status") == status.name) {
            columns.push(&status.name);
        }
    }
    // A status that no workflow has any more.
    for item in &work {
        if !columns.contains(&text(item, "status")) {
            columns.push(text(item, "status"));
        }
    }
    let title = escape(project);
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
        <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
        <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
        <style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n<main>\n"
    );
    for column in columns {
        let cards: Vec<&&Exported> = work.iter().filter(|item| text(item, "status") == column).collect();
        let name = escape(&column.replace('_', " "));
        let _ = write!(page, "<section>\n<h2>{name} <small>{}</small></h2>\n", cards.len());
        for item in cards {
            page.push_str(&card(item));
        }
        page.push_str("</section>\n");
    }
    page + "</main>\n</body>\n</html>\n"
}

fn card(item: &Exported) -> String {
    let number = item.get("number").and_then(Value::as_u64).unwrap_or(0);
    let mut meta = vec![format!("{} by {}", text(item, "kind"), person(text(item, "author")))];
    let priority = item.get("priority").and_then(Value::as_u64).unwrap_or(0);
    if priority > 0 {
        meta.push(format!("priority {priority}"));
    }
    for (name, value) in [
        ("due", text(item, "due")),
        ("milestone", referred(item, "milestone", "title")),
        ("part of", referred(item, "parent", "title")),
    ] {
        if !value.is_empty() {
            meta.push(format!("{name} {value}"));
        }
    }
    let people: Vec<String> = texts(item, "assignees").into_iter().map(person).collect();
    if !people.is_empty() {
        meta.push(format!("assigned to {}", people.join(", ")));
    }
    let mut labels = String::new();
    for label in texts(item, "labels") {
        let _ = write!(labels, "<span class=\"label\">{}</span>", escape(label));
    }
    let mut html = format!(
        "<details>\n<summary><small>#{number}</small> {}<br>{labels}</summary>\n<p class=\"meta\">{}</p>\n<pre>{}</pre>\n",
        escape(text(item, "title")),
        escape(&meta.join(" · ")),
        escape(text(item, "description")),
    );
    for comment in item.get("comments").and_then(Value::as_array).into_iter().flatten() {
        let part = |name: &str| comment.get(name).and_then(Value::as_str).unwrap_or_default();
        let day = part("created").get(..10).unwrap_or_default();
        let head = escape(&format!("{} · {day}", person(part("author"))));
        let _ = write!(html, "<p class=\"meta\">{head}</p>\n<pre>{}</pre>\n", escape(part("body")));
    }
    html + "</details>\n"
}

// Without the address: the file is made to be passed on.
fn person(text: &str) -> String {
    model::person::Person::parse(text).short().to_owned()
}

fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}
