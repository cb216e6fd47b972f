//! The contract's JSON of tasks and boards, with keys in its order.

use app::tasks::{Board, Task};
use jiff::Timestamp;
use jiff::civil::Date;
use model::size::Size;
use serde::{Serialize, Serializer};

use crate::words;

#[derive(Debug, Serialize)]
pub(super) struct TaskShape {
    id: u64,
    title: String,
    description: Option<String>,
    status: Option<String>,
    size: Option<&'static str>,
    priority: u8,
    board_id: Option<u64>,
    owner_id: Option<u64>,
    approved: bool,
    started_at: Option<Date>,
    expected_at: Option<Date>,
    completed_at: Option<Date>,
    #[serde(serialize_with = "to_the_second")]
    created_at: Timestamp,
    #[serde(serialize_with = "to_the_second")]
    updated_at: Timestamp,
}

#[derive(Debug, Serialize)]
pub(super) struct BoardShape {
    id: u64,
    name: String,
    task_ids: Vec<u64>,
    #[serde(serialize_with = "to_the_second")]
    created_at: Timestamp,
    #[serde(serialize_with = "to_the_second")]
    updated_at: Timestamp,
}

#[derive(Debug, Serialize)]
pub(super) struct ChangedShape {
    uri: String,
    task: TaskShape,
}

/// A list of tasks.
#[derive(Debug, Serialize)]
pub(super) struct TasksShape {
    pub(super) tasks: Vec<TaskShape>,
    pub(super) total: u64,
    pub(super) next_cursor: Option<String>,
}

/// Returns the URI of a task.
pub(super) fn task_uri(number: u64) -> String {
    format!("quicksilver://tasks/{number}")
}

/// Returns the URI of a board.
pub(super) fn board_uri(number: u64) -> String {
    format!("quicksilver://boards/{number}")
}

impl From<Task> for TaskShape {
    fn from(task: Task) -> Self {
        Self {
            id: task.number,
            title: task.title,
            description: Some(task.description).filter(|text| !text.is_empty()),
            status: task.status,
            size: task.size.map(Size::name),
            priority: task.priority,
            board_id: task.board,
            owner_id: task.owner,
            approved: task.approved,
            started_at: task.started,
            expected_at: task.expected,
            completed_at: task.completed,
            created_at: task.created,
            updated_at: task.updated,
        }
    }
}

impl From<Task> for ChangedShape {
    fn from(task: Task) -> Self {
        Self { uri: task_uri(task.number), task: task.into() }
    }
}

impl From<Board> for BoardShape {
    fn from(board: Board) -> Self {
        Self {
            id: board.number,
            name: board.name,
            task_ids: board.tasks,
            created_at: board.created,
            updated_at: board.updated,
        }
    }
}

fn to_the_second<S: Serializer>(moment: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&words::to_the_second(moment))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_have_seconds_and_nothing_finer() {
        let moment: Timestamp = "2025-01-14T10:30:00.987654Z".parse().expect("a moment");
        let board = Board { number: 1, name: "B".into(), tasks: vec![2], created: moment, updated: moment };
        let written = serde_json::to_string(&BoardShape::from(board)).expect("it can be written");
        let expected = "{\"id\":1,\"name\":\"B\",\"task_ids\":[2],\
                        \"created_at\":\"2025-01-14T10:30:00Z\",\"updated_at\":\"2025-01-14T10:30:00Z\"}";
        assert_eq!(written, expected);
    }
}
