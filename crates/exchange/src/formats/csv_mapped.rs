//! Any table: a mapping file says which column is which field.
//!
//! ```text
//! # field = column
//! id = Ticket
//! title = Summary
//! status = State
//! ```

use app::Error;
use serde_json::{Map, Value};

use super::table::{RowLength, TableRow, each_row, write};
use super::times::Times;
use super::{ReadOptions, Sink, own};
use crate::input::{Input, read_text};
use crate::item::{Record, SourceId};
use crate::scope::Scope;

/// The fields that a mapping may name.
const FIELDS: &[&str] = &[
    "id",
    "number",
    "kind",
    "title",
    "description",
    "status",
    "state",
    "priority",
    "size",
    "severity",
    "type",
    "labels",
    "author",
    "assignee",
    "assignees",
    "created",
    "updated",
    "closed",
    "started",
    "expected",
    "completed",
    "due",
    "milestone",
    "board",
    "parent",
    "blocks",
    "blockedBy",
    "relates",
    "touches",
    "blocked",
    "approved",
    "color",
    "url",
];

/// One line of a mapping: a field, or `extra.NAME`, and its column.
struct Mapped {
    field: String,
    column: String,
}

/// Reads items, one per row. Without a mapping the columns have the names of the fields.
pub(crate) fn read(input: &Input, options: &ReadOptions, sink: &mut Sink<'_>) -> Result<(), Error> {
    let mapping = match &options.mapping {
        Some(path) => Some(read_mapping(&read_text(path, &path.display().to_string())?, &path.display().to_string())?),
        None => None,
    };
    let mut is_checked = false;
    let dates = Times::new(options.dates);
    let unread = each_row(input, RowLength::Whole, |row| {
        let own_columns;
        let mapping = if let Some(mapping) = &mapping {
            mapping
        } else {
            own_columns = same_names(row);
            &own_columns
        };
        if !is_checked {
            check(input, row, mapping)?;
            is_checked = true;
        }
        // What an export of Cairn has besides.
        row.pass_over(&["comments"]);
        let item = item(row, mapping, dates).map_err(|error| {
            if error.message.starts_with('`') {
                return error;
            }
            error.in_context(&row.place)
        })?;
        sink(item)
    })?;
    unread.into_iter().try_for_each(|column| sink(Record::LeftOut(column)))
}

fn read_mapping(text: &str, name: &str) -> Result<Vec<Mapped>, Error> {
    let mut mapping = Vec::new();
    for (n, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let wrong = |why: String| Error::invalid(format!("`{name}`: line {}: {why}", n + 1));
        let (field, column) = line.split_once('=').ok_or_else(|| wrong("write FIELD = COLUMN".to_owned()))?;
        let (field, column) = (field.trim(), column.trim().trim_matches('"'));
        if !FIELDS.contains(&field) && !field.starts_with("extra.") {
            return Err(wrong(format!("unknown field `{field}` (expected: {}, extra.NAME)", FIELDS.join(", "))));
        }
        mapping.push(Mapped { field: field.to_owned(), column: column.to_owned() });
    }
    Ok(mapping)
}

fn same_names(row: &TableRow<'_>) -> Vec<Mapped> {
    let fields = FIELDS.iter().filter(|field| row.columns().has(field));
    fields.map(|field| Mapped { field: (*field).to_owned(), column: (*field).to_owned() }).collect()
}

fn check(input: &Input, row: &TableRow<'_>, mapping: &[Mapped]) -> Result<(), Error> {
    if let Some(missing) = mapping.iter().find(|mapped| !row.columns().has(&mapped.column)) {
        let columns = row.columns().names().join(", ");
        return Err(Error::invalid(format!(
            "`{}` has no column `{}` (it has: {columns})",
            input.name(),
            missing.column
        )));
    }
    if !mapping.iter().any(|mapped| mapped.field == "title") {
        return Err(Error::invalid(format!("no column of `{}` is the title", input.name()))
            .hint("write a mapping file with `title = COLUMN`, and name it with `--mapping FILE`"));
    }
    Ok(())
}

fn item(row: &TableRow<'_>, mapping: &[Mapped], dates: Times) -> Result<Record, Error> {
    let mut object = Map::new();
    let mut extra = Map::new();
    let mut url = None;
    // A table of Cairn separates by commas, which labels have not; others by semicolons, too.
    let is_own = mapping
        .iter()
        .filter(|mapped| mapped.field == "id")
        .any(|mapped| row.get(&mapped.column).is_some_and(|id| matches!(own::source_id(id), SourceId::Own(_))));
    let separators: &[char] = if is_own { &[','] } else { &[',', ';'] };
    for mapped in mapping {
        let cells: Vec<&str> = row.raw(&mapped.column).map(write::unguarded).collect();
        if cells.is_empty() {
            continue;
        }
        match mapped.field.as_str() {
            "url" => url = Some(cells[0].trim().to_owned()),
            "created" | "updated" | "closed" => {
                let at = row.parsed(&mapped.column, |text| dates.time(text))?;
                object.insert(mapped.field.clone(), at.map(|at| at.to_string()).into());
            }
            "started" | "expected" | "completed" | "due" => {
                let day = row.parsed(&mapped.column, |text| dates.day(text))?;
                object.insert(mapped.field.clone(), day.map(|day| day.to_string()).into());
            }
            // Only its own white space means something.
            "description" => drop(object.insert(mapped.field.clone(), cells.join("\n").into())),
            field => match field.strip_prefix("extra.") {
                Some(name) => drop(extra.insert(name.to_owned(), trimmed(&cells).join(", ").into())),
                None => drop(object.insert(field.to_owned(), cell_value(field, &trimmed(&cells), separators))),
            },
        }
    }
    object.insert("extra".to_owned(), Value::Object(extra));
    let mut fields = own::Fields::from(object);
    let mut item = own::item(row.place.clone(), &mut fields).map_err(|error| {
        let mapped = mapping.iter().find(|mapped| fields.last() == Some(mapped.field.as_str()));
        let column = mapped.map_or_else(String::new, |mapped| format!(", column `{}`", mapped.column));
        error.in_context(format_args!("{}{column}", row.place))
    })?;
    item.url = url;
    item.scope = Scope::of_keys(mapping.iter().map(|mapped| mapped.field.as_str()));
    Ok(Record::Item(Box::new(item)))
}

fn trimmed<'a>(cells: &[&'a str]) -> Vec<&'a str> {
    cells.iter().map(|cell| cell.trim()).collect()
}

// Several columns of one name are a list; so is a cell of labels with separators.
fn cell_value(field: &str, cells: &[&str], separators: &[char]) -> Value {
    let is_list = matches!(field, "labels" | "assignees" | "blocks" | "blockedBy" | "relates" | "touches");
    if !is_list {
        return cells.join("\n").into();
    }
    let parts = cells.iter().flat_map(|cell| cell.split(separators)).map(str::trim).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().into()
}
