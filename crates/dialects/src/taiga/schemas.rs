//! The arguments of the tools, as JSON Schema 2020-12. Each property is written once; all of them are short, since every
//! client sends all of them to its model.

use app::tracker::{Kind, Priority};
use mcp::Schema;
use serde_json::{Value, json};

type Property = (&'static str, Value);

const FROM_STATUSES: &str = "from get_statuses";
const FROM_MEMBERS: &str = "from get_members";

/// No arguments but the part of the list that is wanted.
pub(super) fn window() -> Schema {
    object(paging(), &[])
}

/// A project by id or by slug.
pub(super) fn project() -> Schema {
    let mut schema = object(vec![("projectId", id()), ("projectSlug", json!({"type": "string", "minLength": 1}))], &[]);
    schema.insert("oneOf".to_owned(), json!([{"required": ["projectId"]}, {"required": ["projectSlug"]}]));
    schema
}

/// One piece of work.
pub(super) fn one() -> Schema {
    object(vec![("id", id())], &["id"])
}

/// A kind of work.
pub(super) fn entity() -> Schema {
    object(vec![("entity", json!({"enum": ["epic", "user_story", "task", "issue"]}))], &["entity"])
}

/// Which work of a kind is wanted.
pub(super) fn list(kind: Kind) -> Schema {
    object(filters(kind), &[])
}

/// The same, with words that must be given.
pub(super) fn search(kind: Kind) -> Schema {
    object(filters(kind), &["query"])
}

/// A piece of work to be made.
pub(super) fn create(kind: Kind) -> Schema {
    let mut properties = Vec::new();
    let mut required = vec!["subject"];
    match kind {
        Kind::Task => {
            properties.push(("userStoryId", id()));
            required.insert(0, "userStoryId");
        }
        Kind::Story => properties.push(("epicId", id_or_null())),
        Kind::Epic | Kind::Issue => {}
    }
    properties.extend(common(kind));
    object(properties, &required)
}

/// What to change about a piece of work: at least one thing.
pub(super) fn update(kind: Kind) -> Schema {
    let mut properties = vec![("id", id())];
    properties.extend(common(kind));
    properties.push(("statusId", told(id(), FROM_STATUSES)));
    properties.push(("blocked", blocked()));
    if kind == Kind::Story {
        properties.push(("epicId", id_or_null()));
    }
    let mut schema = object(properties, &["id"]);
    schema.insert("minProperties".to_owned(), json!(2));
    schema
}

fn common(kind: Kind) -> Vec<Property> {
    let mut properties = vec![
        ("subject", text(200)),
        ("description", told(json!({"type": "string", "maxLength": 100_000}), "Markdown")),
        ("assignedToId", told(id_or_null(), FROM_MEMBERS)),
        ("tags", tags()),
    ];
    match kind {
        Kind::Epic => properties.push(("color", json!({"type": "string", "pattern": "^#[0-9a-fA-F]{6}$"}))),
        Kind::Story | Kind::Task => properties.push(("priority", priority())),
        Kind::Issue => properties.extend([("priority", priority()), ("severity", text(40)), ("type", text(40))]),
    }
    properties
}

fn filters(kind: Kind) -> Vec<Property> {
    let mut properties = vec![
        ("query", text(200)),
        ("tags", tags()),
        ("match", json!({"enum": ["any", "all"], "default": "any", "description": "how many of tags"})),
        ("statusIds", told(ids(), FROM_STATUSES)),
        ("assigneeIds", told(ids(), FROM_MEMBERS)),
        ("unassigned", json!({"type": "boolean"})),
        ("modifiedSince", json!({"type": "string", "description": "YYYY-MM-DD or RFC 3339"})),
    ];
    match kind {
        Kind::Story => properties.push(("epicId", id())),
        Kind::Task => properties.push(("userStoryId", id())),
        Kind::Issue => properties.push(("severity", text(40))),
        Kind::Epic => {}
    }
    properties.extend(paging());
    properties
}

fn paging() -> Vec<Property> {
    vec![
        ("offset", json!({"type": "integer", "minimum": 0, "default": 0})),
        ("limit", json!({"type": "integer", "minimum": 1, "maximum": 200, "default": 50})),
    ]
}

fn object(properties: Vec<Property>, required: &[&str]) -> Schema {
    let properties: Schema = properties.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    let mut schema = Schema::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), Value::Object(properties));
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    schema.insert("additionalProperties".to_owned(), json!(false));
    schema
}

fn told(mut property: Value, description: &str) -> Value {
    property["description"] = json!(description);
    property
}

fn id() -> Value {
    json!({"type": "integer", "minimum": 1})
}

fn id_or_null() -> Value {
    json!({"anyOf": [id(), {"type": "null"}]})
}

fn ids() -> Value {
    json!({"type": "array", "items": id(), "maxItems": 100})
}

fn text(longest: u32) -> Value {
    json!({"type": "string", "minLength": 1, "maxLength": longest})
}

fn tags() -> Value {
    json!({"type": "array", "items": text(40), "maxItems": 32})
}

fn priority() -> Value {
    json!({"enum": Priority::ALL.map(Priority::name)})
}

fn blocked() -> Value {
    let properties = json!({"isBlocked": {"type": "boolean"}, "reason": {"type": "string", "maxLength": 500}});
    json!({"type": "object", "properties": properties, "required": ["isBlocked"], "additionalProperties": false})
}
