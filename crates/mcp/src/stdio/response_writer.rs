//! Writes responses to stdout and counts the requests in flight. A request is in flight from the moment it is read until
//! its response is written, so a client that does not read its responses is not read from either.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::{Mutex, MutexGuard};
use rmcp::model::{RequestId, ServerResult};
use rmcp::service::{RoleServer, TxJsonRpcMessage};
use serde_json::Value;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::batch::{Batch, CompleteBatch};
use crate::delivery::Delivery;
use crate::server::MAX_IN_FLIGHT;
use crate::validate::VERSION_WITH_BATCHES;

/// Standard output, shared by all tasks that send responses.
pub(super) struct ResponseWriter<W> {
    writer: tokio::sync::Mutex<W>,
    flight: Mutex<InFlight>,
    changed: Notify,
    stop: CancellationToken,
    /// The negotiated version has batches.
    has_batches: AtomicBool,
}

/// Requests that were read and have no response yet.
#[derive(Default)]
struct InFlight {
    /// By the library's request id.
    requests: HashMap<RequestId, PendingRequest>,
    /// Responses of our own (errors) that are being written.
    n_own: usize,
    /// Questions to the client without an answer.
    n_asked: usize,
    n_alias_ids: u64,
}

/// A request without a response.
#[derive(Clone, Default)]
struct PendingRequest {
    /// The client's id, if it differs from the library's.
    shown: Option<Value>,
    delivery: Delivery,
    /// The batch that the request came in.
    batch: Option<Arc<Batch>>,
}

impl<W: AsyncWrite + Unpin> ResponseWriter<W> {
    /// Writes through `writer`; cancels `stop` when a write fails.
    pub(super) fn new(writer: W, stop: CancellationToken) -> Self {
        Self {
            writer: writer.into(),
            flight: Mutex::default(),
            changed: Notify::new(),
            stop,
            has_batches: AtomicBool::new(false),
        }
    }

    /// Returns whether the client may send batches.
    pub(super) fn has_batches(&self) -> bool {
        self.has_batches.load(Ordering::Relaxed)
    }

    /// Waits until another line may be read. While a question to the client is open, lines are always read: the answer
    /// may be what all pending requests wait for.
    pub(super) async fn has_room(&self) {
        self.until(|flight| flight.len() < MAX_IN_FLIGHT || flight.n_asked > 0).await;
    }

    /// Returns whether the maximum number of requests is in flight.
    pub(super) fn is_full(&self) -> bool {
        self.flight().len() >= MAX_IN_FLIGHT
    }

    /// Records an answer to one of our questions.
    pub(super) fn answer_received(&self) {
        let mut flight = self.flight();
        flight.n_asked = flight.n_asked.saturating_sub(1);
    }

    /// Waits until no request is in flight.
    pub(super) async fn is_idle(&self) {
        self.until(|flight| flight.len() == 0).await;
    }

    /// Registers a request and returns its internal id. The library knows only strings and 64-bit integers as ids, and
    /// loses a response when two requests share an id; such requests get an alias id.
    pub(super) fn register(&self, id: Value, batch: Option<Arc<Batch>>) -> (RequestId, Delivery) {
        let mut flight = self.flight();
        let own = serde_json::from_value::<RequestId>(id.clone()).ok();
        let (key, shown) = match own {
            Some(key) if !flight.requests.contains_key(&key) => (key, None),
            _ => {
                flight.n_alias_ids += 1;
                (RequestId::String(format!("alias {}", flight.n_alias_ids).into()), Some(id))
            }
        };
        let delivery = Delivery::default();
        flight.requests.insert(key.clone(), PendingRequest { shown, delivery: delivery.clone(), batch });
        (key, delivery)
    }

    /// Removes a cancelled request, which gets no response; returns its internal id, and the batch that still waits for
    /// it.
    pub(super) fn cancel(&self, id: &Value) -> Option<(RequestId, Option<Arc<Batch>>)> {
        let mut flight = self.flight();
        let is_meant = |key: &RequestId, pending: &PendingRequest| match &pending.shown {
            Some(shown) => shown == id,
            None => key.clone().into_json_value() == *id,
        };
        let mut meant = flight.requests.iter().filter(|(key, pending)| is_meant(key, pending));
        let key = meant.next().map(|(key, _)| key.clone())?;
        let batch = flight.requests.remove(&key).and_then(|pending| pending.batch);
        drop(flight);
        self.changed.notify_waiters();
        Some((key, batch))
    }

    /// Removes a request that will be answered by [`ResponseWriter::answer`]; returns the client's id.
    pub(super) fn unregister(&self, key: &RequestId) -> Value {
        let shown = self.flight().requests.remove(key).and_then(|pending| pending.shown);
        shown.unwrap_or_else(|| key.clone().into_json_value())
    }

    /// Counts a response of our own as in flight.
    pub(super) fn announce(&self) {
        self.flight().n_own += 1;
    }

    /// Writes a response that was announced.
    pub(super) async fn answer(&self, answer: Value) {
        // A failed write has already cancelled `stop`.
        let _ = self.write(answer.to_string().into_bytes()).await;
        self.is_answered();
    }

    fn is_answered(&self) {
        self.flight().n_own -= 1;
        self.changed.notify_waiters();
    }

    /// Writes a batch if it is complete.
    pub(super) async fn finish(&self, batch: Option<CompleteBatch>) -> io::Result<()> {
        let Some(CompleteBatch { line, deliveries }) = batch else { return Ok(()) };
        let written = match line {
            Some(line) => self.write(line).await,
            None => Ok(()),
        };
        if written.is_ok() {
            for delivery in deliveries {
                delivery.is_done().await;
            }
        }
        self.is_answered();
        written
    }

    /// Writes a message of the library.
    pub(super) async fn send(&self, message: TxJsonRpcMessage<RoleServer>) -> io::Result<()> {
        self.note_version(&message);
        let key = answered(&message).cloned();
        let pending = key.as_ref().and_then(|key| self.look_up(key)).unwrap_or_default();
        if matches!(message, TxJsonRpcMessage::<RoleServer>::Request(_)) {
            self.flight().n_asked += 1;
            self.changed.notify_waiters();
        }
        let bytes = match pending.shown {
            None => serde_json::to_vec(&message),
            Some(id) => serde_json::to_value(&message).and_then(|message| serde_json::to_vec(&with_id(message, id))),
        };
        let bytes = bytes.map(|bytes| pending.delivery.finish(bytes));
        if let (Some(key), Some(batch)) = (&key, pending.batch) {
            self.flight().requests.remove(key);
            self.changed.notify_waiters();
            let batch = match bytes {
                Ok(bytes) => batch.answer(bytes, Some(pending.delivery)),
                Err(_) => batch.give_up(),
            };
            return self.finish(batch).await;
        }
        let written = match bytes {
            Ok(bytes) => self.write(bytes).await,
            Err(error) => Err(error.into()),
        };
        if written.is_ok() {
            pending.delivery.is_done().await;
        }
        if let Some(key) = key {
            // After the delivery: a request is in flight until its callback has run.
            self.flight().requests.remove(&key);
            self.changed.notify_waiters();
        }
        written
    }

    fn look_up(&self, key: &RequestId) -> Option<PendingRequest> {
        self.flight().requests.get(key).cloned()
    }

    fn note_version(&self, message: &TxJsonRpcMessage<RoleServer>) {
        if let TxJsonRpcMessage::<RoleServer>::Response(response) = message
            && let ServerResult::InitializeResult(result) = &response.result
        {
            let has_batches = result.protocol_version.as_str() == VERSION_WITH_BATCHES;
            self.has_batches.store(has_batches, Ordering::Relaxed);
        }
    }

    /// Waits for a write in progress and flushes.
    pub(super) async fn close(&self) -> io::Result<()> {
        self.writer.lock().await.flush().await
    }

    async fn write(&self, mut line: Vec<u8>) -> io::Result<()> {
        line.push(b'\n');
        let mut writer = self.writer.lock().await;
        let mut written = writer.write_all(&line).await;
        if written.is_ok() {
            written = writer.flush().await;
        }
        if written.is_err() {
            // Nobody reads our output any more, so stop reading input.
            self.stop.cancel();
        }
        written
    }

    async fn until(&self, condition: impl Fn(&InFlight) -> bool) {
        loop {
            // Subscribe before the check; otherwise a change between the two would be missed.
            let changed = self.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            if condition(&self.flight()) {
                return;
            }
            changed.await;
        }
    }

    fn flight(&self) -> MutexGuard<'_, InFlight> {
        self.flight.lock()
    }
}

impl InFlight {
    fn len(&self) -> usize {
        self.requests.len() + self.n_own
    }
}

fn answered(message: &TxJsonRpcMessage<RoleServer>) -> Option<&RequestId> {
    match message {
        TxJsonRpcMessage::<RoleServer>::Response(response) => Some(&response.id),
        TxJsonRpcMessage::<RoleServer>::Error(error) => error.id.as_ref(),
        _ => None,
    }
}

fn with_id(mut message: Value, id: Value) -> Value {
    message["id"] = id;
    message
}
