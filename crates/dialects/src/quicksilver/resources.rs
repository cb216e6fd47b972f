//! Tasks and boards as resources: tasks first, then boards, each by id.

use app::ProjectPool;
use app::tasks::{RequestedId, TitledItem};
use mcp::{Argument, Call, Fault, PageRequest, Resource, ResourceContents, ResourcePage, ResourceTemplate};
use model::item::ItemKind;

use super::fault;
use super::shapes::{BoardShape, TaskShape, board_uri, task_uri};

const MIME: &str = "application/json";

const ID: Argument<ProjectPool> =
    Argument { name: "id", description: "A number that a list gave", is_required: true, complete: None };

pub(super) const TEMPLATES: &[ResourceTemplate<ProjectPool>] = &[
    ResourceTemplate {
        uri: "quicksilver://tasks/{id}",
        name: "task",
        title: "A task",
        description: "One task with all its fields",
        mime: MIME,
        arguments: &[ID],
    },
    ResourceTemplate {
        uri: "quicksilver://boards/{id}",
        name: "board",
        title: "A board",
        description: "One board with the ids of its tasks",
        mime: MIME,
        arguments: &[ID],
    },
];

/// The position of a page: a kind, and the last number of that kind on it.
struct PagePosition {
    kind: ItemKind,
    above: u64,
}

pub(super) fn list(projects: &ProjectPool, request: PageRequest<'_>) -> Result<ResourcePage<Resource>, Fault> {
    let start = PagePosition { kind: ItemKind::Task, above: 0 };
    let place = request.after.map_or(Ok(start), PagePosition::read)?;
    let titled = projects.read(|project| {
        let wanted = request.limit + 1;
        let (tasks, boards_above) = match place.kind {
            ItemKind::Task => (project.titles(ItemKind::Task, place.above, wanted)?, 0),
            _ => (Vec::new(), place.above),
        };
        let boards = if tasks.len() < wanted {
            project.titles(ItemKind::Board, boards_above, wanted - tasks.len())?
        } else {
            Vec::new()
        };
        let tasks = tasks.into_iter().map(|task| (ItemKind::Task, task));
        Ok(tasks.chain(boards.into_iter().map(|board| (ItemKind::Board, board))).collect())
    });
    let mut titled: Vec<(ItemKind, TitledItem)> = titled.map_err(|error| fault(&error))?;
    let has_more = titled.len() > request.limit;
    titled.truncate(request.limit);
    let last = titled.last().map(|(kind, last)| PagePosition { kind: *kind, above: last.number }.written());
    let next = if has_more { last } else { None };
    Ok(ResourcePage { items: titled.into_iter().map(|(kind, titled)| resource(kind, titled)).collect(), next })
}

pub(super) fn read(projects: &ProjectPool, uri: &str, _: &Call) -> Result<Vec<ResourceContents>, Fault> {
    let text = if let Some(digits) = uri.strip_prefix("quicksilver://tasks/") {
        let task = id("task", digits)?;
        json(&projects.read(|project| project.task(task)).map(TaskShape::from))
    } else if let Some(digits) = uri.strip_prefix("quicksilver://boards/") {
        let board = id("board", digits)?;
        json(&projects.read(|project| project.board(board)).map(BoardShape::from))
    } else {
        Err(wrong_uri())
    };
    Ok(vec![ResourceContents::text(uri, MIME, text?)])
}

// Digits only. A number that does not fit refers to nothing.
fn id(kind: &str, digits: &str) -> Result<RequestedId, Fault> {
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(wrong_uri());
    }
    digits.parse().map_err(|_| Fault::Missing(format!("there is no {kind} {digits}")))
}

fn wrong_uri() -> Fault {
    Fault::Invalid("uri must be quicksilver://tasks/{id} or quicksilver://boards/{id}".to_owned())
}

fn json(shape: &Result<impl serde::Serialize, app::Error>) -> Result<String, Fault> {
    let shape = shape.as_ref().map_err(fault)?;
    serde_json::to_string(shape).map_err(|error| Fault::Failed(error.to_string()))
}

fn resource(kind: ItemKind, titled: TitledItem) -> Resource {
    let TitledItem { number, title, description } = titled;
    let (uri, name, description) = match kind {
        ItemKind::Board => (board_uri(number), format!("Board {number}: {title}"), format!("Board {title}")),
        _ => (task_uri(number), format!("Task {number}: {title}"), description),
    };
    // The contract's entries have all four keys; clients would reject null.
    Resource { uri, name, title: None, description: Some(description), mime: Some(MIME.to_owned()) }
}

impl PagePosition {
    fn written(&self) -> String {
        format!("{} {}", self.kind.name(), self.above)
    }

    fn read(text: &str) -> Result<Self, Fault> {
        let place = text.split_once(' ').and_then(|(kind, above)| {
            let kind = [ItemKind::Task, ItemKind::Board].into_iter().find(|known| known.name() == kind)?;
            Some(Self { kind, above: above.parse().ok()? })
        });
        place.ok_or_else(|| Fault::Invalid("the cursor is not one of this list; leave it out to begin anew".to_owned()))
    }
}
