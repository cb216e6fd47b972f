//! One dialect at one path: the checks of every request, in the order that the contracts fix, and the dispatch.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::Request;
use axum::http::header::{ALLOW, CONTENT_TYPE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use rmcp::model::ProtocolVersion;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::{Map, Value};

use super::access::Access;
use super::body::discard;
use super::era::Era;
use super::media;
use super::sessions::Sessions;
use super::shutdown::Shutdown;
use crate::dialect::{HttpPolicy, Versions};
use crate::server::Server;
use crate::validate::{
    INVALID_REQUEST, METHOD_NOT_FOUND, PARSE_ERROR, Refusal, Validator, Verdict, admit, judge_in_batch, shape,
};

/// Maximum length of a request body, in bytes.
const MAX_BODY: usize = 4 * 1024 * 1024;

/// How long a client may take to send a body, so that a slow client cannot hold a connection forever.
const READ_TIMEOUT: Duration = Duration::from_secs(30);

/// Methods that 2026-07-28 removed.
const REMOVED: &[&str] = &["initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"];

pub(super) const VERSION: &str = "mcp-protocol-version";

pub(crate) fn open(server: Server, access: Access, stop: Shutdown) -> Endpoint {
    let server = server.until(stop.token());
    let dialect = server.dialect();
    let (validator, policy, versions) = (Validator::of(dialect), dialect.http, dialect.versions);
    let alone = server.for_request();
    // The library's own checks of host and origin ignore ports; `Access` has checked both already.
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(MAX_BODY)
        .disable_allowed_hosts()
        .disable_allowed_origins();
    let stateless = StreamableHttpService::new(move || Ok(alone.for_request()), Arc::default(), config);
    Endpoint { server, stateless, sessions: Sessions::default(), validator, policy, versions, access, stop }
}

pub(crate) struct Endpoint {
    pub(super) server: Server,
    pub(super) stateless: StreamableHttpService<Server, NeverSessionManager>,
    pub(super) sessions: Sessions,
    pub(super) validator: Validator,
    pub(super) policy: HttpPolicy,
    pub(super) versions: Versions,
    pub(super) access: Access,
    pub(super) stop: Shutdown,
}

/// A response, or a refusal that replaces it.
pub(super) type EndpointResult = Result<Response, ErrorResponse>;

/// A final error response.
pub(super) struct ErrorResponse(pub(super) Box<Response>);

impl From<Box<Response>> for ErrorResponse {
    fn from(response: Box<Response>) -> Self {
        Self(response)
    }
}

impl Endpoint {
    pub(crate) async fn answer(&self, request: Request) -> Response {
        self.respond(request).await.unwrap_or_else(|refused| *refused.0)
    }

    async fn respond(&self, request: Request) -> EndpointResult {
        if !self.access.admits(request.headers()) {
            return Ok(StatusCode::FORBIDDEN.into_response());
        }
        let (parts, body) = request.into_parts();
        match parts.method {
            Method::POST => self.post(parts, body).await,
            Method::GET if self.policy.sessions => self.get(&parts),
            Method::DELETE if self.policy.sessions => self.delete(&parts),
            _ => {
                let allowed = if self.policy.sessions { "GET, POST, DELETE" } else { "POST" };
                Ok((StatusCode::METHOD_NOT_ALLOWED, [(ALLOW, allowed)]).into_response())
            }
        }
    }

    async fn post(&self, mut parts: Parts, body: Body) -> EndpointResult {
        self.check_accept(&parts.headers)?;
        let caller = self.access.caller(&parts)?;
        if let Some(caller) = caller.clone() {
            parts.extensions.insert(caller);
        }
        let bytes = self.read(body).await?;
        let shape = shape(&bytes);
        let era = Era::of(&parts.headers, &shape);
        if let Verdict::Batch(messages) = shape {
            return self.answer_batch(era, parts, messages, caller).await;
        }
        if era == Era::Legacy {
            self.check_version(&parts.headers, &shape)?;
        }
        let message = self.classify(shape).map_err(|refusal| self.refuse(self.status(era, &refusal), &refusal))?;
        self.check_type(&parts.headers, message.id())?;
        if era == Era::Modern {
            self.check_method(&message)?;
        } else if self.policy.sessions {
            return self.converse(parts, message, caller).await;
        }
        self.answer_stateless(era, parts, message).await
    }

    fn check_accept(&self, headers: &HeaderMap) -> Result<(), ErrorResponse> {
        if media::takes_both(headers) {
            return Ok(());
        }
        let status = if self.policy.is_strict { StatusCode::BAD_REQUEST } else { StatusCode::NOT_ACCEPTABLE };
        let message = "Accept header must include application/json and text/event-stream";
        Err(self.refuse(status, &Refusal::new(Value::Null, INVALID_REQUEST, message)))
    }

    pub(super) fn check_type(&self, headers: &HeaderMap, id: Value) -> Result<(), ErrorResponse> {
        if media::brings_json(headers) {
            return Ok(());
        }
        let status = if self.policy.is_strict { StatusCode::BAD_REQUEST } else { StatusCode::UNSUPPORTED_MEDIA_TYPE };
        let refusal = Refusal::new(id, INVALID_REQUEST, "Content-Type header must be application/json");
        Err(self.refuse(status, &refusal))
    }

    async fn read(&self, body: Body) -> Result<Bytes, ErrorResponse> {
        let too_long = || (StatusCode::PAYLOAD_TOO_LARGE, format!("the body is longer than {MAX_BODY} bytes"));
        // A declared length over the limit is refused before the body is read.
        if http_body::Body::size_hint(&body).lower() > MAX_BODY as u64 {
            discard(body);
            let (status, message) = too_long();
            return Err(self.refuse(status, &Refusal::new(Value::Null, INVALID_REQUEST, message)));
        }
        let (status, message) = match tokio::time::timeout(READ_TIMEOUT, to_bytes(body, MAX_BODY)).await {
            Ok(Ok(bytes)) => return Ok(bytes),
            Ok(Err(error)) if is_broken(&error) => (StatusCode::BAD_REQUEST, "the body is broken".to_owned()),
            Ok(Err(_)) => too_long(),
            Err(_) => (StatusCode::REQUEST_TIMEOUT, "timed out while reading the body".to_owned()),
        };
        Err(self.refuse(status, &Refusal::new(Value::Null, INVALID_REQUEST, message)))
    }

    /// Classifies a body and checks the method and the parameters.
    fn classify(&self, shape: Verdict) -> Result<ClassifiedMessage, Refusal> {
        Self::classification(admit(&self.validator, shape))
    }

    /// Classifies one message of a batch.
    pub(super) fn classify_in_batch(&self, message: Value) -> Result<ClassifiedMessage, Refusal> {
        Self::classification(judge_in_batch(&self.validator, message))
    }

    fn classification(verdict: Verdict) -> Result<ClassifiedMessage, Refusal> {
        match verdict {
            Verdict::Batch(_) => Err(Refusal::batch()),
            Verdict::Nothing => Err(Refusal::new(Value::Null, PARSE_ERROR, "the body is empty")),
            Verdict::Response(message) => Ok(ClassifiedMessage::Response(message)),
            Verdict::Notification(message) => Ok(ClassifiedMessage::Notification(message)),
            Verdict::Refuse(refusal) => Err(refusal),
            // Over HTTP there is no connection to close.
            Verdict::Shutdown { id } => Err(Refusal::new(id, METHOD_NOT_FOUND, "unknown method `shutdown`")),
            Verdict::Request { id, message } => Ok(ClassifiedMessage::Request(id, message)),
        }
    }

    /// Refuses methods that 2026-07-28 removed, before their parameters are checked.
    fn check_method(&self, message: &ClassifiedMessage) -> Result<(), ErrorResponse> {
        let method = message.method().filter(|method| REMOVED.contains(method));
        let Some(method) = method else { return Ok(()) };
        let refusal = Refusal::new(message.id(), METHOD_NOT_FOUND, format!("unknown method `{method}`"));
        Err(self.refuse(StatusCode::NOT_FOUND, &refusal))
    }

    /// Refuses a message with a missing or unknown version header. A malformed message is refused later.
    fn check_version(&self, headers: &HeaderMap, shape: &Verdict) -> Result<(), ErrorResponse> {
        let id = match shape {
            Verdict::Request { message, .. } if is_initialize(message) => return Ok(()),
            Verdict::Request { id, .. } => id.clone(),
            Verdict::Notification(_) | Verdict::Response(_) => Value::Null,
            Verdict::Nothing | Verdict::Batch(_) | Verdict::Shutdown { .. } | Verdict::Refuse(_) => return Ok(()),
        };
        let given = headers.get(VERSION).map(|version| version.to_str().unwrap_or_default());
        let text = match (self.only_version(), given) {
            (None, None) => return Ok(()),
            (None, Some(given)) if is_known(given) => return Ok(()),
            (None, Some(_)) => "the header MCP-Protocol-Version names an unknown version".to_owned(),
            (Some(only), Some(given)) if given == only => return Ok(()),
            (Some(only), _) => format!("MCP-Protocol-Version header must be {only}"),
        };
        Err(self.refuse(StatusCode::BAD_REQUEST, &Refusal::new(id, INVALID_REQUEST, text)))
    }

    /// Returns the version that every request must name, for strict dialects.
    fn only_version(&self) -> Option<&'static str> {
        match self.versions {
            Versions::Fixed(version) if self.policy.is_strict => Some(version),
            _ => None,
        }
    }

    pub(super) fn bad_request(&self, message: &ClassifiedMessage, text: &str) -> ErrorResponse {
        self.refuse(StatusCode::BAD_REQUEST, &Refusal::new(message.id(), INVALID_REQUEST, text))
    }

    pub(super) fn refuse(&self, status: StatusCode, refusal: &Refusal) -> ErrorResponse {
        let mut response = json(refusal.to_json(&self.validator).to_string().into_bytes());
        *response.status_mut() = status;
        ErrorResponse(Box::new(response))
    }

    // For legacy clients a well-formed request that fails has status 200: some of them abort on anything else.
    pub(super) fn status(&self, era: Era, refusal: &Refusal) -> StatusCode {
        match (refusal.code, era) {
            (METHOD_NOT_FOUND, Era::Modern) => StatusCode::NOT_FOUND,
            (code, Era::Legacy) if refusal.is_of_request => {
                let status = self.policy.status.map_or(200, |status| status(code));
                StatusCode::from_u16(status).unwrap_or(StatusCode::OK)
            }
            _ => StatusCode::BAD_REQUEST,
        }
    }
}

pub(super) enum ClassifiedMessage {
    Request(Value, Map<String, Value>),
    Notification(Map<String, Value>),
    Response(Map<String, Value>),
}

impl ClassifiedMessage {
    pub(super) fn is_initialize(&self) -> bool {
        matches!(self, Self::Request(_, message) if is_initialize(message))
    }

    fn method(&self) -> Option<&str> {
        let Self::Request(_, message) = self else { return None };
        message.get("method").and_then(Value::as_str)
    }

    pub(super) fn id(&self) -> Value {
        match self {
            Self::Request(id, _) => id.clone(),
            Self::Notification(_) | Self::Response(_) => Value::Null,
        }
    }
}

fn is_initialize(message: &Map<String, Value>) -> bool {
    message.get("method").is_some_and(|method| method == "initialize")
}

fn is_known(version: &str) -> bool {
    ProtocolVersion::KNOWN_VERSIONS.iter().any(|known| known.as_str() == version)
}

pub(super) fn error_code(bytes: &[u8]) -> Option<i32> {
    #[derive(serde::Deserialize)]
    struct Answer {
        error: Option<Error>,
    }
    #[derive(serde::Deserialize)]
    struct Error {
        code: i32,
    }
    serde_json::from_slice::<Answer>(bytes).ok()?.error.map(|error| error.code)
}

/// Returns whether a body was truncated or malformed at the HTTP level; otherwise it was too long.
fn is_broken(error: &axum::Error) -> bool {
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if error.is::<hyper::Error>() {
            return true;
        }
        cause = error.source();
    }
    false
}

pub(super) fn json(body: Vec<u8>) -> Response {
    ([(CONTENT_TYPE, "application/json")], body).into_response()
}
