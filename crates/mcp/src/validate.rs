//! Classifies a message before the protocol library sees it: a request, a notification, or something to refuse.
//! Everything that can be refused is refused here, with a response: the library would drop it silently or misread it.

use serde_json::{Map, Value, json};

use crate::dialect::{ErrorPlacement, ErrorText};
use crate::server::BoundDialect;

/// The message is not JSON.
pub(crate) const PARSE_ERROR: i32 = -32700;
/// The message is JSON but not a valid request.
pub(crate) const INVALID_REQUEST: i32 = -32600;
/// The method is unknown or not served.
pub(crate) const METHOD_NOT_FOUND: i32 = -32601;
/// The method is known but its parameters are invalid.
pub(crate) const INVALID_PARAMS: i32 = -32602;
/// A bug or a limit of the server.
pub(crate) const INTERNAL_ERROR: i32 = -32603;

/// The only protocol version with batches.
pub(crate) const VERSION_WITH_BATCHES: &str = "2025-03-26";

/// Maximum number of messages in a batch. A body of short messages could otherwise ask for responses of a hundred times
/// its size.
const MAX_BATCH: usize = 1000;

/// The `_meta` key in which a client of 2026-07-28 names its version.
pub(crate) const VERSION_IN_BODY: &str = "io.modelcontextprotocol/protocolVersion";

/// Methods that every dialect passes on to the protocol library.
const ALWAYS: &[&str] = &["initialize", "server/discover", "ping", "tools/list", "tools/call", "subscriptions/listen"];

/// The methods that a dialect serves, and the form of its errors.
#[derive(Debug, Clone)]
pub(crate) struct Validator {
    served: Vec<&'static str>,
    error: fn(i32, &str) -> ErrorText,
    /// Code for arguments of the wrong type.
    undecodable: i32,
}

impl Validator {
    pub(crate) fn of(dialect: &BoundDialect) -> Self {
        let has_resources = dialect.resources.is_some();
        let has_prompts = !dialect.prompts.is_empty();
        let parts: [(bool, &[&str]); 6] = [
            (true, ALWAYS),
            (has_resources, &["resources/list", "resources/templates/list", "resources/read"]),
            (has_resources && dialect.board.is_some(), &["resources/subscribe", "resources/unsubscribe"]),
            (has_prompts, &["prompts/list", "prompts/get"]),
            (has_resources || has_prompts, &["completion/complete"]),
            (dialect.logs, &["logging/setLevel"]),
        ];
        let served = parts.into_iter().filter(|(is_served, _)| *is_served).flat_map(|(_, methods)| methods);
        let (ErrorPlacement::Error(undecodable) | ErrorPlacement::Result(undecodable)) = dialect.errors.undecodable;
        Self { served: served.copied().collect(), error: dialect.errors.error, undecodable }
    }

    /// Accepts methods of every kind, for fuzzers.
    #[cfg(fuzzing)]
    pub(crate) fn wide() -> Self {
        let more = ["resources/read", "resources/subscribe", "prompts/get", "completion/complete", "logging/setLevel"];
        let error = |_, message: &str| ErrorText { message: message.to_owned(), data: None };
        Self { served: [ALWAYS, &more].concat(), error, undecodable: INVALID_PARAMS }
    }
}

/// The classification of a message.
#[derive(Debug, PartialEq)]
pub(crate) enum Verdict {
    Nothing,
    /// A response of the client, perhaps to one of our questions.
    Response(Map<String, Value>),
    Request {
        /// The id as the client wrote it.
        id: Value,
        /// The message without its id.
        message: Map<String, Value>,
    },
    Notification(Map<String, Value>),
    /// An array of messages.
    Batch(Vec<Value>),
    /// The client asks the server to shut down.
    Shutdown {
        /// The id as the client wrote it.
        id: Value,
    },
    /// An error response; the message does not reach the library.
    Refuse(Refusal),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Refusal {
    /// The id of the request; null if it cannot be read.
    pub(crate) id: Value,
    /// JSON-RPC error code.
    pub(crate) code: i32,
    /// Text of the error.
    pub(crate) message: String,
    /// The message was a well-formed request; only its content was refused.
    pub(crate) is_of_request: bool,
}

impl Refusal {
    pub(crate) fn new(id: Value, code: i32, message: impl Into<String>) -> Self {
        let is_of_request = matches!(code, METHOD_NOT_FOUND | INVALID_PARAMS);
        Self { id, code, message: message.into(), is_of_request }
    }

    /// Refuses a batch: the negotiated version has none.
    pub(crate) fn batch() -> Self {
        Self::new(
            Value::Null,
            INVALID_REQUEST,
            format!("only version {VERSION_WITH_BATCHES} of the protocol has batches"),
        )
    }

    /// Returns the JSON of the response, with the text of the validator's dialect.
    pub(crate) fn to_json(&self, validator: &Validator) -> Value {
        let Self { id, code, message, .. } = self;
        let words = (validator.error)(*code, message);
        let mut error = json!({"code": code, "message": words.message});
        if let Some(data) = words.data {
            error["data"] = data;
        }
        json!({"jsonrpc": "2.0", "id": id, "error": error})
    }

    /// Returns whether the line was not a message at all.
    pub(crate) fn is_noise(&self) -> bool {
        matches!(self.code, PARSE_ERROR | INVALID_REQUEST) && !self.is_of_request
    }
}

/// Required string parameters, by method.
const REQUIRED: &[(&str, &str)] = &[("tools/call", "name"), ("resources/read", "uri"), ("prompts/get", "name")];

/// Classifies and checks a line.
pub(crate) fn judge(validator: &Validator, line: &[u8]) -> Verdict {
    admit(validator, shape(line))
}

/// Classifies a line by its shape; [`admit`] checks whether a request is served.
pub(crate) fn shape(line: &[u8]) -> Verdict {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return Verdict::Nothing;
    }
    match serde_json::from_slice(line) {
        Ok(Value::Array(messages)) => match messages.len() {
            0 => refuse(Value::Null, INVALID_REQUEST, "a batch has at least one message"),
            1..=MAX_BATCH => Verdict::Batch(messages),
            n => refuse(Value::Null, INVALID_REQUEST, format!("a batch has at most {MAX_BATCH} messages, not {n}")),
        },
        Ok(message) => shape_of(message),
        Err(error) => refuse(Value::Null, PARSE_ERROR, format!("this is not JSON: {error}")),
    }
}

/// Classifies and checks one message of a batch. `initialize` is not allowed in a batch.
pub(crate) fn judge_in_batch(validator: &Validator, message: Value) -> Verdict {
    match admit(validator, shape_of(message)) {
        Verdict::Request { id, message } if message.get("method").is_some_and(|method| method == "initialize") => {
            refuse(id, INVALID_REQUEST, "`initialize` must not be part of a batch")
        }
        verdict => verdict,
    }
}

fn shape_of(message: Value) -> Verdict {
    match message {
        Value::Object(message) => classify_object(message),
        _ => refuse(Value::Null, INVALID_REQUEST, "a request is a JSON object"),
    }
}

fn classify_object(mut message: Map<String, Value>) -> Verdict {
    let id = message.get("id").filter(|id| id.is_string() || id.is_number()).cloned();
    let shown = id.clone().unwrap_or_default();
    let invalid = |text: &str| refuse(shown.clone(), INVALID_REQUEST, text);
    let is_answer =
        !message.contains_key("method") && (message.contains_key("result") || message.contains_key("error"));
    if is_answer {
        return Verdict::Response(message);
    }
    if message.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return invalid("`jsonrpc` must be \"2.0\"");
    }
    if !message.get("method").is_some_and(Value::is_string) {
        return invalid("`method` must be a string");
    }
    match message.get("params") {
        Some(Value::Null) => _ = message.remove("params"),
        None | Some(Value::Object(_) | Value::Array(_)) => {}
        Some(_) => return invalid("`params` must be an object"),
    }
    let Some(id) = id else {
        // `"id": null` is a request that cannot be answered, not a notification.
        let is_notification = !message.contains_key("id");
        return if is_notification {
            Verdict::Notification(message)
        } else {
            invalid("`id` must be a string or a number")
        };
    };
    message.remove("id");
    Verdict::Request { id, message }
}

/// Refuses a request with an unknown method, or with parameters that the library would misread.
pub(crate) fn admit(validator: &Validator, verdict: Verdict) -> Verdict {
    let Verdict::Request { id, mut message } = verdict else { return verdict };
    let method = message.get("method").and_then(Value::as_str).unwrap_or_default().to_owned();
    if method == "shutdown" {
        return Verdict::Shutdown { id };
    }
    if !validator.served.contains(&method.as_str()) {
        let shown: String = method.chars().take(80).collect();
        return refuse(id, METHOD_NOT_FOUND, format!("unknown method `{shown}`"));
    }
    if message.get("params").is_some_and(Value::is_array) {
        return refuse(id, INVALID_PARAMS, "`params` must be an object: parameters have names here");
    }
    // The library would ignore a cursor of the wrong type.
    let has_wrong_cursor = message
        .get("params")
        .and_then(|params| params.get("cursor"))
        .is_some_and(|cursor| !cursor.is_string() && !cursor.is_null());
    if has_wrong_cursor {
        return refuse(id, INVALID_PARAMS, "`cursor` must be a string");
    }
    if let Some(text) = lack(&method, message.get("params")) {
        return refuse(id, INVALID_PARAMS, text);
    }
    if method == "tools/call"
        && let Some(refusal) = wrong_arguments(validator, &id, message.get("params"))
    {
        return Verdict::Refuse(refusal);
    }
    if method == "initialize"
        && let Value::Object(params) = message.entry("params").or_insert_with(|| json!({}))
    {
        fill_in(params);
    }
    Verdict::Request { id, message }
}

/// Returns the error text for a missing required parameter.
fn lack(method: &str, params: Option<&Value>) -> Option<String> {
    let (_, name) = REQUIRED.iter().find(|(known, _)| *known == method)?;
    match params.and_then(|params| params.get(name)) {
        None | Some(Value::Null) => Some(format!("{name} is required")),
        Some(Value::String(_)) => None,
        Some(_) => Some(format!("{name} must be a string")),
    }
}

/// Refuses tool arguments that are not an object, with the contract's code for arguments of the wrong type; clients of
/// 2026-07-28 get the specification's code.
fn wrong_arguments(validator: &Validator, id: &Value, params: Option<&Value>) -> Option<Refusal> {
    let params = params?;
    params.get("arguments").filter(|arguments| !arguments.is_object() && !arguments.is_null())?;
    let is_modern = params.get("_meta").is_some_and(|meta| meta.get(VERSION_IN_BODY).is_some());
    let code = if is_modern { INVALID_PARAMS } else { validator.undecodable };
    let refusal = Refusal::new(id.clone(), code, "`arguments` must be an object");
    Some(Refusal { is_of_request: true, ..refusal })
}

// Some clients leave these out, although the protocol requires them.
fn fill_in(params: &mut Map<String, Value>) {
    let mut default = |name: &str, value: Value| {
        let given = params.entry(name).or_insert(Value::Null);
        if given.is_null() {
            *given = value;
        }
    };
    default("protocolVersion", json!("2024-11-05"));
    default("capabilities", json!({}));
    default("clientInfo", json!({}));
    if let Some(Value::Object(client)) = params.get_mut("clientInfo") {
        for name in ["name", "version"] {
            client.entry(name).or_insert_with(|| json!("unknown"));
        }
    }
}

fn refuse(id: Value, code: i32, message: impl Into<String>) -> Verdict {
    Verdict::Refuse(Refusal::new(id, code, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(line: &[u8]) -> Verdict {
        let error = |_, message: &str| ErrorText { message: message.to_owned(), data: None };
        let served = ALWAYS.iter().copied().chain(["prompts/list"]).collect();
        super::judge(&Validator { served, error, undecodable: INVALID_REQUEST }, line)
    }

    fn refusal(line: &[u8]) -> (Value, i32) {
        match judge(line) {
            Verdict::Refuse(refusal) => (refusal.id, refusal.code),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn malformed_request_is_refused_with_its_id() {
        let check = |line: &str, id: Value, code: i32| assert_eq!(refusal(line.as_bytes()), (id, code), "{line}");
        check("{", Value::Null, PARSE_ERROR);
        check("nonsense", Value::Null, PARSE_ERROR);
        check(r#"{"jsonrpc":"2.0","id":1,"method":"ping"} {}"#, Value::Null, PARSE_ERROR);
        check("[]", Value::Null, INVALID_REQUEST);
        check(&format!("[{}1]", "1,".repeat(MAX_BATCH)), Value::Null, INVALID_REQUEST);
        check("17", Value::Null, INVALID_REQUEST);
        check("{}", Value::Null, INVALID_REQUEST);
        check(r#"{"id":1,"method":"ping"}"#, json!(1), INVALID_REQUEST);
        check(r#"{"jsonrpc":"1.0","id":"a","method":"ping"}"#, json!("a"), INVALID_REQUEST);
        check(r#"{"jsonrpc":"2.0","id":2}"#, json!(2), INVALID_REQUEST);
        check(r#"{"jsonrpc":"2.0","id":2,"method":3}"#, json!(2), INVALID_REQUEST);
        check(r#"{"jsonrpc":"2.0","id":2,"method":"ping","params":3}"#, json!(2), INVALID_REQUEST);
        check(r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, Value::Null, INVALID_REQUEST);
        check(r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, Value::Null, INVALID_REQUEST);
        check(r#"{"jsonrpc":"2.0","id":2,"method":"resources/list"}"#, json!(2), METHOD_NOT_FOUND);
        check(r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":[]}"#, json!(2), INVALID_PARAMS);
        check(r#"{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"cursor":5}}"#, json!(2), INVALID_PARAMS);
        check(
            r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a","arguments":[]}}"#,
            json!(2),
            INVALID_REQUEST,
        );
        check(
            r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a","arguments":3,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#,
            json!(2),
            INVALID_PARAMS,
        );
        assert_eq!(refusal(b"\xff\xfe"), (Value::Null, PARSE_ERROR));
        assert_eq!(refusal("[".repeat(5000).as_bytes()), (Value::Null, PARSE_ERROR));
        let deep = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
        assert_eq!(refusal(deep.as_bytes()), (Value::Null, PARSE_ERROR));
    }

    #[test]
    fn batch_is_judged_message_by_message() {
        let Verdict::Batch(messages) = judge(
            br#"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"a"},[],{"jsonrpc":"2.0","id":2,"method":"initialize"}]"#,
        ) else {
            panic!("a batch");
        };
        let error = |_, message: &str| ErrorText { message: message.to_owned(), data: None };
        let validator = Validator { served: ALWAYS.to_vec(), error, undecodable: INVALID_PARAMS };
        let verdicts: Vec<Verdict> = messages.into_iter().map(|message| judge_in_batch(&validator, message)).collect();
        assert!(matches!(verdicts[0], Verdict::Request { .. }));
        assert!(matches!(verdicts[1], Verdict::Notification(_)));
        let code = |verdict: &Verdict| match verdict {
            Verdict::Refuse(refusal) => Some((refusal.id.clone(), refusal.code)),
            _ => None,
        };
        assert_eq!(code(&verdicts[2]), Some((Value::Null, INVALID_REQUEST)));
        assert_eq!(code(&verdicts[3]), Some((json!(2), INVALID_REQUEST)));
    }

    #[test]
    fn unsupported_methods_of_a_dialect_are_unknown() {
        let is_request = |method: &str| {
            let line = json!({"jsonrpc": "2.0", "id": 1, "method": method}).to_string();
            matches!(judge(line.as_bytes()), Verdict::Request { .. })
        };
        assert!(["ping", "tools/list", "prompts/list"].into_iter().all(is_request));
        assert!(
            !["resources/list", "resources/subscribe", "logging/setLevel", "tasks/get"].into_iter().any(is_request)
        );
    }

    #[test]
    fn byte_order_mark_and_line_ends_are_no_part_of_a_message() {
        let line = b"\xef\xbb\xbf {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r";
        assert!(matches!(judge(line), Verdict::Request { .. }));
        assert_eq!(judge(b" \r"), Verdict::Nothing);
    }

    #[test]
    fn answers_and_notifications_are_never_answered() {
        assert!(matches!(judge(br#"{"jsonrpc":"2.0","id":1,"result":{}}"#), Verdict::Response(_)));
        let error = judge(br#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}"#);
        assert!(matches!(error, Verdict::Response(_)));
        let notification = judge(br#"{"jsonrpc":"2.0","method":"tools/call"}"#);
        assert!(matches!(notification, Verdict::Notification(_)));
    }

    #[test]
    fn initialize_may_leave_everything_out() {
        let Verdict::Request { message, .. } = judge(br#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#) else {
            panic!("a request");
        };
        let expected = json!({
            "protocolVersion": "2024-11-05",
            "capabilities": {},
            "clientInfo": {"name": "unknown", "version": "unknown"},
        });
        assert_eq!(message["params"], expected);
    }
}
