//! Watches the inbox for changes, by file system notifications, or by polling every second where these are unavailable
//! (network disks).

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, SystemTime};

use notify::{RecommendedWatcher, RecursiveMode, Watcher};

use super::{DRAFT, NEW, REPLIES, SEEN, Spool, SpoolError, TAKEN};

/// Poll interval without notifications.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The watched folders.
const WATCHED: [&str; 5] = [DRAFT, NEW, TAKEN, SEEN, REPLIES];

/// A watch on the inbox, until dropped.
#[derive(Debug)]
pub struct SpoolWatch {
    // Dropped first: the thread then sees that the channel is closed.
    stop: Option<Sender<Event>>,
    thread: Option<JoinHandle<()>>,
}

enum Event {
    Touched,
    Stop,
}

impl Spool {
    /// Calls `changed` soon after each change, on its own thread, until the watch is dropped. Changes in quick
    /// succession may be reported as one.
    pub fn watch(&self, changed: impl FnMut() + Send + 'static) -> Result<SpoolWatch, SpoolError> {
        let folders = WATCHED.iter().map(|name| self.folder(name)).collect::<Result<Vec<_>, _>>()?;
        let (sender, events) = mpsc::channel();
        let ear = ear(&folders, sender.clone());
        let mut listening = Listening { ear, events, folders, known: Vec::new(), changed };
        // The first state is taken before this returns, so that no later change is missed.
        listening.known = listening.look();
        let thread = thread::spawn(move || listening.run());
        Ok(SpoolWatch { stop: Some(sender), thread: Some(thread) })
    }
}

impl Drop for SpoolWatch {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(Event::Stop);
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Registers file system notifications; `None` if they are unavailable.
fn ear(folders: &[PathBuf], sender: Sender<Event>) -> Option<RecommendedWatcher> {
    // Access events are ignored, because we read the folders after every change.
    let is_change = |event: &notify::Event| !event.kind.is_access();
    let tell = move |event: notify::Result<notify::Event>| {
        // An error may mean lost events, so check.
        if event.as_ref().map_or(true, is_change) {
            let _ = sender.send(Event::Touched);
        }
    };
    let mut ear = notify::recommended_watcher(tell).ok()?;
    for folder in folders {
        ear.watch(folder, RecursiveMode::NonRecursive).ok()?;
    }
    Some(ear)
}

struct Listening<F> {
    #[expect(dead_code, reason = "it listens for as long as it is kept")]
    ear: Option<RecommendedWatcher>,
    events: Receiver<Event>,
    folders: Vec<PathBuf>,
    known: Vec<Option<Look>>,
    changed: F,
}

/// Metadata of a folder.
#[derive(PartialEq)]
struct Look {
    modified: Option<SystemTime>,
    n_files: usize,
}

impl<F: FnMut()> Listening<F> {
    fn run(mut self) {
        loop {
            let is_told = match self.events.recv_timeout(LOOK_EVERY) {
                Ok(Event::Touched) => true,
                Ok(Event::Stop) | Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => false,
            };
            // One rename causes several events; drain the rest (debounce).
            while let Ok(event) = self.events.try_recv() {
                if matches!(event, Event::Stop) {
                    return;
                }
            }
            let seen = self.look();
            if is_told || seen != self.known {
                self.known = seen;
                (self.changed)();
            }
        }
    }

    fn look(&self) -> Vec<Option<Look>> {
        self.folders.iter().map(|folder| look(folder)).collect()
    }
}

fn look(folder: &Path) -> Option<Look> {
    let modified = fs::metadata(folder).ok()?.modified().ok();
    Some(Look { modified, n_files: fs::read_dir(folder).ok()?.count() })
}
