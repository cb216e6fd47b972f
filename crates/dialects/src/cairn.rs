//! `cairn`: our own dialect. A small set of tools over everything, cheap in tokens; shapes are those of the command line's
//! JSON.

mod code;
mod conversation;
mod items;
mod resources;
mod watch;
mod work;

use app::{Error, ErrorKind};
use mcp::{Dialect, ErrorPolicy, Fault, HttpPolicy, Resources, Schema, ServerName, ToolAnswer, Versions};
use serde_json::{Value, json};

use crate::lazygit::Inboxes;
use crate::projects::Projects;
use crate::words::with_hint;

/// What the tools work on.
pub struct Whole {
    pub(crate) projects: Projects,
    pub(crate) inboxes: Inboxes,
}

/// The table.
pub static CAIRN: Dialect<Whole> = Dialect {
    name: "cairn",
    server: ServerName { name: "cairn", title: "The project's memory", version: env!("CARGO_PKG_VERSION") },
    versions: Versions::Negotiated,
    instructions: "The memory of this project: its work, the reasons for its code, and what people said about it. Begin \
                   with `ready` to see what can be taken; ask `context` before you change code; `inbox` has remarks of \
                   the person you work with.",
    tools: &[
        code::CONTEXT,
        work::READY,
        items::LIST,
        items::SEARCH,
        items::SHOW,
        work::CREATE,
        work::UPDATE,
        work::COMMENT,
        conversation::INBOX,
        conversation::REPLY,
    ],
    resources: Some(Resources {
        list: resources::list,
        templates: resources::TEMPLATES,
        read: resources::read,
        ends_with_null: false,
    }),
    prompts: resources::PROMPTS,
    watch: Some(watch::WATCH),
    logs: false,
    errors: ErrorPolicy { unknown_resource: -32002, forbidden: -32003, ..ErrorPolicy::TO_THE_MODEL },
    http: HttpPolicy::SESSIONS,
};

/// The one table from kinds of error to faults.
fn fault(error: &Error) -> Fault {
    let message = with_hint(error);
    match error.kind {
        ErrorKind::Invalid | ErrorKind::Conflict => Fault::Invalid(message),
        ErrorKind::NotFound => Fault::Missing(message),
        ErrorKind::NotARepository | ErrorKind::Unavailable | ErrorKind::IndexDamaged | ErrorKind::Internal => {
            Fault::Failed(message)
        }
    }
}

/// Answers with a value, as text and as a structure.
fn answer(done: Result<impl serde::Serialize, Error>) -> Result<ToolAnswer, Fault> {
    ToolAnswer::structured(&done.map_err(|error| fault(&error))?)
}

/// The schema of an answer that has at least these keys.
fn object(keys: &[(&str, Value)]) -> Schema {
    let properties: Schema = keys.iter().map(|(name, kind)| ((*name).to_owned(), kind.clone())).collect();
    let required: Vec<&str> = keys.iter().map(|(name, _)| *name).collect();
    let schema = json!({"type": "object", "properties": properties, "required": required});
    schema.as_object().cloned().unwrap_or_default()
}

/// The schema of a list.
fn list_schema() -> Schema {
    object(&[("items", json!({"type": "array", "items": {"type": "object"}})), ("total", json!({"type": "integer"}))])
}

/// The schema of an item.
fn item_schema() -> Schema {
    let text = || json!({"type": "string"});
    object(&[
        ("id", text()),
        ("number", json!({"type": "integer"})),
        ("kind", text()),
        ("title", text()),
        ("status", text()),
        ("state", text()),
    ])
}
