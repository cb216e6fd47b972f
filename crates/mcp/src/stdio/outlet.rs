//! The way out, and the count of what still has to go that way. A request is in flight from the moment it is read until
//! its answer is written, so a client that does not read its answers is not read from either.

use std::collections::HashMap;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rmcp::model::RequestId;
use rmcp::service::{RoleServer, TxJsonRpcMessage};
use serde_json::Value;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::server::MOST_IN_FLIGHT;

/// Standard output, shared by all who answer.
pub(super) struct Outlet<W> {
    writer: tokio::sync::Mutex<W>,
    flight: Mutex<Flight>,
    changed: Notify,
    stop: CancellationToken,
}

/// What was read and is not answered yet.
#[derive(Default)]
struct Flight {
    /// The library's id of a request, and the client's where the two differ.
    requests: HashMap<RequestId, Option<Value>>,
    /// Answers of our own on their way.
    n_own: usize,
    n_stand_ins: u64,
}

impl<W: AsyncWrite + Unpin> Outlet<W> {
    /// Writes through `writer`; cancels `stop` when nobody reads any more.
    pub(super) fn new(writer: W, stop: CancellationToken) -> Self {
        Self { writer: writer.into(), flight: Mutex::default(), changed: Notify::new(), stop }
    }

    /// Waits until another request may be read.
    pub(super) async fn has_room(&self) {
        self.until(|flight| flight.len() < MOST_IN_FLIGHT).await;
    }

    /// Waits until everything is answered.
    pub(super) async fn is_idle(&self) {
        self.until(|flight| flight.len() == 0).await;
    }

    /// Takes a request in and returns the id it has inside. The library knows only strings and 64-bit integers, and
    /// loses an answer when two requests share an id; such requests get another one on their way through.
    pub(super) fn board(&self, id: Value) -> RequestId {
        let mut flight = self.flight();
        let own = serde_json::from_value::<RequestId>(id.clone()).ok();
        let (key, shown) = match own {
            Some(key) if !flight.requests.contains_key(&key) => (key, None),
            _ => {
                flight.n_stand_ins += 1;
                (RequestId::String(format!("stand-in {}", flight.n_stand_ins).into()), Some(id))
            }
        };
        flight.requests.insert(key.clone(), shown);
        key
    }

    /// Lets a request go without an answer; returns the id it had inside.
    pub(super) fn cancel(&self, id: &Value) -> Option<RequestId> {
        let mut flight = self.flight();
        let is_meant = |key: &RequestId, shown: &Option<Value>| match shown {
            Some(shown) => shown == id,
            None => key.clone().into_json_value() == *id,
        };
        let mut meant = flight.requests.iter().filter(|(key, shown)| is_meant(key, shown));
        let key = meant.next().map(|(key, _)| key.clone())?;
        flight.requests.remove(&key);
        drop(flight);
        self.changed.notify_waiters();
        Some(key)
    }

    /// Takes a request out again, to be answered by [`Outlet::answer`]; returns the client's id.
    pub(super) fn leave(&self, key: &RequestId) -> Value {
        let shown = self.flight().requests.remove(key).flatten();
        shown.unwrap_or_else(|| key.clone().into_json_value())
    }

    /// Announces an answer of our own.
    pub(super) fn announce(&self) {
        self.flight().n_own += 1;
    }

    /// Writes an announced answer.
    pub(super) async fn answer(&self, answer: Value) {
        // A failed write has already stopped the reading.
        let _ = self.write(answer.to_string().into_bytes()).await;
        self.flight().n_own -= 1;
        self.changed.notify_waiters();
    }

    /// Writes what the library has to say.
    pub(super) async fn send(&self, message: TxJsonRpcMessage<RoleServer>) -> io::Result<()> {
        let key = answered(&message).cloned();
        let shown = key.as_ref().and_then(|key| self.flight().requests.get(key).cloned().flatten());
        let bytes = match shown {
            None => serde_json::to_vec(&message),
            Some(id) => serde_json::to_value(&message).and_then(|message| serde_json::to_vec(&with_id(message, id))),
        };
        let written = match bytes {
            Ok(bytes) => self.write(bytes).await,
            Err(error) => Err(error.into()),
        };
        if let Some(key) = key {
            self.flight().requests.remove(&key);
            self.changed.notify_waiters();
        }
        written
    }

    /// Waits for whoever is writing.
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
            self.stop.cancel();
        }
        written
    }

    async fn until(&self, condition: impl Fn(&Flight) -> bool) {
        loop {
            // Listened to before the look, so that no change falls between the two.
            let changed = self.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            if condition(&self.flight()) {
                return;
            }
            changed.await;
        }
    }

    fn flight(&self) -> MutexGuard<'_, Flight> {
        self.flight.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Flight {
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
