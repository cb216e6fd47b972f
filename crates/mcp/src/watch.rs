//! Server-initiated notifications: a dialect watches its state and notifies a [`Notifier`], which broadcasts to all
//! connected clients.
//!
//! Nothing is stored for slow clients: a client that falls too far behind is told that everything may have changed.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::broadcast;

use crate::call::LogMessage;

/// Notices that are buffered for a slow client.
const MAX_WAITING: usize = 256;

/// How a dialect detects changes.
pub struct Watch<C: 'static> {
    /// Watches until [`Notifier::is_closed`]. It runs on one thread for the whole server, from the moment the first
    /// client listens, and may block.
    pub run: fn(&C, &Notifier),
    /// The lists that may change while the server runs.
    pub lists: &'static [List],
}

/// A list that clients may cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum List {
    /// `tools/list`.
    Tools,
    /// `resources/list`.
    Resources,
    /// `prompts/list`.
    Prompts,
}

/// Broadcasts notices to clients.
#[derive(Debug, Clone)]
pub struct Notifier {
    notices: broadcast::Sender<Arc<Notice>>,
    // The strong reference is dropped with the server.
    server: std::sync::Weak<()>,
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Notice {
    ResourceChanged(String),
    ListChanged(List),
    Log(LogMessage),
    LogAbout(String, LogMessage),
}

impl Notifier {
    /// Notifies the subscribers of a resource that it has changed.
    pub fn resource_changed(&self, uri: impl Into<String>) {
        self.send(Notice::ResourceChanged(uri.into()));
    }

    /// Notifies all clients that a list has changed.
    pub fn list_changed(&self, list: List) {
        self.send(Notice::ListChanged(list));
    }

    /// Sends a log message to every client that wants its level. Clients of 2026-07-28 do not get it: in that version
    /// log messages belong to calls.
    pub fn log(&self, message: LogMessage) {
        self.send(Notice::Log(message));
    }

    /// Sends a log message about a resource to its subscribers that want the level.
    pub fn log_about(&self, uri: impl Into<String>, message: LogMessage) {
        self.send(Notice::LogAbout(uri.into(), message));
    }

    /// Returns whether the server has ended; the watch should then return.
    pub fn is_closed(&self) -> bool {
        self.server.strong_count() == 0
    }

    fn send(&self, notice: Notice) {
        // An error means that there are no listeners.
        let _ = self.notices.send(Arc::new(notice));
    }
}

/// The receiving side. The watch starts with the first listener and ends some time after the board is dropped.
pub(crate) struct Board {
    notices: broadcast::Sender<Arc<Notice>>,
    begin: Mutex<Option<StartWatch>>,
    _alive: Arc<()>,
}

type StartWatch = Box<dyn FnOnce() + Send>;

impl Board {
    /// Prepares the watch without starting its thread.
    pub(crate) fn new<C: Send + Sync + 'static>(watch: &'static Watch<C>, subject: &Arc<C>) -> Self {
        let (notices, _) = broadcast::channel(MAX_WAITING);
        let alive = Arc::new(());
        let notifier = Notifier { notices: notices.clone(), server: Arc::downgrade(&alive) };
        let subject = Arc::clone(subject);
        let run = watch.run;
        let begin = move || {
            // If the thread cannot be spawned, no notifications are sent; calls still work and report the error.
            let _ = std::thread::Builder::new().name("watch".to_owned()).spawn(move || run(&subject, &notifier));
        };
        Self { notices, begin: Mutex::new(Some(Box::new(begin))), _alive: alive }
    }

    /// Subscribes to all notices from now on; starts the watch if it is not running.
    pub(crate) fn listen(&self) -> broadcast::Receiver<Arc<Notice>> {
        let notices = self.notices.subscribe();
        let begin = self.begin.lock().take();
        if let Some(begin) = begin {
            begin();
        }
        notices
    }
}
