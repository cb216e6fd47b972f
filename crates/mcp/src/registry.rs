//! A tool is data: one definition feeds `tools/list`, the argument check, the documentation and the tests.

use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform};
use serde::de::DeserializeOwned;
use serde_json::{Map, Number, Value};

use crate::call::Call;
use crate::fault::Fault;
use crate::results::ToolResult;

/// A JSON Schema.
pub type Schema = Map<String, Value>;

/// A tool; `C` is the state its handler works on.
pub struct Tool<C> {
    /// Name in the contract. Dots are allowed; calls may also write `_` for each dot.
    pub name: &'static str,
    /// Display name.
    pub title: &'static str,
    /// Description for the model.
    pub description: &'static str,
    /// Returns the JSON Schema of the arguments; usually `schema::<Arguments>`.
    pub input: fn() -> Schema,
    /// Returns the JSON Schema of the structured result, if there is one.
    pub output: Option<fn() -> Schema>,
    /// The tool's effect, from which its annotations follow.
    pub effect: Effect,
    /// The group by which the tool is enabled and disabled.
    pub toolset: &'static str,
    /// The handler. It may block: every call has its own thread.
    pub call: fn(&C, Value, &Call) -> Result<ToolResult, Fault>,
}

/// The effect of a tool on stored data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Reads only.
    Reads,
    /// Adds, or makes a change that can be undone; not idempotent.
    Writes,
    /// Sets a value; idempotent.
    Sets,
    /// Deletes irreversibly; idempotent.
    Destroys,
}

impl Effect {
    /// Returns whether the tool changes nothing.
    pub(crate) fn is_read_only(self) -> bool {
        self == Self::Reads
    }

    /// Returns whether data may be lost.
    pub(crate) fn is_destructive(self) -> bool {
        self == Self::Destroys
    }

    /// Returns whether a second identical call changes nothing more.
    pub(crate) fn is_idempotent(self) -> bool {
        self != Self::Writes
    }
}

impl<C> Tool<C> {
    /// Returns the name without dots, for clients that reject them.
    pub fn alias(&self) -> String {
        self.name.replace('.', "_")
    }

    /// Returns whether `name` is the tool's name or its alias.
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || self.alias() == name
    }
}

/// Deserializes the arguments of a call.
pub fn arguments<T: DeserializeOwned>(given: Value) -> Result<T, Fault> {
    let given = with_whole_numbers(given);
    serde_json::from_value(given).map_err(|error| Fault::Undecodable(format!("in the arguments, {error}")))
}

/// Writes whole numbers without a fraction. JSON and its schemas have one number type, in which `5.0` is the integer 5;
/// some clients write every number that way.
pub fn with_whole_numbers(value: Value) -> Value {
    match value {
        Value::Array(values) => values.into_iter().map(with_whole_numbers).collect(),
        Value::Object(members) => members.into_iter().map(|(name, value)| (name, with_whole_numbers(value))).collect(),
        Value::Number(number) => Value::Number(whole_number(&number).unwrap_or(number)),
        other => other,
    }
}

/// Returns the integer that a fraction of 0 was written for. A number beyond the precision of a float stays as it is.
fn whole_number(number: &Number) -> Option<Number> {
    const MAX_EXACT: f64 = 9_007_199_254_740_992.0;
    let value = number.as_f64().filter(|_| number.is_f64())?;
    if value.fract() != 0.0 || value.abs() > MAX_EXACT {
        return None;
    }
    let integer: i64 = format!("{value:.0}").parse().ok()?;
    Some(integer.into())
}

/// Makes the JSON Schema of an argument type in a form that every client accepts: no `$ref`, no Rust type names, no
/// number formats unknown to JSON, no line breaks inside descriptions.
pub fn schema<T: schemars::JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    RecursiveTransform(|schema: &mut schemars::Schema| {
        schema.remove("title");
        schema.remove("format");
        if let Some(Value::String(text)) = schema.get_mut("description") {
            *text = text.replace('\n', " ");
        }
        if schema.get("default").is_some_and(Value::is_null) {
            schema.remove("default");
        }
    })
    .transform(&mut schema);
    // A type without fields would have no `properties`, which some clients read as "any object".
    schema.ensure_object().entry("properties").or_insert_with(|| Value::Object(Map::new()));
    schema.as_object().cloned().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[derive(schemars::JsonSchema, serde::Deserialize)]
    struct Sample {
        /// Whose.
        name: String,
        /// How many.
        #[serde(default)]
        #[schemars(with = "u32", range(min = 1, max = 9), extend("default" = 5))]
        limit: Option<u32>,
    }

    #[test]
    fn schema_is_plain() {
        let expected = json!({
            "type": "object",
            "properties": {
                "name": {"description": "Whose.", "type": "string"},
                "limit": {"description": "How many.", "type": "integer", "minimum": 1, "maximum": 9, "default": 5},
            },
            "required": ["name"],
        });
        assert_eq!(Value::Object(schema::<Sample>()), expected);
    }

    #[test]
    fn a_fraction_of_zero_is_an_integer() {
        let read = |text: &str| with_whole_numbers(serde_json::from_str(text).expect("JSON")).to_string();
        assert_eq!(read(r#"{"a":5.0,"b":[-2.0,{"c":0.0}],"d":1e3}"#), r#"{"a":5,"b":[-2,{"c":0}],"d":1000}"#);
        for same in ["5", "2.5", "-7", "\"5.0\"", "18446744073709551615", "null"] {
            assert_eq!(read(same), same);
        }
        assert_eq!(with_whole_numbers(json!(1e300)), json!(1e300));
        let limit = |given| arguments::<Sample>(given).map(|sample| sample.limit);
        assert_eq!(limit(json!({"name": "a", "limit": 5.0})), Ok(Some(5)));
        assert!(matches!(limit(json!({"name": "a", "limit": 5.5})), Err(Fault::Undecodable(_))));
    }

    #[test]
    fn undecodable_arguments_are_distinguished_from_others() {
        let read = |given| arguments::<Sample>(given).map(|sample| sample.name);
        assert_eq!(read(json!({"name": "a", "more": 1})), Ok("a".to_owned()));
        for bad in [json!({}), json!({"name": 1}), json!({"name": "a", "limit": "5"}), json!(null)] {
            assert!(matches!(read(bad), Err(Fault::Undecodable(_))));
        }
    }
}
