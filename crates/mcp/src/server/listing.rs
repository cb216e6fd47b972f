//! The tables as the protocol library lists them, and the capabilities.

use std::borrow::Cow;

use rmcp::model::{
    Prompt as ListedPrompt, PromptArgument, Resource as ListedResource, ResourceTemplate as ListedTemplate,
    ServerCapabilities, Tool as ListedTool, ToolAnnotations,
};

use crate::dialect::{Dialect, ToolNames};
use crate::registry::Tool;
use crate::resources::{Prompt, ResourceTemplate};
use crate::results::Resource;
use crate::watch::List;

/// Page size of lists. Quicksilver's contract fixes it; the lists of other dialects are far shorter.
pub(super) const PAGE_SIZE: usize = 200;

pub(super) fn tool<C>(tool: &Tool<C>, names: ToolNames) -> ListedTool {
    let name: Cow<'static, str> = match names {
        ToolNames::Dotted => tool.name.into(),
        ToolNames::Underscore => tool.alias().into(),
    };
    let effect = tool.effect;
    let annotations = ToolAnnotations::with_title(tool.title)
        .read_only(effect.is_read_only())
        .destructive(effect.is_destructive())
        .idempotent(effect.is_idempotent())
        .open_world(false);
    let mut listed =
        ListedTool::new(name, tool.description, (tool.input)()).with_title(tool.title).with_annotations(annotations);
    listed.output_schema = tool.output.map(|output| output().into());
    listed
}

pub(super) fn resource(resource: Resource) -> ListedResource {
    let mut listed = ListedResource::new(resource.uri, resource.name);
    listed.title = resource.title;
    listed.description = resource.description;
    listed.mime_type = resource.mime;
    listed
}

pub(super) fn template<C>(template: &ResourceTemplate<C>) -> ListedTemplate {
    ListedTemplate::new(template.uri, template.name)
        .with_title(template.title)
        .with_description(template.description)
        .with_mime_type(template.mime)
}

pub(super) fn prompt<C>(prompt: &Prompt<C>) -> ListedPrompt {
    let arguments = prompt.arguments.iter().map(|argument| {
        PromptArgument::new(argument.name).with_description(argument.description).with_required(argument.is_required)
    });
    let arguments: Vec<PromptArgument> = arguments.collect();
    let arguments = if arguments.is_empty() { None } else { Some(arguments) };
    ListedPrompt::new(prompt.name, Some(prompt.description), arguments).with_title(prompt.title)
}

/// Derives the server's capabilities from the dialect.
pub(super) fn capabilities<C>(dialect: &Dialect<C>) -> ServerCapabilities {
    let mut can = ServerCapabilities::builder().enable_tools().build();
    // With a watch, each list says whether it may change; without one the member is left out.
    let changes = |list| dialect.watch.as_ref().map(|watch| watch.lists.contains(&list));
    if let Some(tools) = &mut can.tools {
        tools.list_changed = changes(List::Tools);
    }
    if dialect.resources.is_some() {
        let mut resources = rmcp::model::ResourcesCapability::default();
        resources.subscribe = dialect.watch.is_some().then_some(true);
        resources.list_changed = changes(List::Resources);
        can.resources = Some(resources);
    }
    if !dialect.prompts.is_empty() {
        let mut prompts = rmcp::model::PromptsCapability::default();
        prompts.list_changed = changes(List::Prompts);
        can.prompts = Some(prompts);
    }
    if has_completions(dialect) {
        can.completions = Some(serde_json::Map::new());
    }
    if dialect.logs {
        can.logging = Some(serde_json::Map::new());
    }
    can
}

fn has_completions<C>(dialect: &Dialect<C>) -> bool {
    let templates = dialect.resources.iter().flat_map(|resources| resources.templates);
    let arguments = templates.flat_map(|template| template.arguments);
    let mut arguments = arguments.chain(dialect.prompts.iter().flat_map(|prompt| prompt.arguments));
    arguments.any(|argument| argument.complete.is_some())
}
