//! Prompts: the steps of an agent's work, each with the data that it begins with.

use mcp::{Content, Fault, Prompt, PromptArguments, PromptMessage, PromptResult};
use serde_json::Value;

use super::resources::{NUMBER, PATH};
use super::{CairnState, code, fault, shown};

/// Maximum number of tokens of the data in a prompt.
const MAX_TOKENS: usize = 2_000;

pub(super) const PROMPTS: &[Prompt<CairnState>] = &[
    Prompt {
        name: "start-work",
        title: "Start work on an item",
        description: "Claim an item, read what is known about its code, and say what you will do",
        arguments: &[NUMBER],
        get: |state, given, _| {
            let item = item(state, given)?;
            Ok(prompt(format!(
                "Work on this item of the project. Claim it with `update` and `claim`; if someone has it, take another one. \
                 Call `context` for each file before you change it, and say in a few sentences what you will do. Name the \
                 item in the commit message (`Fixes #N`), record reasons with `annotate`, and findings with `comment`.\
                 \n\n{item}"
            )))
        },
    },
    Prompt {
        name: "before-edit",
        title: "Before editing a file",
        description: "Read what is known about a file, and say what must stay true",
        arguments: &[PATH],
        get: |state, given, _| {
            let path = text(given, "path");
            let known = code::context_text(state, path, MAX_TOKENS)?;
            Ok(prompt(format!(
                "This is known about `{path}`. Before anything is changed, say in a few sentences what the code is for, what \
                 must stay true, what relies on it, and which open items and messages are about it.\n\n{known}"
            )))
        },
    },
    Prompt {
        name: "hand-over",
        title: "Hand an item over",
        description: "Write down the state of an item, for whoever continues",
        arguments: &[NUMBER],
        get: |state, given, _| {
            let item = item(state, given)?;
            Ok(prompt(format!(
                "Write a `comment` on this item for whoever continues: what was done, what was decided and why, what was tried \
                 and rejected, what is left. Then set its status with `update`, and call `sync`.\n\n{item}"
            )))
        },
    },
    Prompt {
        name: "review",
        title: "Answer the review",
        description: "Read the messages in the inbox and act on each",
        arguments: &[],
        get: |_, _, _| {
            Ok(prompt(
                "Take the review messages with `inbox`. For each one: look at the code where it is now, call `context` for it, \
                 do what is asked or say why not, and answer with `inbox_reply`."
                    .to_owned(),
            ))
        },
    },
];

fn text<'a>(given: &'a PromptArguments, name: &str) -> &'a str {
    given.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn item(state: &CairnState, given: &PromptArguments) -> Result<String, Fault> {
    let number = text(given, "number");
    let item =
        state.projects.read(|project| project.show_with_commits(&number.into())).map_err(|error| fault(&error))?;
    Ok(shown::text(&item, MAX_TOKENS))
}

fn prompt(text: String) -> PromptResult {
    PromptResult { description: None, messages: vec![PromptMessage::user(Content::Text(text))] }
}
