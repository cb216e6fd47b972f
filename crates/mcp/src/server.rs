//! The adapter to `rmcp`: serves a dialect's table as a handler of its service. The only file that knows both sides.

use std::borrow::Cow;
use std::sync::Arc;

use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorCode, ErrorData, Implementation,
    InitializeRequestParams, InitializeResult, ListToolsResult, PaginatedRequestParams, ProtocolVersion,
    ServerCapabilities, ServerConfig, Tool as ListedTool, ToolAnnotations,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::Value;
use tokio::sync::Semaphore;

use crate::dialect::{Answering, Dialect, ToolNames, Versions};
use crate::fault::Fault;
use crate::registry::Tool;

/// How many requests of one connection are worked on at once; more are not even read.
pub(crate) const MOST_IN_FLIGHT: usize = 64;

/// Every version, oldest first; the last one has no `initialize`.
const OLDEST_TO_NEWEST: &[ProtocolVersion] = ProtocolVersion::KNOWN_VERSIONS;

/// A dialect, being served.
pub(crate) struct Server<C: 'static> {
    dialect: &'static Dialect<C>,
    context: Arc<C>,
    tools: Arc<[ListedTool]>,
    // Invariant: also calls that were cancelled hold a place until they are done, so that threads are bounded.
    places: Arc<Semaphore>,
}

impl<C: Send + Sync> Server<C> {
    pub(crate) fn new(dialect: &'static Dialect<C>, context: Arc<C>, names: ToolNames) -> Self {
        let mut tools: Vec<ListedTool> = dialect.tools.iter().map(|tool| listed(tool, names)).collect();
        tools.sort_by(|a, b| a.name.cmp(&b.name));
        Self { dialect, context, tools: tools.into(), places: Arc::new(Semaphore::new(MOST_IN_FLIGHT)) }
    }

    async fn call(&self, name: &str, arguments: Value, context: &RequestContext<RoleServer>) -> Called {
        let era = Era::of(context);
        let Some(tool) = self.dialect.try_find(name) else {
            let code = if era == Era::Modern { ErrorCode::INVALID_PARAMS.0 } else { self.dialect.errors.unknown_tool };
            return Err(self.error(code, format!("unknown tool `{name}`")));
        };
        let subject = Arc::clone(&self.context);
        let places = Arc::clone(&self.places);
        let work = async move {
            let place = places.acquire_owned().await;
            let work = tokio::task::spawn_blocking(move || {
                let _place = place;
                (tool.call)(&subject, arguments)
            });
            work.await
        };
        let done = tokio::select! {
            done = work => done,
            // Nobody hears this: a cancelled request has no answer. What was begun ends by itself.
            () = context.ct.cancelled() => return Err(self.internal(format!("`{name}` was cancelled"))),
        };
        match done {
            Ok(Ok(answer)) => Ok(CallToolResult::success(vec![ContentBlock::text(answer.text)])),
            Ok(Err(fault)) => self.answer(era, &fault),
            Err(_) => Err(self.internal(format!("`{name}` broke down; this is a mistake of ours"))),
        }
    }

    fn answer(&self, era: Era, fault: &Fault) -> Called {
        let message = fault.message();
        match (self.dialect.errors.for_fault(fault), era) {
            (Answering::Error(code), Era::Legacy) => Err(self.error(code, message.to_owned())),
            // Newer versions want every fault of a known tool where the model can read it.
            (Answering::Error(code) | Answering::Result(code), _) => {
                let body = (self.dialect.errors.body)(code, message);
                let text = body.as_str().map_or_else(|| body.to_string(), str::to_owned);
                Ok(CallToolResult::error(vec![ContentBlock::text(text)]))
            }
        }
    }

    fn internal(&self, message: String) -> ErrorData {
        self.error(ErrorCode::INTERNAL_ERROR.0, message)
    }

    fn error(&self, code: i32, message: String) -> ErrorData {
        let body = (self.dialect.errors.body)(code, &message);
        ErrorData::new(ErrorCode(code), message, Some(body))
    }
}

// Not derived: what the tools work on need not be `Clone`.
impl<C> Clone for Server<C> {
    fn clone(&self) -> Self {
        Self {
            dialect: self.dialect,
            context: Arc::clone(&self.context),
            tools: Arc::clone(&self.tools),
            places: Arc::clone(&self.places),
        }
    }
}

type Called = Result<CallToolResult, ErrorData>;

/// Whose rules a request follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Era {
    /// The contract's: the client began with `initialize`, or with nothing.
    Legacy,
    /// The specification's: the request says which version it follows.
    Modern,
}

impl Era {
    fn of(context: &RequestContext<RoleServer>) -> Self {
        let has_initialize = context.protocol_version().is_none_or(|version| version.has_initialize());
        if has_initialize { Self::Legacy } else { Self::Modern }
    }
}

impl<C: Send + Sync> ServerHandler for Server<C> {
    fn get_info(&self) -> ServerConfig {
        let server = self.dialect.server;
        let mut config = ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_instructions(self.dialect.instructions);
        config.server_info = Implementation::new(server.name, server.version);
        config.server_info.title = Some(server.title.to_owned());
        config.protocol_version = version(self.dialect.versions);
        config
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        match self.dialect.versions {
            Versions::Fixed(_) => Cow::Owned(vec![version(self.dialect.versions), ProtocolVersion::LATEST]),
            Versions::Negotiated => Cow::Borrowed(OLDEST_TO_NEWEST),
        }
    }

    async fn initialize(
        &self,
        mut request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let result = self.negotiate_initialize(&request)?;
        // Later requests follow what was agreed on, whatever was asked for.
        request.protocol_version = result.protocol_version.clone();
        context.peer.set_peer_info(request);
        Ok(result)
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        if request.is_some_and(|request| request.cursor.is_some()) {
            let message = "there is one page of tools; leave the cursor out".to_owned();
            return Err(self.error(ErrorCode::INVALID_PARAMS.0, message));
        }
        Ok(ListToolsResult::with_all_items(self.tools.to_vec()))
    }

    fn get_tool(&self, name: &str) -> Option<ListedTool> {
        let tool = self.dialect.try_find(name)?;
        self.tools.iter().find(|listed| tool.is_called(&listed.name)).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        Ok(self.call(&request.name, arguments, &context).await?.into())
    }
}

fn version(versions: Versions) -> ProtocolVersion {
    let Versions::Fixed(wanted) = versions else { return ProtocolVersion::LATEST_WITH_INITIALIZE };
    let known = OLDEST_TO_NEWEST.iter().find(|version| version.as_str() == wanted);
    known.cloned().unwrap_or(ProtocolVersion::LATEST_WITH_INITIALIZE)
}

fn listed<C>(tool: &Tool<C>, names: ToolNames) -> ListedTool {
    let name: Cow<'static, str> = match names {
        ToolNames::Dotted => tool.name.into(),
        ToolNames::Underscore => tool.alias().into(),
    };
    let effect = tool.effect;
    let annotations = ToolAnnotations::with_title(tool.title)
        .read_only(effect.is_read_only())
        .destructive(effect.is_destructive())
        .idempotent(effect.is_read_only())
        .open_world(false);
    ListedTool::new(name, tool.description, (tool.input)()).with_title(tool.title).with_annotations(annotations)
}
