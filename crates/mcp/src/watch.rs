//! How a dialect speaks first: it watches what it works on and tells a [`Notifier`], which reaches whoever listens.
//!
//! Nothing is kept for clients that do not read: whoever falls too far behind is told that everything may have changed.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::broadcast;

use crate::call::LogMessage;

/// How many notices wait for a client that is slow to read.
const MAX_WAITING: usize = 256;

/// How a dialect tells what changes.
pub struct Watch<C: 'static> {
    /// Watches until [`Notifier::is_closed`]; it has a thread of its own, one for the whole server, from when the first
    /// client listens, and may block.
    pub run: fn(&C, &Notifier),
    /// Which lists may change while the server runs.
    pub lists: &'static [List],
}

/// A list that clients may keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum List {
    /// `tools/list`.
    Tools,
    /// `resources/list`.
    Resources,
    /// `prompts/list`.
    Prompts,
}

/// Tells clients what happened.
#[derive(Debug, Clone)]
pub struct Notifier {
    notices: broadcast::Sender<Arc<Notice>>,
    // Dropped with the server.
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
    /// Tells those who subscribed to a resource that it has changed.
    pub fn resource_changed(&self, uri: impl Into<String>) {
        self.tell(Notice::ResourceChanged(uri.into()));
    }

    /// Tells that a list is not what it was.
    pub fn list_changed(&self, list: List) {
        self.tell(Notice::ListChanged(list));
    }

    /// Sends a message to every client that wants messages of this importance. Clients of 2026-07-28 never do: theirs
    /// belong to calls.
    pub fn log(&self, message: LogMessage) {
        self.tell(Notice::Log(message));
    }

    /// Sends a message about a resource, to those who subscribed to it and want messages of this importance.
    pub fn log_about(&self, uri: impl Into<String>, message: LogMessage) {
        self.tell(Notice::LogAbout(uri.into(), message));
    }

    /// Tells whether the server has ended.
    pub fn is_closed(&self) -> bool {
        self.server.strong_count() == 0
    }

    fn tell(&self, notice: Notice) {
        // That nobody listens is no failure.
        let _ = self.notices.send(Arc::new(notice));
    }
}

/// The side that listens; the watch begins with the first who does, and ends some time after this is dropped.
pub(crate) struct Board {
    notices: broadcast::Sender<Arc<Notice>>,
    begin: Mutex<Option<Begin>>,
    _alive: Arc<()>,
}

type Begin = Box<dyn FnOnce() + Send>;

impl Board {
    /// Makes ready to watch.
    pub(crate) fn new<C: Send + Sync + 'static>(watch: &'static Watch<C>, subject: &Arc<C>) -> Self {
        let (notices, _) = broadcast::channel(MAX_WAITING);
        let alive = Arc::new(());
        let notifier = Notifier { notices: notices.clone(), server: Arc::downgrade(&alive) };
        let subject = Arc::clone(subject);
        let run = watch.run;
        let begin = move || {
            // Where no thread can be had, nobody is told anything, and every call says what is wrong.
            let _ = std::thread::Builder::new().name("watch".to_owned()).spawn(move || run(&subject, &notifier));
        };
        Self { notices, begin: Mutex::new(Some(Box::new(begin))), _alive: alive }
    }

    /// Hears everything from now on.
    pub(crate) fn listen(&self) -> broadcast::Receiver<Arc<Notice>> {
        let notices = self.notices.subscribe();
        let begin = self.begin.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(begin) = begin {
            begin();
        }
        notices
    }
}
