//! A dialect for tests that uses every feature: notifications, questions, log messages, resources and prompts.

use std::sync::mpsc::{Receiver, Sender, channel};

use parking_lot::Mutex;
use serde_json::{Value, json};

use crate::call::{Call, LogLevel, LogMessage};
use crate::dialect::{Dialect, ErrorPlacement, ErrorPolicy, ErrorText, HttpPolicy, ServerName, Versions};
use crate::fault::Fault;
use crate::question::Question;
use crate::registry::{Effect, Schema, Tool};
use crate::resources::{Argument, Prompt, ResourcePage, ResourceTemplate, Resources};
use crate::results::{Content, PromptMessage, PromptResult, Resource, ResourceContents, ToolResult};
use crate::serve_options::EXTENDED;
use crate::watch::{List, Notifier, Watch};

pub(crate) type Instruction = Box<dyn FnOnce(&Notifier) + Send>;

/// The state of the dialect.
pub(crate) struct Subject {
    instructions: Mutex<Receiver<Instruction>>,
    delivered: Sender<&'static str>,
    cancelled: Sender<()>,
}

/// The test's ends of the channels.
pub(crate) struct Strings {
    /// Runs a closure in the dialect's watch.
    pub(crate) instructions: Sender<Instruction>,
    /// Receives the deliveries that were completed.
    pub(crate) delivered: Receiver<&'static str>,
    /// Receives a message when a handler sees its cancellation.
    pub(crate) cancelled: Receiver<()>,
}

impl Subject {
    /// Makes the state and the test's ends of its channels.
    pub(crate) fn new() -> (Self, Strings) {
        let ((instructions, done), (tell_delivered, delivered), (tell_cancelled, cancelled)) =
            (channel(), channel(), channel());
        let subject = Self { instructions: Mutex::new(done), delivered: tell_delivered, cancelled: tell_cancelled };
        (subject, Strings { instructions, delivered, cancelled })
    }
}

impl Strings {
    /// Runs a closure in the dialect's watch.
    pub(crate) fn happens(&self, instruction: impl FnOnce(&Notifier) + Send + 'static) {
        self.instructions.send(Box::new(instruction)).expect("the dialect is watched");
    }
}

/// Adds the `_meta` of a request of 2026-07-28.
pub(crate) fn modern(mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
    });
    params
}

const fn tool(
    name: &'static str,
    toolset: &'static str,
    effect: Effect,
    call: fn(&Subject, Value, &Call) -> Result<ToolResult, Fault>,
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

/// The dialect as the specification has it, with sessions.
pub(crate) static TEST_DIALECT: Dialect<Subject> = test_dialect(Versions::Negotiated, HttpPolicy::SESSIONS);

/// The dialect with a fixed version and its own HTTP policy.
pub(crate) static STRICT: Dialect<Subject> = test_dialect(Versions::Fixed("2025-06-18"), STRICT_HTTP);

/// The strict dialect without log messages and notifications.
pub(crate) static QUIET: Dialect<Subject> =
    Dialect { logs: false, watch: None, ..test_dialect(Versions::Fixed("2025-06-18"), STRICT_HTTP) };

const STRICT_HTTP: HttpPolicy = HttpPolicy {
    is_strict: true,
    status: Some(|code| match code {
        -32602 => 400,
        -32002 => 404,
        -32003 => 403,
        _ => 200,
    }),
    ..HttpPolicy::PLAIN
};

const TOOLS: &[Tool<Subject>] = &[
    tool("tell", "read", Effect::Reads, |_, _, call| {
        call.progress(1.0, Some(2.0), Some("half"));
        call.log(LogMessage { logger: Some("t".to_owned()), ..LogMessage::new(LogLevel::Info, "hello") });
        call.log(LogMessage::new(LogLevel::Debug, "quiet"));
        ToolResult::structured(&json!({"done": true}))
    }),
    tool("ask", "read", Effect::Reads, |_, _, call| {
        let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}});
        let question = Question::Elicit { message: "Who?".to_owned(), schema };
        let answer = call.ask("who", question)?;
        Ok(ToolResult::text(answer["content"]["name"].as_str().unwrap_or("nobody")))
    }),
    tool("take", "write", Effect::Writes, |subject, _, _| {
        let delivered = subject.delivered.clone();
        let link = Resource { uri: "t://a".to_owned(), name: "a".to_owned(), ..Resource::default() };
        let answer = ToolResult::text("taken").and(Content::Link(link));
        Ok(answer.then(move || _ = delivered.send("taken")))
    }),
    tool("last", "read", Effect::Reads, |subject, _, call| {
        while !call.is_cancelled() {
            std::thread::yield_now();
        }
        let _ = subject.cancelled.send(());
        Ok(ToolResult::text("too late").then({
            let delivered = subject.delivered.clone();
            move || _ = delivered.send("too late")
        }))
    }),
    tool("more", EXTENDED, Effect::Reads, |_, _, _| Ok(ToolResult::text("more"))),
    tool("miss", "read", Effect::Sets, |_, _, _| Err(Fault::Missing("no such thing".to_owned()))),
];

const fn test_dialect(versions: Versions, http: HttpPolicy) -> Dialect<Subject> {
    Dialect {
        name: "test_dialect",
        server: ServerName { name: "test_dialect", title: "", version: "1" },
        versions,
        instructions: "",
        tools: TOOLS,
        resources: Some(Resources {
            list: |_, request| {
                let names = (0..450).map(|number| Resource {
                    uri: format!("t://{number:03}"),
                    name: number.to_string(),
                    ..Resource::default()
                });
                Ok(ResourcePage::cut(names.collect(), request, |resource| resource.uri.clone()))
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
            ends_with_null: true,
        }),
        prompts: &[Prompt {
            name: "greet",
            title: "Greet",
            description: "Greets someone.",
            arguments: &[Argument { name: "who", description: "Whom.", is_required: true, complete: None }],
            get: |_, arguments, _| {
                let text = format!("Greet {}.", arguments["who"].as_str().unwrap_or_default());
                let messages = vec![PromptMessage::user(Content::Text(text))];
                Ok(PromptResult { description: None, messages })
            },
        }],
        watch: Some(Watch {
            run: |subject, notifier| {
                let instructions = subject.instructions.lock();
                instructions.iter().for_each(|deed| deed(notifier));
            },
            lists: &[List::Resources],
        }),
        logs: true,
        errors: ErrorPolicy {
            unknown_tool: -32601,
            unknown_tool_words: ErrorPolicy::no_such_tool,
            unknown_resource: -32002,
            forbidden: -32003,
            undecodable: ErrorPlacement::Error(-32602),
            invalid: ErrorPlacement::Error(-32602),
            missing: ErrorPlacement::Error(-32002),
            failed: ErrorPlacement::Result(-32001),
            error: |_, message| ErrorText { message: message.to_owned(), data: None },
            failure: |_, message| ToolResult::text(message),
            explicit_is_error_false: true,
        },
        http,
    }
}
