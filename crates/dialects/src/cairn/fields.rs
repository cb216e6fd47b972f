//! Item fields as tool arguments, one per field, generated from the table of fields.

use mcp::{Fault, Schema};
use model::field::{FIELDS, Field, FieldChange, FieldType};
use serde_json::{Map, Value, json};

use super::{fault, with_nullable_options};
use crate::scalar::Scalar;

/// Returns a closed schema: the tool's own arguments, then the item fields.
pub(super) fn schema(own: Vec<(&str, Value)>, fields: impl Fn(&Field) -> bool, required: &[&str]) -> Schema {
    let fields = FIELDS.iter().filter(|field| fields(field)).map(|field| (field.stored(), property(field)));
    let properties: Map<String, Value> =
        own.into_iter().chain(fields).map(|(name, property)| (name.to_owned(), property)).collect();
    let schema =
        json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false});
    with_nullable_options(schema.as_object().cloned().unwrap_or_default())
}

/// Returns the schema of a field. Short, since every client sends it to its model.
fn property(field: &Field) -> Value {
    match field.takes {
        FieldType::Priority => json!({"type": "integer", "minimum": 0, "maximum": 10}),
        FieldType::Flag => json!({"type": "boolean"}),
        FieldType::Size => told("small, medium, large, xlarge"),
        FieldType::Person => told("name, address or `me`"),
        FieldType::Reference(_) => told("id"),
        FieldType::Date => told("YYYY-MM-DD"),
        FieldType::Body => told("Markdown"),
        FieldType::Title | FieldType::Line | FieldType::Status | FieldType::Colour => json!({"type": "string"}),
    }
}

fn told(description: &str) -> Value {
    json!({"type": "string", "description": description})
}

/// Parses the fields among the arguments. Null counts as absent; an empty text clears a field.
pub(super) fn read(given: &Value, fields: impl Fn(&Field) -> bool) -> Result<Vec<FieldChange>, Fault> {
    let mut read = Vec::new();
    for field in FIELDS.iter().filter(|field| fields(field)) {
        match given.get(field.stored()) {
            None | Some(Value::Null) => {}
            Some(value) => {
                let wrong = || Fault::Undecodable(format!("`{}` must be a string or a number", field.stored()));
                let text = Scalar::of(value).ok_or_else(wrong)?.0;
                read.push(FieldChange::parse(field, &text).map_err(|why| fault(&why.into()))?);
            }
        }
    }
    Ok(read)
}
