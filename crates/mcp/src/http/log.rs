//! The event log of a session, per stream: unread events, and recently read ones for resumption after a lost
//! connection. Both are bounded.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::{Notify, OwnedSemaphorePermit};

use crate::delivery::Delivery;

/// Events kept per stream. A sender waits when a connected reader is this far behind (back-pressure).
const MAX_EVENTS: usize = 64;

/// Finished streams that are kept for clients that lost the connection before the response arrived.
const MAX_ANSWERED: usize = 16;

/// Bytes kept per stream, in addition to its last event.
const MAX_BYTES: usize = 1024 * 1024;

/// The stream for messages that belong to no request.
pub(super) const COMMON: u64 = 0;

/// All streams of a session.
#[derive(Default)]
pub(super) struct Log {
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Default)]
struct State {
    streams: BTreeMap<u64, Stream>,
    answered: VecDeque<u64>,
    n_streams: u64,
    is_closed: bool,
}

#[derive(Default)]
struct Stream {
    events: VecDeque<Event>,
    /// Index of the next event to be written.
    n_events: u64,
    /// Index of the next event to be read.
    n_read: u64,
    /// Generation of the current reader; a newer reader replaces an older one.
    turn: u64,
    is_read: bool,
    has_ended: bool,
    delivery: Delivery,
    /// Permit for a request in flight; released when the response is in the log.
    place: Option<OwnedSemaphorePermit>,
}

/// One message on a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Event {
    pub(super) index: u64,
    pub(super) data: Arc<str>,
}

impl Log {
    pub(super) fn new() -> Self {
        let log = Self::default();
        log.state().streams.insert(COMMON, Stream::default());
        log
    }

    /// Opens the stream of a request.
    pub(super) fn open(&self, delivery: Delivery, place: Option<OwnedSemaphorePermit>) -> u64 {
        let mut state = self.state();
        state.n_streams += 1;
        let number = state.n_streams;
        state.streams.insert(number, Stream { delivery, place, ..Stream::default() });
        number
    }

    /// Appends an event; waits while a connected reader is too far behind.
    pub(super) async fn append(&self, number: u64, data: String) {
        let data: Arc<str> = data.into();
        self.until(|state| {
            let Some(stream) = state.streams.get_mut(&number).filter(|stream| !stream.has_ended) else {
                return Some(());
            };
            let is_too_much = stream.is_read && stream.n_events - stream.n_read >= MAX_EVENTS as u64;
            (!is_too_much).then(|| stream.push(Arc::clone(&data)))
        })
        .await;
        self.changed.notify_waiters();
    }

    /// Ends a stream, with an optional last event.
    pub(super) fn end(&self, number: u64, data: Option<String>) {
        let mut state = self.state();
        if let Some(stream) = state.streams.get_mut(&number).filter(|stream| !stream.has_ended) {
            if let Some(data) = data {
                stream.push(data.into());
            }
            stream.has_ended = true;
            stream.place = None;
            state.keep_answered(number);
        }
        drop(state);
        self.changed.notify_waiters();
    }

    /// Closes all streams.
    pub(super) fn close(&self) {
        let mut state = self.state();
        state.is_closed = true;
        state.streams.clear();
        drop(state);
        self.changed.notify_waiters();
    }

    /// Waits for the first event of a stream; returns it if the stream ends with it.
    pub(super) async fn only_event(&self, number: u64) -> Option<Event> {
        self.until(|state| {
            let Some(stream) = state.streams.get(&number) else { return Some(None) };
            if stream.has_ended && stream.n_events <= 1 {
                return Some(stream.events.front().cloned());
            }
            (stream.n_events > 0).then_some(None)
        })
        .await
    }

    /// Starts reading a stream after an event, or from its first; `None` if the stream is not kept.
    pub(super) fn read(log: &Arc<Self>, number: u64, after: Option<u64>) -> Option<Reader> {
        let mut state = log.state();
        let stream = state.streams.get_mut(&number)?;
        stream.turn += 1;
        stream.is_read = true;
        stream.n_read = after.map_or(0, |index| index + 1).min(stream.n_events);
        let reader = Reader { log: Arc::clone(log), number, turn: stream.turn, next: stream.n_read };
        drop(state);
        log.changed.notify_waiters();
        Some(reader)
    }

    /// Returns whether a stream has a reader.
    pub(super) fn is_read(&self, number: u64) -> bool {
        self.state().streams.get(&number).is_some_and(|stream| stream.is_read)
    }

    /// Returns whether there is no reader and no pending request.
    pub(super) fn is_idle(&self) -> bool {
        self.state().streams.iter().all(|(number, stream)| {
            let is_awaited = *number != COMMON && !stream.has_ended;
            !stream.is_read && !is_awaited
        })
    }

    async fn until<T>(&self, mut look: impl FnMut(&mut State) -> Option<T>) -> T {
        loop {
            // Subscribe before the check; otherwise a change between the two would be missed.
            let changed = self.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            if let Some(found) = look(&mut self.state()) {
                return found;
            }
            changed.await;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

impl State {
    fn keep_answered(&mut self, number: u64) {
        self.answered.push_back(number);
        // A stream that is still being read stays until its reader is done.
        while self.answered.len() > MAX_ANSWERED {
            let Some(oldest) = self.answered.pop_front() else { return };
            let is_read = self.streams.get(&oldest).is_some_and(|stream| stream.is_read);
            if is_read {
                self.answered.push_back(oldest);
                return;
            }
            self.streams.remove(&oldest);
        }
    }
}

impl Stream {
    fn push(&mut self, data: Arc<str>) {
        self.events.push_back(Event { index: self.n_events, data });
        self.n_events += 1;
        let size = |events: &VecDeque<Event>| events.iter().map(|event| event.data.len()).sum::<usize>();
        while self.events.len() > 1 && (self.events.len() > MAX_EVENTS || size(&self.events) > MAX_BYTES) {
            let is_unread = self.events.front().is_some_and(|event| event.index >= self.n_read);
            // A connected reader gets every event; `say` applies the back-pressure.
            if is_unread && self.is_read {
                return;
            }
            self.events.pop_front();
        }
    }
}

/// The reader of a stream.
pub(super) struct Reader {
    log: Arc<Log>,
    number: u64,
    turn: u64,
    next: u64,
}

impl Reader {
    /// Returns the next event; `None` when the stream has ended or another reader took over.
    pub(super) async fn next(&mut self) -> Option<Event> {
        let (number, turn, next) = (self.number, self.turn, self.next);
        let event = self
            .log
            .until(|state| {
                let Some(stream) = state.streams.get_mut(&number).filter(|stream| stream.turn == turn) else {
                    return Some(None);
                };
                if let Some(event) = stream.events.iter().find(|event| event.index >= next).cloned() {
                    stream.n_read = event.index + 1;
                    return Some(Some(event));
                }
                stream.has_ended.then_some(None)
            })
            .await?;
        self.next = event.index + 1;
        self.log.changed.notify_waiters();
        Some(event)
    }

    /// Returns the delivery of this stream's response.
    pub(super) fn delivery(&self) -> Delivery {
        self.log.state().streams.get(&self.number).map(|stream| stream.delivery.clone()).unwrap_or_default()
    }

    pub(super) fn number(&self) -> u64 {
        self.number
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let mut state = self.log.state();
        if let Some(stream) = state.streams.get_mut(&self.number).filter(|stream| stream.turn == self.turn) {
            stream.is_read = false;
        }
        drop(state);
        self.log.changed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(number: u64) -> String {
        format!("event {number}")
    }

    async fn drain(reader: &mut Reader) -> Vec<u64> {
        let mut seen = Vec::new();
        while let Some(event) = reader.next().await {
            seen.push(event.index);
        }
        seen
    }

    #[tokio::test]
    async fn broken_stream_resumes_after_the_last_event() {
        let log = Arc::new(Log::new());
        let number = log.open(Delivery::default(), None);
        let mut reader = Log::read(&log, number, None).expect("it is there");
        log.append(number, data(0)).await;
        log.append(number, data(1)).await;
        assert_eq!(reader.next().await.map(|event| event.index), Some(0));
        drop(reader);
        log.end(number, Some(data(2)));
        let mut again = Log::read(&log, number, Some(0)).expect("it is kept");
        assert_eq!(drain(&mut again).await, [1, 2]);
    }

    #[tokio::test]
    async fn later_reader_takes_over() {
        let log = Arc::new(Log::new());
        let mut first = Log::read(&log, COMMON, None).expect("it is there");
        let mut second = Log::read(&log, COMMON, None).expect("it is there");
        log.append(COMMON, data(0)).await;
        assert_eq!(first.next().await, None);
        drop(first);
        assert_eq!(second.next().await.map(|event| event.index), Some(0));
        assert!(log.is_read(COMMON));
    }

    #[tokio::test]
    async fn event_log_is_bounded_without_a_reader() {
        let log = Arc::new(Log::new());
        for number in 0..1000 {
            log.append(COMMON, data(number)).await;
        }
        assert_eq!(log.state().streams[&COMMON].events.len(), MAX_EVENTS);
        for _ in 0..100 {
            let number = log.open(Delivery::default(), None);
            log.end(number, Some("x".repeat(10)));
        }
        assert!(log.state().streams.len() <= MAX_ANSWERED + 1);
        let number = log.open(Delivery::default(), None);
        for _ in 0..10 {
            log.append(number, "x".repeat(MAX_BYTES / 2)).await;
        }
        assert_eq!(log.state().streams[&number].events.len(), 2);
    }

    #[tokio::test]
    async fn slow_reader_causes_back_pressure() {
        let log = Arc::new(Log::new());
        let mut reader = Log::read(&log, COMMON, None).expect("it is there");
        let speaking = tokio::spawn({
            let log = Arc::clone(&log);
            async move {
                for number in 0..200 {
                    log.append(COMMON, data(number)).await;
                }
            }
        });
        for index in 0..200 {
            assert!(log.state().streams[&COMMON].events.len() <= MAX_EVENTS + 1);
            assert_eq!(reader.next().await.map(|event| event.index), Some(index));
        }
        speaking.await.expect("it ends");
    }
}
