//! Entry points for fuzzers; compiled only with `--cfg fuzzing`, which `cargo xtask fuzz` sets.

use rmcp::service::{RoleServer, RxJsonRpcMessage};
use serde_json::Value;

use crate::stdio::lines::{Line, Lines};
use crate::stdio::transport::verdict;
use crate::validate::{Validator, Verdict, judge_in_batch};

/// Feeds input in pieces and returns the verdict on each line.
pub fn verdicts(pieces: &[&[u8]]) -> Vec<String> {
    let validator = Validator::wide();
    let settle = |line| settle(&validator, line);
    let mut lines = Lines::default();
    let mut found = Vec::new();
    for piece in pieces {
        let mut rest = *piece;
        while !rest.is_empty() {
            let (used, line) = lines.feed(rest);
            found.extend(line.map(settle));
            rest = &rest[used..];
        }
    }
    found.extend(lines.finish().map(settle));
    found
}

fn settle(validator: &Validator, line: Line) -> String {
    describe(validator, verdict(validator, line))
}

fn describe(validator: &Validator, verdict: Verdict) -> String {
    match verdict {
        Verdict::Batch(messages) => {
            let each = messages.into_iter().map(|message| describe(validator, judge_in_batch(validator, message)));
            format!("batch {:?}", each.collect::<Vec<_>>())
        }
        Verdict::Nothing => "nothing".to_owned(),
        Verdict::Response(message) => format!("answer {:?}", read(Value::Object(message))),
        Verdict::Notification(message) => format!("notification {:?}", read(Value::Object(message))),
        Verdict::Shutdown { id } => format!("shutdown {id}"),
        Verdict::Request { id, mut message } => {
            assert!(id.is_string() || id.is_number());
            message.insert("id".to_owned(), Value::from(1));
            format!("request {id} {:?}", read(Value::Object(message)))
        }
        Verdict::Refuse(refusal) => {
            let answer = refusal.to_json(validator).to_string();
            assert!(!answer.contains('\n'), "{answer}");
            answer
        }
    }
}

/// Reads a message as the protocol library does.
fn read(message: Value) -> Result<RxJsonRpcMessage<RoleServer>, String> {
    serde_json::from_value(message).map_err(|error| error.to_string())
}
