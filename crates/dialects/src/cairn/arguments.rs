//! Arguments of tools: parsing, and schemas that clients can make strict.

use app::Error;
use mcp::{Fault, Schema};
use schemars::{JsonSchema, SchemaGenerator, json_schema};
use serde::de::{self, DeserializeOwned};
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use crate::scalar::Scalar;

/// Parses the arguments of a call. An unknown argument is rejected, with the nearest known name: ignored silently, it
/// would seem to have had an effect.
pub(super) fn arguments<T: DeserializeOwned + JsonSchema>(given: Value) -> Result<T, Fault> {
    let schema = mcp::schema::<T>();
    check_names(&schema, &given)?;
    mcp::arguments(without_empty(given, &required(&schema)))
}

/// Removes null arguments.
pub(super) fn without_nulls(mut given: Value) -> Value {
    if let Some(given) = given.as_object_mut() {
        given.retain(|_, value| !value.is_null());
    }
    given
}

/// Removes null and empty arguments that are not required. Clients in `OpenAI`'s strict mode make a model send all
/// arguments of a schema: an empty one counts as absent.
pub(super) fn without_empty(mut given: Value, required: &[String]) -> Value {
    if let Some(given) = given.as_object_mut() {
        let is_empty = |value: &Value| value.is_null() || *value == json!("") || *value == json!([]);
        given.retain(|name, value| required.contains(name) || !is_empty(value));
    }
    given
}

fn required(schema: &Schema) -> Vec<String> {
    let names = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    names.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Returns the schema of a tool's arguments.
pub(super) fn schema<T: JsonSchema>() -> Schema {
    without_defaults(mcp::schema::<T>())
}

/// Removes defaults, which strict mode does not support; the descriptions contain them.
fn without_defaults(mut schema: Schema) -> Schema {
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten();
    for property in properties.filter_map(|(_, property)| property.as_object_mut()) {
        property.remove("default");
    }
    schema
}

/// Makes an argument nullable: one whose empty value has a meaning of its own, such as clearing a field. In strict mode
/// null is then the only way to leave it out.
pub(super) fn nullable(mut property: Value) -> Value {
    let description = property.as_object_mut().and_then(|property| property.remove("description"));
    // Not `"type": ["string", "null"]`: the Inspector warns about it, and some clients read only the first type.
    let mut nullable = Schema::from_iter([("anyOf".to_owned(), json!([property, {"type": "null"}]))]);
    nullable.extend(description.map(|text| ("description".to_owned(), text)));
    Value::Object(nullable)
}

/// Rejects an argument that is not in the schema.
pub(super) fn check_names(schema: &Schema, given: &Value) -> Result<(), Fault> {
    let known = schema.get("properties").and_then(Value::as_object);
    let known: Vec<&str> = known.into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    check_known(&known, given)
}

/// Rejects an argument that is not among these.
pub(super) fn check_known(known: &[&str], given: &Value) -> Result<(), Fault> {
    let unknown = given.as_object().into_iter().flatten().map(|(name, _)| name.as_str());
    match unknown.into_iter().find(|name| !known.contains(name)) {
        None => Ok(()),
        Some(unknown) => Err(Fault::Undecodable(unknown_name(unknown, known))),
    }
}

fn unknown_name(unknown: &str, known: &[&str]) -> String {
    let shown = model::text::quoted(unknown);
    let likeness = |name: &&&str| ordered(strsim::jaro_winkler(name, unknown));
    match known.iter().max_by_key(likeness).filter(|name| strsim::jaro_winkler(name, unknown) > 0.75) {
        Some(nearest) => format!("unknown argument `{shown}`; did you mean `{nearest}`?"),
        None if known.is_empty() => format!("unknown argument `{shown}`; this tool takes none"),
        None => format!("unknown argument `{shown}`; expected: {}", known.join(", ")),
    }
}

// A similarity is a number from 0 to 1.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is a thousandth of 0 to 1")]
fn ordered(likeness: f64) -> u32 {
    (likeness * 1000.0) as u32
}

/// A list of texts; a single one counts as a list, and numbers as texts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Texts(pub(super) Vec<String>);

impl<'de> Deserialize<'de> for Texts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let wrong = |value: &Value| de::Error::custom(format!("expected a list of strings, not {value}"));
        let one = |value: &Value| Scalar::of(value).map(|scalar| scalar.0).ok_or_else(|| wrong(value));
        Ok(Self(match Value::deserialize(deserializer)? {
            Value::Null => Vec::new(),
            Value::Array(many) => many.iter().map(one).collect::<Result<_, _>>()?,
            value => vec![one(&value)?],
        }))
    }
}

impl JsonSchema for Texts {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Texts".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> schemars::Schema {
        json_schema!({"type": "array", "items": {"type": "string"}})
    }
}

/// A token limit; 0 is the default one. Small numbers are allowed: a result never fails because of it.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(transparent)]
pub(super) struct MaxTokens(u32);

impl MaxTokens {
    /// The limit without an argument.
    pub(super) const DEFAULT: usize = 2_000;
    /// The highest limit.
    pub(super) const MAX: usize = 20_000;

    /// Validates a limit.
    pub(super) fn of(given: Option<Self>) -> Result<usize, Fault> {
        match given.map_or(0, |Self(tokens)| tokens as usize) {
            0 => Ok(Self::DEFAULT),
            tokens @ 1..=Self::MAX => Ok(tokens),
            tokens => {
                let message = format!("invalid `max_tokens`: {tokens} (expected: 1 to {})", Self::MAX);
                Err(super::fault(&Error::invalid(message)))
            }
        }
    }
}

impl JsonSchema for MaxTokens {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "MaxTokens".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> schemars::Schema {
        json_schema!({"type": "integer"})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_text_counts_as_a_list() {
        let read = |value: Value| serde_json::from_value::<Texts>(value).map(|texts| texts.0).ok();
        assert_eq!(read(json!(["a", 2])), Some(vec!["a".to_owned(), "2".to_owned()]));
        assert_eq!(read(json!("a")), Some(vec!["a".to_owned()]));
        assert_eq!(read(json!(null)), Some(Vec::new()));
        assert_eq!(read(json!([["a"]])), None);
        assert_eq!(read(json!({"a": 1})), None);
    }

    #[test]
    fn empty_arguments_count_as_absent_unless_they_are_required() {
        let given = json!({"a": "", "b": [], "c": null, "d": false, "e": 0, "f": "", "g": "x"});
        let kept = json!({"d": false, "e": 0, "f": "", "g": "x"});
        assert_eq!(without_empty(given, &["f".to_owned()]), kept);
    }

    #[test]
    fn a_limit_of_tokens_is_bounded() {
        let limit = |tokens: u32| MaxTokens::of(Some(MaxTokens(tokens))).ok();
        assert_eq!((limit(1), limit(20_000), limit(0), limit(20_001)), (Some(1), Some(20_000), Some(2_000), None));
        assert_eq!(MaxTokens::of(None), Ok(2_000));
    }
}
