//! The adapter to `rmcp`: serves a dialect's table as a handler of its service. Only this module and its submodules
//! know both sides.

mod audit_guard;
mod bound;
mod connection;
mod encode;
mod handler;
mod listing;
mod request_source;
mod state_signer;
mod work;

use std::collections::BTreeMap;
use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, ErrorCode, ErrorData, InputRequest,
    InputRequiredResult, ProtocolVersion, ServerResult,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

use crate::audit_hook::Outcome as ToolCallOutcome;
use crate::call::InputResponses;
use crate::dialect::{Dialect, ErrorPlacement};
use crate::fault::Fault;
use crate::question::{Capability, Questions};
use crate::serve_options::ServeOptions;
use audit_guard::AuditGuard;
pub(crate) use bound::BoundDialect;
use connection::Connection;
use request_source::RequestSource;
pub(crate) use request_source::StatelessCall;
use state_signer::StateSigner;
use work::Outcome;
pub(crate) use work::RelatedRequest;

/// Maximum number of concurrent requests of one connection. Further requests are not read, which is the back-pressure.
pub(crate) const MAX_IN_FLIGHT: usize = 64;

/// How many of them may be calls that write. A commit can hang, when a database waits for its standby: calls that read must
/// go on then.
const MAX_WRITES_IN_FLIGHT: usize = 48;

/// A dialect served to one client.
pub(crate) struct Server {
    shared: Arc<Shared>,
    connection: Arc<Connection>,
    /// Cancelled at shutdown, which ends event streams.
    ending: CancellationToken,
}

/// State that all clients of a dialect share.
struct Shared {
    dialect: BoundDialect,
    // Invariant: a cancelled call keeps its permit until its handler has returned, so the number of threads is bounded.
    places: Arc<Semaphore>,
    writing_places: Arc<Semaphore>,
    signer: StateSigner,
}

impl Server {
    pub(crate) fn new<C: Send + Sync>(dialect: &'static Dialect<C>, subject: &Arc<C>, options: &ServeOptions) -> Self {
        let dialect = BoundDialect::new(dialect, subject, options);
        let [places, writing_places] = [MAX_IN_FLIGHT, MAX_WRITES_IN_FLIGHT].map(|n| Arc::new(Semaphore::new(n)));
        let shared = Shared { dialect, places, writing_places, signer: StateSigner::default() };
        Self {
            shared: Arc::new(shared),
            connection: Arc::new(Connection::with_session()),
            ending: CancellationToken::new(),
        }
    }

    /// Ends event streams when the token is cancelled.
    pub(crate) fn until(self, ending: CancellationToken) -> Self {
        Self { ending, ..self }
    }

    /// The same dialect for another client with a session.
    pub(crate) fn for_session(&self) -> Self {
        self.for_connection(Connection::with_session())
    }

    /// The same dialect for a single request.
    pub(crate) fn for_request(&self) -> Self {
        self.for_connection(Connection::without_session())
    }

    fn for_connection(&self, connection: Connection) -> Self {
        Self { shared: Arc::clone(&self.shared), connection: Arc::new(connection), ending: self.ending.clone() }
    }

    pub(crate) fn dialect(&self) -> &BoundDialect {
        &self.shared.dialect
    }

    /// Returns whether a call can be answered without the library: a dialect without log messages sends nothing before
    /// the result.
    pub(crate) fn can_answer_directly(&self) -> bool {
        !self.dialect().logs
    }

    /// Answers a stateless call as the library would.
    pub(crate) async fn answer_stateless(
        &self,
        request: CallToolRequestParams,
        call: &StatelessCall,
    ) -> Result<ServerResult, ErrorData> {
        let response = self.call(request, RequestSource::Stateless(call)).await?;
        let mut result = ServerResult::from(response);
        result.strip_result_type_for_legacy_peer();
        Ok(result)
    }

    async fn call(&self, request: CallToolRequestParams, source: RequestSource<'_>) -> CallResult {
        // The arguments are the user's text and stay out of the log.
        let span = tracing::debug_span!("tool_call", tool = %request.name);
        self.answer_call(request, source).instrument(span).await
    }

    async fn answer_call(&self, request: CallToolRequestParams, source: RequestSource<'_>) -> CallResult {
        let era = source.era();
        let name = request.name;
        let errors = &self.dialect().errors;
        let Some(tool) = self.dialect().try_find(&name) else {
            let code = if era == Era::Modern { ErrorCode::INVALID_PARAMS.0 } else { errors.unknown_tool };
            return Err(self.error(code, &(errors.unknown_tool_words)(&name)));
        };
        let audit_guard = AuditGuard::begin(tool.name, tool.effect, source);
        if audit_guard.is_forbidden() {
            audit_guard.end(ToolCallOutcome::Forbidden);
            return Err(self.error(errors.forbidden, &format!("this token is read-only; `{name}` needs write access")));
        }
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let input_responses = self.input_responses(&name, request.input_responses, request.request_state)?;
        let handler = Arc::clone(&tool.call);
        let outcome = self.work_on(tool.effect, source, input_responses, move |call| handler(arguments, call)).await;
        let event = ToolCallOutcome::of(&outcome);
        tracing::debug!(outcome = ?event, "tool call ended");
        audit_guard.end(event);
        match outcome {
            Outcome::Done(mut answer) => {
                if let Some(delivery) = source.delivery() {
                    delivery.plan(answer.then.take());
                }
                Ok(encode::tool_result(answer, self.shared.dialect.errors.explicit_is_error_false).into())
            }
            Outcome::Fault(Fault::NeedsInput(questions)) => Ok(self.input_required(&name, *questions)?.into()),
            Outcome::Fault(Fault::Unable(capability)) if era == Era::Modern => Err(lacks(capability)),
            Outcome::Fault(fault) => self.failed_call(era, &fault).map(CallToolResponse::from),
            Outcome::Cancelled => Err(self.internal(&format!("`{name}` was cancelled"))),
            Outcome::Broken => {
                Err(self.internal(&format!("internal error: the tool `{name}` panicked; please report it")))
            }
        }
    }

    fn failed_call(&self, era: Era, fault: &Fault) -> Result<CallToolResult, ErrorData> {
        let errors = &self.dialect().errors;
        match (errors.for_fault(fault), era) {
            (ErrorPlacement::Error(code), Era::Legacy) => Err(self.error(code, fault.message())),
            // Modern versions report every fault of a known tool as a tool result, so that the model can read it.
            (ErrorPlacement::Error(code) | ErrorPlacement::Result(code), _) => Ok(encode::tool_result(
                (errors.failure)(code, fault.message()).failed(),
                errors.explicit_is_error_false,
            )),
        }
    }

    /// Reads the responses and the sealed state of a repeated request.
    fn input_responses(
        &self,
        name: &str,
        answers: Option<BTreeMap<String, Value>>,
        state: Option<String>,
    ) -> Result<InputResponses, ErrorData> {
        let state = state.map(|sealed| self.shared.signer.open(name, &sealed)).transpose();
        let state = state.map_err(|fault| self.invalid(fault.message()))?;
        Ok(InputResponses { answers: answers.unwrap_or_default(), state })
    }

    fn input_required(&self, name: &str, questions: Questions) -> Result<InputRequiredResult, ErrorData> {
        let requests = questions.questions.into_iter().map(|(name, question)| {
            let request: InputRequest = serde_json::from_value(question.to_request())?;
            Ok((name, request))
        });
        let requests: Result<BTreeMap<String, InputRequest>, serde_json::Error> = requests.collect();
        let requests = requests.map_err(|error| self.internal(&error.to_string()))?;
        let requests = if requests.is_empty() { None } else { Some(requests) };
        let state = questions.state.map(|state| self.shared.signer.seal(name, &state));
        Ok(InputRequiredResult::new(requests, state))
    }

    /// Finishes a request other than a tool call: every failure is a protocol error.
    fn finish<T>(&self, era: Era, what: &str, outcome: Outcome<T>) -> Result<T, ErrorData> {
        let invalid = ErrorCode::INVALID_PARAMS.0;
        match outcome {
            Outcome::Done(done) => Ok(done),
            Outcome::Fault(Fault::Unable(capability)) if era == Era::Modern => Err(lacks(capability)),
            Outcome::Fault(fault) => {
                let code = match &fault {
                    Fault::Coded(code, _) => *code,
                    Fault::Missing(_) if era == Era::Legacy => self.dialect().errors.unknown_resource,
                    Fault::Missing(_) | Fault::Undecodable(_) | Fault::Invalid(_) => invalid,
                    Fault::Failed(_) | Fault::Unable(_) | Fault::NeedsInput(_) => ErrorCode::INTERNAL_ERROR.0,
                };
                Err(self.error(code, fault.message()))
            }
            Outcome::Cancelled => Err(self.internal(&format!("{what} was cancelled"))),
            Outcome::Broken => Err(self.internal(&format!("internal error: {what} panicked; please report it"))),
        }
    }

    fn invalid(&self, message: &str) -> ErrorData {
        self.error(ErrorCode::INVALID_PARAMS.0, message)
    }

    fn internal(&self, message: &str) -> ErrorData {
        self.error(ErrorCode::INTERNAL_ERROR.0, message)
    }

    fn error(&self, code: i32, message: &str) -> ErrorData {
        let words = (self.dialect().errors.error)(code, message);
        ErrorData::new(ErrorCode(code), words.message, words.data)
    }
}

type CallResult = Result<CallToolResponse, ErrorData>;

/// The protocol era of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Era {
    /// The client began with `initialize`, or sent no version at all; the contract's rules apply.
    Legacy,
    /// The request names its version; the specification's rules apply.
    Modern,
}

impl Era {
    fn of(context: &RequestContext<RoleServer>) -> Self {
        let has_initialize = context.protocol_version().is_none_or(|version: ProtocolVersion| version.has_initialize());
        if has_initialize { Self::Legacy } else { Self::Modern }
    }
}

fn lacks(capability: Capability) -> ErrorData {
    let required: Option<ClientCapabilities> = serde_json::from_value(json!({capability.name(): {}})).ok();
    ErrorData::missing_required_client_capability(required.unwrap_or_default())
}
