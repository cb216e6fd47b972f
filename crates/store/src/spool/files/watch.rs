//! Watches the inbox for changes, by file system notifications, or by polling every second where these are unavailable
//! (network disks).

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, SystemTime};

use notify::{RecommendedWatcher, RecursiveMode, Watcher};

use super::{DRAFT, FileSpool, NEW, REPLIES, SEEN, SpoolError, SpoolWatch, TAKEN};
use crate::spool::watch::WatchEvent;

/// Poll interval without notifications.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

const WATCHED: [&str; 5] = [DRAFT, NEW, TAKEN, SEEN, REPLIES];

/// Calls `changed` soon after each change, until the watch is dropped.
pub(super) fn watch(spool: &FileSpool, changed: Box<dyn FnMut() + Send>) -> Result<SpoolWatch, SpoolError> {
    let folders = WATCHED.iter().map(|name| spool.folder(name)).collect::<Result<Vec<_>, _>>()?;
    let (sender, events) = mpsc::channel();
    let ear = file_watcher(&folders, sender.clone());
    let mut listening = FolderWatch { ear, events, folders, known: Vec::new(), changed };
    // The first state is taken before this returns, so that no later change is missed.
    listening.known = listening.folder_versions();
    let thread = thread::spawn(move || listening.run());
    Ok(SpoolWatch::new(sender, thread))
}

/// Registers file system notifications; `None` if they are unavailable.
fn file_watcher(folders: &[PathBuf], sender: Sender<WatchEvent>) -> Option<RecommendedWatcher> {
    // Access events are ignored, because we read the folders after every change.
    let is_change = |event: &notify::Event| !event.kind.is_access();
    let tell = move |event: notify::Result<notify::Event>| {
        // An error may mean lost events, so check.
        if event.as_ref().map_or(true, is_change) {
            let _ = sender.send(WatchEvent::Touched);
        }
    };
    let mut ear = notify::recommended_watcher(tell).ok()?;
    for folder in folders {
        ear.watch(folder, RecursiveMode::NonRecursive).ok()?;
    }
    Some(ear)
}

struct FolderWatch<F> {
    #[expect(dead_code, reason = "it listens for as long as it is kept")]
    ear: Option<RecommendedWatcher>,
    events: Receiver<WatchEvent>,
    folders: Vec<PathBuf>,
    known: Vec<Option<FolderVersion>>,
    changed: F,
}

/// Metadata of a folder.
#[derive(PartialEq)]
struct FolderVersion {
    modified: Option<SystemTime>,
    n_files: usize,
}

impl<F: FnMut()> FolderWatch<F> {
    fn run(mut self) {
        loop {
            let is_told = match self.events.recv_timeout(POLL_INTERVAL) {
                Ok(WatchEvent::Touched) => true,
                Ok(WatchEvent::Stop) | Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => false,
            };
            // One rename causes several events; drain the rest (debounce).
            while let Ok(event) = self.events.try_recv() {
                if matches!(event, WatchEvent::Stop) {
                    return;
                }
            }
            let seen = self.folder_versions();
            if is_told || seen != self.known {
                self.known = seen;
                (self.changed)();
            }
        }
    }

    fn folder_versions(&self) -> Vec<Option<FolderVersion>> {
        self.folders.iter().map(|folder| folder_versions(folder)).collect()
    }
}

fn folder_versions(folder: &Path) -> Option<FolderVersion> {
    let modified = fs::metadata(folder).ok()?.modified().ok();
    Some(FolderVersion { modified, n_files: fs::read_dir(folder).ok()?.count() })
}
