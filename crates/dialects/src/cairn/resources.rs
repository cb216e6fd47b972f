//! Resources: items, the context of files, and the inbox.

use std::borrow::Cow;
use std::collections::BTreeMap;

use annotations::Annotated as _;
use app::verb::ListOptions;
use app::view::ItemView;
use mcp::{Argument, Call, Fault, PageRequest, Resource, ResourceContents, ResourcePage, ResourceTemplate};
use model::number::NumberSpace;
use percent_encoding::percent_decode_str;

use super::arguments::MaxTokens;
use super::{CairnState, attachments, code, conversation, fault};

const JSON: &str = "application/json";
const MARKDOWN: &str = "text/markdown";
const SCHEME: &str = "cairn://";
/// The URI of the inbox.
pub(super) const INBOX: &str = "cairn://inbox";

pub(super) const TEMPLATES: &[ResourceTemplate<CairnState>] = &[
    ResourceTemplate {
        uri: "cairn://item/{number}",
        name: "item",
        title: "An item",
        description: "An issue, task, story or epic with its description, comments and links",
        mime: JSON,
        arguments: &[NUMBER],
    },
    ResourceTemplate {
        uri: "cairn://item/{number}/attachment/{name}",
        name: "attachment",
        title: "An attached file",
        description: "A text or an image that is attached to an item, by file name or id",
        mime: "application/octet-stream",
        arguments: &[NUMBER, ATTACHMENT],
    },
    ResourceTemplate {
        uri: "cairn://milestone/{number}",
        name: "milestone",
        title: "A milestone",
        description: "A milestone with its description, comments and links; milestones have their own numbers",
        mime: JSON,
        arguments: &[MILESTONE],
    },
    ResourceTemplate {
        uri: "cairn://board/{number}",
        name: "board",
        title: "A board",
        description: "A board with its description and comments; boards have their own numbers",
        mime: JSON,
        arguments: &[BOARD],
    },
    ResourceTemplate {
        uri: "cairn://file/{path}",
        name: "file",
        title: "Context of a file",
        description: "Reasons, constraints, dependents, open items, review messages and last commits of a file",
        mime: MARKDOWN,
        arguments: &[PATH],
    },
];

pub(super) const PATH: Argument<CairnState> = Argument {
    name: "path",
    description: "A file, from the top of the repository",
    is_required: true,
    complete: Some(paths),
};

pub(super) const NUMBER: Argument<CairnState> =
    Argument { name: "number", description: "The item's number", is_required: true, complete: Some(work_numbers) };

const ATTACHMENT: Argument<CairnState> =
    Argument { name: "name", description: "The file's name", is_required: true, complete: Some(attachment_names) };

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

/// Lists the inbox, on the first page, and the open items. Files are reached through their template.
pub(super) fn list(state: &CairnState, request: PageRequest<'_>) -> Result<ResourcePage<Resource>, Fault> {
    let inbox = request.after.is_none().then(|| Resource {
        uri: INBOX.to_owned(),
        name: "inbox".to_owned(),
        title: Some("Inbox".to_owned()),
        description: Some("Review messages that wait; reading them here does not take them".to_owned()),
        mime: Some(JSON.to_owned()),
    });
    let options = ListOptions {
        sort: vec!["number".to_owned()],
        limit: Some(request.limit.saturating_sub(usize::from(inbox.is_some())).max(1)),
        cursor: request.after.map(str::to_owned),
        ..ListOptions::default()
    };
    let page = state.projects.read(|project| project.list(&options)).map_err(|error| fault(&error))?;
    let resource = |item: &ItemView| Resource {
        uri: address(item),
        name: format!("{} {}", item.name(), item.title),
        title: None,
        description: Some(format!("{}, {}", item.kind, item.status)),
        mime: Some(JSON.to_owned()),
    };
    Ok(ResourcePage {
        items: inbox.into_iter().chain(page.items.iter().map(resource)).collect(),
        next: page.next_cursor,
    })
}

pub(super) fn read(state: &CairnState, uri: &str, _: &Call) -> Result<Vec<ResourceContents>, Fault> {
    let missing = || Fault::Missing(format!("resource not found: `{uri}`"));
    let name = uri.strip_prefix(SCHEME).ok_or_else(missing)?;
    let contents = match name.split_once('/') {
        None if name == "inbox" => ResourceContents::text(uri, JSON, conversation::waiting(state)?.to_string()),
        Some(("file", path)) => {
            let path = decoded(path).ok_or_else(missing)?;
            ResourceContents::text(uri, MARKDOWN, code::context_text(state, &path, MaxTokens::DEFAULT)?)
        }
        // An item can also be addressed by its id.
        Some((space @ ("item" | "milestone" | "board"), rest)) => {
            let of = |item: &str| if space == "item" { item.to_owned() } else { format!("{space}/{item}") };
            match rest.split_once("/attachment/") {
                Some((item, file)) => attachments::read(state, uri, &of(item), &decoded(file).ok_or_else(missing)?)?,
                None => one_item(state, uri, &of(rest))?,
            }
        }
        _ => return Err(missing()),
    };
    Ok(vec![contents])
}

fn one_item(state: &CairnState, uri: &str, name: &str) -> Result<ResourceContents, Fault> {
    let item = state.projects.read(|project| project.show_with_commits(&name.into())).map_err(|error| fault(&error))?;
    let text = serde_json::to_string(&item).map_err(|error| Fault::Failed(error.to_string()))?;
    Ok(ResourceContents::text(uri, JSON, text))
}

/// Returns the URI of an item.
pub(super) fn address(item: &ItemView) -> String {
    format!("{SCHEME}{}/{}", item.kind.space().word(), item.number)
}

/// Decodes the percent signs of a URI: clients that expand the template write `%2F` for a slash. `None` if the result is
/// not UTF-8.
fn decoded(text: &str) -> Option<String> {
    percent_decode_str(text).decode_utf8().ok().map(Cow::into_owned)
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

/// Completes the names of an item's attachments.
fn attachment_names(state: &CairnState, typed: &str, others: &BTreeMap<String, String>) -> Result<Vec<String>, Fault> {
    let Some(number) = others.get("number") else { return Ok(Vec::new()) };
    let item = state.projects.read(|project| project.show(&number.as_str().into())).map_err(|error| fault(&error))?;
    let names = item.attachments.into_iter().map(|attachment| attachment.name);
    Ok(names.filter(|name| name.starts_with(typed)).collect())
}

/// Completes paths.
fn paths(state: &CairnState, typed: &str, _: &BTreeMap<String, String>) -> Result<Vec<String>, Fault> {
    state.projects.read(|project| project.annotations().paths_like(typed, 100)).map_err(|error| fault(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_signs_are_decoded() {
        assert_eq!(decoded("src%2Flib.rs").as_deref(), Some("src/lib.rs"));
        assert_eq!(decoded("src/caf%C3%A9.rs").as_deref(), Some("src/café.rs"));
        assert_eq!(decoded("100%").as_deref(), Some("100%"));
        assert_eq!(decoded("%zz%4").as_deref(), Some("%zz%4"));
        assert_eq!(decoded("%ff"), None);
    }
}
