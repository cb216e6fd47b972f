//! JSON without empty keys, for readers that pay for every token.

use serde_json::Value;

/// Returns a value without empty keys: null, false, 0, empty texts, lists and objects; references without their UUIDs.
pub fn without_empty_keys(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            let is_reference = map.contains_key("number") && map.contains_key("state") && map.len() == 5;
            let kept = map.into_iter().filter(|(name, _)| !(is_reference && name == "id"));
            Value::Object(
                kept.map(|(name, value)| (name, without_empty_keys(value)))
                    .filter(|(_, value)| !is_empty(value))
                    .collect(),
            )
        }
        Value::Array(list) => list.into_iter().map(without_empty_keys).collect(),
        other => other,
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(flag) => !flag,
        Value::Number(number) => number.as_u64() == Some(0),
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn empty_keys_are_left_out() {
        let given = json!({"a": null, "b": "", "c": [], "d": {"is": false, "reason": null}, "e": 0, "f": "x",
            "g": [{"id": "u", "kind": "task", "number": 3, "title": "T", "state": "open"}, null]});
        let kept = json!({"f": "x", "g": [{"kind": "task", "number": 3, "title": "T", "state": "open"}, null]});
        assert_eq!(without_empty_keys(given), kept);
    }
}
