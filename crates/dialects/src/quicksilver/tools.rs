//! The three tools of the contract, with its texts and schemas.

use app::Project;
use app::ProjectPool;
use app::tasks::Task;
use mcp::{Call, Effect, Fault, Schema, Tool, ToolResult};
use serde_json::{Value, json};

use super::call_arguments::CallArguments;
use super::fault;
use super::shapes::ChangedShape;
use crate::caller::actor;

pub(super) const CREATE: Tool<ProjectPool> = Tool {
    name: "create_task",
    title: "Create a task",
    description: "Create a new task.",
    input: || {
        object(
            &json!({
                "title": {"type": "string"},
                "description": {"type": "string"},
                "board_id": {"type": "integer"},
                "owner_id": {"type": "integer"},
                "size": {"type": "string"},
                "priority": {"type": "integer"},
            }),
            &["title"],
        )
    },
    output: None,
    effect: Effect::Writes,
    toolset: "quicksilver",
    call: |projects, given, call| {
        let given = CallArguments::new(given);
        let (title, change) = (given.title()?, given.change()?);
        write(projects, call, |project| project.create_task(&title, &change))
    },
};

pub(super) const UPDATE: Tool<ProjectPool> = Tool {
    name: "update_task",
    title: "Update a task",
    description: "Update an existing task.",
    input: || {
        object(
            &json!({
                "id": {"type": "integer"},
                "title": {"type": "string"},
                "description": {"type": "string"},
                "board_id": {"type": "integer"},
                "owner_id": {"type": "integer"},
                "size": {"type": "string"},
                "priority": {"type": "integer"},
                "status": {"type": "string"},
                "approved": {"type": "boolean"},
            }),
            &["id"],
        )
    },
    output: None,
    effect: Effect::Sets,
    toolset: "quicksilver",
    call: |projects, given, call| {
        let given = CallArguments::new(given);
        let (id, change) = (given.id()?, given.update()?);
        write(projects, call, |project| project.change_task(id, &change))
    },
};

pub(super) const COMPLETE: Tool<ProjectPool> = Tool {
    name: "complete_task",
    title: "Complete a task",
    description: "Mark a task as completed (sets completed_at).",
    input: || {
        object(
            &json!({
                "id": {"type": "integer"},
                "completed_at": {"type": "string", "description": "ISO8601 date (optional)."},
            }),
            &["id"],
        )
    },
    output: None,
    effect: Effect::Sets,
    toolset: "quicksilver",
    call: |projects, given, call| {
        let given = CallArguments::new(given);
        let (id, day) = (given.id()?, given.day("completed_at")?);
        write(projects, call, |project| project.complete_task(id, day))
    },
};

/// Changes a task as the caller and returns it. All reads happen inside the write transaction.
pub(super) fn write(
    projects: &ProjectPool,
    call: &Call,
    change: impl FnOnce(&mut Project) -> Result<Task, app::Error>,
) -> Result<ToolResult, Fault> {
    let task = projects.write_planned(actor(call), change).map_err(|error| fault(&error))?;
    ToolResult::json(&ChangedShape::from(task))
}

/// Returns a schema for arguments.
pub(super) fn object(properties: &Value, required: &[&str]) -> Schema {
    let mut schema =
        Schema::from_iter([("type".to_owned(), json!("object")), ("properties".to_owned(), properties.clone())]);
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    schema
}
