//! Changes one value in a user's settings and keeps every other byte: comments, order, indentation, line ends.
//!
//! Text in, text out. The text is never printed from a parsed form; the changed bytes are spliced in by position. This
//! module knows neither files nor the meaning of the values.

#[cfg(test)]
mod examples;
mod jsonc;
mod layout;
#[cfg(test)]
mod properties;
mod toml;

use serde_json::{Map, Value};

/// The syntax of a settings file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Syntax {
    /// JSON; comments and trailing commas are understood everywhere, because some clients allow them.
    Json,
    Toml,
}

/// The reason why a text was not edited.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {problem}")]
pub(crate) struct EditError {
    /// From 1.
    pub(crate) line: usize,
    /// From 1, in characters.
    pub(crate) column: usize,
    /// What is wrong there.
    pub(crate) problem: String,
}

/// A member that an entry must have.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Member {
    pub(crate) key: &'static str,
    pub(crate) value: Value,
    /// Whether an existing value is the user's choice and is kept.
    pub(crate) yields: bool,
}

const BYTE_ORDER_MARK: char = '\u{feff}';

/// Returns the value at a path, if there is one.
pub(crate) fn get(syntax: Syntax, text: &str, path: &[&str]) -> Result<Option<Value>, EditError> {
    let (_, body) = split_mark(text);
    match syntax {
        Syntax::Json => jsonc::get(body, path),
        Syntax::Toml => toml::get(body, path),
    }
}

/// Sets the members of the entry at a path. Other members are kept, unless `is_foreign` says that the entry is of
/// another type; then it is replaced.
pub(crate) fn set(
    syntax: Syntax,
    text: &str,
    path: &[&str],
    members: &[Member],
    is_foreign: impl Fn(&Map<String, Value>) -> bool,
) -> Result<String, EditError> {
    match get(syntax, text, path)? {
        Some(Value::Object(entry)) if !is_foreign(&entry) => {
            let wanted =
                |member: &&Member| entry.get(member.key).is_none_or(|value| !member.yields && *value != member.value);
            members.iter().filter(wanted).try_fold(text.to_owned(), |text, member| {
                let path = [path, &[member.key]].concat();
                put(syntax, &text, &path, &member.value)
            })
        }
        _ => {
            let entry = members.iter().map(|member| (member.key.to_owned(), member.value.clone())).collect();
            put(syntax, text, path, &Value::Object(entry))
        }
    }
}

/// Sets a list with one element at a path, in JSON. Missing parent objects are created.
pub(crate) fn put_list(text: &str, path: &[&str], element: &Value) -> Result<String, EditError> {
    put(Syntax::Json, text, path, &Value::Array(vec![element.clone()]))
}

/// Adds an element to the end of the list at a path, in JSON.
pub(crate) fn append(text: &str, path: &[&str], element: &Value) -> Result<String, EditError> {
    edit_list(text, path, |body| jsonc::append_element(body, path, element), |list| list.push(element.clone()))
}

/// Removes the element at a position of the list at a path, in JSON.
pub(crate) fn remove_element(text: &str, path: &[&str], place: usize) -> Result<String, EditError> {
    edit_list(text, path, |body| jsonc::take_element(body, path, place), |list| drop(list.remove(place)))
}

/// Returns the error for a value that should be a list.
pub(crate) fn not_a_list(text: &str, path: &[&str]) -> EditError {
    error_at(text, 0, format!("`{}` should be a list", path.join(".")))
}

/// Edits a list, and verifies by parsing that the text changed as the list should, and nowhere else.
fn edit_list(
    text: &str,
    path: &[&str],
    edit: impl Fn(&str) -> Result<String, EditError>,
    expected: impl Fn(&mut Vec<Value>),
) -> Result<String, EditError> {
    let (mark, body) = split_mark(text);
    let Some(Value::Array(mut list)) = get(Syntax::Json, body, path)? else { return Err(not_a_list(text, path)) };
    expected(&mut list);
    let edited = edit(body)?;
    checked(Syntax::Json, body, &edited, path, Some(&Value::Array(list)))?;
    Ok(format!("{mark}{edited}"))
}

/// Removes the entry at a path, if there is one.
pub(crate) fn remove(syntax: Syntax, text: &str, path: &[&str]) -> Result<String, EditError> {
    let (mark, body) = split_mark(text);
    if get(syntax, text, path)?.is_none() {
        return Ok(text.to_owned());
    }
    let edited = match syntax {
        Syntax::Json => jsonc::take(body, path)?,
        Syntax::Toml => toml::take(body, path)?,
    };
    checked(syntax, body, &edited, path, None)?;
    Ok(format!("{mark}{edited}"))
}

fn put(syntax: Syntax, text: &str, path: &[&str], value: &Value) -> Result<String, EditError> {
    let (mark, body) = split_mark(text);
    let edited = match syntax {
        Syntax::Json => jsonc::put(body, path, value)?,
        Syntax::Toml => toml::put(body, path, value)?,
    };
    checked(syntax, body, &edited, path, Some(value))?;
    Ok(format!("{mark}{edited}"))
}

/// Verifies an edit by parsing both texts: it must change the entry and nothing else. A bug here must not damage a
/// user's file.
fn checked(syntax: Syntax, before: &str, after: &str, path: &[&str], value: Option<&Value>) -> Result<(), EditError> {
    let rest = |text: &str| {
        let mut all = get(syntax, text, &[])?.unwrap_or_else(|| Value::Object(Map::new()));
        let taken = take_out(&mut all, path);
        Ok::<_, EditError>((all, taken))
    };
    let is_right = rest(after)
        .is_ok_and(|(others, found)| found.as_ref() == value && rest(before).is_ok_and(|(former, _)| former == others));
    let problem = || format!("`{}` cannot be changed here without touching something else", path.join("."));
    if is_right { Ok(()) } else { Err(EditError { line: 1, column: 1, problem: problem() }) }
}

/// Removes a value, and parent objects that become empty.
fn take_out(value: &mut Value, path: &[&str]) -> Option<Value> {
    let (key, deeper) = path.split_first()?;
    let object = value.as_object_mut()?;
    if deeper.is_empty() {
        return object.shift_remove(*key);
    }
    let taken = take_out(object.get_mut(*key)?, deeper);
    if object.get(*key).and_then(Value::as_object).is_some_and(Map::is_empty) {
        object.shift_remove(*key);
    }
    taken
}

fn split_mark(text: &str) -> (&str, &str) {
    let length = if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len_utf8() } else { 0 };
    text.split_at(length)
}

/// Returns an error with its position in a text.
fn error_at(text: &str, offset: usize, problem: impl Into<String>) -> EditError {
    let before = &text[..text.floor_char_boundary(offset)];
    let line_start = before.rfind('\n').map_or(0, |index| index + 1);
    EditError {
        line: before.matches('\n').count() + 1,
        column: before[line_start..].chars().count() + 1,
        problem: problem.into(),
    }
}
