//! A tool is data: one definition feeds the list, the check of the arguments, the documentation and the tests.

use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::answer::ToolAnswer;
use crate::call::Call;
use crate::fault::Fault;

/// A JSON Schema.
pub type Schema = Map<String, Value>;

/// A tool; `C` is what its handler works on.
pub struct Tool<C> {
    /// What the contract calls it; dots are allowed, and the same name with `_` for each dot is known too.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// What it does, for the model that chooses it.
    pub description: &'static str,
    /// Returns the schema of its arguments; usually `schema::<Arguments>`.
    pub input: fn() -> Schema,
    /// Returns the schema of its structured answer, when it has one.
    pub output: Option<fn() -> Schema>,
    /// What it does to the world.
    pub effect: Effect,
    /// The group it is switched on and off with.
    pub toolset: &'static str,
    /// Does it. Blocking is fine: every call has a thread of its own.
    pub call: fn(&C, Value, &Call) -> Result<ToolAnswer, Fault>,
}

/// What a tool does to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    Reads,
    /// It adds, or changes what can be changed back; doing it twice is not doing it once.
    Writes,
    /// It makes something so; doing it twice is doing it once.
    Sets,
    /// It takes away what nothing here brings back; doing it twice is doing it once.
    Destroys,
}

impl Effect {
    /// Tells whether the world stays as it is.
    pub fn is_read_only(self) -> bool {
        self == Self::Reads
    }

    /// Tells whether something may be lost.
    pub fn is_destructive(self) -> bool {
        self == Self::Destroys
    }

    /// Tells whether doing it again changes nothing more.
    pub fn is_idempotent(self) -> bool {
        self != Self::Writes
    }
}

impl<C> Tool<C> {
    /// Returns its name without dots, for clients that refuse them.
    pub fn alias(&self) -> String {
        self.name.replace('.', "_")
    }

    /// Tells whether it answers to a name.
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || self.alias() == name
    }
}

/// Reads the arguments of a call.
pub fn arguments<T: DeserializeOwned>(given: Value) -> Result<T, Fault> {
    serde_json::from_value(given).map_err(|error| Fault::Undecodable(format!("in the arguments, {error}")))
}

/// Makes the schema of a type of arguments, in the plain form that every client takes: no `$ref`, no name of ours, no
/// number formats that JSON does not have, no line ends of ours.
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
    // A type without fields has no properties, which some clients take for an object of any sort.
    schema.ensure_object().entry("properties").or_insert_with(|| Value::Object(Map::new()));
    schema.as_object().cloned().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[expect(dead_code, reason = "only its schema is looked at")]
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
    fn undecodable_arguments_are_told_from_others() {
        let read = |given| arguments::<Sample>(given).map(|sample| sample.name);
        assert_eq!(read(json!({"name": "a", "more": 1})), Ok("a".to_owned()));
        for bad in [json!({}), json!({"name": 1}), json!({"name": "a", "limit": "5"}), json!(null)] {
            assert!(matches!(read(bad), Err(Fault::Undecodable(_))));
        }
    }
}
