//! `ready`, `create`, `update`, `comment`: taking work and changing it.

use std::collections::BTreeMap;

use app::verb::{Edit, NewItem};
use mcp::{Call, Effect, Fault, Schema, Tool, ToolAnswer, arguments, schema};
use model::field::Field;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::items::{kinds, limit};
use super::{Whole, answer, item_schema, list_schema, object};
use crate::projects::actor;

pub(super) const READY: Tool<Whole> = Tool {
    name: "ready",
    title: "What can be taken",
    description: "Lists work that can be begun now, most urgent first: not blocked, not begun, nothing open before it.",
    input: schema::<ReadyArguments>,
    output: Some(list_schema),
    effect: Effect::Reads,
    toolset: "work",
    call: |whole, given, _| {
        let given: ReadyArguments = arguments(given)?;
        let limit = Some(limit(given.limit)?);
        answer(whole.projects.read(|project| project.ready(limit, false)))
    },
};

pub(super) const CREATE: Tool<Whole> = Tool {
    name: "create",
    title: "Create an item",
    description: "Creates an issue, task, story, epic, milestone or board, and returns it. Fields are named as `show` names \
                  them: description, priority, assignee, milestone, parent, board, size, due, status.",
    input: schema::<CreateArguments>,
    output: Some(item_schema),
    effect: Effect::Writes,
    toolset: "work",
    call: create,
};

pub(super) const UPDATE: Tool<Whole> = Tool {
    name: "update",
    title: "Update an item",
    description: "Changes fields and labels of an item and returns it. An empty text clears a field. To begin, finish or \
                  drop work, set `status`.",
    input: schema::<UpdateArguments>,
    output: Some(updated_schema),
    effect: Effect::Sets,
    toolset: "work",
    call: update,
};

pub(super) const COMMENT: Tool<Whole> = Tool {
    name: "comment",
    title: "Comment on an item",
    description: "Adds a comment, in Markdown, to an item: what was found, what was decided, what is left.",
    input: schema::<CommentArguments>,
    output: Some(item_schema),
    effect: Effect::Writes,
    toolset: "work",
    call: |whole, given, call| {
        let given: CommentArguments = arguments(given)?;
        answer(whole.projects.write(actor(call), |project| project.comment(&given.id, &given.text, None)))
    },
};

#[derive(Deserialize, JsonSchema)]
struct ReadyArguments {
    /// How many, from 1 to 200; 20 unless said.
    #[schemars(with = "u32", range(min = 1, max = 200))]
    #[serde(default)]
    limit: Option<u32>,
}

#[derive(Deserialize, JsonSchema)]
struct CreateArguments {
    /// issue, task, story, epic, milestone or board.
    kind: String,
    /// One line.
    title: String,
    /// Other fields, by name.
    #[serde(default)]
    fields: BTreeMap<String, String>,
    /// Labels.
    #[serde(default)]
    labels: Vec<String>,
}

#[derive(Deserialize, JsonSchema)]
struct UpdateArguments {
    /// A number, or a UUID or the beginning of one.
    id: String,
    /// Fields to set, by name; an empty text clears one.
    #[serde(default)]
    fields: BTreeMap<String, String>,
    /// Labels to add.
    #[serde(default)]
    add_labels: Vec<String>,
    /// Labels to take away.
    #[serde(default)]
    remove_labels: Vec<String>,
    /// Refuse when the item is no longer in this `revision`.
    #[schemars(with = "String")]
    #[serde(default)]
    if_unchanged: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
struct CommentArguments {
    /// A number, or a UUID or the beginning of one.
    id: String,
    /// What to say.
    text: String,
}

fn updated_schema() -> Schema {
    object(&[("items", json!({"type": "array", "items": {"type": "object"}}))])
}

fn create(whole: &Whole, given: Value, call: &Call) -> Result<ToolAnswer, Fault> {
    let given: CreateArguments = arguments(given)?;
    let kind = kinds(Some(&given.kind))?.into_iter().next().unwrap_or(model::item::ItemKind::Task);
    let new = NewItem { kind, title: given.title, fields: fields(given.fields)?, labels: given.labels };
    answer(whole.projects.write(actor(call), |project| project.create(&new)))
}

fn update(whole: &Whole, given: Value, call: &Call) -> Result<ToolAnswer, Fault> {
    let given: UpdateArguments = arguments(given)?;
    let edit = Edit {
        fields: fields(given.fields)?,
        add_labels: given.add_labels,
        remove_labels: given.remove_labels,
        if_unchanged: given.if_unchanged,
        ..Edit::default()
    };
    let changed = whole.projects.write(actor(call), |project| project.edit(&[given.id], &edit));
    answer(changed.map(|items| json!({"items": items})))
}

fn fields(given: BTreeMap<String, String>) -> Result<Vec<(&'static Field, String)>, Fault> {
    let find = |name: &str| {
        let unknown = || Fault::Invalid(format!("`{name}` is no field of an item"));
        Field::try_find(name).ok_or_else(unknown)
    };
    given.into_iter().map(|(name, value)| Ok((find(&name)?, value))).collect()
}
