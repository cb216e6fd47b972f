//! One client session: the transport that `rmcp` serves, and the queue of its requests.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::{Mutex, MutexGuard};
use rmcp::model::{ClientRequest, GetExtensions, JsonRpcMessage, RequestId};
use rmcp::service::{OriginatingRequestId, RoleServer, RxJsonRpcMessage, TxJsonRpcMessage, serve_directly_with_ct};
use rmcp::transport::Transport;
use serde_json::{Map, Value};
use tokio::sync::{Semaphore, mpsc};
use tokio::time::Instant;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::log::{COMMON, Log};
use crate::call::Caller;
use crate::delivery::Delivery;
use crate::server::{MAX_IN_FLIGHT, RelatedRequest, Server};
use crate::validate::{INVALID_PARAMS, Refusal, VERSION_WITH_BATCHES};

pub(super) struct Session {
    /// The caller that began the session; no other caller may use it.
    pub(super) owner: Option<Caller>,
    pub(super) log: Arc<Log>,
    inbox: mpsc::Sender<RxJsonRpcMessage<RoleServer>>,
    flight: Arc<Mutex<PendingRequests>>,
    places: Arc<Semaphore>,
    /// The negotiated version has batches.
    has_batches: AtomicBool,
    last_used: Mutex<Instant>,
    _guard: DropGuard,
}

/// Requests without a response. Each has an internal id, since a client may use an id twice, or one that the library
/// cannot represent.
#[derive(Default)]
struct PendingRequests {
    requests: HashMap<RequestId, PendingRequest>,
    n_requests: i64,
}

struct PendingRequest {
    shown: Value,
    stream: u64,
    delivery: Delivery,
}

impl Session {
    /// Starts serving a client.
    pub(super) fn start(server: Server, owner: Option<Caller>) -> Self {
        let (inbox, messages) = mpsc::channel(MAX_IN_FLIGHT);
        let (log, flight) = (Arc::new(Log::new()), Arc::new(Mutex::default()));
        let transport = SessionTransport { messages, log: Arc::clone(&log), flight: Arc::clone(&flight) };
        let ended = CancellationToken::new();
        let service = serve_directly_with_ct(server, transport, None, ended.clone());
        tokio::spawn(async move { _ = service.waiting().await });
        let places = Arc::new(Semaphore::new(MAX_IN_FLIGHT));
        let last_used = Mutex::new(Instant::now());
        let has_batches = AtomicBool::new(false);
        Self { owner, log, inbox, flight, places, has_batches, last_used, _guard: ended.drop_guard() }
    }

    /// Records the version from the response to `initialize`.
    pub(super) fn record_version(&self, answer: &str) {
        let answer: Value = serde_json::from_str(answer).unwrap_or_default();
        self.has_batches.store(answer["result"]["protocolVersion"] == VERSION_WITH_BATCHES, Ordering::Relaxed);
    }

    /// Returns whether the client may send batches.
    pub(super) fn has_batches(&self) -> bool {
        self.has_batches.load(Ordering::Relaxed)
    }

    /// Queues a request and returns the stream of its response. Waits while [`MAX_IN_FLIGHT`] requests are pending.
    pub(super) async fn request(
        &self,
        id: Value,
        mut message: Map<String, Value>,
        parts: axum::http::request::Parts,
        delivery: Delivery,
    ) -> Result<u64, Refusal> {
        let place = Arc::clone(&self.places).acquire_owned().await.ok();
        let key = self.next_key();
        message.insert("id".to_owned(), key.clone().into_json_value());
        let read: Result<RxJsonRpcMessage<RoleServer>, _> = serde_json::from_value(Value::Object(message));
        let mut request = match read {
            Ok(JsonRpcMessage::Request(request)) if !matches!(request.request, ClientRequest::CustomRequest(_)) => {
                request
            }
            _ => return Err(Refusal::new(id, INVALID_PARAMS, "the parameters are missing or have the wrong type")),
        };
        request.request.extensions_mut().insert(parts);
        let stream = self.log.open(delivery.clone(), place);
        self.flight().requests.insert(key, PendingRequest { shown: id, stream, delivery });
        // The session has ended; end the stream, or its reader would wait forever.
        if self.inbox.send(JsonRpcMessage::Request(request)).await.is_err() {
            self.log.end(stream, None);
        }
        Ok(stream)
    }

    /// Queues a notification or a response of the client.
    pub(super) async fn accept(&self, mut message: Map<String, Value>) {
        if message.get("method").is_some_and(|method| method == "notifications/cancelled")
            && let Some(id) = message.get_mut("params").and_then(|params| params.get_mut("requestId"))
        {
            let Some((key, stream)) = self.cancel(id) else { return };
            *id = key.into_json_value();
            self.log.end(stream, None);
        }
        if let Ok(message) = serde_json::from_value(Value::Object(message)) {
            // The receiver is gone if the session has ended.
            let _ = self.inbox.send(message).await;
        }
    }

    /// Records that the session is in use.
    pub(super) fn touch(&self) {
        *self.last_used.lock() = Instant::now();
    }

    /// Returns since when the session has been idle; `None` while it is in use.
    pub(super) fn idle_since(&self) -> Option<Instant> {
        let last_used = *self.last_used.lock();
        self.log.is_idle().then_some(last_used)
    }

    fn next_key(&self) -> RequestId {
        let mut flight = self.flight();
        flight.n_requests += 1;
        RequestId::Number(flight.n_requests)
    }

    fn cancel(&self, id: &Value) -> Option<(RequestId, u64)> {
        let mut flight = self.flight();
        let key = flight.requests.iter().find(|(_, pending)| pending.shown == *id).map(|(key, _)| key.clone())?;
        let pending = flight.requests.remove(&key)?;
        Some((key, pending.stream))
    }

    fn flight(&self) -> MutexGuard<'_, PendingRequests> {
        self.flight.lock()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.log.close();
    }
}

/// The transport of a session: the library receives from the queue and sends to the log.
struct SessionTransport {
    messages: mpsc::Receiver<RxJsonRpcMessage<RoleServer>>,
    log: Arc<Log>,
    flight: Arc<Mutex<PendingRequests>>,
}

impl SessionTransport {
    fn stream_of(&self, request: Option<&RequestId>) -> u64 {
        let flight = self.flight.lock();
        let pending = request.and_then(|request| flight.requests.get(request));
        pending.map_or(COMMON, |pending| pending.stream)
    }

    /// Finds the stream of a message, and the pending request if the message is its response.
    fn route(&self, message: &TxJsonRpcMessage<RoleServer>) -> (u64, Option<PendingRequest>) {
        let answered = match message {
            JsonRpcMessage::Request(request) => {
                let origin = request.request.extensions().get::<OriginatingRequestId>();
                return (self.stream_of(origin.map(|origin| &origin.0)), None);
            }
            JsonRpcMessage::Notification(notification) => {
                let origin = notification.notification.extensions().get::<RelatedRequest>();
                return (self.stream_of(origin.map(|origin| &origin.0)), None);
            }
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
        };
        let mut flight = self.flight.lock();
        let pending = answered.and_then(|key| flight.requests.remove(key));
        (pending.as_ref().map_or(COMMON, |pending| pending.stream), pending)
    }
}

impl Transport<RoleServer> for SessionTransport {
    type Error = Infallible;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Infallible>> + Send + 'static {
        let (stream, pending) = self.route(&message);
        let is_answer = matches!(message, JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_));
        let mut value = serde_json::to_value(&message).unwrap_or_default();
        let log = Arc::clone(&self.log);
        async move {
            match pending {
                Some(pending) => {
                    value["id"] = pending.shown;
                    pending.delivery.finish_value(&mut value);
                    log.end(stream, Some(value.to_string()));
                }
                // The response to a cancelled request is dropped.
                None if is_answer => {}
                None => log.append(stream, value.to_string()).await,
            }
            Ok(())
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        self.messages.recv().await
    }

    async fn close(&mut self) -> Result<(), Infallible> {
        self.log.close();
        Ok(())
    }
}
