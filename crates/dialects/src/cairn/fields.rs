//! Item fields as tool arguments, generated from the table of fields: common ones by name, the others in `fields` as
//! `name=value`. Every field is also accepted by its name, so that a model's first guess works.

use mcp::{Fault, Schema};
use model::field::{FIELDS, Field, FieldChange, FieldType, StatusRef};
use serde_json::{Map, Value, json};

use super::fault;
use crate::scalar::Scalar;

/// The fields that the schemas list, by stored name.
const COMMON: &[&str] = &["title", "description", "status", "assignee", "priority", "milestone", "parent", "due"];

/// Returns the properties of the common fields.
pub(super) fn properties() -> impl Iterator<Item = (&'static str, Value)> {
    let common = FIELDS.iter().filter(|field| COMMON.contains(&field.stored()));
    common.map(|field| (field.stored(), property(field)))
}

/// Returns the property `fields`.
pub(super) fn others() -> Value {
    let names: Vec<&str> = FIELDS.iter().map(Field::stored).filter(|name| !COMMON.contains(name)).collect();
    json!({"type": "array", "items": {"type": "string"}, "description": format!("name=value: {}", names.join(", "))})
}

/// Returns a closed schema.
pub(super) fn object_schema(properties: Vec<(&str, Value)>, required: &[&str]) -> Schema {
    let properties: Map<String, Value> =
        properties.into_iter().map(|(name, property)| (name.to_owned(), property)).collect();
    let schema =
        json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false});
    let mut schema = schema.as_object().cloned().unwrap_or_default();
    // An empty list of required fields is left out: it costs every client tokens.
    schema.retain(|name, value| name != "required" || *value != json!([]));
    schema
}

/// Returns the names that are accepted besides a tool's own arguments.
pub(super) fn names() -> Vec<&'static str> {
    FIELDS.iter().map(Field::stored).chain(["fields"]).collect()
}

/// Returns the schema of a field. Short, since every client sends it to its model.
fn property(field: &Field) -> Value {
    match field.takes {
        FieldType::Priority => described("urgent, high, medium, low, none"),
        FieldType::Flag => json!({"type": "boolean"}),
        FieldType::Size => described("small, medium, large, xlarge"),
        FieldType::Person => described("name, e-mail or `me`"),
        FieldType::Date => described("YYYY-MM-DD"),
        FieldType::Reference(_)
        | FieldType::Body
        | FieldType::Title
        | FieldType::Line
        | FieldType::Status
        | FieldType::Color => json!({"type": "string"}),
    }
}

fn described(description: &str) -> Value {
    json!({"type": "string", "description": description})
}

/// Parses the fields among the arguments. Null counts as absent; an empty text clears a field.
pub(super) fn read(given: &Value) -> Result<Vec<FieldChange>, Fault> {
    let mut read = Vec::new();
    for field in FIELDS {
        match given.get(field.stored()) {
            None | Some(Value::Null) => {}
            Some(value) => {
                let wrong = || Fault::Undecodable(format!("`{}` must be a string or a number", field.stored()));
                read.push(change(field, &Scalar::of(value).ok_or_else(wrong)?.0)?);
            }
        }
    }
    let wrong = || Fault::Undecodable("`fields` must be a list of `name=value`".to_owned());
    let others = match given.get("fields") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(list)) => list.clone(),
        Some(one) => vec![one.clone()],
    };
    for other in others {
        let (name, value) = other.as_str().and_then(|text| text.split_once('=')).ok_or_else(wrong)?;
        let field = Field::try_find(name.trim()).ok_or_else(|| unknown(name))?;
        read.push(change(field, value.trim())?);
    }
    Ok(read)
}

fn change(field: &'static Field, text: &str) -> Result<FieldChange, Fault> {
    if field.takes == FieldType::Status && !text.trim().is_empty() {
        return Ok(FieldChange::status(StatusRef::NamedOrState(text.trim().to_owned())));
    }
    FieldChange::parse(field, text).map_err(|why| fault(&why.into()))
}

fn unknown(name: &str) -> Fault {
    let names: Vec<&str> = FIELDS.iter().map(Field::stored).collect();
    let shown = model::text::escape_line(name.trim());
    Fault::Invalid(format!("unknown field `{shown}` (expected: {})", names.join(", ")))
}
