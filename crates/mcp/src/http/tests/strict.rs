//! A strict dialect: one protocol version, its own HTTP statuses.

use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use axum::response::IntoResponse;
use serde_json::{Value, json};

use super::{ACCEPT, Answer, Served};
use crate::call::Caller;
use crate::dialect::Dialect;
use crate::serve_options::{HttpStatus, ServeOptions};
use crate::test_dialect::{QUIET, STRICT, Subject, modern};

const VERSION: (&str, &str) = ("MCP-Protocol-Version", "2025-06-18");
const TOKEN: (&str, &str) = ("Authorization", "writer");

async fn start(options: ServeOptions) -> Served {
    start_of(&STRICT, options).await
}

async fn start_of(dialect: &'static Dialect<Subject>, options: ServeOptions) -> Served {
    Served::start_of(dialect, options, |access| {
        access.with_guard(Arc::new(|parts| match parts.headers.get("authorization") {
            Some(name) => {
                let name = name.to_str().unwrap_or_default().to_owned();
                let may_write = name == "writer";
                Ok(Some(Caller { name, acts_as: None, may_write }))
            }
            None => Err(Box::new(StatusCode::UNAUTHORIZED.into_response())),
        }))
    })
    .await
}

fn request(method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params}).to_string()
}

async fn told(answer: Answer) -> (u16, Value, Value) {
    let status = answer.status;
    let answer = answer.json().await;
    (status, answer["error"]["code"].clone(), answer["id"].clone())
}

#[tokio::test]
async fn checks_come_in_the_order_of_the_contract() {
    let served = start(ServeOptions::default()).await;
    // Each request passes one more check than the one before.
    let accept = served.send_raw("POST", &[], "{").await;
    assert_eq!(told(accept).await, (400, json!(-32600), Value::Null));
    assert_eq!(served.send_raw("POST", &[ACCEPT], "{").await.status, 401);
    let check = async |headers: &[(&str, &str)], body: &str, expected: (u16, i32, Value)| {
        let answer = served.send("POST", &[&[TOKEN], headers].concat(), body).await;
        assert_eq!(told(answer).await, (expected.0, json!(expected.1), expected.2), "{body} {headers:?}");
    };
    check(&[], "{", (400, -32700, Value::Null)).await;
    check(&[], r#"{"id":7,"method":"nothing"}"#, (400, -32600, json!(7))).await;
    check(&[], "[]", (400, -32600, Value::Null)).await;
    for wrong in [&[][..], &[("MCP-Protocol-Version", "2025-11-25")], &[("MCP-Protocol-Version", "now")]] {
        check(wrong, &request("nothing", &json!({})), (400, -32600, json!(7))).await;
        check(wrong, &request("tools/call", &json!([])), (400, -32600, json!(7))).await;
        check(wrong, r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, (400, -32600, Value::Null)).await;
    }
    check(&[VERSION], &request("nothing", &json!({})), (200, -32601, json!(7))).await;
    let hello = served.send("POST", &[TOKEN], &request("initialize", &json!({}))).await;
    assert_eq!(hello.json().await["result"]["protocolVersion"], "2025-06-18");
    let get = served.send("GET", &[], "").await;
    assert_eq!((get.status, get.header("allow")), (405, Some("post")));
}

#[tokio::test]
async fn errors_have_the_status_of_the_contract_unless_the_specification_is_wanted() {
    let by_contract = start(ServeOptions::default()).await;
    let by_specification =
        start(ServeOptions { http_status: HttpStatus::Specification, ..ServeOptions::default() }).await;
    for (who, message, code, status) in [
        ("writer", request("tools/call", &json!({"name": "miss"})), -32002, 404),
        ("writer", request("tools/call", &json!({"name": "nothing"})), -32601, 200),
        ("writer", request("tools/call", &json!({})), -32602, 400),
        ("writer", request("resources/read", &json!({"uri": 1})), -32602, 400),
        ("writer", request("resources/read", &json!({"uri": "x://1"})), -32002, 404),
        ("reader", request("tools/call", &json!({"name": "take"})), -32003, 403),
    ] {
        let headers = [("Authorization", who), VERSION];
        let answer = told(by_contract.send("POST", &headers, &message).await).await;
        assert_eq!(answer, (status, json!(code), json!(7)), "{message}");
        let answer = told(by_specification.send("POST", &headers, &message).await).await;
        assert_eq!(answer, (200, json!(code), json!(7)), "{message}");
    }
    assert_eq!(by_specification.send("POST", &[TOKEN], &request("ping", &json!({}))).await.status, 400);
}

#[tokio::test]
async fn plain_call_is_answered_as_the_library_answers_it() {
    let served = start_of(&QUIET, ServeOptions::default()).await;
    for (who, id, mut params) in [
        ("writer", json!(7), json!({"name": "take"})),
        ("writer", json!("seven"), json!({"name": "tell", "arguments": {"a": [null, {}]}})),
        ("writer", json!(-7), json!({"name": "ask", "arguments": {}})),
        ("writer", json!(7), json!({"name": "miss"})),
        ("writer", json!(7), json!({"name": "nothing"})),
        ("writer", json!(7), json!({"name": "more"})),
        ("writer", json!(7.5), json!({"name": "take"})),
        ("reader", json!(7), json!({"name": "take"})),
    ] {
        let ask = async |params: &Value| {
            let message = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
            let answer = served.send("POST", &[("Authorization", who), VERSION], &message.to_string()).await;
            (answer.status, answer.header("content-type").map(str::to_owned), answer.json().await)
        };
        let plain = ask(&params).await;
        // With `_meta` the request is not a plain call and goes through the library.
        params["_meta"] = json!({});
        assert_eq!(plain, ask(&params).await, "{params}");
        assert_eq!(plain.1.as_deref(), Some("application/json"));
    }
    let strings = served.strings;
    let taken = tokio::task::spawn_blocking(move || {
        let delivered = || strings.delivered.recv_timeout(Duration::from_secs(10));
        [delivered(), delivered()]
    });
    assert_eq!(taken.await.expect("it waits"), [Ok("taken"); 2]);
}

#[tokio::test]
async fn abandoned_stateless_call_is_cancelled() {
    let served = start_of(&QUIET, ServeOptions::default()).await;
    let message = request("tools/call", &json!({"name": "last"}));
    let asked = served.send("POST", &[TOKEN, VERSION], &message);
    assert!(tokio::time::timeout(Duration::from_millis(200), asked).await.is_err(), "it waits for us");
    let strings = served.strings;
    let seen = tokio::task::spawn_blocking(move || {
        let seen = strings.cancelled.recv_timeout(Duration::from_secs(10));
        (seen, strings.delivered.recv_timeout(Duration::from_millis(100)).is_err())
    });
    assert_eq!(seen.await.expect("it waits"), (Ok(()), true));
}

#[tokio::test]
async fn last_page_has_a_null_cursor_only_by_contract() {
    for contract_strict in [false, true] {
        let served = start(ServeOptions { contract_strict, ..ServeOptions::default() }).await;
        let mut params = json!({});
        for n in 1.. {
            let answer = served.send("POST", &[TOKEN, VERSION], &request("resources/list", &params)).await.json().await;
            match answer["result"].get("nextCursor") {
                Some(Value::String(cursor)) => params["cursor"] = json!(cursor),
                end => {
                    assert_eq!((n, end), (3, contract_strict.then_some(&Value::Null)));
                    break;
                }
            }
        }
        // Modern clients get the format of the specification.
        let message = request("resources/list", &modern(params));
        let headers = [TOKEN, ("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "resources/list")];
        let answer = served.send("POST", &headers, &message).await.json().await;
        assert_eq!(answer["result"]["resources"].as_array().map(Vec::len), Some(50), "{answer}");
        assert_eq!(answer["result"].get("nextCursor"), None);
    }
}
