//! `ready`, `create`, `update`, `comment`: finding and changing work.

use app::{ChangeSet, NewItem};
use mcp::{Call, Effect, Fault, Schema, Tool, ToolAnswer};
use model::field::Field;
use model::item::ItemKind;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::items::{kinds, limit};
use super::{CairnState, answer, arguments, check_names, fields, item_schema, list_schema, schema};
use crate::caller::actor;
use crate::scalar::Scalar;

pub(super) const READY: Tool<CairnState> = Tool {
    name: "ready",
    title: "List ready work",
    description: "Lists items that can be started now, most urgent first: not started, not blocked, no open blockers.",
    input: schema::<ReadyArguments>,
    output: Some(list_schema),
    effect: Effect::Reads,
    toolset: "work",
    call: |state, given, _| {
        let given: ReadyArguments = arguments(given)?;
        let limit = Some(limit(given.limit)?);
        answer(state.projects.read(|project| project.ready(limit)))
    },
};

pub(super) const CREATE: Tool<CairnState> = Tool {
    name: "create",
    title: "Create an item",
    description: "Creates an issue, task, story, epic, milestone or board, and returns it.",
    input: create_schema,
    output: Some(item_schema),
    effect: Effect::Writes,
    toolset: "work",
    call: create,
};

pub(super) const UPDATE: Tool<CairnState> = Tool {
    name: "update",
    title: "Update an item",
    description: "Changes fields and labels of an item and returns it. An empty text clears a field. To start, close or \
                  drop an item, set `status`.",
    input: update_schema,
    output: Some(item_schema),
    effect: Effect::Sets,
    toolset: "work",
    call: update,
};

pub(super) const COMMENT: Tool<CairnState> = Tool {
    name: "comment",
    title: "Comment on an item",
    description: "Adds a comment, in Markdown, to an item: findings, decisions, open questions.",
    input: schema::<CommentArguments>,
    output: Some(item_schema),
    effect: Effect::Writes,
    toolset: "work",
    call: |state, given, call| {
        let given: CommentArguments = arguments(given)?;
        answer(state.projects.write(actor(call), |project| project.comment(&given.id.item(), &given.text, None)))
    },
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReadyArguments {
    /// Maximum number, from 1 to 200; 20 by default.
    #[schemars(with = "u32", range(min = 1, max = 200))]
    #[serde(default)]
    limit: Option<u32>,
}

/// The arguments of `create` apart from the item fields.
#[derive(Deserialize)]
struct CreateArguments {
    kind: String,
    title: String,
    #[serde(default)]
    labels: Option<Vec<String>>,
}

/// The arguments of `update` apart from the item fields.
#[derive(Deserialize)]
struct UpdateArguments {
    id: Scalar,
    #[serde(default)]
    add_labels: Option<Vec<String>>,
    #[serde(default)]
    remove_labels: Option<Vec<String>>,
    #[serde(default)]
    if_unchanged: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CommentArguments {
    /// A number, or a UUID or the beginning of one.
    id: Scalar,
    /// The text.
    text: String,
}

fn create_schema() -> Schema {
    let kinds: Vec<&str> = ItemKind::ALL.iter().map(|kind| kind.name()).collect();
    let own = vec![
        ("kind", json!({"type": "string", "enum": kinds})),
        ("title", json!({"type": "string"})),
        ("labels", texts()),
    ];
    fields::schema(own, is_not_title, &["kind", "title"])
}

fn update_schema() -> Schema {
    let revision = json!({"type": "string", "description": "fail if the item has another `revision`"});
    let own = vec![
        ("id", json!({"type": "string", "description": "a number, or a UUID or the beginning of one"})),
        ("add_labels", texts()),
        ("remove_labels", texts()),
        ("if_unchanged", revision),
    ];
    fields::schema(own, |_| true, &["id"])
}

fn texts() -> Value {
    json!({"type": "array", "items": {"type": "string"}})
}

fn is_not_title(field: &Field) -> bool {
    field.name != "title"
}

fn create(state: &CairnState, given: Value, call: &Call) -> Result<ToolAnswer, Fault> {
    check_names(&create_schema(), &given)?;
    let fields = fields::read(&given, is_not_title)?;
    let given: CreateArguments = mcp::arguments(given)?;
    let kind = kinds(Some(&given.kind))?.into_iter().next().unwrap_or(ItemKind::Task);
    let new = NewItem { fields, labels: given.labels.unwrap_or_default(), ..NewItem::new(kind, given.title) };
    answer(state.projects.write(actor(call), |project| project.create(&new)))
}

fn update(state: &CairnState, given: Value, call: &Call) -> Result<ToolAnswer, Fault> {
    check_names(&update_schema(), &given)?;
    let fields = fields::read(&given, |_| true)?;
    let given: UpdateArguments = mcp::arguments(given)?;
    let edit = ChangeSet {
        fields,
        add_labels: given.add_labels.unwrap_or_default(),
        remove_labels: given.remove_labels.unwrap_or_default(),
        if_unchanged: given.if_unchanged.filter(|revision| !revision.is_empty()),
        ..ChangeSet::default()
    };
    let changed = state.projects.write(actor(call), |project| project.edit(&[given.id.item()], &edit));
    answer(changed.map(|items| items.into_iter().next()))
}
