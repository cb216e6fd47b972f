//! Implementation of `rmcp`'s `ServerHandler`: one method per request.

#![expect(deprecated, reason = "clients that begin with `initialize` still set levels and subscribe")]

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, ErrorData, GetPromptRequestParams,
    GetPromptResponse, Implementation, InitializeRequestParams, InitializeResult, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProtocolVersion,
    ReadResourceRequestParams, ReadResourceResponse, Reference, ServerConfig, SetLevelRequestMethod,
    SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter, Tool as ListedTool, UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, RoleServer, SubscriptionContext};
use serde_json::json;

use super::bound::{BoundArgument, BoundPrompt, BoundResources};
use super::connection;
use super::listing::{self, PAGE_SIZE};
use super::request_source::RequestSource;
use super::work::Outcome;
use super::{Era, Server, encode};
use crate::call::InputResponses;
use crate::cursor;
use crate::delivery::Delivery;
use crate::dialect::Versions;
use crate::fault::Fault;
use crate::resources::{PageRequest, ResourcePage};

/// All protocol versions, oldest first; the last one has no `initialize`.
const OLDEST_TO_NEWEST: &[ProtocolVersion] = ProtocolVersion::KNOWN_VERSIONS;

type Context = RequestContext<RoleServer>;
type PageParams = Option<PaginatedRequestParams>;

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let dialect = self.dialect();
        let mut config = ServerConfig::new(dialect.capabilities.clone());
        config.instructions = non_empty(dialect.instructions);
        config.server_info = Implementation::new(dialect.server.name, dialect.server.version);
        config.server_info.title = non_empty(dialect.server.title);
        config.protocol_version = version(dialect.versions);
        config
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        let versions = self.dialect().versions;
        match versions {
            Versions::Fixed(_) => Cow::Owned(vec![version(versions), ProtocolVersion::LATEST]),
            Versions::Negotiated => Cow::Borrowed(OLDEST_TO_NEWEST),
        }
    }

    async fn initialize(
        &self,
        mut request: InitializeRequestParams,
        context: Context,
    ) -> Result<InitializeResult, ErrorData> {
        let result = self.negotiate_initialize(&request)?;
        // Later requests follow the negotiated version, not the requested one.
        request.protocol_version = result.protocol_version.clone();
        context.peer.set_peer_info(request);
        self.connection.start_notifications(self.dialect().board.as_ref(), &context.peer);
        Ok(result)
    }

    async fn list_tools(&self, request: PageParams, _context: Context) -> Result<ListToolsResult, ErrorData> {
        let page = self.page("tools", request, |wanted| {
            // Paged by position, because tools are listed in the contract's order and not by name.
            let placed = self.dialect().tools.iter().map(|tool| tool.listed.clone()).enumerate().collect();
            Ok(ResourcePage::cut(placed, wanted, |(place, _)| format!("{place:04}")))
        })?;
        let mut result = ListToolsResult::with_all_items(page.items.into_iter().map(|(_, tool)| tool).collect());
        result.next_cursor = page.next;
        Ok(result)
    }

    fn get_tool(&self, name: &str) -> Option<ListedTool> {
        self.dialect().try_find(name).map(|tool| tool.listed.clone())
    }

    async fn call_tool(&self, request: CallToolRequestParams, context: Context) -> Result<CallToolResponse, ErrorData> {
        self.call(request, RequestSource::Client(&context)).await
    }

    async fn list_resources(&self, request: PageParams, context: Context) -> Result<ListResourcesResult, ErrorData> {
        let resources = self.resources()?;
        let after = self.after("resources", request)?;
        let list = Arc::clone(&resources.list);
        let listed = self.work(RequestSource::Client(&context), InputResponses::default(), move |_| {
            list(PageRequest { after: after.as_deref(), limit: PAGE_SIZE })
        });
        let page = self.finish(Era::of(&context), "the list", listed.await)?;
        if page.next.is_none() && self.says_end_of_list(&context) {
            Delivery::of(&context.extensions).iter().for_each(Delivery::ends_list);
        }
        let mut result = ListResourcesResult::with_all_items(page.items.into_iter().map(listing::resource).collect());
        result.next_cursor = page.next.map(|place| cursor::encode("resources", &place));
        Ok(result)
    }

    async fn list_resource_templates(
        &self,
        request: PageParams,
        _context: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let templates = &self.resources()?.templates;
        let page = self.page("templates", request, |wanted| {
            let all = templates.iter().map(|template| template.listed.clone()).collect();
            Ok(ResourcePage::cut(all, wanted, |template| template.uri_template.clone()))
        })?;
        let mut result = ListResourceTemplatesResult::with_all_items(page.items);
        result.next_cursor = page.next;
        Ok(result)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let (read, era) = (Arc::clone(&self.resources()?.read), Era::of(&context));
        let input_responses = self.input_responses(&request.uri, request.input_responses, request.request_state)?;
        let uri = request.uri.clone();
        match self.work(RequestSource::Client(&context), input_responses, move |call| read(&uri, call)).await {
            Outcome::Fault(Fault::NeedsInput(questions)) => Ok(self.input_required(&request.uri, *questions)?.into()),
            Outcome::Fault(Fault::Missing(message)) if era == Era::Modern => {
                Err(ErrorData::invalid_params(message, Some(json!({"uri": request.uri}))))
            }
            other => Ok(encode::contents(self.finish(era, "the resource", other)?).into()),
        }
    }

    async fn subscribe(&self, request: SubscribeRequestParams, context: Context) -> Result<(), ErrorData> {
        self.check_resource(&request.uri, &context).await?;
        self.connection.start_notifications(self.dialect().board.as_ref(), &context.peer);
        if self.connection.subscribe(request.uri) {
            return Ok(());
        }
        Err(self.invalid("there are too many subscriptions already; unsubscribe from some"))
    }

    async fn unsubscribe(&self, request: UnsubscribeRequestParams, _context: Context) -> Result<(), ErrorData> {
        self.connection.unsubscribe(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        self.dialect().board.as_ref().map(|_| requested.clone())
    }

    async fn listen(&self, subscription: SubscriptionContext) -> Result<(), ErrorData> {
        let Some(board) = &self.dialect().board else { return Ok(()) };
        tokio::select! {
            () = connection::listen(board.listen(), &subscription) => {}
            () = subscription.cancelled() => {}
            () = self.ending.cancelled() => {}
        }
        Ok(())
    }

    async fn list_prompts(&self, request: PageParams, _context: Context) -> Result<ListPromptsResult, ErrorData> {
        let page = self.page("prompts", request, |wanted| {
            let all = self.dialect().prompts.iter().map(|prompt| prompt.listed.clone()).collect();
            Ok(ResourcePage::cut(all, wanted, |prompt| prompt.name.clone()))
        })?;
        let mut result = ListPromptsResult::with_all_items(page.items);
        result.next_cursor = page.next;
        Ok(result)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: Context,
    ) -> Result<GetPromptResponse, ErrorData> {
        let prompt = self.prompt(&request.name)?;
        let arguments = request.arguments.unwrap_or_default();
        let missing = prompt.arguments.iter().find(|argument| {
            argument.is_required && arguments.get(argument.name).is_none_or(serde_json::Value::is_null)
        });
        if let Some(missing) = missing {
            return Err(self.invalid(&format!("the argument `{}` is missing", missing.name)));
        }
        let input_responses = self.input_responses(prompt.name, request.input_responses, request.request_state)?;
        let get = Arc::clone(&prompt.get);
        match self.work(RequestSource::Client(&context), input_responses, move |call| get(&arguments, call)).await {
            Outcome::Fault(Fault::NeedsInput(questions)) => Ok(self.input_required(prompt.name, *questions)?.into()),
            other => Ok(encode::prompt(self.finish(Era::of(&context), "the prompt", other)?).into()),
        }
    }

    async fn complete(&self, request: CompleteRequestParams, context: Context) -> Result<CompleteResult, ErrorData> {
        let argument = self.argument(&request.r#ref, &request.argument.name)?;
        let Some(complete) = argument.complete.clone() else { return Ok(CompleteResult::default()) };
        let typed = request.argument.value;
        let others: BTreeMap<String, String> =
            request.context.and_then(|context| context.arguments).into_iter().flatten().collect();
        let found =
            self.work(RequestSource::Client(&context), InputResponses::default(), move |_| complete(&typed, &others));
        let values = self.finish(Era::of(&context), "the completion", found.await)?;
        Ok(CompleteResult::new(encode::completion(values)))
    }

    async fn set_level(&self, request: SetLevelRequestParams, context: Context) -> Result<(), ErrorData> {
        if Era::of(&context) == Era::Modern {
            return Err(ErrorData::method_not_found::<SetLevelRequestMethod>());
        }
        self.connection.set_log_level(encode::log_level(request.level));
        self.connection.start_notifications(self.dialect().board.as_ref(), &context.peer);
        Ok(())
    }
}

impl Server {
    /// Refuses a resource that does not exist. A resource that exists but cannot be read at the moment may be
    /// subscribed to.
    async fn check_resource(&self, uri: &str, context: &Context) -> Result<(), ErrorData> {
        let (read, uri) = (Arc::clone(&self.resources()?.read), uri.to_owned());
        let found = self
            .work(RequestSource::Client(context), InputResponses::default(), move |call| read(&uri, call).map(drop))
            .await;
        match found {
            Outcome::Fault(Fault::Missing(_) | Fault::Invalid(_) | Fault::Undecodable(_)) => {
                self.finish(Era::of(context), "the resource", found)
            }
            _ => Ok(()),
        }
    }

    fn after(&self, list: &str, request: PageParams) -> Result<Option<String>, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        let place = cursor.map(|cursor| cursor::decode(list, &cursor)).transpose();
        place.map_err(|fault| self.invalid(fault.message()))
    }

    fn page<T>(
        &self,
        list: &str,
        request: PageParams,
        cut: impl FnOnce(PageRequest<'_>) -> Result<ResourcePage<T>, ErrorData>,
    ) -> Result<ResourcePage<T>, ErrorData> {
        let after = self.after(list, request)?;
        let mut page = cut(PageRequest { after: after.as_deref(), limit: PAGE_SIZE })?;
        page.next = page.next.map(|place| cursor::encode(list, &place));
        Ok(page)
    }

    fn says_end_of_list(&self, context: &Context) -> bool {
        let has_contract = self.dialect().resources.as_ref().is_some_and(|resources| resources.ends_with_null);
        has_contract && Era::of(context) == Era::Legacy
    }

    fn resources(&self) -> Result<&BoundResources, ErrorData> {
        // Invariant: the validator lets these requests through only when there are resources.
        self.dialect().resources.as_ref().ok_or_else(|| self.internal("there are no resources here"))
    }

    fn prompt(&self, name: &str) -> Result<&BoundPrompt, ErrorData> {
        let prompt = self.dialect().prompts.iter().find(|prompt| prompt.name == name);
        prompt.ok_or_else(|| self.invalid(&format!("unknown prompt `{name}`")))
    }

    fn argument(&self, reference: &Reference, name: &str) -> Result<&BoundArgument, ErrorData> {
        let arguments: &[BoundArgument] = match reference {
            Reference::Prompt(prompt) => &self.prompt(&prompt.name)?.arguments,
            Reference::Resource(resource) => {
                let mut templates = self.dialect().resources.iter().flat_map(|resources| &resources.templates);
                let template = templates.find(|template| template.listed.uri_template == resource.uri);
                let unknown = || self.invalid(&format!("unknown resource template `{}`", resource.uri));
                &template.ok_or_else(unknown)?.arguments
            }
            _ => &[],
        };
        let argument = arguments.iter().find(|argument| argument.name == name);
        argument.ok_or_else(|| self.invalid(&format!("unknown argument `{name}`")))
    }
}

fn version(versions: Versions) -> ProtocolVersion {
    let Versions::Fixed(wanted) = versions else { return ProtocolVersion::LATEST_WITH_INITIALIZE };
    let known = OLDEST_TO_NEWEST.iter().find(|version| version.as_str() == wanted);
    known.cloned().unwrap_or(ProtocolVersion::LATEST_WITH_INITIALIZE)
}

fn non_empty(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}
