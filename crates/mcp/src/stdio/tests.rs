//! The transport and the service together, on a dialect whose tools wait, panic and count.

mod talking;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};

use parking_lot::Mutex;
use rmcp::service::serve_directly_with_ct;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines};
use tokio_util::sync::CancellationToken;

use super::transport::LineTransport;
use crate::call::Call;
use crate::dialect::{Dialect, ErrorPlacement, ErrorPolicy, ErrorText, HttpPolicy, ServerName, Versions};
use crate::fault::Fault;
use crate::registry::{Effect, Schema, Tool};
use crate::results::ToolResult;
use crate::serve_options::ServeOptions;
use crate::server::{MAX_IN_FLIGHT, Server};
use crate::validate::Validator;

/// Lets calls of `wait` continue, one per message.
struct Stepper {
    turns: Mutex<Receiver<()>>,
}

const fn tool(name: &'static str, call: fn(&Stepper, Value, &Call) -> Result<ToolResult, Fault>) -> Tool<Stepper> {
    Tool {
        name,
        title: "A tool",
        description: "It is for tests.",
        input: Schema::new,
        output: None,
        effect: Effect::Reads,
        toolset: "test",
        call,
    }
}

static DIALECT: Dialect<Stepper> = Dialect {
    name: "test",
    server: ServerName { name: "test", title: "Test", version: "1" },
    versions: Versions::Negotiated,
    instructions: "",
    tools: &[
        tool("test.wait", |turnstile, _, _| {
            let turns = turnstile.turns.lock();
            turns.recv().map_err(|error| Fault::Failed(error.to_string()))?;
            ToolResult::json(&"done")
        }),
        tool("test.break", |_, _, _| panic!("as it must")),
        tool("test.fail", |_, _, _| Err(Fault::Failed("no luck".to_owned()))),
    ],
    resources: None,
    prompts: &[],
    watch: None,
    logs: false,
    errors: ErrorPolicy {
        unknown_tool: -32602,
        unknown_tool_words: ErrorPolicy::no_such_tool,
        unknown_resource: -32602,
        forbidden: -32003,
        undecodable: ErrorPlacement::Error(-32602),
        invalid: ErrorPlacement::Error(-32602),
        missing: ErrorPlacement::Error(-32602),
        failed: ErrorPlacement::Result(-32001),
        error: |_, message| ErrorText { message: message.to_owned(), data: None },
        failure: |_, message| ToolResult::text(message),
        explicit_is_error_false: true,
    },
    http: HttpPolicy::PLAIN,
};

struct Session {
    input: DuplexStream,
    output: Lines<BufReader<DuplexStream>>,
    turns: Sender<()>,
    stop: CancellationToken,
    ended: tokio::task::JoinHandle<()>,
}

impl Session {
    fn start() -> Self {
        let (turns, receiver) = channel();
        let turnstile = Stepper { turns: Mutex::new(receiver) };
        let (input, reader) = tokio::io::duplex(1024);
        let (output, writer) = tokio::io::duplex(1024);
        let stop = CancellationToken::new();
        let ending = CancellationToken::new();
        let server = Server::new(&DIALECT, &Arc::new(turnstile), &ServeOptions::default()).until(ending.clone());
        let transport = LineTransport::new(reader, writer, Validator::of(server.dialect()), stop.clone(), ending);
        let service = serve_directly_with_ct(server, transport, None, CancellationToken::new());
        let ended = tokio::spawn(async move { _ = service.waiting().await });
        Self { input, output: BufReader::new(output).lines(), turns, stop, ended }
    }

    async fn call(&mut self, id: u64, name: &str) {
        let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": name}});
        self.send(&call).await;
    }

    async fn send(&mut self, message: &Value) {
        self.input.write_all(format!("{message}\n").as_bytes()).await.expect("it is read");
    }

    async fn next(&mut self) -> Option<Value> {
        let line = self.output.next_line().await.expect("it can be read")?;
        Some(serde_json::from_str(&line).expect("it is JSON"))
    }

    async fn answer(&mut self) -> Value {
        self.next().await.expect("an answer comes")
    }
}

#[tokio::test]
async fn panic_is_an_error_and_the_server_continues() {
    let mut session = Session::start();
    session.call(1, "test.break").await;
    let answer = session.answer().await;
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(1), &json!(-32603)));
    session.call(2, "test.fail").await;
    let answer = session.answer().await;
    assert_eq!(answer["result"]["content"][0]["text"], "no luck");
    assert_eq!(answer["result"]["isError"], true);
}

#[tokio::test]
async fn end_of_input_waits_for_requests_in_flight() {
    let mut session = Session::start();
    session.call(1, "test.wait").await;
    drop(std::mem::replace(&mut session.input, tokio::io::duplex(1).0));
    tokio::task::yield_now().await;
    session.turns.send(()).expect("it waits");
    assert_eq!(session.answer().await["id"], 1);
    assert_eq!(session.next().await, None);
    session.ended.await.expect("it ends");
}

#[tokio::test]
async fn stop_waits_for_requests_in_flight() {
    let mut session = Session::start();
    session.call(1, "test.wait").await;
    session.send(&json!({"jsonrpc": "2.0", "id": 2, "method": "ping"})).await;
    assert_eq!(session.answer().await["id"], 2);
    session.stop.cancel();
    tokio::task::yield_now().await;
    session.turns.send(()).expect("it waits");
    assert_eq!(session.answer().await["id"], 1);
    assert_eq!(session.next().await, None);
    session.ended.await.expect("it ends");
}

#[tokio::test]
async fn shutdown_is_answered_last() {
    let mut session = Session::start();
    session.call(1, "test.wait").await;
    session.send(&json!({"jsonrpc": "2.0", "id": 2, "method": "shutdown"})).await;
    tokio::task::yield_now().await;
    session.turns.send(()).expect("it waits");
    assert_eq!(session.answer().await["id"], 1);
    assert_eq!(session.answer().await, json!({"jsonrpc": "2.0", "id": 2, "result": null}));
    assert_eq!(session.next().await, None);
    session.ended.await.expect("it ends");
}

#[tokio::test]
async fn cancelled_request_has_no_answer_and_holds_nothing_up() {
    let mut session = Session::start();
    session.call(1, "test.wait").await;
    let cancel =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1, "reason": "enough"}});
    session.send(&cancel).await;
    session.send(&json!({"jsonrpc": "2.0", "id": 2, "method": "shutdown"})).await;
    assert_eq!(session.answer().await["id"], 2);
    assert_eq!(session.next().await, None);
    // The call may have been cancelled before its handler ran.
    let _ = session.turns.send(());
    session.ended.await.expect("it ends");
}

#[tokio::test]
async fn reading_stops_while_too_much_is_in_flight() {
    let mut session = Session::start();
    let many = u64::try_from(MAX_IN_FLIGHT).expect("it is small");
    let mut writer = std::mem::replace(&mut session.input, tokio::io::duplex(1).0);
    let n_written = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&n_written);
    tokio::spawn(async move {
        for id in 0..3 * many {
            let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "test.wait"}});
            writer.write_all(format!("{call}\n").as_bytes()).await.expect("it is read");
            count.fetch_add(1, Ordering::SeqCst);
        }
    });
    // A kilobyte of calls fits into the pipe, and one more into the buffer of the reader.
    let n_buffered = 2 * 1024 / 70;
    let mut ids = Vec::new();
    for n_answers in 1..=3 * many {
        session.turns.send(()).expect("it waits");
        ids.push(session.answer().await["id"].as_u64().expect("its id"));
        let n_written = n_written.load(Ordering::SeqCst);
        assert!(n_written <= n_answers + many + n_buffered, "{n_written} calls were read before {n_answers} answers");
    }
    assert_eq!(session.next().await, None);
    ids.sort_unstable();
    assert_eq!(ids, (0..3 * many).collect::<Vec<u64>>());
}
