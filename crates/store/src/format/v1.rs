//! Version 1 of an operation: one JSON object per line. Unknown keys are ignored; the line itself is kept, so nothing
//! is lost.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use jiff::Timestamp;
use model::id::{EntityId, OpId};
use model::op::{Change, Op, Stamp};
use model::person::Person;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

/// The version this module writes.
pub const VERSION: u32 = 1;

/// Maximum nesting of a value. The whole line may be 127 deep, but the index and the output wrap the value again.
const MAX_DEPTH: usize = 64;

/// Maximum number of authors that a reader of many lines keeps.
const MAX_KNOWN_PEOPLE: usize = 1024;

/// The first and the last second of the years from 1 to 9999.
const FIRST_PLAIN_SECOND: i64 = -62_135_596_800;
const LAST_PLAIN_SECOND: i64 = 253_402_300_799;

/// Why a line is not an operation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadOp {
    /// Not JSON, or a required key is missing.
    #[error("{0}")]
    Unreadable(String),
    /// Longer than the limit.
    #[error("the operation has {0} bytes, more than the limit")]
    TooLong(usize),
}

/// The keys of an operation in the order they are written. Unused ones are left out.
#[derive(Debug, Serialize, Deserialize)]
struct Line<'a> {
    v: u32,
    id: Uuid,
    entity: Uuid,
    lamport: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<Timestamp>,
    #[serde(borrow, default, skip_serializing_if = "is_empty")]
    by: Cow<'a, str>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    imported: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    undoes: Option<Uuid>,
    #[serde(borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    item: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    number: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    releases: Option<Vec<u64>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fields: Option<Cow<'a, BTreeMap<String, Value>>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sets: Option<Cow<'a, BTreeMap<String, Vec<String>>>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    comment: Option<Uuid>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    field: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    value: Option<Cow<'a, Value>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seen: Option<Vec<Uuid>>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    body: Option<Cow<'a, str>>,
}

/// The keys that operations of all versions have.
#[derive(Debug, Deserialize)]
struct Head {
    v: u32,
    id: Uuid,
    entity: Uuid,
    lamport: u64,
    kind: String,
    #[serde(default)]
    at: Option<Timestamp>,
    #[serde(default)]
    by: String,
}

fn is_empty(text: &str) -> bool {
    text.is_empty()
}

// `"value": null` clears a field; a missing value is an error.
fn present<'de, 'a, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Cow<'a, Value>>, D::Error> {
    Value::deserialize(deserializer).map(|value| Some(Cow::Owned(value)))
}

/// Writes an operation as one line, with its line break. `Change::Unknown` cannot be written: only the version that
/// knows it can.
pub fn write(op: &Op, lines: &mut Vec<u8>) {
    let mut line = Line::new(op);
    line.fill(&op.change);
    serde_json::to_writer(&mut *lines, &line).expect("strings, numbers and JSON values always serialise");
    lines.push(b'\n');
}

/// Parses one line.
pub fn read(bytes: &[u8]) -> Result<Op, BadOp> {
    read_with(bytes, Person::parse)
}

/// Parses many lines. Operations of the same author share its text.
#[derive(Debug, Default)]
pub struct OpReader {
    people: HashMap<String, Person>,
}

impl OpReader {
    /// Parses one line.
    pub fn read(&mut self, bytes: &[u8]) -> Result<Op, BadOp> {
        read_with(bytes, |text| self.person(text))
    }

    /// Returns an operation of this process as it is read from the line that was written of it.
    pub(crate) fn as_read(&mut self, mut op: Op, line: &[u8]) -> Result<Op, BadOp> {
        if line.len() > super::OP_LIMIT || !is_read_as_written(&op) {
            return self.read(line);
        }
        op.at = to_microseconds(op.at);
        op.by = self.person(&op.by.to_string());
        Ok(op)
    }

    fn person(&mut self, text: &str) -> Person {
        if let Some(person) = self.people.get(text) {
            return person.clone();
        }
        // A hostile log may have as many authors as operations.
        if self.people.len() >= MAX_KNOWN_PEOPLE {
            self.people.clear();
        }
        let person = Person::parse(text);
        self.people.insert(text.to_owned(), person.clone());
        person
    }
}

fn read_with(bytes: &[u8], person: impl FnOnce(&str) -> Person) -> Result<Op, BadOp> {
    if bytes.len() > super::OP_LIMIT {
        return Err(BadOp::TooLong(bytes.len()));
    }
    // Checked as a whole: otherwise each text of the line is checked by itself.
    let line = std::str::from_utf8(bytes).ok().and_then(|text| serde_json::from_str::<Line<'_>>(text).ok());
    match line {
        Some(line) if line.v == VERSION => Ok(line.into_op(person)),
        _ => read_head(bytes),
    }
}

// A newer version, or a known kind with other types: the common keys suffice to keep its place in the order.
fn read_head(bytes: &[u8]) -> Result<Op, BadOp> {
    let head: Head = serde_json::from_slice(bytes).map_err(|error| BadOp::Unreadable(error.to_string()))?;
    let kind = if head.v == VERSION { head.kind } else { format!("{} (version {})", head.kind, head.v) };
    Ok(Op {
        stamp: Stamp { lamport: head.lamport, id: OpId::new(head.id) },
        entity: EntityId::new(head.entity),
        at: head.at.map(to_microseconds).unwrap_or_default(),
        by: Person::parse(&head.by),
        imported: None,
        undoes: None,
        change: Change::Unknown { kind },
    })
}

// The index stores microseconds; times that are equal there must be equal everywhere.
fn to_microseconds(at: Timestamp) -> Timestamp {
    // By hand: jiff's rounding takes longer than parsing the time.
    let rest = at.subsec_nanosecond() % 1_000;
    if rest == 0 { at } else { Timestamp::new(at.as_second(), at.subsec_nanosecond() - rest).unwrap_or(at) }
}

/// Returns whether reading the line of an operation makes the same operation of it, but for its time and its author.
fn is_read_as_written(op: &Op) -> bool {
    // Years of four digits, which are written as they are.
    let has_plain_time = (FIRST_PLAIN_SECOND..=LAST_PLAIN_SECOND).contains(&op.at.as_second());
    has_plain_time
        && match &op.change {
            Change::Create { fields, .. } => fields.values().all(|value| is_exact(value, MAX_DEPTH)),
            Change::Set { value, .. } => is_exact(value, MAX_DEPTH),
            Change::Unknown { .. } => false,
            _ => true,
        }
}

/// Returns whether a value is written and read without a change: a number with a fraction may be rounded, and a value that is
/// nested too deep is not read.
fn is_exact(value: &Value, depth: usize) -> bool {
    match value {
        Value::Number(number) => !number.is_f64(),
        Value::Array(values) => depth > 0 && values.iter().all(|value| is_exact(value, depth - 1)),
        Value::Object(values) => depth > 0 && values.values().all(|value| is_exact(value, depth - 1)),
        Value::Null | Value::Bool(_) | Value::String(_) => true,
    }
}

impl<'a> Line<'a> {
    fn new(op: &'a Op) -> Self {
        Self {
            v: VERSION,
            id: Uuid::from_bytes(*op.stamp.id.as_bytes()),
            entity: Uuid::from_bytes(*op.entity.as_bytes()),
            lamport: op.stamp.lamport,
            at: Some(op.at),
            by: op.by.to_string().into(),
            imported: op.imported.as_deref().map(Cow::Borrowed),
            undoes: op.undoes.map(|id| Uuid::from_bytes(*id.as_bytes())),
            kind: Cow::Borrowed(""),
            item: None,
            number: None,
            releases: None,
            fields: None,
            sets: None,
            comment: None,
            field: None,
            value: None,
            seen: None,
            body: None,
        }
    }

    fn fill(&mut self, change: &'a Change) {
        self.kind = name(change).into();
        match change {
            Change::Create { kind, number, fields, sets } => {
                self.item = Some(kind.into());
                self.number = *number;
                self.fields = (!fields.is_empty()).then_some(Cow::Borrowed(fields));
                self.sets = (!sets.is_empty()).then_some(Cow::Borrowed(sets));
            }
            Change::Set { field, value } => {
                self.field = Some(field.into());
                self.value = Some(Cow::Borrowed(value));
            }
            Change::Add { field, value } => {
                self.field = Some(field.into());
                self.value = Some(Cow::Owned(Value::from(value.as_str())));
            }
            Change::Remove { field, value, seen } => {
                self.field = Some(field.into());
                self.value = Some(Cow::Owned(Value::from(value.as_str())));
                self.seen = Some(seen.iter().map(|id| Uuid::from_bytes(*id.as_bytes())).collect());
            }
            Change::Comment { body } => self.body = Some(body.into()),
            Change::EditComment { comment, body } => {
                self.comment = Some(Uuid::from_bytes(*comment.as_bytes()));
                self.body = Some(body.into());
            }
            Change::Renumber { number, releases } => {
                self.number = Some(*number);
                self.releases = (!releases.is_empty()).then(|| releases.clone());
            }
            Change::Delete | Change::Restore | Change::Unknown { .. } => {}
        }
    }

    fn into_op(self, person: impl FnOnce(&str) -> Person) -> Op {
        Op {
            stamp: Stamp { lamport: self.lamport, id: OpId::new(self.id) },
            entity: EntityId::new(self.entity),
            at: self.at.map(to_microseconds).unwrap_or_default(),
            by: person(&self.by),
            imported: self.imported.as_deref().map(Arc::from),
            undoes: self.undoes.map(OpId::new),
            change: self.change(),
        }
    }

    // A known kind without its required keys, or with a value that is nested too deep, is treated as unknown.
    fn change(mut self) -> Change {
        let kind = std::mem::take(&mut self.kind);
        let values = self.fields.iter().flat_map(|fields| fields.values());
        let is_deep = self.value.iter().map(AsRef::as_ref).chain(values).any(is_too_deep);
        let change = match kind.as_ref() {
            _ if is_deep => None,
            "create" => self.item.map(|kind| Change::Create {
                kind: kind.into_owned(),
                number: self.number,
                fields: self.fields.map(Cow::into_owned).unwrap_or_default(),
                sets: self.sets.map(Cow::into_owned).unwrap_or_default(),
            }),
            "set" => zip(self.field, self.value).map(|(field, value)| Change::Set { field, value }),
            "add" => zip_text(self.field, self.value).map(|(field, value)| Change::Add { field, value }),
            "remove" => zip_text(self.field, self.value).map(|(field, value)| {
                let seen = self.seen.unwrap_or_default().into_iter().map(OpId::new).collect();
                Change::Remove { field, value, seen }
            }),
            "comment" => self.body.map(|body| Change::Comment { body: body.into_owned() }),
            "edit_comment" => self
                .comment
                .zip(self.body)
                .map(|(comment, body)| Change::EditComment { comment: OpId::new(comment), body: body.into_owned() }),
            "delete" => Some(Change::Delete),
            "restore" => Some(Change::Restore),
            "renumber" => {
                let releases = self.releases.unwrap_or_default();
                self.number.map(|number| Change::Renumber { number, releases })
            }
            _ => None,
        };
        change.unwrap_or_else(|| Change::Unknown { kind: kind.into_owned() })
    }
}

/// Returns whether a value is nested deeper than `MAX_DEPTH`.
pub fn is_too_deep(value: &Value) -> bool {
    fn fits(value: &Value, left: usize) -> bool {
        match value {
            Value::Array(values) => left > 0 && values.iter().all(|value| fits(value, left - 1)),
            Value::Object(values) => left > 0 && values.values().all(|value| fits(value, left - 1)),
            _ => true,
        }
    }
    !fits(value, MAX_DEPTH)
}

fn zip(field: Option<Cow<'_, str>>, value: Option<Cow<'_, Value>>) -> Option<(String, Value)> {
    Some((field?.into_owned(), value?.into_owned()))
}

fn zip_text(field: Option<Cow<'_, str>>, value: Option<Cow<'_, Value>>) -> Option<(String, String)> {
    match value?.into_owned() {
        Value::String(value) => Some((field?.into_owned(), value)),
        _ => None,
    }
}

/// Returns the name of a change in the log.
pub fn name(change: &Change) -> &str {
    match change {
        Change::Create { .. } => "create",
        Change::Set { .. } => "set",
        Change::Add { .. } => "add",
        Change::Remove { .. } => "remove",
        Change::Comment { .. } => "comment",
        Change::EditComment { .. } => "edit_comment",
        Change::Delete => "delete",
        Change::Restore => "restore",
        Change::Renumber { .. } => "renumber",
        Change::Unknown { kind } => kind,
    }
}
