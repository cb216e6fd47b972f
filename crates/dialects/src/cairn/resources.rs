//! Items as resources, and prompts.

use std::collections::BTreeMap;

use annotations::Annotated as _;
use app::verb::ListOptions;
use app::view::ItemView;
use mcp::{
    Argument, Call, Content, Fault, MessageRole, PageRequest, Prompt, PromptAnswer, PromptArguments, PromptMessage,
    Resource, ResourceContents, ResourceData, ResourcePage, ResourceTemplate,
};
use model::number::NumberSpace;
use serde_json::Value;

use super::{CairnState, fault};

const MIME: &str = "application/json";
const SCHEME: &str = "cairn://";

pub(super) const TEMPLATES: &[ResourceTemplate<CairnState>] = &[
    ResourceTemplate {
        uri: "cairn://item/{number}",
        name: "item",
        title: "An item",
        description: "One issue, task, story or epic with its description, comments and links",
        mime: MIME,
        arguments: &[NUMBER],
    },
    ResourceTemplate {
        uri: "cairn://milestone/{number}",
        name: "milestone",
        title: "A milestone",
        description: "One milestone with its description, comments and links; milestones count for themselves",
        mime: MIME,
        arguments: &[MILESTONE],
    },
    ResourceTemplate {
        uri: "cairn://board/{number}",
        name: "board",
        title: "A board",
        description: "One board with its description and comments; boards count for themselves",
        mime: MIME,
        arguments: &[BOARD],
    },
];

const PATH: Argument<CairnState> = Argument {
    name: "path",
    description: "A file, from the top of the repository",
    is_required: true,
    complete: Some(paths),
};

const NUMBER: Argument<CairnState> =
    Argument { name: "number", description: "The item's number", is_required: true, complete: Some(work_numbers) };

const MILESTONE: Argument<CairnState> = Argument {
    name: "number",
    description: "The milestone's number",
    is_required: true,
    complete: Some(|state, typed, _| numbers(state, typed, NumberSpace::Milestone)),
};

const BOARD: Argument<CairnState> = Argument {
    name: "number",
    description: "The board's number",
    is_required: true,
    complete: Some(|state, typed, _| numbers(state, typed, NumberSpace::Board)),
};

pub(super) const PROMPTS: &[Prompt<CairnState>] = &[
    Prompt {
        name: "start-work",
        title: "Start work on an item",
        description: "Begin an item: read it, look at the code it names, and say what you will do",
        arguments: &[NUMBER],
        get: |state, given, _| {
            let item = item(state, given)?;
            Ok(prompt(format!(
                "Work on this item of the project. First ask `context` for each file it touches, then say in a few sentences \
                 what you will do, set its status, and begin. Comment on it with what you find.\n\n{item}"
            )))
        },
    },
    Prompt {
        name: "hand-over",
        title: "Hand an item over",
        description: "Write down where an item stands, for whoever goes on",
        arguments: &[NUMBER],
        get: |state, given, _| {
            let item = item(state, given)?;
            Ok(prompt(format!(
                "Write a comment on this item for whoever goes on with it: what was done, what was decided and why, what was \
                 tried and dropped, what is left. Then set its status.\n\n{item}"
            )))
        },
    },
    Prompt {
        name: "before-change",
        title: "Before changing a file",
        description: "Read what is known about a file, and say what must stay true",
        arguments: &[PATH],
        get: |_, given, _| {
            let path = given.get("path").and_then(Value::as_str).unwrap_or_default();
            Ok(prompt(format!(
                "Ask `context` about `{path}`. Then say in a few sentences what the code is for, what must stay true, who relies \
                 on it, and which open work and remarks are about it, before anything is changed."
            )))
        },
    },
    Prompt {
        name: "review",
        title: "Answer the review",
        description: "Read the remarks in the inbox and act on each",
        arguments: &[],
        get: |_, _, _| {
            Ok(prompt(
                "Take the remarks from `inbox`. For each one: look at the code where it is now, ask `context` about it, do what \
                 is asked or say why not, and answer with `inbox_reply`."
                    .to_owned(),
            ))
        },
    },
];

pub(super) fn list(state: &CairnState, request: PageRequest<'_>) -> Result<ResourcePage<Resource>, Fault> {
    let options = ListOptions {
        sort: vec!["number".to_owned()],
        limit: Some(request.limit),
        cursor: request.after.map(str::to_owned),
        ..ListOptions::default()
    };
    let page = state.projects.read(|project| project.list(&options)).map_err(|error| fault(&error))?;
    let resource = |item: &ItemView| Resource {
        uri: address(item),
        name: format!("{} {}", item.name(), item.title),
        title: None,
        description: Some(format!("{}, {}", item.kind, item.status)),
        mime: Some(MIME.to_owned()),
    };
    Ok(ResourcePage { items: page.items.iter().map(resource).collect(), next: page.next_cursor })
}

pub(super) fn read(state: &CairnState, uri: &str, _: &Call) -> Result<Vec<ResourceContents>, Fault> {
    let name = uri.strip_prefix(SCHEME).filter(|name| is_address(name));
    let name = name.ok_or_else(|| Fault::Missing(format!("there is no resource `{uri}`")))?;
    // An item can also be addressed by its id.
    let name = name.strip_prefix("item/").unwrap_or(name);
    let item = state.projects.read(|project| project.show(&name.into())).map_err(|error| fault(&error))?;
    let text = serde_json::to_string(&item).map_err(|error| Fault::Failed(error.to_string()))?;
    Ok(vec![ResourceContents { uri: uri.to_owned(), mime: Some(MIME.to_owned()), data: ResourceData::Text(text) }])
}

/// Returns the URI of an item.
pub(super) fn address(item: &ItemView) -> String {
    format!("{SCHEME}{}/{}", item.kind.space().word(), item.number)
}

fn is_address(name: &str) -> bool {
    ["item/", "milestone/", "board/"].iter().any(|prefix| name.starts_with(prefix))
}

/// Completes the numbers of open work items.
fn work_numbers(state: &CairnState, typed: &str, _: &BTreeMap<String, String>) -> Result<Vec<String>, Fault> {
    numbers(state, typed, NumberSpace::Work)
}

fn numbers(state: &CairnState, typed: &str, space: NumberSpace) -> Result<Vec<String>, Fault> {
    let options = ListOptions { kinds: space.kinds().to_vec(), limit: Some(200), ..ListOptions::default() };
    let page = state.projects.read(|project| project.list(&options)).map_err(|error| fault(&error))?;
    let numbers = page.items.iter().map(|item| item.number.to_string());
    Ok(numbers.filter(|number| number.starts_with(typed.trim_start_matches('#'))).collect())
}

/// Completes paths.
fn paths(state: &CairnState, typed: &str, _: &BTreeMap<String, String>) -> Result<Vec<String>, Fault> {
    state.projects.read(|project| project.annotations().paths_like(typed, 100)).map_err(|error| fault(&error))
}

fn item(state: &CairnState, given: &PromptArguments) -> Result<String, Fault> {
    let number = given.get("number").and_then(Value::as_str).unwrap_or_default();
    let item = state.projects.read(|project| project.show(&number.into())).map_err(|error| fault(&error))?;
    serde_json::to_string_pretty(&item).map_err(|error| Fault::Failed(error.to_string()))
}

fn prompt(text: String) -> PromptAnswer {
    PromptAnswer {
        description: None,
        messages: vec![PromptMessage { role: MessageRole::User, content: Content::Text(text) }],
    }
}
