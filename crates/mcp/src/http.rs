//! Streamable HTTP on the loopback interface: one POST, one JSON answer, no sessions. Nothing here may be reached from
//! another machine, nor by a page of another site through a browser.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{ALLOW, CONTENT_LENGTH, CONTENT_TYPE, HOST, ORIGIN};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use axum::serve::ListenerExt;
use rmcp::model::{ClientRequest, JsonRpcMessage, ProtocolVersion, RequestId};
use rmcp::service::{RoleServer, RxJsonRpcMessage};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::dialect::Dialect;
use crate::gate::{Gate, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, PARSE_ERROR, Refusal, Verdict, judge};
use crate::offer::Offer;
use crate::server::Server;
use crate::signals::Signals;

/// How long a body may be, in bytes.
const LONGEST_BODY: usize = 4 * 1024 * 1024;

/// How many threads work; see `stdio`.
const MOST_THREADS: usize = 8;

/// Serves a dialect at `/mcp/NAME` until a signal says so; requests that were begun are answered first. `ready` hears the
/// address once it can be reached. An address that others could reach is refused.
pub fn serve<C: Send + Sync>(
    address: SocketAddr,
    dialect: &'static Dialect<C>,
    subject: C,
    offer: Offer,
    ready: impl FnOnce(SocketAddr),
) -> io::Result<()> {
    if !address.ip().is_loopback() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "only loopback addresses can be served"));
    }
    let runtime =
        tokio::runtime::Builder::new_current_thread().max_blocking_threads(MOST_THREADS).enable_all().build()?;
    let server = Server::new(dialect, Arc::new(subject), offer, CancellationToken::new())?;
    let done = runtime.block_on(run(address, dialect, server, ready));
    runtime.shutdown_background();
    done
}

async fn run<C: Send + Sync>(
    address: SocketAddr,
    dialect: &'static Dialect<C>,
    server: Server<C>,
    ready: impl FnOnce(SocketAddr),
) -> io::Result<()> {
    let signals = Signals::listen()?;
    let listener = tokio::net::TcpListener::bind(address).await?;
    let address = listener.local_addr()?;
    let endpoint = Arc::new(Endpoint::new(server, Gate::of(dialect), address.port()));
    let router = axum::Router::new().route(&format!("/mcp/{}", dialect.name), any(answer::<C>)).with_state(endpoint);
    // Small answers would otherwise wait for the client's delayed acknowledgement, some 40 ms.
    let listener = listener.tap_io(|stream| _ = stream.set_nodelay(true));
    let stop = CancellationToken::new();
    let stopped = stop.clone().cancelled_owned();
    ready(address);
    tokio::select! {
        served = axum::serve(listener, router).with_graceful_shutdown(stopped).into_future() => served,
        () = signals.stop_then_leave(&stop) => Ok(()),
    }
}

async fn answer<C: Send + Sync>(State(endpoint): State<Arc<Endpoint<C>>>, request: Request) -> Response {
    endpoint.answer(request).await
}

/// One dialect, mounted.
struct Endpoint<C: 'static> {
    service: StreamableHttpService<Server<C>, LocalSessionManager>,
    gate: Gate,
    port: u16,
}

impl<C: Send + Sync> Endpoint<C> {
    fn new(server: Server<C>, gate: Gate, port: u16) -> Self {
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_max_request_body_bytes(LONGEST_BODY)
            .with_allowed_origins(origins(port));
        let service = StreamableHttpService::new(move || Ok(server.for_request()), Arc::default(), config);
        Self { service, gate, port }
    }

    async fn answer(&self, request: Request) -> Response {
        if !is_local(request.headers(), self.port) {
            return StatusCode::FORBIDDEN.into_response();
        }
        if request.method() != Method::POST {
            return (StatusCode::METHOD_NOT_ALLOWED, [(ALLOW, "POST")]).into_response();
        }
        let (mut parts, body) = request.into_parts();
        let Ok(bytes) = to_bytes(body, LONGEST_BODY).await else {
            let message = format!("the body is longer than {LONGEST_BODY} bytes");
            let refusal = Refusal::new(Value::Null, INVALID_REQUEST, message);
            return self.refuse(StatusCode::PAYLOAD_TOO_LARGE, &refusal);
        };
        let era = Era::of(&parts.headers, &bytes);
        let message = match judged(&self.gate, &bytes) {
            Ok(Some(message)) => Body::from(Value::Object(message).to_string()),
            Ok(None) => Body::from(bytes),
            Err(refusal) => return self.refuse(status(era, refusal.code), &refusal),
        };
        parts.headers.remove(CONTENT_LENGTH);
        self.service.handle(Request::from_parts(parts, message)).await.map(Body::new)
    }

    fn refuse(&self, status: StatusCode, refusal: &Refusal) -> Response {
        let body = refusal.to_json(&self.gate).to_string();
        (status, [(CONTENT_TYPE, "application/json")], body).into_response()
    }
}

/// Returns the message for the library; `None` when it is to see the body as it is.
fn judged(gate: &Gate, bytes: &[u8]) -> Result<Option<Map<String, Value>>, Refusal> {
    match judge(gate, bytes) {
        Verdict::Nothing => Err(Refusal::new(Value::Null, PARSE_ERROR, "the body is empty")),
        Verdict::Answer(_) => Ok(None),
        Verdict::Notification(message) => Ok(Some(message)),
        Verdict::Refuse(refusal) => Err(refusal),
        // There is no connection to close.
        Verdict::Shutdown { id } => Err(Refusal::new(id, METHOD_NOT_FOUND, "unknown method `shutdown`")),
        Verdict::Request { id, message } => request(id, message).map(Some),
    }
}

fn request(id: Value, mut message: Map<String, Value>) -> Result<Map<String, Value>, Refusal> {
    if serde_json::from_value::<RequestId>(id.clone()).is_err() {
        return Err(Refusal::new(id, INVALID_REQUEST, "`id` must be a string or an integer of 64 bits"));
    }
    message.insert("id".to_owned(), id.clone());
    let read: Result<RxJsonRpcMessage<RoleServer>, _> = serde_json::from_value(Value::Object(message.clone()));
    match read {
        Ok(JsonRpcMessage::Request(read)) if !matches!(read.request, ClientRequest::CustomRequest(_)) => Ok(message),
        _ => {
            let method = message.get("method").cloned().unwrap_or_default();
            let text = format!("the parameters of {method} are missing or have the wrong type");
            Err(Refusal::new(id, INVALID_PARAMS, text))
        }
    }
}

/// Whose rules a request follows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Era {
    Legacy,
    Modern,
}

impl Era {
    fn of(headers: &HeaderMap, bytes: &[u8]) -> Self {
        let newest = ProtocolVersion::LATEST;
        let in_header = headers.get("mcp-protocol-version").and_then(|value| value.to_str().ok());
        let message: Option<Value> = serde_json::from_slice(bytes).ok();
        let place = "/params/_meta/io.modelcontextprotocol~1protocolVersion";
        let in_body = message.as_ref().and_then(|message| message.pointer(place)).and_then(Value::as_str);
        let is_modern = [in_header, in_body].into_iter().flatten().any(|version| version >= newest.as_str());
        if is_modern { Self::Modern } else { Self::Legacy }
    }
}

// A well-formed request that fails is 200 for older clients, some of which give up on anything else.
fn status(era: Era, code: i32) -> StatusCode {
    match (code, era) {
        (METHOD_NOT_FOUND, Era::Modern) => StatusCode::NOT_FOUND,
        (METHOD_NOT_FOUND | INVALID_PARAMS, Era::Legacy) => StatusCode::OK,
        _ => StatusCode::BAD_REQUEST,
    }
}

fn origins(port: u16) -> Vec<String> {
    ["localhost", "127.0.0.1", "[::1]"].map(|host| format!("http://{host}:{port}")).to_vec()
}

/// Tells whether a request was meant for this server: a page of another site may make a browser send one, under its own
/// origin, or under a name that it lets point here.
fn is_local(headers: &HeaderMap, port: u16) -> bool {
    let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    let ours = origins(port);
    let host = text(HOST).unwrap_or_default();
    let is_our_host = ours.iter().any(|origin| origin.strip_prefix("http://") == Some(host));
    let is_our_origin = text(ORIGIN).is_none_or(|origin| ours.iter().any(|own| own == origin));
    is_our_host && is_our_origin
}
