//! The arguments of the tools, as JSON Schema 2020-12. Each property is defined once; all are short, since every client
//! sends them to its model.

use mcp::Schema;
use serde_json::{Value, json};
use tracker::{Kind, Priority};

type Property = (&'static str, Value);

/// The range of the tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// The contract only.
    Contract,
    /// With Taiga features beyond it.
    Extended,
}

const FROM_STATUSES: &str = "from get_statuses";
const FROM_MEMBERS: &str = "from get_members";

/// The schema of paging only.
pub(super) fn window() -> Schema {
    object(paging(), &[])
}

/// A project by id or by slug.
pub(super) fn project() -> Schema {
    let mut schema = object(vec![("projectId", id()), ("projectSlug", json!({"type": "string", "minLength": 1}))], &[]);
    schema.insert("oneOf".to_owned(), json!([{"required": ["projectId"]}, {"required": ["projectSlug"]}]));
    schema
}

/// The schema of a reference to one work item.
pub(super) fn one() -> Schema {
    object(vec![("id", id())], &["id"])
}

/// The schema of a kind.
pub(super) fn entity() -> Schema {
    object(vec![("entity", entities())], &["entity"])
}

/// The schema of a filter.
pub(super) fn list(kind: Kind, shape: Shape) -> Schema {
    object(filters(kind, shape), &[])
}

/// The schema of a filter with a required query.
pub(super) fn search(kind: Kind, shape: Shape) -> Schema {
    object(filters(kind, shape), &["query"])
}

/// The schema of a new work item.
pub(super) fn create(kind: Kind, shape: Shape) -> Schema {
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
    properties.extend(planned(kind, shape));
    object(properties, &required)
}

/// The schema of changes to a work item: at least one field.
pub(super) fn update(kind: Kind, shape: Shape) -> Schema {
    let mut properties = vec![("id", id())];
    properties.extend(common(kind));
    properties.push(("statusId", told(id(), FROM_STATUSES)));
    properties.push(("blocked", blocked()));
    if kind == Kind::Story {
        properties.push(("epicId", id_or_null()));
    }
    properties.extend(planned(kind, shape));
    if shape == Shape::Extended {
        let version = json!({"type": "integer", "minimum": 1});
        properties.push(("version", told(version, "as it was read; if it changed since, nothing is written")));
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

/// The planning fields beyond the contract.
fn planned(kind: Kind, shape: Shape) -> Vec<Property> {
    if shape == Shape::Contract || kind == Kind::Epic {
        return Vec::new();
    }
    let mut properties = vec![
        ("milestoneId", told(id_or_null(), "from list_sprints; null is the backlog")),
        ("dueDate", json!({"anyOf": [day(), {"type": "null"}]})),
    ];
    if kind == Kind::Story {
        properties.push(("points", json!({"anyOf": [{"type": "number", "minimum": 0}, {"type": "null"}]})));
        properties.push(("assigneeIds", told(ids(), "everyone it is assigned to, the first one first")));
    }
    properties
}

/// The schema of a new comment.
pub(super) fn comment() -> Schema {
    let text = json!({"type": "string", "minLength": 1, "maxLength": 100_000, "description": "Markdown"});
    object(vec![("entity", entities()), ("id", id()), ("text", text)], &["entity", "id", "text"])
}

/// The schema of a card move.
pub(super) fn card() -> Schema {
    let boards = json!({"enum": ["backlog", "kanban"], "default": "backlog"});
    let board = told(boards, "of a user story; one that is in a sprint moves there instead of in the backlog");
    let properties =
        vec![("entity", entities()), ("id", id()), ("beforeId", id()), ("afterId", id()), ("board", board)];
    object(properties, &["entity", "id"])
}

/// The schema of a list of comments.
pub(super) fn comments() -> Schema {
    let mut properties = vec![("entity", entities()), ("id", id())];
    properties.extend(paging());
    object(properties, &["entity", "id"])
}

/// The schema of a new sprint.
pub(super) fn new_sprint() -> Schema {
    object(vec![("name", text(200)), ("start", day()), ("finish", day())], &["name", "start", "finish"])
}

/// The schema of changes to a sprint.
pub(super) fn sprint() -> Schema {
    let closed = json!({"type": "boolean"});
    let properties = vec![("id", id()), ("name", text(200)), ("start", day()), ("finish", day()), ("isClosed", closed)];
    let mut schema = object(properties, &["id"]);
    schema.insert("minProperties".to_owned(), json!(2));
    schema
}

/// No arguments.
pub(super) fn nothing() -> Schema {
    object(Vec::new(), &[])
}

fn day() -> Value {
    json!({"type": "string", "format": "date", "description": "YYYY-MM-DD"})
}

fn entities() -> Value {
    json!({"enum": ["epic", "user_story", "task", "issue"]})
}

fn filters(kind: Kind, shape: Shape) -> Vec<Property> {
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
    if shape == Shape::Extended && kind != Kind::Epic {
        properties.push(("milestoneId", told(id_or_null(), "from list_sprints; null is the backlog")));
    }
    if shape == Shape::Extended && kind == Kind::Story {
        let orders = json!({"enum": ["created", "backlog", "sprint", "kanban"], "default": "created"});
        properties.push(("orderBy", told(orders, "backlog, sprint and kanban are the orders people drag cards into")));
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
