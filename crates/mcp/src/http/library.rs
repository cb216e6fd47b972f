//! What the protocol library makes of a request. It takes what it cannot read for a request of nobody's, and answers as if
//! the method were unknown; so it is asked first.

use rmcp::model::{ClientRequest, JsonRpcMessage, RequestId};
use rmcp::service::{RoleServer, RxJsonRpcMessage};
use serde_json::{Map, Value};

use crate::gate::{INVALID_PARAMS, INVALID_REQUEST, Refusal};

/// Checks that the library will see in a request what is in it.
pub(super) fn readable(id: Value, mut message: Map<String, Value>) -> Result<Map<String, Value>, Refusal> {
    if serde_json::from_value::<RequestId>(id.clone()).is_err() {
        return Err(Refusal::new(id, INVALID_REQUEST, "`id` must be a string or an integer of 64 bits"));
    }
    message.insert("id".to_owned(), id.clone());
    if is_plain_call(&message) {
        return Ok(message);
    }
    let read: Result<RxJsonRpcMessage<RoleServer>, _> = serde_json::from_value(Value::Object(message.clone()));
    match read {
        Ok(JsonRpcMessage::Request(read)) if !matches!(read.request, ClientRequest::CustomRequest(_)) => Ok(message),
        _ => {
            let method = message.get("method").cloned().unwrap_or_default();
            let text = format!("the parameters of {method} are missing or have the wrong type");
            Err(Refusal::new(id, INVALID_PARAMS, text))
        }
    }
}

/// Tells whether the library is sure to read a message as a tool call: asking it is a tenth of what a call costs.
fn is_plain_call(message: &Map<String, Value>) -> bool {
    let is_call = message.get("method").is_some_and(|method| method == "tools/call");
    let params = message.get("params").and_then(Value::as_object);
    is_call
        && params.is_some_and(|params| {
            params.get("name").is_some_and(Value::is_string)
                && params.get("arguments").is_none_or(Value::is_object)
                && params.keys().all(|key| key == "name" || key == "arguments")
        })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn call(params: &Value) -> Map<String, Value> {
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        call.as_object().cloned().unwrap_or_default()
    }

    #[test]
    fn what_passes_without_asking_the_library_reads_too() {
        for params in [
            json!({ "name": "a" }),
            json!({ "name": "", "arguments": {} }),
            json!({ "name": "a.b", "arguments": { "deep": [{ "null": null, "number": 1e300 }], "": false } }),
        ] {
            let call = call(&params);
            assert!(is_plain_call(&call), "{params}");
            let read: RxJsonRpcMessage<RoleServer> = serde_json::from_value(Value::Object(call)).expect("readable");
            let JsonRpcMessage::Request(read) = read else { panic!("{params} is no request") };
            assert!(matches!(read.request, ClientRequest::CallToolRequest(_)), "{params}");
        }
    }

    #[test]
    fn everything_else_is_asked_about() {
        for params in [
            json!(null),
            json!([]),
            json!({}),
            json!({ "name": 1 }),
            json!({ "name": "a", "arguments": null }),
            json!({ "name": "a", "arguments": [] }),
            json!({ "name": "a", "_meta": {} }),
        ] {
            assert!(!is_plain_call(&call(&params)), "{params}");
        }
        let refused = readable(json!(1), call(&json!({ "name": 1 }))).expect_err("a name is text");
        assert_eq!(refused.code, INVALID_PARAMS);
    }
}
