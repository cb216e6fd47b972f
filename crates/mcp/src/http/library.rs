//! Checks whether `rmcp` can parse a request. For a request that it cannot parse, `rmcp` would answer "unknown method",
//! which is misleading. A plain tool call is parsed here in the same way, without `rmcp`.

use rmcp::model::{CallToolRequestParams, ClientRequest, JsonRpcMessage, RequestId};
use rmcp::service::{RoleServer, RxJsonRpcMessage};
use serde_json::{Map, Value};

use crate::validate::{INVALID_PARAMS, INVALID_REQUEST, Refusal};

/// Parses a request id as the library does.
pub(super) fn request_id(id: &Value) -> Result<RequestId, Refusal> {
    let text = "`id` must be a string or an integer of 64 bits";
    serde_json::from_value(id.clone()).map_err(|_| Refusal::new(id.clone(), INVALID_REQUEST, text))
}

/// Checks that the library knows the method of a request, and does not parse it as a custom request.
pub(super) fn readable(id: Value, mut message: Map<String, Value>) -> Result<Map<String, Value>, Refusal> {
    request_id(&id)?;
    message.insert("id".to_owned(), id.clone());
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

/// Takes the tool call out of a message that consists of nothing else; leaves other messages unchanged.
pub(super) fn take_call(message: &mut Map<String, Value>) -> Option<CallToolRequestParams> {
    if !is_plain_call(message) {
        return None;
    }
    let params = message.get_mut("params")?;
    let name = params.get("name")?.as_str()?.to_owned();
    let mut call = CallToolRequestParams::new(name);
    call.arguments = match params.get_mut("arguments").map(Value::take) {
        Some(Value::Object(arguments)) => Some(arguments),
        _ => None,
    };
    Some(call)
}

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
    fn direct_call_equals_the_parse_of_the_library() {
        for params in [
            json!({ "name": "a" }),
            json!({ "name": "", "arguments": {} }),
            json!({ "name": "a.b", "arguments": { "deep": [{ "null": null, "number": 1e300 }], "": false } }),
        ] {
            let mut call = call(&params);
            let read: RxJsonRpcMessage<RoleServer> = serde_json::from_value(call.clone().into()).expect("readable");
            let JsonRpcMessage::Request(read) = read else { panic!("{params} is not a request") };
            let ClientRequest::CallToolRequest(read) = read.request else { panic!("{params} is not a call") };
            assert_eq!(take_call(&mut call), Some(read.params), "{params}");
        }
    }

    #[test]
    fn everything_else_is_left_to_the_library() {
        for params in [
            json!(null),
            json!([]),
            json!({}),
            json!({ "name": 1 }),
            json!({ "name": "a", "arguments": null }),
            json!({ "name": "a", "arguments": [] }),
            json!({ "name": "a", "_meta": {} }),
        ] {
            let mut message = call(&params);
            assert_eq!(take_call(&mut message), None, "{params}");
            assert_eq!(message, call(&params));
        }
        let refused = readable(json!(1), call(&json!({ "name": 1 }))).expect_err("a name is text");
        assert_eq!(refused.code, INVALID_PARAMS);
    }
}
