//! `update`, `comment`, `link`: changing work.

use std::slice::from_ref;

use annotations::Annotated;
use app::verb::LinkTarget;
use app::{ChangeSet, Error, Project, UnknownNames};
use mcp::{Call, Capability, Effect, Fault, Question, Schema, Tool, ToolResult};
use model::field;
use model::item_ref::ItemRef;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::arguments::{Texts, arguments, check_known, nullable, schema, without_nulls};
use super::rows::{rows_schema, written_rows};
use super::{CairnState, fault, fields};
use crate::caller::actor;
use crate::scalar::Scalar;

pub(super) const UPDATE: Tool<CairnState> = Tool {
    name: "update",
    title: "Update an item",
    description: "Changes an item; an empty text clears a field, `status` may be `closed`. With `claim` it becomes yours \
                  and in progress, or the error says who has it.",
    input: update_schema,
    output: Some(rows_schema),
    effect: Effect::Sets,
    toolset: "work",
    call: update,
};

pub(super) const COMMENT: Tool<CairnState> = Tool {
    name: "comment",
    title: "Comment on an item",
    description: "Adds a comment to an item: findings, decisions, open questions.",
    input: schema::<CommentArguments>,
    output: Some(rows_schema),
    effect: Effect::Writes,
    toolset: "work",
    call: |state, given, call| {
        let given: CommentArguments = arguments(given)?;
        let done = state.projects.write(actor(call), |project| project.comment(&given.id.item(), &given.text, None));
        written_rows(done.map(|item| vec![item]))
    },
};

pub(super) const LINK: Tool<CairnState> = Tool {
    name: "link",
    title: "Link an item",
    description: "Links an item to other items, code (PATH or PATH:NAME) or commits.",
    input: link_schema,
    output: Some(rows_schema),
    effect: Effect::Sets,
    toolset: "work",
    call: link,
};

/// The arguments of `update` apart from the item fields.
#[derive(Deserialize)]
struct UpdateArguments {
    id: Scalar,
    #[serde(default)]
    add_labels: Texts,
    #[serde(default)]
    remove_labels: Texts,
    #[serde(default)]
    comment: Option<String>,
    #[serde(default)]
    claim: bool,
    #[serde(default)]
    deleted: Option<bool>,
    #[serde(default)]
    if_unchanged: Option<String>,
}

/// The names of these arguments.
const OWN: &[&str] = &["id", "add_labels", "remove_labels", "comment", "claim", "deleted", "if_unchanged"];

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CommentArguments {
    id: Scalar,
    /// Markdown
    text: String,
}

#[derive(Deserialize)]
struct LinkArguments {
    id: Scalar,
    #[serde(rename = "type")]
    kind: LinkType,
    to: Scalar,
    #[serde(default)]
    remove: bool,
}

/// The type of a link, as a client names it.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum LinkType {
    Blocks,
    BlockedBy,
    #[serde(alias = "relates")]
    Related,
    Parent,
    Touches,
    Commit,
}

fn update_schema() -> Schema {
    let texts = || json!({"type": "array", "items": {"type": "string"}});
    let flag = || json!({"type": "boolean"});
    let text = |about: &str| json!({"type": "string", "description": about});
    let mut properties = vec![("id", json!({"type": "string"})), ("claim", flag())];
    // An empty text clears a field.
    properties.extend(fields::properties().map(|(name, property)| (name, nullable(property))));
    properties.extend([
        ("add_labels", texts()),
        ("remove_labels", texts()),
        ("fields", json!({"type": "array", "items": {"type": "string"}, "description": "as in `create`"})),
        ("comment", json!({"type": "string"})),
        ("deleted", nullable(flag())),
        ("if_unchanged", text("fail if `revision` differs")),
    ]);
    fields::object_schema(properties, &["id"])
}

fn link_schema() -> Schema {
    let types = ["blocks", "blocked_by", "related", "parent", "touches", "commit"];
    let text = || json!({"type": "string"});
    let properties = vec![
        ("id", text()),
        ("type", json!({"type": "string", "enum": types})),
        ("to", text()),
        ("remove", json!({"type": "boolean"})),
    ];
    fields::object_schema(properties, &["id", "type", "to"])
}

fn update(state: &CairnState, given: Value, call: &Call) -> Result<ToolResult, Fault> {
    let known: Vec<&str> = OWN.iter().copied().chain(fields::names()).collect();
    check_known(&known, &given)?;
    let given = without_nulls(given);
    let fields = fields::read(&given)?;
    let given: UpdateArguments = mcp::arguments(given)?;
    let id = given.id.item();
    let mut set = ChangeSet {
        fields,
        add_labels: given.add_labels.0,
        remove_labels: given.remove_labels.0,
        comment: given.comment.filter(|text| !text.trim().is_empty()),
        if_unchanged: given.if_unchanged.filter(|revision| !revision.is_empty()),
        ..ChangeSet::default()
    };
    match given.deleted {
        Some(_) if given.claim || !set.is_empty() => {
            Err(Fault::Invalid("`deleted` and other changes exclude each other".to_owned()))
        }
        Some(true) => delete(state, &id, &set, call),
        Some(false) => written_rows(
            state.projects.write(actor(call), |project| project.reopen(from_ref(&id), set.if_unchanged.as_deref())),
        ),
        None if given.claim => claim(state, &id, &set, call),
        None => written_rows(state.projects.write(actor(call), |project| {
            project.check_changed_names(&mut set, UnknownNames::RefuseWithoutAddress)?;
            project.edit(from_ref(&id), &set)
        })),
    }
}

fn claim(state: &CairnState, id: &ItemRef, set: &ChangeSet, call: &Call) -> Result<ToolResult, Fault> {
    let is_set = |field: &field::Field| set.fields.iter().any(|change| change.field().name == field.name);
    if is_set(&field::STATUS) || is_set(&field::ASSIGN) {
        return Err(Fault::Invalid("`claim` sets `status` and `assignee`; leave them out".to_owned()));
    }
    written_rows(state.projects.write(actor(call), |project| project.claim(from_ref(id), set)))
}

/// Deletes an item. A client that can ask its person asks first.
fn delete(state: &CairnState, id: &ItemRef, set: &ChangeSet, call: &Call) -> Result<ToolResult, Fault> {
    let item = state.projects.read(|project| project.show(id)).map_err(|error| fault(&error))?;
    if call.require(Capability::Elicitation).is_ok() {
        let message = format!("Delete {} {}?", item.name(), model::text::escape_line(&item.title));
        let schema = json!({"type": "object", "properties": {}});
        let answer = call.ask("delete", Question::Elicit { message, schema })?;
        if answer["action"] != "accept" {
            return Err(fault(&Error::conflict(format!("{} was not deleted: the person declined", item.name()))));
        }
    }
    let revision = set.if_unchanged.as_deref();
    written_rows(state.projects.write(actor(call), |project| project.delete(from_ref(id), revision)))
}

/// Fails for a name that its file does not have. To link code that is still to be written, the path alone is enough.
pub(super) fn check_touches(state: &CairnState, touches: &[String]) -> Result<(), Fault> {
    let check = |touch: &String| state.projects.read(|project| project.annotations().check_touch(touch).map(|_| ()));
    touches.iter().try_for_each(check).map_err(|error| fault(&error))
}

fn link(state: &CairnState, given: Value, call: &Call) -> Result<ToolResult, Fault> {
    super::arguments::check_names(&link_schema(), &given)?;
    let given: LinkArguments = mcp::arguments(without_nulls(given))?;
    let (item, other) = (given.id.item(), given.to.item());
    // An item blocks another: the link is stored at the blocking one.
    let (item, target) = match given.kind {
        LinkType::Blocks => (item, LinkTarget::Blocks(other)),
        LinkType::BlockedBy => (other, LinkTarget::Blocks(item)),
        LinkType::Related => (item, LinkTarget::Relates(other)),
        LinkType::Parent => (item, LinkTarget::Parent(other)),
        LinkType::Commit => (item, LinkTarget::Commit(given.to.0)),
        LinkType::Touches => {
            let code = super::code::in_repository(state, &given.to.0)?;
            if !given.remove {
                check_touches(state, from_ref(&code))?;
            }
            (item, LinkTarget::Touches(code))
        }
    };
    let change = if given.remove { Project::unlink } else { Project::link };
    let done = state.projects.write(actor(call), |project| change(project, &item, &target, None));
    let done = match given.kind {
        // The other item was changed; the caller asked about this one.
        LinkType::BlockedBy => done.and_then(|_| state.projects.read(|project| project.show(&given.id.item()))),
        _ => done,
    };
    written_rows(done.map(|item| vec![item]))
}
