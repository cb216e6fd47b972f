//! How a dialect speaks first: it watches what it works on and tells a [`Notifier`], which reaches whoever listens.
//!
//! Nothing is kept for clients that do not read: whoever falls too far behind is told that everything may have changed.

use std::sync::Arc;

use tokio::sync::broadcast;

use crate::call::LogMessage;

/// How many notices wait for a client that is slow to read.
const MOST_WAITING: usize = 256;

/// How a dialect tells what changes.
pub struct Watch<C: 'static> {
    /// Watches until [`Notifier::is_closed`]; it has a thread of its own, one for the whole server, and may block.
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

/// The side that listens; the watch ends some time after it is dropped.
#[derive(Debug)]
pub(crate) struct Board {
    notices: broadcast::Sender<Arc<Notice>>,
    _alive: Arc<()>,
}

impl Board {
    /// Begins to watch.
    pub(crate) fn start<C: Send + Sync + 'static>(watch: &'static Watch<C>, subject: &Arc<C>) -> std::io::Result<Self> {
        let (notices, _) = broadcast::channel(MOST_WAITING);
        let alive = Arc::new(());
        let notifier = Notifier { notices: notices.clone(), server: Arc::downgrade(&alive) };
        let subject = Arc::clone(subject);
        let run = watch.run;
        std::thread::Builder::new().name("watch".to_owned()).spawn(move || run(&subject, &notifier))?;
        Ok(Self { notices, _alive: alive })
    }

    /// Hears everything from now on.
    pub(crate) fn listen(&self) -> broadcast::Receiver<Arc<Notice>> {
        self.notices.subscribe()
    }
}
