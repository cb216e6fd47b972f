//! Arguments that models send either as text or as a number: `"3"` and `3` refer to the same item.

use std::borrow::Cow;

use model::item_ref::ItemRef;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de};
use serde_json::Value;

/// A text that may be sent as a number or a boolean. Its schema says text, which every client can send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Scalar(pub(crate) String);

impl Scalar {
    /// Converts a value; `None` if it is not a text, number or boolean. Integers are written without a fraction.
    pub(crate) fn of(value: &Value) -> Option<Self> {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Number(number) => {
                let text = number.to_string();
                text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
            }
            Value::Bool(flag) => flag.to_string(),
            Value::Null | Value::Array(_) | Value::Object(_) => return None,
        };
        Some(Self(text))
    }

    /// Parses it as a reference to an item.
    pub(crate) fn item(&self) -> ItemRef {
        ItemRef::parse(&self.0)
    }
}

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        Self::of(&value).ok_or_else(|| de::Error::custom(format!("expected a string or a number, not {value}")))
    }
}

impl JsonSchema for Scalar {
    fn schema_name() -> Cow<'static, str> {
        "Scalar".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string"})
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_are_read_as_text() {
        let read = |value: Value| serde_json::from_value::<Scalar>(value).map(|scalar| scalar.0).ok();
        assert_eq!(read(json!("3")), Some("3".to_owned()));
        assert_eq!(read(json!(3)), Some("3".to_owned()));
        assert_eq!(read(json!(3.0)), Some("3".to_owned()));
        assert_eq!(read(json!(true)), Some("true".to_owned()));
        for wrong in [json!(null), json!([3]), json!({"id": 3})] {
            assert_eq!(read(wrong), None);
        }
    }
}
