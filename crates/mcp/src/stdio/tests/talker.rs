//! A dialect that does all a dialect can: speaks first, asks, logs, offers resources and prompts.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::service::serve_directly_with_ct;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines};
use tokio_util::sync::CancellationToken;

use crate::answer::{Content, PromptAnswer, PromptMessage, Resource, ResourceContents, ToolAnswer};
use crate::call::{Call, LogLevel, LogMessage};
use crate::dialect::{Answering, Dialect, ErrorPolicy, ErrorWords, HttpPolicy, ServerName, Versions};
use crate::fault::Fault;
use crate::gate::Gate;
use crate::offer::Offer;
use crate::question::Question;
use crate::registry::{Effect, Schema, Tool};
use crate::resources::{Argument, Page, Prompt, ResourceTemplate, Resources};
use crate::server::Server;
use crate::stdio::transport::LineTransport;
use crate::watch::{List, Notifier, Watch};

type Deed = Box<dyn FnOnce(&Notifier) + Send>;

/// What the tests steer the dialect by.
struct Subject {
    deeds: Mutex<Receiver<Deed>>,
    delivered: Sender<&'static str>,
    cancelled: Sender<()>,
}

const fn tool(
    name: &'static str,
    toolset: &'static str,
    effect: Effect,
    call: fn(&Subject, Value, &Call) -> Result<ToolAnswer, Fault>,
) -> Tool<Subject> {
    Tool {
        name,
        title: "A tool",
        description: "It is for tests.",
        input: Schema::new,
        output: Some(Schema::new),
        effect,
        toolset,
        call,
    }
}

static TALKER: Dialect<Subject> = Dialect {
    name: "talker",
    server: ServerName { name: "talker", title: "", version: "1" },
    versions: Versions::Negotiated,
    instructions: "",
    tools: &[
        tool("tell", "read", Effect::Reads, |_, _, call| {
            call.progress(1.0, Some(2.0), Some("half"));
            call.log(LogMessage { logger: Some("t".to_owned()), ..LogMessage::new(LogLevel::Info, "hello") });
            call.log(LogMessage::new(LogLevel::Debug, "quiet"));
            ToolAnswer::structured(&json!({"done": true}))
        }),
        tool("ask", "read", Effect::Reads, |_, _, call| {
            let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}});
            let question = Question::Elicit { message: "Who?".to_owned(), schema };
            let answer = call.ask("who", question)?;
            Ok(ToolAnswer::text(answer["content"]["name"].as_str().unwrap_or("nobody")))
        }),
        tool("take", "write", Effect::Writes, |subject, _, _| {
            let delivered = subject.delivered.clone();
            let link = Resource { uri: "t://a".to_owned(), name: "a".to_owned(), ..Resource::default() };
            let answer = ToolAnswer::text("taken").and(Content::Link(link));
            Ok(answer.then(move || _ = delivered.send("taken")))
        }),
        tool("last", "read", Effect::Reads, |subject, _, call| {
            while !call.is_cancelled() {
                std::thread::yield_now();
            }
            let _ = subject.cancelled.send(());
            Ok(ToolAnswer::text("too late").then({
                let delivered = subject.delivered.clone();
                move || _ = delivered.send("too late")
            }))
        }),
        tool("miss", "read", Effect::Sets, |_, _, _| Err(Fault::Missing("no such thing".to_owned()))),
    ],
    resources: Some(Resources {
        list: |_, request| {
            let names = (0..450).map(|number| Resource {
                uri: format!("t://{number:03}"),
                name: number.to_string(),
                ..Resource::default()
            });
            Ok(Page::cut(names.collect(), request, |resource| resource.uri.clone()))
        },
        templates: &[ResourceTemplate {
            uri: "t://{number}",
            name: "number",
            title: "A number",
            description: "One of them.",
            mime: "text/plain",
            arguments: &[Argument {
                name: "number",
                description: "Which.",
                is_required: true,
                complete: Some(|_, typed, _| {
                    let all = (0..450).map(|number| format!("{number:03}"));
                    Ok(all.filter(|number| number.starts_with(typed)).collect())
                }),
            }],
        }],
        read: |_, uri, _| match uri.strip_prefix("t://") {
            Some(number) => Ok(vec![ResourceContents::text(uri, "text/plain", number)]),
            None => Err(Fault::Missing(format!("there is no {uri}"))),
        },
    }),
    prompts: &[Prompt {
        name: "greet",
        title: "Greet",
        description: "Greets someone.",
        arguments: &[Argument { name: "who", description: "Whom.", is_required: true, complete: None }],
        get: |_, arguments, _| {
            let text = format!("Greet {}.", arguments["who"].as_str().unwrap_or_default());
            let messages = vec![PromptMessage::user(Content::Text(text))];
            Ok(PromptAnswer { description: None, messages })
        },
    }],
    watch: Some(Watch {
        run: |subject, notifier| {
            let deeds = subject.deeds.lock().unwrap_or_else(PoisonError::into_inner);
            deeds.iter().for_each(|deed| deed(notifier));
        },
        lists: &[List::Resources],
    }),
    logs: true,
    errors: ErrorPolicy {
        unknown_tool: -32601,
        unknown_tool_words: ErrorPolicy::no_such_tool,
        unknown_resource: -32002,
        forbidden: -32003,
        undecodable: Answering::Error(-32602),
        invalid: Answering::Error(-32602),
        missing: Answering::Error(-32002),
        failed: Answering::Result(-32001),
        error: |_, message| ErrorWords { message: message.to_owned(), data: None },
        failure: |_, message| ToolAnswer::text(message),
        tells_success: true,
    },
    http: HttpPolicy::SESSIONS,
};

struct Talk {
    input: Option<DuplexStream>,
    output: Lines<BufReader<DuplexStream>>,
    deeds: Sender<Deed>,
    delivered: Receiver<&'static str>,
    cancelled: Receiver<()>,
    ended: tokio::task::JoinHandle<()>,
}

impl Talk {
    fn start(offer: Offer) -> Self {
        let ((deeds, done), (tell_delivered, delivered), (tell_cancelled, cancelled)) =
            (channel(), channel(), channel());
        let subject = Subject { deeds: Mutex::new(done), delivered: tell_delivered, cancelled: tell_cancelled };
        let (input, reader) = tokio::io::duplex(1024);
        let (output, writer) = tokio::io::duplex(1024);
        let ending = CancellationToken::new();
        let transport = LineTransport::new(reader, writer, Gate::of(&TALKER), CancellationToken::new(), ending.clone());
        let server = Server::new(&TALKER, Arc::new(subject), offer, ending).expect("it starts");
        let service = serve_directly_with_ct(server, transport, None, CancellationToken::new());
        let ended = tokio::spawn(async move { _ = service.waiting().await });
        Self { input: Some(input), output: BufReader::new(output).lines(), deeds, delivered, cancelled, ended }
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

    fn happens(&self, deed: impl FnOnce(&Notifier) + Send + 'static) {
        self.deeds.send(Box::new(deed)).expect("it is watched");
    }
}

/// Adds what a request of 2026-07-28 says of itself.
fn modern(mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
    });
    params
}

#[tokio::test]
async fn what_a_dialect_has_is_what_it_says_it_can_do() {
    let mut talk = Talk::start(Offer::default());
    let hello = talk.initialize().await;
    let expected = json!({
        "logging": {}, "completions": {}, "prompts": {}, "tools": {},
        "resources": {"subscribe": true, "listChanged": true},
    });
    assert_eq!(hello["result"]["capabilities"], expected);
    assert_eq!(hello["result"].get("instructions"), None);
    assert_eq!(hello["result"]["serverInfo"].get("title"), None);
}

#[tokio::test]
async fn progress_and_messages_come_before_the_answer_to_those_who_want_them() {
    let mut talk = Talk::start(Offer::default());
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
    let mut talk = Talk::start(Offer::default());
    talk.initialize().await;
    let question = talk.request("tools/call", json!({"name": "ask"})).await;
    assert_eq!((&question["method"], &question["params"]["message"]), (&json!("elicitation/create"), &json!("Who?")));
    let answer = json!({"action": "accept", "content": {"name": "Ada"}});
    talk.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": answer})).await;
    assert_eq!(talk.next().await["result"]["content"][0]["text"], "Ada");
}

#[tokio::test]
async fn client_of_2026_comes_again_with_the_answer() {
    let mut talk = Talk::start(Offer::default());
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
async fn what_follows_an_answer_is_done_once_it_is_written() {
    let mut talk = Talk::start(Offer::default());
    // The pipe is too small for the answers: what does not fit has not been delivered.
    for id in 0..8 {
        talk.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "take"}})).await;
    }
    tokio::time::timeout(Duration::from_millis(50), std::future::pending::<()>()).await.expect_err("time passes");
    assert!(talk.delivered.try_iter().count() < 8);
    for _ in 0..8 {
        assert_eq!(talk.next().await["result"]["content"][1]["uri"], "t://a");
    }
    drop(talk.input.take());
    talk.ended.await.expect("it ends");
    assert!(talk.delivered.recv().is_ok());
}

#[tokio::test]
async fn cancelled_handler_can_see_it_and_delivers_nothing() {
    let mut talk = Talk::start(Offer::default());
    talk.send(&json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "last"}})).await;
    talk.request("ping", json!({})).await;
    talk.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}})).await;
    talk.request("ping", json!({})).await;
    drop(talk.input.take());
    talk.ended.await.expect("it ends");
    let was_delivered = tokio::task::spawn_blocking(move || {
        talk.cancelled.recv().expect("the handler saw it");
        talk.delivered.try_recv().is_ok()
    });
    assert!(!was_delivered.await.expect("it can be waited for"));
}

#[tokio::test]
async fn subscribers_hear_of_changes_and_nobody_else() {
    let mut talk = Talk::start(Offer::default());
    talk.initialize().await;
    talk.happens(|notifier| notifier.resource_changed("t://001"));
    talk.happens(|notifier| notifier.list_changed(List::Resources));
    assert_eq!(talk.next().await["method"], "notifications/resources/list_changed");
    assert_eq!(talk.request("resources/subscribe", json!({"uri": "t://001"})).await["result"], json!({}));
    talk.happens(|notifier| notifier.resource_changed("t://002"));
    talk.happens(|notifier| notifier.resource_changed("t://001"));
    let changed = talk.next().await;
    assert_eq!(changed["method"], "notifications/resources/updated");
    assert_eq!(changed["params"], json!({"uri": "t://001"}));
    assert_eq!(talk.request("resources/unsubscribe", json!({"uri": "t://001"})).await["result"], json!({}));
    talk.happens(|notifier| {
        notifier.resource_changed("t://001");
        notifier
            .log(LogMessage { message: Some("m".to_owned()), ..LogMessage::new(LogLevel::Info, json!({"line": 1})) });
    });
    let message = talk.next().await;
    assert_eq!(message["params"], json!({"level": "info", "message": "m", "data": {"line": 1}}));
}

#[tokio::test]
async fn who_listens_hears_what_was_asked_for_and_is_let_go_at_the_end() {
    let mut talk = Talk::start(Offer::default());
    let wanted = json!({"notifications": {"resourceSubscriptions": ["t://001"]}});
    let heard = talk.request("subscriptions/listen", modern(wanted)).await;
    assert_eq!(heard["method"], "notifications/subscriptions/acknowledged");
    talk.happens(|notifier| notifier.list_changed(List::Resources));
    talk.happens(|notifier| notifier.resource_changed("t://001"));
    let changed = talk.next().await;
    assert_eq!(changed["params"]["uri"], "t://001");
    assert_eq!(changed["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], 1);
    drop(talk.input.take());
    assert_eq!(talk.next().await["id"], 1);
    talk.ended.await.expect("it ends");
}

#[tokio::test]
async fn one_who_falls_behind_is_told_that_all_may_have_changed() {
    let mut talk = Talk::start(Offer::default());
    talk.initialize().await;
    talk.request("resources/subscribe", json!({"uri": "t://001"})).await;
    talk.happens(|notifier| {
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
    let mut talk = Talk::start(Offer::default());
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
    let mut talk = Talk::start(Offer::default());
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
async fn what_is_not_offered_is_neither_listed_nor_called() {
    let names = |listed: &Value| {
        let tools = listed["result"]["tools"].as_array().expect("a list").clone();
        tools.into_iter().map(|tool| tool["name"].as_str().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    let mut talk = Talk::start(Offer { read_only: true, ..Offer::default() });
    assert_eq!(names(&talk.request("tools/list", json!({})).await), ["ask", "last", "tell"]);
    assert_eq!(talk.request("tools/call", json!({"name": "take"})).await["error"]["code"], -32601);
    let mut talk = Talk::start(Offer { toolsets: Some(vec!["write".to_owned()]), ..Offer::default() });
    assert_eq!(names(&talk.request("tools/list", json!({})).await), ["take"]);
    assert_eq!(talk.request("tools/call", json!({"name": "tell"})).await["error"]["code"], -32601);
}
