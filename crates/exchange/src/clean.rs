//! Makes texts of other tools fit for the log. What one of them allows, and the log does not, must not stop an import of
//! thousands of items; what is lost is reported.

use model::text::{BODY_LIMIT, TITLE_LIMIT, check_line};
use serde_json::Value;

use crate::item::{ImportedItem, SourceId};

/// The title of an item that has none.
const NO_TITLE: &str = "(no title)";

/// Cleans all texts of an item, and notes in it what was left out.
pub(crate) fn item(item: &mut ImportedItem) {
    let which = match &item.id {
        SourceId::Of(id) => model::text::escape_line(id),
        _ => model::text::escape_line(&item.title),
    };
    if remove_nul(item) {
        item.leave_out("NUL character", "no text here may have one", which.clone());
    }
    item.title = one_line(&item.title);
    if item.title.is_empty() {
        NO_TITLE.clone_into(&mut item.title);
        item.leave_out("title", "it is empty", which.clone());
    }
    if let Some(title) = cut_line(&item.title) {
        let whole = std::mem::replace(&mut item.title, title);
        format!("{whole}\n\n{}", item.description).trim_end().clone_into(&mut item.description);
    }
    use_line_feeds(&mut item.description);
    let mut is_cut = cut_body(&mut item.description);
    for comment in &mut item.comments {
        use_line_feeds(&mut comment.body);
        is_cut |= cut_body(&mut comment.body);
    }
    if is_cut {
        item.leave_out("end of a text", "it is longer than a text here may be", which.clone());
    }
    let lines = [&mut item.type_, &mut item.severity, &mut item.size, &mut item.blocked];
    for line in lines.into_iter().flatten() {
        *line = one_line(line);
        if let Some(cut) = cut_line(line) {
            *line = cut;
        }
    }
    // An empty reason says that it is blocked, nothing else may be empty.
    for line in [&mut item.type_, &mut item.severity, &mut item.size] {
        *line = line.take().filter(|text| !text.is_empty());
    }
    if item.labels.iter().any(|label| cut_line(label).is_some()) {
        item.leave_out("end of a label", "it is longer than a label here may be", which.clone());
    }
    let n_paths = item.touches.len();
    item.touches.retain(|path| check_line("path", path).is_ok());
    if item.touches.len() < n_paths {
        item.leave_out("path", "it is not a line of text", which);
    }
}

/// Cleans the text of a comment that is apart from its item.
pub(crate) fn comment(body: &mut String) {
    body.retain(|c| c != '\0');
    use_line_feeds(body);
    cut_body(body);
}

/// Returns a label as it may be here: other tools allow commas in labels, and any length.
pub(crate) fn label(label: &str) -> String {
    let words = label.replace(',', " ").replace('\0', "").split_whitespace().collect::<Vec<_>>().join(" ");
    cut_line(&words).unwrap_or(words)
}

/// Joins the words of a text of several lines.
pub(crate) fn one_line(text: &str) -> String {
    if text.contains(['\n', '\r', '\t']) {
        return text.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    text.trim().to_owned()
}

// Texts that were written in a browser have the line breaks of its forms, CR LF.
fn use_line_feeds(text: &mut String) {
    if text.contains('\r') {
        *text = text.replace("\r\n", "\n").replace('\r', "\n");
    }
}

fn remove_nul(item: &mut ImportedItem) -> bool {
    let mut found = false;
    let mut clean = |text: &mut String| {
        if text.contains('\0') {
            text.retain(|c| c != '\0');
            found = true;
        }
    };
    let optional = [&mut item.type_, &mut item.severity, &mut item.size, &mut item.blocked, &mut item.url];
    optional.into_iter().flatten().for_each(&mut clean);
    [&mut item.title, &mut item.description, &mut item.status.name].into_iter().for_each(&mut clean);
    item.comments.iter_mut().for_each(|comment| clean(&mut comment.body));
    item.labels.iter_mut().for_each(&mut clean);
    item.extra.values_mut().for_each(|value| remove_nul_of(value, &mut clean));
    found
}

fn remove_nul_of(value: &mut Value, clean: &mut impl FnMut(&mut String)) {
    match value {
        Value::String(text) => clean(text),
        Value::Array(values) => values.iter_mut().for_each(|value| remove_nul_of(value, clean)),
        Value::Object(fields) => fields.values_mut().for_each(|value| remove_nul_of(value, clean)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Returns the beginning of a line that is too long.
fn cut_line(line: &str) -> Option<String> {
    // Counting characters takes longer than this, and nearly every line is short.
    if line.len() <= TITLE_LIMIT || line.chars().count() <= TITLE_LIMIT {
        return None;
    }
    Some(line.chars().take(TITLE_LIMIT).collect::<String>().trim_end().to_owned())
}

/// Cuts a text that is too long, and returns whether it was.
fn cut_body(body: &mut String) -> bool {
    let is_long = body.len() > BODY_LIMIT;
    if is_long {
        body.truncate(body.floor_char_boundary(BODY_LIMIT));
    }
    is_long
}
