//! Edits of TOML. An entry is a table with its own header, as clients write and document it. An entry in another form
//! can be changed, and is rejected where other lines would have to move.

use std::ops::Range;

use serde_json::{Map, Value};
use toml_edit::{Array, Document, Item, Key, Table, TableLike, Value as TomlValue};

use super::layout::{line_end, line_start, line_stop, splice};
use super::{EditError, error_at};

/// Returns the value at a path.
pub(super) fn get(text: &str, path: &[&str]) -> Result<Option<Value>, EditError> {
    let document = read(text)?;
    let mut item = document.as_item();
    for (depth, key) in path.iter().enumerate() {
        let Some(next) = table(text, item, &path[..depth])?.get(key) else { return Ok(None) };
        item = next;
    }
    Ok(Some(to_value(item)))
}

/// Sets a value at a path: an object as a table at the end, anything else as a line of its table.
pub(super) fn put(text: &str, path: &[&str], value: &Value) -> Result<String, EditError> {
    let Value::Object(members) = value else { return put_member(text, path, value) };
    if get(text, path)?.is_some() {
        return append(&take(text, path)?, path, members);
    }
    append(text, path, members)
}

/// Removes the entry at a path.
pub(super) fn take(text: &str, path: &[&str]) -> Result<String, EditError> {
    let document = read(text)?;
    let Some(FoundEntry { parent, key, item }) = find(text, &document, path)? else { return Ok(text.to_owned()) };
    let mut cuts = match item {
        Item::Table(entry) if !entry.is_dotted() => with_header(text, entry),
        Item::Value(value) if parent.is_some_and(|parent| !parent.is_dotted()) => {
            vec![whole_lines(text, key.span(), value.span())]
        }
        _ => return Err(refusal(text, key, path)),
    };
    cuts.sort_by_key(|cut| cut.start);
    Ok(cuts.into_iter().rev().fold(text.to_owned(), |text, cut| splice(&text, cut, "")))
}

fn read(text: &str) -> Result<Document<&str>, EditError> {
    Document::parse(text).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        error_at(text, offset, error.message().lines().next().unwrap_or("this is not TOML"))
    })
}

/// Writes a table at the end, before the last line end, so that removing it restores the text.
fn append(text: &str, path: &[&str], members: &Map<String, Value>) -> Result<String, EditError> {
    let document = read(text)?;
    let mut item = document.as_item();
    for (depth, key) in path.iter().enumerate() {
        if item.as_value().is_some() {
            let problem = format!("`{}` should be a table of its own", path[..depth].join("."));
            return Err(error_at(text, item.span().map_or(0, |span| span.start), problem));
        }
        let Some(next) = table(text, item, &path[..depth])?.get(key) else { break };
        item = next;
    }
    let end = line_end(text);
    let keys: Vec<String> = path.iter().map(|key| Key::new(*key).to_string()).collect();
    let mut lines = vec![format!("[{}]", keys.join("."))];
    lines.extend(members.iter().map(|(key, value)| line(key, value)));
    let lines = lines.join(end);
    if text.trim().is_empty() {
        return Ok(format!("{lines}{end}"));
    }
    let place = text.strip_suffix('\n').map_or(text.len(), |rest| rest.strip_suffix('\r').unwrap_or(rest).len());
    Ok(splice(text, place..place, &format!("{end}{end}{lines}")))
}

fn put_member(text: &str, path: &[&str], value: &Value) -> Result<String, EditError> {
    let document = read(text)?;
    if let Some(FoundEntry { item, .. }) = find(text, &document, path)? {
        let span = item.as_value().and_then(TomlValue::span);
        let span = span.ok_or_else(|| error_at(text, 0, format!("`{}` should not be a table", path.join("."))))?;
        return Ok(splice(text, span, &to_toml(value).to_string()));
    }
    let Some((key, parents)) = path.split_last() else { return Ok(text.to_owned()) };
    let Some(FoundEntry { key: parent_key, item: parent, .. }) = find(text, &document, parents)? else {
        return append(text, parents, &Map::from_iter([((*key).to_owned(), value.clone())]));
    };
    match parent {
        Item::Table(entry) if !entry.is_dotted() && !entry.is_implicit() => {
            let place = line_stop(text, last_byte(entry));
            Ok(splice(text, place..place, &format!("{}{}", line_end(text), line(key, value))))
        }
        Item::Value(TomlValue::InlineTable(entry)) => {
            let last = entry.iter().filter_map(|(_, value)| value.span()).map(|span| span.end).max();
            let start = entry.span().map_or(0, |span| span.start + 1);
            let (place, lead) = last.map_or((start, " "), |last| (last, ", "));
            Ok(splice(text, place..place, &format!("{lead}{}", line(key, value))))
        }
        _ => Err(refusal(text, parent_key, parents)),
    }
}

/// An item with its key and, unless that is inline, its table.
struct FoundEntry<'d> {
    parent: Option<&'d Table>,
    key: &'d Key,
    item: &'d Item,
}

fn find<'d>(text: &str, document: &'d Document<&str>, path: &[&str]) -> Result<Option<FoundEntry<'d>>, EditError> {
    let mut item = document.as_item();
    let mut found = None;
    for (depth, name) in path.iter().enumerate() {
        let parent = item;
        let Some((key, next)) = table(text, parent, &path[..depth])?.get_key_value(name) else { return Ok(None) };
        found = Some(FoundEntry { parent: parent.as_table(), key, item: next });
        item = next;
    }
    Ok(found)
}

fn table<'d>(text: &str, item: &'d Item, path: &[&str]) -> Result<&'d dyn TableLike, EditError> {
    let offset = item.span().map_or(0, |span| span.start);
    item.as_table_like().ok_or_else(|| error_at(text, offset, format!("`{}` should be a table", path.join("."))))
}

fn refusal(text: &str, key: &Key, path: &[&str]) -> EditError {
    let problem = format!("write `{0}` as a table of its own, beginning with the line `[{0}]`", path.join("."));
    error_at(text, key.span().map_or(0, |span| span.start), problem)
}

/// Returns the lines of a table and its subtables, each with the blank line before it.
fn with_header(text: &str, entry: &Table) -> Vec<Range<usize>> {
    let below = entry.iter().filter_map(|(_, item)| item.as_table()).filter(|table| !table.is_dotted());
    let mut cuts: Vec<Range<usize>> = below.flat_map(|table| with_header(text, table)).collect();
    if !entry.is_implicit() {
        cuts.push(whole_lines(text, entry.span(), Some(last_byte(entry)..last_byte(entry))));
    }
    cuts
}

/// Returns a range of lines without the last line end, but with the line end and the blank line before.
fn whole_lines(text: &str, from: Option<Range<usize>>, to: Option<Range<usize>>) -> Range<usize> {
    let start = line_start(text, from.map_or(0, |span| span.start));
    let stop = line_stop(text, to.map_or(start, |span| span.end));
    let before_end = |rest: &str| rest.strip_suffix('\n').map(|rest| rest.strip_suffix('\r').unwrap_or(rest).len());
    let Some(one_up) = before_end(&text[..start]) else {
        // The first line of the text: remove its own line end instead.
        let rest = text[stop..].trim_start_matches(['\r', '\n']);
        return 0..text.len() - rest.len();
    };
    before_end(&text[..one_up]).map_or(one_up..stop, |two_up| two_up..stop)
}

/// Returns the end of the last line of a table.
fn last_byte(table: &Table) -> usize {
    let end = |item: &Item| match item {
        Item::Value(value) => value.span().map(|span| span.end),
        Item::Table(inner) if inner.is_dotted() => Some(last_byte(inner)),
        _ => None,
    };
    let header = table.span().map_or(0, |span| span.end);
    table.iter().filter_map(|(_, item)| end(item)).fold(header, usize::max)
}

fn line(key: &str, value: &Value) -> String {
    format!("{} = {}", Key::new(key), to_toml(value))
}

fn to_toml(value: &Value) -> TomlValue {
    match value {
        Value::Bool(flag) => TomlValue::from(*flag),
        Value::String(text) => TomlValue::from(text.as_str()),
        Value::Number(number) => number.as_i64().map_or_else(|| TomlValue::from(number.to_string()), TomlValue::from),
        Value::Array(values) => TomlValue::Array(values.iter().map(to_toml).collect::<Array>()),
        Value::Object(entries) => {
            entries.iter().map(|(key, value)| (key.as_str(), to_toml(value))).collect::<toml_edit::InlineTable>().into()
        }
        // TOML has no null; we never write one.
        Value::Null => TomlValue::from(""),
    }
}

fn to_value(item: &Item) -> Value {
    if let Some(table) = item.as_table_like() {
        return Value::Object(table.iter().map(|(key, item)| (key.to_owned(), to_value(item))).collect());
    }
    match item {
        Item::ArrayOfTables(tables) => tables.iter().map(|table| to_value(&Item::Table(table.clone()))).collect(),
        Item::Value(value) => value_of(value),
        _ => Value::Null,
    }
}

fn value_of(value: &TomlValue) -> Value {
    match value {
        TomlValue::String(text) => Value::from(text.value().as_str()),
        TomlValue::Integer(number) => Value::from(*number.value()),
        TomlValue::Boolean(flag) => Value::from(*flag.value()),
        TomlValue::Array(values) => values.iter().map(value_of).collect(),
        TomlValue::InlineTable(table) => {
            Value::Object(table.iter().map(|(key, value)| (key.to_owned(), value_of(value))).collect())
        }
        // Floats (some are not valid JSON) and times are only compared.
        TomlValue::Float(number) => Value::from(number.value().to_string()),
        TomlValue::Datetime(time) => Value::from(time.value().to_string()),
    }
}
