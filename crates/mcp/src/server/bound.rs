//! A dialect bound to its state and its options. The type of the state ends here: the server, and what the protocol
//! library makes of it, are compiled once instead of once per dialect.

use std::collections::BTreeMap;
use std::sync::Arc;

use rmcp::model::{Prompt as ListedPrompt, ResourceTemplate as ListedTemplate, ServerCapabilities, Tool as ListedTool};
use serde_json::Value;

use super::listing;
use crate::call::Call;
use crate::dialect::{Dialect, ErrorPolicy, HttpPolicy, ServerName, Versions};
use crate::fault::Fault;
use crate::registry::{Effect, Tool};
use crate::resources::{Argument, PageRequest, Prompt, PromptArguments, ResourcePage, ResourceTemplate, Resources};
use crate::results::{PromptResult, Resource, ResourceContents, ToolResult};
use crate::serve_options::ServeOptions;
use crate::watch::Board;

/// A dialect with its state, after applying the options.
pub(crate) struct BoundDialect {
    pub(crate) name: &'static str,
    pub(crate) server: ServerName,
    pub(crate) versions: Versions,
    pub(crate) instructions: &'static str,
    pub(crate) logs: bool,
    pub(crate) errors: ErrorPolicy,
    pub(crate) http: HttpPolicy,
    pub(super) capabilities: ServerCapabilities,
    /// In the order of the table.
    pub(super) tools: Vec<BoundTool>,
    pub(crate) resources: Option<BoundResources>,
    /// Sorted by name.
    pub(crate) prompts: Vec<BoundPrompt>,
    pub(crate) board: Option<Board>,
}

/// A tool with its state.
pub(super) struct BoundTool {
    pub(super) name: &'static str,
    alias: String,
    pub(super) effect: Effect,
    pub(super) listed: ListedTool,
    pub(super) call: CallTool,
}

/// The resources of a dialect, with their state.
pub(crate) struct BoundResources {
    pub(super) list: ListResources,
    pub(super) read: ReadResource,
    /// Sorted by URI.
    pub(super) templates: Vec<BoundTemplate>,
    /// The last page says `"nextCursor": null`.
    pub(super) ends_with_null: bool,
}

/// A resource template with the state of its completions.
pub(super) struct BoundTemplate {
    pub(super) listed: ListedTemplate,
    pub(super) arguments: Vec<BoundArgument>,
}

/// A prompt with its state.
pub(crate) struct BoundPrompt {
    pub(super) name: &'static str,
    pub(super) listed: ListedPrompt,
    pub(super) arguments: Vec<BoundArgument>,
    pub(super) get: GetPrompt,
}

/// An argument of a prompt or a template, with the state of its completion.
pub(super) struct BoundArgument {
    pub(super) name: &'static str,
    pub(super) is_required: bool,
    pub(super) complete: Option<Complete>,
}

pub(super) type CallTool = Arc<dyn Fn(Value, &Call) -> Result<ToolResult, Fault> + Send + Sync>;
pub(super) type ListResources = Arc<dyn Fn(PageRequest<'_>) -> Result<ResourcePage<Resource>, Fault> + Send + Sync>;
pub(super) type ReadResource = Arc<dyn Fn(&str, &Call) -> Result<Vec<ResourceContents>, Fault> + Send + Sync>;
pub(super) type GetPrompt = Arc<dyn Fn(&PromptArguments, &Call) -> Result<PromptResult, Fault> + Send + Sync>;
pub(super) type Complete = Arc<dyn Fn(&str, &BTreeMap<String, String>) -> Result<Vec<String>, Fault> + Send + Sync>;

impl BoundDialect {
    pub(super) fn new<C: Send + Sync>(dialect: &'static Dialect<C>, subject: &Arc<C>, options: &ServeOptions) -> Self {
        let tools = dialect.tools.iter().filter(|tool| options.includes(tool));
        let mut prompts: Vec<_> = dialect.prompts.iter().map(|prompt| BoundPrompt::new(prompt, subject)).collect();
        // Lists are cut into pages at a name, which needs a fixed order.
        prompts.sort_by_key(|prompt| prompt.name);
        Self {
            name: dialect.name,
            server: dialect.server,
            versions: dialect.versions,
            instructions: dialect.instructions,
            logs: dialect.logs,
            errors: dialect.errors,
            http: options.http(dialect.http),
            capabilities: listing::capabilities(dialect),
            tools: tools.map(|tool| BoundTool::new(tool, subject, options)).collect(),
            resources: dialect.resources.as_ref().map(|resources| BoundResources::new(resources, subject, options)),
            prompts,
            board: dialect.watch.as_ref().map(|watch| Board::new(watch, subject)),
        }
    }

    /// Finds a tool by either spelling of its name.
    pub(super) fn try_find(&self, name: &str) -> Option<&BoundTool> {
        self.tools.iter().find(|tool| tool.name == name || tool.alias == name)
    }
}

impl BoundTool {
    fn new<C: Send + Sync>(tool: &'static Tool<C>, subject: &Arc<C>, options: &ServeOptions) -> Self {
        let (call, subject) = (tool.call, Arc::clone(subject));
        Self {
            name: tool.name,
            alias: tool.alias(),
            effect: tool.effect,
            listed: listing::tool(tool, options.names),
            call: Arc::new(move |arguments, running| call(&subject, arguments, running)),
        }
    }
}

impl BoundResources {
    fn new<C: Send + Sync>(resources: &'static Resources<C>, subject: &Arc<C>, options: &ServeOptions) -> Self {
        let (list, lister) = (resources.list, Arc::clone(subject));
        let (read, reader) = (resources.read, Arc::clone(subject));
        let mut templates: Vec<_> =
            resources.templates.iter().map(|template| BoundTemplate::new(template, subject)).collect();
        templates.sort_by(|a, b| a.listed.uri_template.cmp(&b.listed.uri_template));
        Self {
            list: Arc::new(move |page| list(&lister, page)),
            read: Arc::new(move |uri, running| read(&reader, uri, running)),
            templates,
            ends_with_null: resources.ends_with_null && options.contract_strict,
        }
    }
}

impl BoundTemplate {
    fn new<C: Send + Sync>(template: &'static ResourceTemplate<C>, subject: &Arc<C>) -> Self {
        Self { listed: listing::template(template), arguments: bound_arguments(template.arguments, subject) }
    }
}

impl BoundPrompt {
    fn new<C: Send + Sync>(prompt: &'static Prompt<C>, subject: &Arc<C>) -> Self {
        let (get, getter) = (prompt.get, Arc::clone(subject));
        Self {
            name: prompt.name,
            listed: listing::prompt(prompt),
            arguments: bound_arguments(prompt.arguments, subject),
            get: Arc::new(move |arguments, running| get(&getter, arguments, running)),
        }
    }
}

fn bound_arguments<C: Send + Sync>(arguments: &'static [Argument<C>], subject: &Arc<C>) -> Vec<BoundArgument> {
    let bound = arguments.iter().map(|argument| BoundArgument {
        name: argument.name,
        is_required: argument.is_required,
        complete: argument.complete.map(|complete| -> Complete {
            let subject = Arc::clone(subject);
            Arc::new(move |typed, others| complete(&subject, typed, others))
        }),
    });
    bound.collect()
}
