//! The table of fixtures, served twice: with sessions and without.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};

use mcp::{
    Call, Dialect, Effect, ErrorPlacement, ErrorPolicy, ErrorText, Fault, HttpPolicy, List, Notifier, Schema,
    ServerName, Tool, ToolResult, Versions, Watch,
};
use serde_json::{Value, json};

use crate::{asking, content, reading};

/// State of the fixtures: a channel that triggers server-initiated notifications.
pub(crate) struct Fixtures {
    tell: Sender<List>,
    told: Mutex<Receiver<List>>,
}

impl Default for Fixtures {
    fn default() -> Self {
        let (tell, told) = channel();
        Self { tell, told: Mutex::new(told) }
    }
}

impl Fixtures {
    fn change(&self, list: List) -> Result<ToolResult, Fault> {
        self.tell.send(list).map_err(|error| Fault::Failed(error.to_string()))?;
        Ok(ToolResult::text("It is told."))
    }

    fn watch(&self, notifier: &Notifier) {
        let told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.iter().for_each(|list| notifier.list_changed(list));
    }
}

pub(crate) type Handler = fn(&Fixtures, Value, &Call) -> Result<ToolResult, Fault>;

/// A fixture without arguments.
pub(crate) const fn tool(name: &'static str, call: Handler) -> Tool<Fixtures> {
    with_input(name, no_arguments, call)
}

/// A fixture with arguments.
pub(crate) const fn with_input(name: &'static str, input: fn() -> Schema, call: Handler) -> Tool<Fixtures> {
    Tool {
        name,
        title: name,
        description: "A fixture of the conformance suite.",
        input,
        output: None,
        effect: Effect::Reads,
        toolset: "fixtures",
        call,
    }
}

/// Makes a schema from a JSON value.
pub(crate) fn schema(value: Value) -> Schema {
    match value {
        Value::Object(schema) => schema,
        _ => Schema::new(),
    }
}

fn no_arguments() -> Schema {
    schema(json!({"type": "object", "properties": {}}))
}

/// With sessions.
pub(crate) static EVERYTHING: Dialect<Fixtures> = dialect("everything", HttpPolicy::SESSIONS);

/// Without sessions.
pub(crate) static STATELESS: Dialect<Fixtures> = dialect("stateless", HttpPolicy::PLAIN);

const fn dialect(name: &'static str, http: HttpPolicy) -> Dialect<Fixtures> {
    Dialect {
        name,
        server: ServerName { name: "conformance-fixtures", title: "Fixtures", version: env!("CARGO_PKG_VERSION") },
        versions: Versions::Negotiated,
        instructions: "",
        tools: TOOLS,
        resources: Some(reading::RESOURCES),
        prompts: reading::PROMPTS,
        watch: Some(Watch {
            run: |fixtures, notifier| fixtures.watch(notifier),
            lists: &[List::Tools, List::Prompts, List::Resources],
        }),
        logs: true,
        errors: ErrorPolicy {
            unknown_tool: -32602,
            unknown_tool_words: ErrorPolicy::no_such_tool,
            unknown_resource: -32002,
            forbidden: -32602,
            undecodable: ErrorPlacement::Result(-32602),
            invalid: ErrorPlacement::Result(-32602),
            missing: ErrorPlacement::Result(-32602),
            failed: ErrorPlacement::Result(-32603),
            error: |_, message| ErrorText { message: message.to_owned(), data: None },
            failure: |_, message| ToolResult::text(message),
            explicit_is_error_false: true,
        },
        http,
    }
}

const TOOLS: &[Tool<Fixtures>] = &[
    content::SIMPLE_TEXT,
    content::IMAGE,
    content::AUDIO,
    content::EMBEDDED,
    content::MIXED,
    content::ERROR,
    content::WITH_LOGGING,
    content::LOGGING,
    content::WITH_PROGRESS,
    content::JSON_SCHEMA,
    content::CUSTOM_HEADERS,
    asking::SAMPLING,
    asking::ELICITATION,
    asking::DEFAULTS,
    asking::ENUMS,
    asking::STREAMING_ELICITATION,
    asking::MISSING_CAPABILITY,
    asking::NAME,
    asking::CAPITAL,
    asking::ROOTS,
    asking::STATE,
    asking::TAMPERED_STATE,
    asking::MULTIPLE,
    asking::ROUNDS,
    asking::CAPABILITIES,
    tool("test_trigger_tool_change", |fixtures, _, _| fixtures.change(List::Tools)),
    tool("test_trigger_prompt_change", |fixtures, _, _| fixtures.change(List::Prompts)),
];
