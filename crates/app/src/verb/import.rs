//! Imports an export, or creates items from plain JSON lines. Existing operations are skipped.

use std::collections::HashSet;
use std::io::BufRead;

use model::field::{Field, FieldChange};
use model::item::ItemKind;
use model::op::{Change, Stamp};
use model::text::check_body;
use serde_json::{Map, Value};
use store::format::{OP_LIMIT, v1};
use store::index::CLOCK_JUMP;

use crate::change::{ItemCreation, NewItem, NumberAllocator};
use crate::error::Error;
use crate::project::{PlanContext, Project, WritePlan};
use crate::view::ImportView;

impl Project {
    /// Imports lines: operations of an export, or objects with at least a `title`. All or nothing.
    pub fn import(&mut self, input: &mut dyn BufRead) -> Result<ImportView, Error> {
        let mut operations = Vec::new();
        let mut plain = Vec::new();
        let mut seen: HashSet<Vec<u8>> = HashSet::new();
        let mut known = 0;
        for (n, line) in input.split(b'\n').enumerate() {
            let line = line.map_err(|error| Error::unavailable(format!("cannot read line {}: {error}", n + 1)))?;
            let line = line.trim_ascii();
            if line.is_empty() {
                continue;
            }
            match read_line(line).map_err(|why| Error::invalid(format!("line {}: {why}", n + 1)))? {
                Line::Operation(op) => {
                    // `seen` finds duplicates within the file, the index those in the log.
                    let is_new = seen.insert(line.to_vec()) && !self.index().has_line(op.entity, line)?;
                    if is_new { operations.push((op.stamp, line.to_vec())) } else { known += 1 }
                }
                Line::Plain(object) => plain.push((n + 1, object)),
            }
        }
        if let (Some((line, _)), true) = (plain.first(), !operations.is_empty() || known > 0) {
            return Err(Error::invalid(format!("line {line}: an item among the operations of an export"))
                .hint("import them from two files, so that each is taken whole or not at all"));
        }
        let n_operations = operations.len();
        if n_operations > 0 {
            // In stamp order, so that the clock check sees each operation after its predecessors.
            operations.sort();
            self.refuse_clock_jump(operations.iter().map(|(stamp, _)| *stamp))?;
            let lines: Vec<u8> =
                operations.into_iter().flat_map(|(_, line)| [line, b"\n".to_vec()]).flatten().collect();
            self.store.append_lines(&format!("import {n_operations} operations"), &lines)?;
        }
        let created = if plain.is_empty() { 0 } else { self.create_all(&plain)? };
        Ok(ImportView { operations: n_operations, known, created })
    }

    // The index would skip an operation whose clock is too far ahead, and the import would lose it.
    fn refuse_clock_jump(&self, in_order: impl Iterator<Item = Stamp>) -> Result<(), Error> {
        let mut clock = self.index().clock()?;
        for stamp in in_order {
            if stamp.lamport > clock.saturating_add(CLOCK_JUMP) {
                return Err(Error::invalid(format!("operation {} runs too far ahead of the clock", stamp.id))
                    .hint("an export of the whole project has the operations in between"));
            }
            clock = clock.max(stamp.lamport);
        }
        Ok(())
    }

    fn create_all(&mut self, plain: &[(usize, Map<String, Value>)]) -> Result<usize, Error> {
        let plan = |context: &PlanContext<'_>| {
            let mut numbers = NumberAllocator::new(context.index);
            let mut changes = Vec::new();
            for (line, object) in plain {
                let id = context.new_entity();
                let made = create_one(context, &mut numbers, object)
                    .map_err(|error| error.in_context(format_args!("line {line}")))?;
                changes.extend(made.into_iter().map(|change| (id, change)));
            }
            Ok((WritePlan::new(format!("import {} items", plain.len()), changes), plain.len()))
        };
        self.commit(plan)
    }
}

enum Line {
    Operation(model::op::Op),
    Plain(Map<String, Value>),
}

fn read_line(line: &[u8]) -> Result<Line, String> {
    if line.len() > OP_LIMIT {
        return Err(format!("it has {} bytes, more than can be kept", line.len()));
    }
    if let Ok(op) = v1::read(line) {
        return Ok(Line::Operation(op));
    }
    match serde_json::from_slice(line) {
        Ok(Value::Object(object)) if object.contains_key("title") => Ok(Line::Plain(object)),
        Ok(_) => Err("it is neither an operation of an export nor an object with a `title`".to_owned()),
        Err(error) => Err(format!("it is not JSON: {error}")),
    }
}

fn create_one(
    context: &PlanContext<'_>,
    numbers: &mut NumberAllocator<'_>,
    object: &Map<String, Value>,
) -> Result<Vec<Change>, Error> {
    let new = new_item(object)?;
    let creation = ItemCreation::plan(context, &new, numbers.next(new.kind.space())?)?;
    let mut changes = vec![creation.into_change()];
    for body in strings(object.get("comments")) {
        changes.push(Change::Comment { body: check_body("comment", &body)? });
    }
    Ok(changes)
}

fn new_item(object: &Map<String, Value>) -> Result<NewItem, Error> {
    let text = |name: &str| object.get(name).and_then(Value::as_str);
    let kind: ItemKind = text("kind").unwrap_or("issue").parse()?;
    let mut new = NewItem::new(kind, text("title").unwrap_or_default());
    let known = ["kind", "title", "labels", "comments", "id", "number"];
    for (name, value) in object.iter().filter(|(name, value)| !known.contains(&name.as_str()) && !value.is_null()) {
        match (Field::try_find(name), as_text(value)) {
            (Some(field), Some(text)) => new.fields.push(FieldChange::parse(field, &text)?),
            (Some(_), None) => {
                let named = model::text::escape_line(name);
                return Err(Error::invalid(format!("`{named}` must be text, a number, true or false"))
                    .hint("write it as you would on the command line: a board by its title or number, for one"));
            }
            (None, _) => {
                refuse_nul(name, value)?;
                new.extra.push((name.clone(), value.clone()));
            }
        }
    }
    new.labels = strings(object.get("labels"));
    Ok(new)
}

// Known fields were validated one by one; unknown ones can have any shape.
fn refuse_nul(name: &str, value: &Value) -> Result<(), Error> {
    let refused = || Err(Error::invalid("it contains a NUL character, which no text may"));
    if name.contains('\0') {
        return refused();
    }
    match value {
        Value::String(text) if text.contains('\0') => refused(),
        Value::Array(values) => values.iter().try_for_each(|value| refuse_nul("", value)),
        Value::Object(fields) => fields.iter().try_for_each(|(name, value)| refuse_nul(name, value)),
        _ => Ok(()),
    }
}

fn as_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    }
}

// A comment may be an object with its text under `body`, as some tools write it.
fn strings(value: Option<&Value>) -> Vec<String> {
    let text = |value: &Value| value.as_str().or_else(|| value.get("body").and_then(Value::as_str)).map(str::to_owned);
    value.and_then(Value::as_array).into_iter().flatten().filter_map(text).collect()
}
