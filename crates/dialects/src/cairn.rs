//! `cairn`: our own dialect. A small set of tools over all features, cheap in tokens: texts for the model have one line
//! for each item, structured content has the same without empty keys, and nothing is cut without saying so.

mod arguments;
mod attachments;
mod code;
mod conversation;
mod create;
mod fields;
mod items;
mod progress;
mod prompts;
mod resources;
mod rows;
mod shown;
mod sync;
mod watch;
mod work;

use app::ProjectPool;
use app::{Error, ErrorKind};
use inbox::LazyInbox;
use mcp::{Dialect, ErrorPolicy, Fault, HttpPolicy, Resources, Schema, ServerName, Versions};
use serde_json::{Value, json};

use crate::words::with_tool_hint;

/// The state of the tools.
pub struct CairnState {
    pub(crate) projects: ProjectPool,
    pub(crate) inbox: LazyInbox,
    /// The notes ref of annotations, if it is not the configured one.
    pub(crate) noteref: Option<String>,
}

impl CairnState {
    /// Creates the state of a server; `noteref` is the notes ref of annotations, if it is not the configured one.
    pub fn new(projects: ProjectPool, inbox: LazyInbox, noteref: Option<String>) -> Self {
        Self { projects, inbox, noteref }
    }
}

/// The dialect's table.
pub static CAIRN: Dialect<CairnState> = Dialect {
    name: "cairn",
    server: ServerName { name: "cairn", title: "The project's memory", version: env!("CARGO_PKG_VERSION") },
    versions: Versions::Negotiated,
    instructions: "The memory of this project: its items, the reasons for its code, and review messages. Begin with `ready`, \
                   take an item with `update` and `claim`, call `context` before you change code, and name the item in the \
                   commit message (`Fixes #12`). Afterwards record reasons with `annotate` and call `sync`. `inbox` has \
                   the review messages of the person you work with.",
    tools: &[
        code::CONTEXT,
        items::READY,
        items::LIST,
        items::SEARCH,
        items::SHOW,
        create::CREATE,
        work::UPDATE,
        work::COMMENT,
        work::LINK,
        code::ANNOTATE,
        conversation::INBOX,
        conversation::REPLY,
        sync::SYNC,
    ],
    resources: Some(Resources {
        list: resources::list,
        templates: resources::TEMPLATES,
        read: resources::read,
        ends_with_null: false,
    }),
    prompts: prompts::PROMPTS,
    watch: Some(watch::WATCH),
    logs: false,
    errors: ErrorPolicy { unknown_resource: -32002, forbidden: -32003, ..ErrorPolicy::TO_THE_MODEL },
    http: HttpPolicy::SESSIONS,
};

/// The table from error kinds to faults.
fn fault(error: &Error) -> Fault {
    let message = with_tool_hint(error);
    match error.kind {
        ErrorKind::Invalid | ErrorKind::Conflict => Fault::Invalid(message),
        ErrorKind::NotFound => Fault::Missing(message),
        ErrorKind::NotARepository | ErrorKind::Unavailable | ErrorKind::IndexDamaged | ErrorKind::Internal => {
            Fault::Failed(message)
        }
    }
}

/// Returns the schema of an object with at least these keys.
fn object(keys: &[(&str, Value)]) -> Schema {
    let properties: Schema = keys.iter().map(|(name, kind)| ((*name).to_owned(), kind.clone())).collect();
    let required: Vec<&str> = keys.iter().map(|(name, _)| *name).collect();
    let schema = json!({"type": "object", "properties": properties, "required": required});
    schema.as_object().cloned().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::arguments::check_names;
    use super::*;

    /// Schema keywords that `OpenAI`'s strict mode supports.
    const KEYWORDS: &[&str] = &[
        "type",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "anyOf",
        "enum",
        "description",
        "minimum",
        "maximum",
    ];

    /// Checks the requirements of strict mode for every object in a schema: named properties only, and no unsupported
    /// keyword. Strict mode also requires all properties; clients add that. An empty value counts as absent, except in
    /// `update`, where null does.
    fn check_strict(tool: &str, schema: &Value) {
        if schema["type"] == "object" {
            assert!(schema["properties"].is_object(), "{tool}: {schema}");
            assert_eq!(schema["additionalProperties"], false, "{tool}: {schema}");
        }
        let keys = schema.as_object().unwrap_or_else(|| panic!("{tool}: {schema}")).keys();
        for key in keys {
            assert!(KEYWORDS.contains(&key.as_str()), "{tool}: {key} in {schema}");
        }
        assert_ne!(schema["type"].is_string(), schema["anyOf"].is_array(), "{tool}: {schema}");
        let properties = schema.get("properties").and_then(Value::as_object).into_iter().flat_map(|all| all.values());
        let alternatives = schema.get("anyOf").and_then(Value::as_array).into_iter().flatten();
        for below in properties.chain(alternatives).chain(schema.get("items")) {
            check_strict(tool, below);
        }
    }

    #[test]
    fn every_schema_can_be_made_strict() {
        for tool in CAIRN.tools {
            let schema = Value::Object((tool.input)());
            check_strict(tool.name, &schema);
            assert_eq!(schema["type"], "object", "{}", tool.name);
            let clears = fields::properties().map(|(name, _)| name).chain(["deleted"]).collect::<Vec<_>>();
            for (name, property) in schema["properties"].as_object().into_iter().flatten() {
                let is_null = |kind: &Value| kind["type"] == "null";
                let takes_null = property["anyOf"].as_array().is_some_and(|kinds| kinds.iter().any(is_null));
                let has_meaning = tool.name == "update" && clears.contains(&name.as_str());
                assert_eq!(takes_null, has_meaning, "{}: {name}: {property}", tool.name);
            }
        }
    }

    /// `cargo xtask agents` counts them with a real tokenizer.
    #[test]
    fn definitions_are_cheap() {
        let definition = |tool: &mcp::Tool<CairnState>| json!({"name": tool.name, "description": tool.description, "inputSchema": (tool.input)()});
        let definitions: Vec<Value> = CAIRN.tools.iter().map(definition).collect();
        // The limit is 1,800 tokens as a tokenizer counts them, which `cargo xtask agents` checks; of JSON Schema the
        // estimate is 13 % above that.
        let tokens = model::tokens::estimate(&json!(definitions).to_string());
        assert!(tokens <= 2_020, "{tokens}");
    }

    #[test]
    fn an_unknown_argument_is_refused_with_the_nearest_name() {
        let schema = (work::UPDATE.input)();
        let refused = |given: Value| check_names(&schema, &given).expect_err("it is not known").message().to_owned();
        assert_eq!(
            refused(json!({"id": "1", "descriptions": "x"})),
            "unknown argument `descriptions`; did you mean `description`?"
        );
        assert_eq!(refused(json!({"labels": []})), "unknown argument `labels`; did you mean `add_labels`?");
        insta::assert_snapshot!(refused(json!({"xyzzy": 1})), @"unknown argument `xyzzy`; expected: id, claim, title, description, status, assignee, priority, milestone, parent, due, add_labels, remove_labels, fields, comment, deleted, if_unchanged");
        assert_eq!(check_names(&schema, &json!({"id": "1", "status": "done"})), Ok(()));
    }
}
