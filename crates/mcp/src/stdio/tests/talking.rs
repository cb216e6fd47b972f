//! A whole session over stdio, with a dialect that uses every feature.

use std::sync::Arc;
use std::time::Duration;

use rmcp::service::serve_directly_with_ct;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines};
use tokio_util::sync::CancellationToken;

use crate::call::{LogLevel, LogMessage};
use crate::serve_options::ServeOptions;
use crate::server::Server;
use crate::stdio::transport::LineTransport;
use crate::test_dialect::{Strings, Subject, TEST_DIALECT, modern};
use crate::validate::Validator;
use crate::watch::List;

struct TestClient {
    input: Option<DuplexStream>,
    output: Lines<BufReader<DuplexStream>>,
    strings: Strings,
    ended: tokio::task::JoinHandle<()>,
}

impl TestClient {
    fn start(options: &ServeOptions) -> Self {
        let (subject, strings) = Subject::new();
        let (input, reader) = tokio::io::duplex(1024);
        let (output, writer) = tokio::io::duplex(1024);
        let ending = CancellationToken::new();
        let server = Server::new(&TEST_DIALECT, &Arc::new(subject), options).until(ending.clone());
        let validator = Validator::of(server.dialect());
        let transport = LineTransport::new(reader, writer, validator, CancellationToken::new(), ending);
        let service = serve_directly_with_ct(server, transport, None, CancellationToken::new());
        let ended = tokio::spawn(async move { _ = service.waiting().await });
        Self { input: Some(input), output: BufReader::new(output).lines(), strings, ended }
    }

    async fn send(&mut self, message: &Value) {
        let input = self.input.as_mut().expect("it is open");
        input.write_all(format!("{message}\n").as_bytes()).await.expect("it is read");
    }

    async fn next(&mut self) -> Value {
        let line = self.output.next_line().await.expect("it can be read").expect("something comes");
        serde_json::from_str(&line).expect("it is JSON")
    }

    async fn request(&mut self, method: &str, params: Value) -> Value {
        self.send(&json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})).await;
        self.next().await
    }

    async fn initialize(&mut self) -> Value {
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}}});
        self.request("initialize", params).await
    }
}

#[tokio::test]
async fn capabilities_follow_from_the_dialect() {
    let mut talk = TestClient::start(&ServeOptions::default());
    let hello = talk.initialize().await;
    let expected = json!({
        "logging": {}, "completions": {}, "prompts": {"listChanged": false}, "tools": {"listChanged": false},
        "resources": {"subscribe": true, "listChanged": true},
    });
    assert_eq!(hello["result"]["capabilities"], expected);
    assert_eq!(hello["result"].get("instructions"), None);
    assert_eq!(hello["result"]["serverInfo"].get("title"), None);
}

#[tokio::test]
async fn progress_and_messages_precede_the_result_on_request() {
    let mut talk = TestClient::start(&ServeOptions::default());
    talk.initialize().await;
    let call = json!({"name": "tell", "_meta": {"progressToken": "p"}});
    let progress = talk.request("tools/call", call).await;
    let expected = json!({"progressToken": "p", "progress": 1.0, "total": 2.0, "message": "half"});
    assert_eq!((&progress["method"], &progress["params"]), (&json!("notifications/progress"), &expected));
    let message = talk.next().await;
    assert_eq!(message["params"], json!({"level": "info", "logger": "t", "data": "hello"}));
    let answer = talk.next().await;
    assert_eq!(answer["result"]["structuredContent"], json!({"done": true}));
    assert_eq!(answer["result"]["content"][0]["text"], r#"{"done":true}"#);
    talk.request("logging/setLevel", json!({"level": "error"})).await;
    assert_eq!(talk.request("tools/call", json!({"name": "tell"})).await["result"]["isError"], false);
    talk.request("logging/setLevel", json!({"level": "debug"})).await;
    let levels = [talk.request("tools/call", json!({"name": "tell"})).await, talk.next().await];
    assert_eq!(levels.map(|message| message["params"]["level"].clone()), [json!("info"), json!("debug")]);
}

#[tokio::test]
async fn client_is_asked_in_the_middle_of_a_call() {
    let mut talk = TestClient::start(&ServeOptions::default());
    talk.initialize().await;
    let question = talk.request("tools/call", json!({"name": "ask"})).await;
    assert_eq!((&question["method"], &question["params"]["message"]), (&json!("elicitation/create"), &json!("Who?")));
    let answer = json!({"action": "accept", "content": {"name": "Ada"}});
    talk.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": answer})).await;
    assert_eq!(talk.next().await["result"]["content"][0]["text"], "Ada");
}

#[tokio::test]
async fn client_of_2026_repeats_the_call_with_the_answer() {
    let mut talk = TestClient::start(&ServeOptions::default());
    let asked = talk.request("tools/call", modern(json!({"name": "ask"}))).await;
    assert_eq!(asked["result"]["resultType"], "input_required");
    assert_eq!(asked["result"]["inputRequests"]["who"]["method"], "elicitation/create");
    let answers = json!({"who": {"action": "accept", "content": {"name": "Ada"}}});
    let answer = talk.request("tools/call", modern(json!({"name": "ask", "inputResponses": answers}))).await;
    assert_eq!(answer["result"]["content"][0]["text"], "Ada");
    let mut unable = modern(json!({"name": "ask"}));
    unable["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
    assert_eq!(talk.request("tools/call", unable).await["error"]["code"], -32021);
}

#[tokio::test]
async fn stdio_delivery_callbacks_run_after_the_response() {
    let mut talk = TestClient::start(&ServeOptions::default());
    // The pipe is too small for the responses: those that do not fit have not been delivered.
    for id in 0..8 {
        talk.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "take"}})).await;
    }
    tokio::time::timeout(Duration::from_millis(50), std::future::pending::<()>()).await.expect_err("time passes");
    assert!(talk.strings.delivered.try_iter().count() < 8);
    for _ in 0..8 {
        assert_eq!(talk.next().await["result"]["content"][1]["uri"], "t://a");
    }
    drop(talk.input.take());
    talk.ended.await.expect("it ends");
    assert!(talk.strings.delivered.recv().is_ok());
}

#[tokio::test]
async fn cancelled_handler_can_see_it_and_delivers_nothing() {
    let mut talk = TestClient::start(&ServeOptions::default());
    talk.send(&json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "last"}})).await;
    talk.request("ping", json!({})).await;
    talk.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}})).await;
    talk.request("ping", json!({})).await;
    drop(talk.input.take());
    talk.ended.await.expect("it ends");
    let was_delivered = tokio::task::spawn_blocking(move || {
        talk.strings.cancelled.recv().expect("the handler saw it");
        talk.strings.delivered.try_recv().is_ok()
    });
    assert!(!was_delivered.await.expect("it can be waited for"));
}

#[tokio::test]
async fn only_subscribers_are_notified() {
    let mut talk = TestClient::start(&ServeOptions::default());
    talk.initialize().await;
    talk.strings.happens(|notifier| notifier.resource_changed("t://001"));
    talk.strings.happens(|notifier| notifier.list_changed(List::Resources));
    assert_eq!(talk.next().await["method"], "notifications/resources/list_changed");
    assert_eq!(talk.request("resources/subscribe", json!({"uri": "t://001"})).await["result"], json!({}));
    talk.strings.happens(|notifier| notifier.resource_changed("t://002"));
    talk.strings.happens(|notifier| notifier.resource_changed("t://001"));
    let changed = talk.next().await;
    assert_eq!(changed["method"], "notifications/resources/updated");
    assert_eq!(changed["params"], json!({"uri": "t://001"}));
    assert_eq!(talk.request("resources/unsubscribe", json!({"uri": "t://001"})).await["result"], json!({}));
    talk.strings.happens(|notifier| {
        notifier.resource_changed("t://001");
        notifier
            .log(LogMessage { message: Some("m".to_owned()), ..LogMessage::new(LogLevel::Info, json!({"line": 1})) });
    });
    let message = talk.next().await;
    assert_eq!(message["params"], json!({"level": "info", "message": "m", "data": {"line": 1}}));
}

#[tokio::test]
async fn listener_gets_the_requested_notifications_until_the_end() {
    let mut talk = TestClient::start(&ServeOptions::default());
    let wanted = json!({"notifications": {"resourceSubscriptions": ["t://001"]}});
    let heard = talk.request("subscriptions/listen", modern(wanted)).await;
    assert_eq!(heard["method"], "notifications/subscriptions/acknowledged");
    talk.strings.happens(|notifier| notifier.list_changed(List::Resources));
    talk.strings.happens(|notifier| notifier.resource_changed("t://001"));
    let changed = talk.next().await;
    assert_eq!(changed["params"]["uri"], "t://001");
    assert_eq!(changed["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], 1);
    drop(talk.input.take());
    assert_eq!(talk.next().await["id"], 1);
    talk.ended.await.expect("it ends");
}

#[tokio::test]
async fn slow_subscriber_is_told_to_reload_everything() {
    let mut talk = TestClient::start(&ServeOptions::default());
    talk.initialize().await;
    talk.request("resources/subscribe", json!({"uri": "t://001"})).await;
    talk.strings.happens(|notifier| {
        for number in 0..1000 {
            notifier.log(LogMessage::new(LogLevel::Info, number));
        }
    });
    let mut n_messages = 0;
    loop {
        let heard = talk.next().await;
        match heard["method"].as_str() {
            Some("notifications/message") => n_messages += 1,
            Some("notifications/resources/updated") => break,
            _ => {}
        }
    }
    assert!(n_messages < 1000, "nothing was dropped");
}

#[tokio::test]
async fn lists_are_paged_and_cursors_checked() {
    let mut talk = TestClient::start(&ServeOptions::default());
    let (mut uris, mut cursor) = (Vec::new(), json!({}));
    loop {
        let page = talk.request("resources/list", cursor).await;
        let items = page["result"]["resources"].as_array().expect("a list").clone();
        assert!(items.len() <= 200);
        uris.extend(items.into_iter().map(|item| item["uri"].clone()));
        let Some(next) = page["result"].get("nextCursor") else { break };
        cursor = json!({"cursor": next});
    }
    assert_eq!(uris, (0..450).map(|number| json!(format!("t://{number:03}"))).collect::<Vec<_>>());
    let other = crate::cursor::encode("tools", "t://001");
    for cursor in ["junk", &other] {
        for method in ["tools/list", "prompts/list", "resources/list", "resources/templates/list"] {
            if method == "tools/list" && cursor == other {
                continue;
            }
            assert_eq!(talk.request(method, json!({"cursor": cursor})).await["error"]["code"], -32602, "{method}");
        }
    }
}

#[tokio::test]
async fn resources_and_prompts_are_served_from_their_tables() {
    let mut talk = TestClient::start(&ServeOptions::default());
    let read = talk.request("resources/read", json!({"uri": "t://007"})).await;
    assert_eq!(read["result"]["contents"], json!([{"uri": "t://007", "mimeType": "text/plain", "text": "007"}]));
    assert_eq!(talk.request("resources/read", json!({"uri": "x"})).await["error"]["code"], -32002);
    assert_eq!(talk.request("resources/read", modern(json!({"uri": "x"}))).await["error"]["code"], -32602);
    assert_eq!(talk.request("tools/call", json!({"name": "miss"})).await["error"]["code"], -32002);
    let prompt = talk.request("prompts/get", json!({"name": "greet", "arguments": {"who": "Ada"}})).await;
    assert_eq!(prompt["result"]["messages"][0]["content"]["text"], "Greet Ada.");
    for params in [json!({"name": "greet"}), json!({"name": "nothing"})] {
        assert_eq!(talk.request("prompts/get", params).await["error"]["code"], -32602);
    }
    let complete = |argument: &str, value: &str| json!({"ref": {"type": "ref/resource", "uri": "t://{number}"}, "argument": {"name": argument, "value": value}});
    let found = talk.request("completion/complete", complete("number", "44")).await;
    let ten: Vec<String> = (440..450).map(|number| number.to_string()).collect();
    assert_eq!(found["result"]["completion"], json!({"values": ten, "total": 10, "hasMore": false}));
    let found = talk.request("completion/complete", complete("number", "")).await;
    assert_eq!(found["result"]["completion"]["values"].as_array().map(Vec::len), Some(100));
    assert_eq!(found["result"]["completion"]["hasMore"], true);
    assert_eq!(talk.request("completion/complete", complete("colour", "")).await["error"]["code"], -32602);
}

#[tokio::test]
async fn disabled_tools_are_neither_listed_nor_called() {
    let names = |listed: &Value| {
        let tools = listed["result"]["tools"].as_array().expect("a list").clone();
        tools.into_iter().map(|tool| tool["name"].as_str().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    let mut talk = TestClient::start(&ServeOptions { read_only: true, ..ServeOptions::default() });
    assert_eq!(names(&talk.request("tools/list", json!({})).await), ["tell", "ask", "last"]);
    assert_eq!(talk.request("tools/call", json!({"name": "take"})).await["error"]["code"], -32601);
    let mut talk =
        TestClient::start(&ServeOptions { toolsets: Some(vec!["write".to_owned()]), ..ServeOptions::default() });
    assert_eq!(names(&talk.request("tools/list", json!({})).await), ["take"]);
    assert_eq!(talk.request("tools/call", json!({"name": "tell"})).await["error"]["code"], -32601);
}

#[tokio::test]
async fn tools_beyond_the_contract_are_offered_when_asked_for() {
    let extended = ServeOptions { extended: true, ..ServeOptions::default() };
    let only = ServeOptions { toolsets: Some(vec!["extended".to_owned()]), ..ServeOptions::default() };
    let both = ServeOptions { toolsets: Some(vec!["write".to_owned()]), extended: true, ..ServeOptions::default() };
    for (options, n_tools, is_offered) in
        [(ServeOptions::default(), 5, false), (extended, 6, true), (only, 1, true), (both, 2, true)]
    {
        let mut talk = TestClient::start(&options);
        let listed = talk.request("tools/list", json!({})).await;
        assert_eq!(listed["result"]["tools"].as_array().map(Vec::len), Some(n_tools));
        let called = talk.request("tools/call", json!({"name": "more"})).await;
        assert_eq!(called["result"]["isError"] == false, is_offered, "{called}");
    }
}

#[tokio::test]
async fn last_page_of_a_strict_list_has_a_cursor_that_is_null() {
    for contract_strict in [false, true] {
        let mut talk = TestClient::start(&ServeOptions { contract_strict, ..ServeOptions::default() });
        let mut params = json!({});
        let end = loop {
            let answer = talk.request("resources/list", params.clone()).await;
            match answer["result"].get("nextCursor") {
                Some(Value::String(cursor)) => params = json!({"cursor": cursor}),
                end => break end.cloned(),
            }
        };
        assert_eq!(end, contract_strict.then_some(Value::Null));
    }
}
