//! Sessions and streams over a real socket, with a dialect that sends notifications.

mod strict;

use std::fmt::Write as _;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use axum::response::IntoResponse;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

use super::sessions::MAX_SESSIONS;
use super::{Access, HttpServices, Shutdown, router};
use crate::call::{Caller, LogLevel, LogMessage};
use crate::dialect::Dialect;
use crate::serve_options::ServeOptions;
use crate::service::Service;
use crate::test_dialect::{Strings, Subject, TEST_DIALECT, modern};
use crate::watch::List;

struct Served {
    address: SocketAddr,
    strings: Strings,
    stop: Shutdown,
    ended: tokio::task::JoinHandle<()>,
}

/// A response whose body is read piece by piece.
struct Answer {
    status: u16,
    head: String,
    body: BufReader<TcpStream>,
}

impl Served {
    async fn start() -> Self {
        Self::start_with(|access| access).await
    }

    async fn start_with(guarded: impl FnOnce(Access) -> Access) -> Self {
        Self::start_of(&TEST_DIALECT, ServeOptions::default(), guarded).await
    }

    async fn start_of(
        dialect: &'static Dialect<Subject>,
        options: ServeOptions,
        guarded: impl FnOnce(Access) -> Access,
    ) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port is free");
        let address = listener.local_addr().expect("it has one");
        let (subject, strings) = Subject::new();
        let stop = Shutdown::default();
        let services = vec![Service::new(dialect, subject, &options)];
        let access = guarded(Access::loopback(address).expect("it is"));
        let routes = router(HttpServices { services, chosen: Some("test_dialect"), access }, &stop);
        let ended = tokio::spawn({
            let stop = stop.clone();
            async move {
                let serving = axum::serve(listener, routes).with_graceful_shutdown(stop.token().cancelled_owned());
                serving.await.expect("it serves until the shutdown");
                stop.finished().await;
            }
        });
        Self { address, strings, stop, ended }
    }

    async fn send(&self, method: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        self.send_raw(method, &[&[ACCEPT], headers].concat(), body).await
    }

    async fn send_raw(&self, method: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut stream = TcpStream::connect(self.address).await.expect("it listens");
        let mut head = format!(
            "{method} /mcp HTTP/1.1\r\nHost: {}\r\nContent-Length: {}\r\nConnection: close\r\n\
             Content-Type: application/json\r\n",
            self.address,
            body.len()
        );
        for (name, value) in headers {
            let _ = write!(head, "{name}: {value}\r\n");
        }
        stream.write_all(format!("{head}\r\n{body}").as_bytes()).await.expect("it reads");
        let mut body = BufReader::new(stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert_ne!(body.read_line(&mut head).await.expect("it answers"), 0, "{head}");
        }
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        Answer { status, head: head.to_lowercase(), body }
    }

    async fn post(&self, session: &str, message: &Value) -> Answer {
        self.send("POST", &[("Mcp-Session-Id", session), VERSION], &message.to_string()).await
    }

    /// Begins a session and returns its id.
    async fn begin(&self) -> String {
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}}});
        let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
        let answer = self.send("POST", &[], &hello.to_string()).await;
        let id = answer.header("mcp-session-id").expect("a session").to_owned();
        assert_eq!(answer.json().await["result"]["protocolVersion"], "2025-11-25");
        id
    }
}

const ACCEPT: (&str, &str) = ("Accept", "application/json, text/event-stream");
const VERSION: (&str, &str) = ("MCP-Protocol-Version", "2025-11-25");

impl Answer {
    fn header(&self, name: &str) -> Option<&str> {
        let line = self.head.lines().find(|line| line.starts_with(&format!("{name}:")))?;
        line.split_once(": ").map(|(_, value)| value.trim())
    }

    async fn json(mut self) -> Value {
        let mut body = String::new();
        self.body.read_to_string(&mut body).await.expect("it ends");
        serde_json::from_str(&body).unwrap_or_else(|_| panic!("{} {body}", self.head))
    }

    /// Returns the id and the data of the next event with data; `None` when the stream has ended.
    async fn event(&mut self) -> Option<(String, Value)> {
        let mut id = String::new();
        loop {
            let mut line = String::new();
            if self.body.read_line(&mut line).await.expect("it can be read") == 0 {
                return None;
            }
            if let Some(value) = line.trim().strip_prefix("id: ") {
                value.clone_into(&mut id);
            }
            let data = line.trim().strip_prefix("data: ").and_then(|data| serde_json::from_str(data).ok());
            if let Some(data) = data {
                return Some((id, data));
            }
        }
    }
}

fn call(id: u64, name: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": name, "_meta": {"progressToken": id}}})
}

#[tokio::test]
async fn session_begins_is_used_and_ends() {
    let served = Served::start().await;
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    assert_eq!(served.send("POST", &[VERSION], &ping.to_string()).await.status, 400);
    assert_eq!(served.post("nonsense", &ping).await.status, 404);
    let session = served.begin().await;
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(served.post(&session, &initialized).await.status, 202);
    let answer = served.post(&session, &ping).await;
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert_eq!(answer.json().await, json!({"jsonrpc": "2.0", "id": 1, "result": {}}));
    assert_eq!(served.send("DELETE", &[("Mcp-Session-Id", &session)], "").await.status, 204);
    assert_eq!(served.post(&session, &ping).await.status, 404);
    assert_eq!(served.send("DELETE", &[("Mcp-Session-Id", &session)], "").await.status, 404);
}

#[tokio::test]
async fn notifications_of_a_call_come_on_its_own_stream() {
    let served = Served::start().await;
    let session = served.begin().await;
    let mut answer = served.post(&session, &call(5, "tell")).await;
    assert_eq!(answer.header("content-type"), Some("text/event-stream"));
    let mut methods = Vec::new();
    while let Some((_, data)) = answer.event().await {
        methods.push(data["method"].as_str().map_or_else(|| data["id"].to_string(), str::to_owned));
    }
    assert_eq!(methods, ["notifications/progress", "notifications/message", "5"]);
}

#[tokio::test]
async fn client_answers_a_question_with_a_request_of_its_own() {
    let served = Served::start().await;
    let session = served.begin().await;
    let mut answer = served.post(&session, &call(5, "ask")).await;
    let (_, question) = answer.event().await.expect("a question");
    assert_eq!(question["method"], "elicitation/create");
    let result = json!({"action": "accept", "content": {"name": "Ada"}});
    let reply = json!({"jsonrpc": "2.0", "id": question["id"], "result": result});
    assert_eq!(served.post(&session, &reply).await.status, 202);
    let (_, last) = answer.event().await.expect("an answer");
    assert_eq!(last["result"]["content"][0]["text"], "Ada");
    assert_eq!(answer.event().await, None);
}

#[tokio::test]
async fn subscribers_are_notified_and_a_broken_stream_resumes() {
    let served = Served::start().await;
    let session = served.begin().await;
    let subscribe = json!({"jsonrpc": "2.0", "id": 1, "method": "resources/subscribe", "params": {"uri": "t://001"}});
    served.post(&session, &subscribe).await.json().await;
    let headers = [("Mcp-Session-Id", session.as_str()), VERSION];
    let mut stream = served.send("GET", &headers, "").await;
    assert_eq!(served.send("GET", &headers, "").await.status, 409);
    served.strings.happens(|notifier| notifier.resource_changed("t://001"));
    let (id, changed) = stream.event().await.expect("a change");
    assert_eq!(changed["params"], json!({"uri": "t://001"}));
    drop(stream);
    served.strings.happens(|notifier| notifier.log(LogMessage::new(LogLevel::Info, "while away")));
    let mut again = served.send("GET", &[headers[0], VERSION, ("Last-Event-ID", &id)], "").await;
    let (_, message) = again.event().await.expect("what was missed");
    assert_eq!(message["params"]["data"], "while away");
    assert_eq!(served.send("GET", &[headers[0], VERSION, ("Last-Event-ID", "junk")], "").await.status, 400);
}

#[tokio::test]
async fn answer_that_was_not_fetched_can_be_fetched_later() {
    let served = Served::start().await;
    let session = served.begin().await;
    let mut answer = served.post(&session, &call(5, "tell")).await;
    let (id, _) = answer.event().await.expect("something");
    drop(answer);
    let headers = [("Mcp-Session-Id", session.as_str()), VERSION, ("Last-Event-ID", id.as_str())];
    let mut again = served.send("GET", &headers, "").await;
    let mut last = Value::Null;
    while let Some((_, data)) = again.event().await {
        last = data;
    }
    assert_eq!(last["id"], 5);
}

#[tokio::test]
async fn http_delivery_callbacks_run_after_the_response() {
    let served = Served::start().await;
    let session = served.begin().await;
    served.post(&session, &call(5, "take")).await.json().await;
    let params = modern(json!({"name": "take"}));
    let alone = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let headers = [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/call"), ("Mcp-Name", "take")];
    assert_eq!(served.send("POST", &headers, &alone.to_string()).await.json().await["id"], 1);
    served.stop.token().cancel();
    served.ended.await.expect("it ends");
    assert_eq!(served.strings.delivered.try_iter().count(), 2);
}

#[tokio::test]
async fn cancelled_call_ends_without_an_answer() {
    let served = Served::start().await;
    let session = served.begin().await;
    let mut answer = served.post(&session, &call(5, "last")).await;
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 5}});
    assert_eq!(served.post(&session, &cancel).await.status, 202);
    assert_eq!(answer.event().await, None);
    let seen = tokio::task::spawn_blocking(move || served.strings.cancelled.recv());
    seen.await.expect("it can be waited for").expect("the handler saw it");
}

#[tokio::test]
async fn end_of_a_session_ends_its_calls() {
    let served = Served::start().await;
    let session = served.begin().await;
    let mut answer = served.post(&session, &call(5, "last")).await;
    assert_eq!(served.send("DELETE", &[("Mcp-Session-Id", &session)], "").await.status, 204);
    assert_eq!(answer.event().await, None);
    let seen = tokio::task::spawn_blocking(move || served.strings.cancelled.recv());
    seen.await.expect("it can be waited for").expect("the handler saw it");
}

#[tokio::test]
async fn stop_ends_open_streams_at_once() {
    let served = Served::start().await;
    let session = served.begin().await;
    let mut stream = served.send("GET", &[("Mcp-Session-Id", &session), VERSION], "").await;
    let params = modern(json!({"notifications": {"resourcesListChanged": true}}));
    let listen = json!({"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": params});
    let headers = [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "subscriptions/listen")];
    let mut listening = served.send("POST", &headers, &listen.to_string()).await;
    let (_, first) = listening.event().await.expect("it is acknowledged");
    assert_eq!(first["method"], "notifications/subscriptions/acknowledged");
    served.strings.happens(|notifier| notifier.list_changed(List::Resources));
    let (_, second) = listening.event().await.expect("it is told");
    assert_eq!(second["method"], "notifications/resources/list_changed");
    served.stop.token().cancel();
    while stream.event().await.is_some() {}
    while listening.event().await.is_some() {}
    served.ended.await.expect("it ends");
}

#[tokio::test]
async fn guard_decides_access_and_role() {
    let served = Served::start_with(|access| {
        access.with_guard(std::sync::Arc::new(|parts| match parts.headers.get("authorization") {
            Some(name) => {
                let name = name.to_str().unwrap_or_default().to_owned();
                let may_write = name == "writer";
                Ok(Some(Caller { name, acts_as: None, may_write }))
            }
            None => Err(Box::new(axum::http::StatusCode::UNAUTHORIZED.into_response())),
        }))
    })
    .await;
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}});
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}).to_string();
    assert_eq!(served.send("POST", &[], &hello).await.status, 401);
    let mut sessions = Vec::new();
    for name in ["reader", "writer"] {
        let answer = served.send("POST", &[("Authorization", name)], &hello).await;
        sessions.push(answer.header("mcp-session-id").expect("a session").to_owned());
    }
    let take = async |name: &str, session: &str| {
        let headers = [("Authorization", name), ("Mcp-Session-Id", session), VERSION];
        served.send("POST", &headers, &call(1, "take").to_string()).await
    };
    assert_eq!(take("reader", &sessions[0]).await.json().await["error"]["code"], -32003);
    assert_eq!(take("writer", &sessions[1]).await.json().await["result"]["isError"], false);
    assert_eq!(take("writer", &sessions[0]).await.status, 404);
}

#[tokio::test]
async fn methods_removed_in_a_revision_are_unknown_in_it() {
    let served = Served::start().await;
    for method in ["initialize", "ping", "logging/setLevel", "resources/subscribe"] {
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": modern(json!({}))});
        let headers = [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", method)];
        let answer = served.send("POST", &headers, &message.to_string()).await;
        assert_eq!(answer.status, 404, "{method}");
        assert_eq!(answer.json().await["error"]["code"], -32601);
    }
}

#[tokio::test(start_paused = true)]
async fn slow_body_times_out() {
    let served = Served::start().await;
    let mut stream = TcpStream::connect(served.address).await.expect("it listens");
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Length: 9\r\nAccept: application/json, text/event-stream\r\n\r\n{{",
        served.address
    );
    stream.write_all(head.as_bytes()).await.expect("it reads");
    let mut answer = String::new();
    BufReader::new(stream).read_line(&mut answer).await.expect("it answers");
    assert_eq!(answer, "HTTP/1.1 408 Request Timeout\r\n");
}

#[tokio::test(start_paused = true)]
async fn idle_session_ends() {
    let served = Served::start().await;
    let (session, used) = (served.begin().await, served.begin().await);
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    tokio::time::advance(Duration::from_mins(20)).await;
    assert_eq!(served.post(&used, &ping).await.status, 200);
    tokio::time::advance(Duration::from_mins(20)).await;
    assert_eq!(served.post(&session, &ping).await.status, 404);
    assert_eq!(served.post(&used, &ping).await.status, 200);
}

#[tokio::test]
async fn excess_session_replaces_the_one_idle_longest() {
    let served = Served::start().await;
    let (first, second) = (served.begin().await, served.begin().await);
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    assert_eq!(served.post(&first, &ping).await.status, 200);
    for _ in 0..MAX_SESSIONS - 1 {
        served.begin().await;
    }
    assert_eq!(served.post(&second, &ping).await.status, 404);
    assert_eq!(served.post(&first, &ping).await.status, 200);
}
