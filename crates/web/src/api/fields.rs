//! Fields, kinds and limits in requests.

use std::borrow::Cow;
use std::collections::BTreeMap;

use model::field::{FIELDS, Field, FieldChange, FieldType, StatusRef};
use model::item::ItemKind;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::problem::Problem;

/// Default and maximum number of items in a response.
const DEFAULT_LIMIT: u32 = 50;
pub(super) const MAX_LIMIT: u32 = 200;

/// Fields by name, each with the text that a person would write for it; an empty text clears the field.
#[derive(Debug, Default, Deserialize)]
#[serde(transparent)]
pub(super) struct Fields(BTreeMap<String, String>);

impl Fields {
    /// Finds each field in the table of fields and parses its value.
    pub(super) fn parse(self) -> Result<Vec<FieldChange>, Problem> {
        let parse = |(name, text): (String, String)| {
            let field = Field::try_find(&name).ok_or_else(|| unknown(&name))?;
            // Workflows differ: `closed` and `open` close and reopen an item in the way of its own.
            if field.takes == FieldType::Status && !text.trim().is_empty() {
                return Ok(FieldChange::status(StatusRef::NamedOrState(text.trim().to_owned())));
            }
            Ok(FieldChange::parse(field, &text)?)
        };
        self.0.into_iter().map(parse).collect()
    }
}

fn unknown(name: &str) -> Problem {
    let names: Vec<&str> = FIELDS.iter().map(Field::stored).collect();
    let shown = model::text::escape_line(name);
    Problem::invalid(format!("unknown field `{shown}`")).hint(format!("one of {}", names.join(", ")))
}

impl JsonSchema for Fields {
    fn schema_name() -> Cow<'static, str> {
        "Fields".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let field = |field: &Field| (field.stored().to_owned(), json!({"type": "string", "description": field.about}));
        let properties: Map<String, Value> = FIELDS.iter().map(field).collect();
        json_schema!({
            "type": "object",
            "description": "Fields by name, each with the text that a person would write for it; an empty text clears one.",
            "properties": properties,
            "additionalProperties": false,
        })
    }
}

/// Parses a kind of item from the query or the body.
pub(super) fn kind(text: &str) -> Result<ItemKind, Problem> {
    Ok(text.parse()?)
}

/// The JSON Schema of a kind of item.
pub(super) fn kind_schema(_: &mut SchemaGenerator) -> Schema {
    let names: Vec<&str> = ItemKind::ALL.iter().map(|kind| kind.name()).collect();
    json_schema!({"type": "string", "enum": names})
}

/// Checks the requested number of items.
pub(super) fn limit(given: Option<u32>) -> Result<usize, Problem> {
    match given.unwrap_or(DEFAULT_LIMIT) {
        limit @ 1..=MAX_LIMIT => Ok(limit as usize),
        other => Err(Problem::invalid(format!("invalid `limit`: {other} (expected: 1 to {MAX_LIMIT})"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_may_be_the_state_of_an_item() {
        let parse = |text: &str| Fields(BTreeMap::from([("status".to_owned(), text.to_owned())])).parse().unwrap();
        assert_eq!(parse(" closed "), [FieldChange::status(StatusRef::NamedOrState("closed".to_owned()))]);
    }
}
