//! Tools beyond the contract, for agents that look for work; enabled by `--extended`.

use app::ProjectPool;
use app::tasks::{TaskQuery, TaskSelection};
use mcp::{EXTENDED, Effect, Fault, Tool, ToolResult};
use serde_json::json;

use super::call_arguments::CallArguments;
use super::fault;
use super::shapes::{TaskShape, TasksShape};
use super::tools::{object, write};

/// Default and maximum number of tasks.
const DEFAULT_LIMIT: usize = 50;
const MAX_LIMIT: usize = 200;

pub(super) const LIST: Tool<ProjectPool> = Tool {
    name: "list_tasks",
    title: "List tasks",
    description: "List tasks by id, those that are not completed unless include_completed is set. Narrow it down with \
                  board_id, owner_id or approved. A page holds 50 unless limit says otherwise; pass next_cursor back as \
                  cursor, with the same other arguments, to go on.",
    input: || {
        object(
            &json!({
                "board_id": {"type": "integer", "description": "Only tasks on this board."},
                "owner_id": {"type": "integer", "description": "Only tasks of this person."},
                "approved": {"type": "boolean", "description": "Only accepted tasks, or only the others."},
                "include_completed": {"type": "boolean", "description": "Completed tasks, too."},
                "limit": {"type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "description": "How many at the most."},
                "cursor": {"type": "string", "description": "The next_cursor of the page before."},
            }),
            &[],
        )
    },
    output: None,
    effect: Effect::Reads,
    toolset: EXTENDED,
    call: |projects, given, _| {
        let given = CallArguments::new(given);
        let all = given.flag("include_completed")?.unwrap_or_default();
        let which = if all { TaskSelection::All } else { TaskSelection::Open };
        list(projects, which, &given)
    },
};

pub(super) const AVAILABLE: Tool<ProjectPool> = Tool {
    name: "available_work",
    title: "What can be claimed",
    description: "List tasks that can be claimed now, the highest priority first: not begun, without an owner, not \
                  blocked, and either accepted or on no board, where nobody has to accept them. Claim one with \
                  claim_task.",
    input: || work("Only tasks on this board."),
    output: None,
    effect: Effect::Reads,
    toolset: EXTENDED,
    call: |projects, given, _| list(projects, TaskSelection::Available, &CallArguments::new(given)),
};

pub(super) const PROPOSED: Tool<ProjectPool> = Tool {
    name: "proposed_work",
    title: "What waits to be accepted",
    description: "List tasks that lie on a board and were not accepted yet, the highest priority first. Accept one with \
                  accept_task; moving a task to another board proposes it anew.",
    input: || work("Only tasks proposed to this board."),
    output: None,
    effect: Effect::Reads,
    toolset: EXTENDED,
    call: |projects, given, _| list(projects, TaskSelection::Proposed, &CallArguments::new(given)),
};

pub(super) const CLAIM: Tool<ProjectPool> = Tool {
    name: "claim_task",
    title: "Claim a task",
    description: "Take a task: you become its owner, started_at is today unless it was begun before, and status says that \
                  someone is at it. Fails when somebody else owns the task or it is completed.",
    input: || object(&json!({"id": {"type": "integer"}}), &["id"]),
    output: None,
    effect: Effect::Sets,
    toolset: EXTENDED,
    call: |projects, given, call| {
        let id = CallArguments::new(given).id()?;
        write(projects, call, |project| project.claim_task(id))
    },
};

pub(super) const ACCEPT: Tool<ProjectPool> = Tool {
    name: "accept_task",
    title: "Accept a task",
    description: "Agree that a proposed task should be done (sets approved), so that it can be claimed.",
    input: || object(&json!({"id": {"type": "integer"}}), &["id"]),
    output: None,
    effect: Effect::Sets,
    toolset: EXTENDED,
    call: |projects, given, call| {
        let id = CallArguments::new(given).id()?;
        write(projects, call, |project| project.accept_task(id))
    },
};

pub(super) const MEMBERS: Tool<ProjectPool> = Tool {
    name: "list_members",
    title: "List people",
    description: "List the people of the project by id; an id is what owner_id takes.",
    input: || object(&json!({}), &[]),
    output: None,
    effect: Effect::Reads,
    toolset: EXTENDED,
    call: |projects, _, _| {
        let members = projects.read(app::Project::members).map_err(|error| fault(&error))?;
        let shape =
            |member: &app::view::MemberView| json!({"id": member.number, "name": member.name, "email": member.email});
        let mut members: Vec<serde_json::Value> = members.iter().map(shape).collect();
        members.sort_by_key(|member| member["id"].as_u64());
        ToolResult::json(&json!({"members": members, "total": members.len()}))
    },
};

fn work(board: &str) -> mcp::Schema {
    object(
        &json!({
            "board_id": {"type": "integer", "description": board},
            "limit": {"type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "description": "How many at the most."},
            "cursor": {"type": "string", "description": "The next_cursor of the page before."},
        }),
        &[],
    )
}

fn list(projects: &ProjectPool, which: TaskSelection, given: &CallArguments) -> Result<ToolResult, Fault> {
    let query = TaskQuery {
        which,
        board: given.number("board_id")?.value(),
        owner: given.number("owner_id")?.value(),
        approved: given.flag("approved")?,
        limit: given.limit(DEFAULT_LIMIT, MAX_LIMIT)?,
        cursor: given.text("cursor")?.filter(|cursor| !cursor.is_empty()),
    };
    let page = projects.read(|project| project.tasks(&query)).map_err(|error| fault(&error))?;
    let tasks: Vec<TaskShape> = page.tasks.into_iter().map(TaskShape::from).collect();
    ToolResult::json(&TasksShape { tasks, total: page.total, next_cursor: page.next })
}
