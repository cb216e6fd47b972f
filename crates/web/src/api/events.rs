//! Live updates as server-sent events: every change to the work items or the inbox is sent to all listeners.
//!
//! A single task polls for all listeners. It starts with the first listener.

mod history;

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use app::verb::StateSnapshot;
use axum::http::header::{CACHE_CONTROL, CONNECTION, RETRY_AFTER};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::IntoResponse as _;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::stream;
use mcp::http::Shutdown;
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::broadcast::{Receiver, Sender};
use tokio::sync::{Notify, OnceCell, OwnedSemaphorePermit, Semaphore};

use super::request::ApiRequest;
use super::route::{ApiState, HandlerResult};
use crate::problem::Problem;
use crate::shared::Shared;
pub(super) use history::ChangeView;
use history::{Change, EventHistory};

/// Maximum number of listeners. Each holds a connection of the server; one token may have half of them.
const MAX_LISTENERS: usize = 256;

/// Poll interval. A poll without changes costs one read of a ref.
const POLL_INTERVAL: Duration = Duration::from_millis(300);

/// Interval of keep-alive comments on an idle stream.
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(15);

/// Changes buffered for a slow listener. A listener that falls further behind is listeners to reload everything.
const MAX_QUEUED: usize = 64;

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// The event stream; cheap to clone.
#[derive(Clone)]
pub(super) struct Events(Arc<Inner>);

struct Inner {
    shared: Shared,
    stop: Shutdown,
    places: Arc<Semaphore>,
    hub: OnceCell<Arc<EventHub>>,
}

/// Recent changes, and the broadcast channel to the listeners.
struct EventHub {
    history: Mutex<EventHistory>,
    sender: Sender<Change>,
}

struct Listener {
    /// The first event to send.
    first: Option<Event>,
    receiver: Receiver<Change>,
    hub: Arc<EventHub>,
    stop: Shutdown,
    /// Permit of the listener, released when it disconnects.
    _place: OwnedSemaphorePermit,
}

pub(super) async fn listen(served: ApiState, request: ApiRequest) -> HandlerResult {
    let last = request.headers.get(LAST_EVENT_ID).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let listener = served.events.listener(last.as_deref()).await?;
    let events = stream::unfold(listener, Listener::next);
    let mut response = Sse::new(events).keep_alive(KeepAlive::new().interval(KEEP_ALIVE_INTERVAL)).into_response();
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // Stops nginx and similar proxies from buffering the stream.
    response.headers_mut().insert("x-accel-buffering", HeaderValue::from_static("no"));
    Ok(response)
}

impl Events {
    pub(super) fn new(shared: Shared, stop: Shutdown) -> Self {
        Self(Arc::new(Inner { shared, stop, places: Arc::new(Semaphore::new(MAX_LISTENERS)), hub: OnceCell::new() }))
    }

    async fn listener(&self, last: Option<&str>) -> Result<Listener, Problem> {
        let place = Arc::clone(&self.0.places).try_acquire_owned().map_err(|_| crowded())?;
        let hub = Arc::clone(self.0.hub.get_or_try_init(|| self.begin()).await?);
        let (first, receiver) = {
            // Both under one lock, so that no change is lost between the first event and the subscription.
            let history = hub.history();
            let missed = last.and_then(|last| history.since(last));
            let first = missed.map_or_else(|| history.now().greeting(), |missed| missed.event());
            (first, hub.sender.subscribe())
        };
        Ok(Listener { first: Some(first), receiver, hub, stop: self.0.stop.clone(), _place: place })
    }

    /// Takes the first snapshot and starts the polling task.
    async fn begin(&self) -> Result<Arc<EventHub>, Problem> {
        let Inner { shared, stop, .. } = &*self.0;
        let touched = Arc::new(Notify::new());
        let teller = Arc::clone(&touched);
        // If the inbox cannot be watched, it cannot be written either.
        let watch = shared.inbox(move |inbox| inbox.watch(move || teller.notify_one())).await.ok();
        let mut inbox = inbox_name(shared).await;
        let mut seen = shared.read(app::Project::state_snapshot).await?;
        let hub = Arc::new(EventHub {
            history: Mutex::new(EventHistory::new(&seen.state, &inbox)),
            sender: Sender::new(MAX_QUEUED),
        });
        let (shared, stop, listeners) = (shared.clone(), stop.clone(), Arc::clone(&hub));
        tokio::spawn(async move {
            let _watch = watch;
            loop {
                let is_inbox = tokio::select! {
                    () = stop.wait() => break,
                    () = touched.notified() => true,
                    () = tokio::time::sleep(POLL_INTERVAL) => false,
                };
                let named = if is_inbox { inbox_name(&shared).await } else { inbox.clone() };
                // A failed read is ignored: the repository may be readable at the next poll.
                let now = take_snapshot(&shared, seen.state.clone()).await.ok().flatten();
                if now.is_none() && named == inbox {
                    continue;
                }
                let now = now.unwrap_or_else(|| seen.clone());
                listeners.announce(Change::between(&seen, &now, &inbox, &named));
                (seen, inbox) = (now, named);
            }
        });
        Ok(hub)
    }
}

/// Takes a snapshot of the work; `None` if the state is unchanged.
async fn take_snapshot(shared: &Shared, before: String) -> Result<Option<StateSnapshot>, Problem> {
    let seen = shared.read(move |project| {
        let is_same = project.state_name()? == before;
        if is_same { Ok(None) } else { project.state_snapshot().map(Some) }
    });
    Ok(seen.await?)
}

async fn inbox_name(shared: &Shared) -> String {
    shared.inbox(::inbox::Inbox::state_name).await.unwrap_or_default()
}

impl EventHub {
    fn history(&self) -> MutexGuard<'_, EventHistory> {
        self.history.lock()
    }

    fn announce(&self, change: Change) {
        let mut history = self.history();
        history.push(change.clone());
        // An error means that there are no listeners.
        let _ = self.sender.send(change);
    }
}

impl Listener {
    async fn next(mut self) -> Option<(Result<Event, Infallible>, Self)> {
        if let Some(first) = self.first.take() {
            return Some((Ok(first), self));
        }
        let received = tokio::select! {
            () = self.stop.wait() => return None,
            received = self.receiver.recv() => received,
        };
        let event = match received {
            Ok(change) => change.event(),
            Err(RecvError::Lagged(_)) => self.start_anew(),
            Err(RecvError::Closed) => return None,
        };
        Some((Ok(event), self))
    }

    /// Skips the buffered changes: the event that is sent now covers them.
    fn start_anew(&mut self) -> Event {
        let history = self.hub.history();
        self.receiver = self.hub.sender.subscribe();
        history.now().missed().event()
    }
}

fn crowded() -> Problem {
    let detail = format!("{MAX_LISTENERS} event streams are open already");
    // `Connection: close`, so that a refused client does not hold a connection.
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, detail)
        .header(RETRY_AFTER, HeaderValue::from_static("30"))
        .header(CONNECTION, HeaderValue::from_static("close"))
}
