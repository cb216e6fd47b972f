//! JSON lines: the operations of an export, which `app` takes unchanged, or one object per item.

use std::collections::BTreeMap;

use app::Error;
use serde_json::Value;
use serde_json::value::RawValue;
use store::format::v1;

use super::own::Fields;
use super::{Sink, own};
use crate::input::Input;
use crate::item::Record;
use crate::scope::Scope;

/// Returns whether the first line is an operation of an export.
pub(crate) fn has_operations(input: &Input) -> Result<bool, Error> {
    let mut first = None;
    let stopped = input.each_line(|_, line| {
        first = Some(v1::read(line).is_ok());
        Err(Error::invalid("stopped"))
    });
    match (first, stopped) {
        (Some(is_operation), _) => Ok(is_operation),
        (None, stopped) => stopped.map(|()| false),
    }
}

/// Reads items, one object per line.
pub(crate) fn read(input: &Input, sink: &mut Sink<'_>) -> Result<(), Error> {
    input.each_line(|number, line| {
        let fields = fields(line).map_err(|error| input.bad_json(number, &error))?;
        let Some(mut fields) = fields.filter(|fields| fields.contains("title")) else {
            let what = if v1::read(line).is_ok() {
                "an operation of an export among items"
            } else {
                "neither an operation of an export nor an object with a `title`"
            };
            return Err(input.at(number, Some(1), what));
        };
        let place = format!("`{}`: line {number}", input.name());
        // A line that names an item of a project need not have all of it.
        let scope = if fields.has_own_id() { Scope::of_keys(fields.names()) } else { Scope::All };
        let mut item = own::item(place, &mut fields).map_err(|error| {
            let column = fields.last().and_then(|key| column_of(line, key));
            let column = column.map_or_else(String::new, |column| format!(", column {column}"));
            error.in_context(format_args!("`{}`: line {number}{column}", input.name()))
        })?;
        item.scope = scope;
        sink(Record::Item(Box::new(item)))
    })
}

/// Adds the column of a key's value to an error that has the line of an item.
pub(crate) fn placed(input: &Input, mut error: Error, key: &str) -> Error {
    let file = format!("`{}`: line ", input.name());
    let Some(rest) = error.message.strip_prefix(&file) else { return error };
    let Some((line, why)) = rest.split_once(": ") else { return error };
    let Ok(line) = line.parse::<usize>() else { return error };
    let mut column = None;
    // The line was read before: what fails now is only the end of the search.
    let _ = input.each_line(|number, text| {
        column = (number == line).then(|| column_of(text, key)).flatten();
        if number < line { Ok(()) } else { Err(Error::invalid("stopped")) }
    });
    if let Some(column) = column {
        error.message = format!("{file}{line}, column {column}: {why}");
    }
    error
}

/// Returns the column, from 1, at which the value of a key begins.
fn column_of(line: &[u8], key: &str) -> Option<usize> {
    let text = std::str::from_utf8(line).ok()?;
    let members: BTreeMap<String, &RawValue> = serde_json::from_str(text).ok()?;
    let value = members.get(key)?.get();
    Some(value.as_ptr().addr() - text.as_ptr().addr() + 1)
}

/// Parses a line; `None` if it is JSON, but not an object.
fn fields(line: &[u8]) -> Result<Option<Fields>, serde_json::Error> {
    // Checked as a whole: otherwise each text of the line is checked by itself.
    let object = match std::str::from_utf8(line) {
        Ok(text) => serde_json::from_str(text),
        Err(_) => serde_json::from_slice(line),
    };
    match object {
        Ok(fields) => Ok(Some(fields)),
        Err(error) if error.is_data() => serde_json::from_slice::<Value>(line).map(|_| None),
        Err(error) => Err(error),
    }
}
