//! Markdown that Cairn itself writes: a file for each item, or all items in one file. The front matter has the keys of
//! `cairn show --json`; the body is the description, then the comments, each after a line that only a machine reads.

pub(crate) mod write;

use std::path::Path;

use app::Error;
use serde_json::{Map, Value};

use super::{Sink, front_matter, own};
use crate::input::{Input, read_text};
use crate::item::Record;

/// Begins an item, in a file with several.
const ITEM_MARK: &str = "<!-- cairn:item -->";
/// Begins a comment; its author, time and id follow as JSON.
const COMMENT_MARK: &str = "<!-- cairn:comment ";
/// What a line of text begins with if it would look like a mark; one backslash is removed when it is read.
const MARK_START: &str = "<!-- cairn:";

/// Reads a file, or all `.md` files of a folder, in the order of their names.
pub(crate) fn read(input: &Input, sink: &mut Sink<'_>) -> Result<(), Error> {
    for (path, name) in files(input.path(), input.name())? {
        let text = read_text(&path, &name)?.replace("\r\n", "\n");
        for (line, part) in parts(&text) {
            let place = format!("`{name}`: line {line}");
            let item = item(part, &name, line, &place)?;
            sink(Record::Item(Box::new(item)))?;
        }
    }
    Ok(())
}

/// Adds to an error that has the line of an item the line and the column of a key of its front matter.
pub(crate) fn placed(input: &Input, mut error: Error, key: &str) -> Error {
    for (path, name) in files(input.path(), input.name()).unwrap_or_default() {
        let file = format!("`{name}`: line ");
        let Some((line, why)) = error.message.strip_prefix(&file).and_then(|rest| rest.split_once(": ")) else {
            continue;
        };
        let found = line.parse().ok().zip(read_text(&path, &name).ok());
        if let Some((line, column)) = found.and_then(|(line, text)| place_of_key(&text, line, key)) {
            error.message = format!("{file}{line}, column {column}: {why}");
        }
        break;
    }
    error
}

/// Returns the line and the column of the value of a key in the front matter that begins on a line.
fn place_of_key(text: &str, first_line: usize, key: &str) -> Option<(usize, usize)> {
    let front_matter = text.lines().enumerate().skip(first_line).take_while(|(_, line)| line.trim_end() != "---");
    let mut of_key = front_matter.filter(|(_, line)| line.strip_prefix(key).is_some_and(|rest| rest.starts_with(':')));
    of_key.next().map(|(n, _)| (n + 1, key.len() + 3))
}

/// Returns the `.md` files of a folder and its folders, sorted, or the file itself.
pub(crate) fn files(path: &Path, name: &str) -> Result<Vec<(std::path::PathBuf, String)>, Error> {
    if !path.is_dir() {
        return Ok(vec![(path.to_owned(), name.to_owned())]);
    }
    let failed = |error: std::io::Error| Error::unavailable(format!("cannot read `{name}`: {error}"));
    let mut found = Vec::new();
    for entry in std::fs::read_dir(path).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let file_type = entry.file_type().map_err(failed)?;
        let (path, file) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        let name = format!("{name}/{}", model::text::escape_line(&file));
        // A link could lead anywhere.
        if file_type.is_file() && file.to_lowercase().ends_with(".md") && !file.eq_ignore_ascii_case("readme.md") {
            found.push((path, name));
        } else if file_type.is_dir() && !file.starts_with('.') {
            found.extend(files(&path, &name)?);
        }
    }
    found.sort();
    Ok(found)
}

/// Splits a file into its items, each with the line on which it begins.
fn parts(text: &str) -> Vec<(usize, &str)> {
    if !text.starts_with(ITEM_MARK) {
        return vec![(1, text)];
    }
    let mut parts = Vec::new();
    let (mut line, mut start, mut start_line) = (0, 0, 0);
    let mut offset = 0;
    for one in text.split_inclusive('\n') {
        line += 1;
        if one.trim_end() == ITEM_MARK {
            if offset > start {
                parts.push((start_line, &text[start..offset]));
            }
            (start, start_line) = (offset + one.len(), line + 1);
        }
        offset += one.len();
    }
    parts.push((start_line, &text[start..]));
    parts
}

fn item(text: &str, name: &str, line: usize, place: &str) -> Result<crate::item::ImportedItem, Error> {
    let document = front_matter::read(text, name, line)?;
    let mut fields = document.fields;
    let (description, comments) = read_body(&document.body).map_err(|why| Error::invalid(format!("{place}: {why}")))?;
    if !description.is_empty() {
        fields.insert("description".to_owned(), description.into());
    }
    fields.insert("comments".to_owned(), comments.into());
    let mut fields = own::Fields::from(fields);
    own::item(place.to_owned(), &mut fields).map_err(|error| {
        match fields.last().and_then(|key| place_of_key(text, 1, key)) {
            Some((n, column)) => error.in_context(format_args!("`{name}`: line {}, column {column}", line + n - 1)),
            None => error.in_context(place),
        }
    })
}

/// Splits a body into the description and the comments.
fn read_body(body: &str) -> Result<(String, Vec<Value>), String> {
    let mut texts: Vec<(Map<String, Value>, String)> = vec![(Map::new(), String::new())];
    let body = body.strip_prefix('\n').unwrap_or(body);
    for line in body.split_inclusive('\n') {
        if let Some(json) = line.trim_end().strip_prefix(COMMENT_MARK).and_then(|rest| rest.strip_suffix(" -->")) {
            let head = serde_json::from_str(json)
                .map_err(|error| format!("the line before a comment is not valid: {error}"))?;
            texts.push((head, String::new()));
        } else if let Some((_, text)) = texts.last_mut() {
            text.push_str(unescape(line));
        }
    }
    let mut texts = texts.into_iter();
    let description = texts.next().map(|(_, text)| without_break(text)).unwrap_or_default();
    let comment = |(mut head, text): (Map<String, Value>, String)| {
        let body = without_break(text);
        // A text that the body cannot keep is in the line before it.
        if !body.is_empty() || !head.contains_key("body") {
            head.insert("body".to_owned(), body.into());
        }
        Value::Object(head)
    };
    Ok((description, texts.map(comment).collect()))
}

// Each text is written with one line break after it.
fn without_break(mut text: String) -> String {
    if text.ends_with('\n') {
        text.pop();
    }
    text
}

fn unescape(line: &str) -> &str {
    let is_escaped = line.trim_start_matches('\\').starts_with(MARK_START) && line.starts_with('\\');
    if is_escaped { &line[1..] } else { line }
}
