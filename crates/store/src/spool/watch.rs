//! A watch on the inbox: a thread that reports changes, until the watch is dropped.

use std::sync::mpsc::Sender;
use std::thread::JoinHandle;

/// A watch on the inbox, until dropped.
#[derive(Debug)]
pub struct SpoolWatch {
    // Dropped first: the thread then sees that the channel is closed.
    stop: Option<Sender<WatchEvent>>,
    thread: Option<JoinHandle<()>>,
}

/// A message to the thread of a watch.
#[derive(Debug, Clone, Copy)]
pub(super) enum WatchEvent {
    /// Something may have changed.
    Touched,
    /// The watch is dropped.
    Stop,
}

impl SpoolWatch {
    pub(super) fn new(stop: Sender<WatchEvent>, thread: JoinHandle<()>) -> Self {
        Self { stop: Some(stop), thread: Some(thread) }
    }
}

impl Drop for SpoolWatch {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(WatchEvent::Stop);
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
