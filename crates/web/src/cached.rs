//! A table of tokens or sessions, kept in memory and reloaded by a polling thread when another process changed it, in a
//! file or in the database.
//!
//! All requests are served on one thread, which must never wait for a disk or a network: they use the content that was
//! loaded last.

use std::io;
use std::sync::mpsc;
use std::sync::{Arc, Weak};
use std::thread;
use std::time::Duration;

use parking_lot::RwLock;

use crate::private_file::FileVersion;

/// Poll interval. A revoked token stays valid for at most this long.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// How long a change takes to reach every running server, with a margin for a busy machine.
pub(crate) const PROPAGATION_TIMEOUT: Duration = Duration::from_millis(4 * 50);

/// Where the content comes from.
pub(crate) trait Source: Send + Sync + 'static {
    /// The cached content and its version.
    type Content: Default + Send + Sync;

    /// Returns the current version; `None` if it cannot be known now: then the content stays as it is.
    fn version(&self) -> Option<SourceVersion>;

    /// Loads the content; `None` if that cannot be done now.
    fn load(&self) -> Option<Self::Content>;
}

/// A version of the content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SourceVersion {
    /// Of a file; `None` if there is none.
    File(Option<FileVersion>),
    /// The number of changes in the database.
    Database(i64),
}

/// The content of a source, never older than [`POLL_INTERVAL`] while the source can be reached.
pub(crate) struct Cached<S: Source>(Arc<Cache<S>>);

struct Cache<S: Source> {
    source: S,
    content: RwLock<(Option<SourceVersion>, Arc<S::Content>)>,
}

impl<S: Source> Cached<S> {
    /// Loads the content, and again whenever its version changes. Blocks until the first attempt is over.
    pub(crate) fn new(source: S) -> io::Result<Self> {
        let cache = Arc::new(Cache { source, content: RwLock::default() });
        let polled = Arc::downgrade(&cache);
        let (first, is_loaded) = mpsc::channel();
        // Not even the first time on the caller's thread: a call of the database may not block an async runtime.
        thread::Builder::new().name("cairn-cache".to_owned()).spawn(move || poll(&polled, first))?;
        let _: Result<(), _> = is_loaded.recv();
        Ok(Self(cache))
    }

    pub(crate) fn get(&self) -> Arc<S::Content> {
        Arc::clone(&self.0.content.read().1)
    }

    /// Reloads the content if it changed. Blocks on the source.
    pub(crate) fn refresh(&self) {
        self.0.refresh();
    }

    /// Reloads the content after a change of this server, and waits until the other servers have done so. Only a database
    /// has others: the cookies of a clone's servers differ.
    pub(crate) fn propagate(&self) {
        self.refresh();
        // Not locked while it waits.
        let version = self.0.content.read().0;
        if let Some(SourceVersion::Database(_)) = version {
            thread::sleep(PROPAGATION_TIMEOUT);
        }
    }
}

impl<S: Source> Cache<S> {
    fn refresh(&self) {
        // The version is read first: a change in between is then loaded at the next poll.
        let Some(version) = self.source.version() else { return };
        if self.content.read().0 == Some(version) {
            return;
        }
        if let Some(content) = self.source.load() {
            *self.content.write() = (Some(version), Arc::new(content));
        }
    }
}

/// Ends when the cache is dropped.
fn poll<S: Source>(cache: &Weak<Cache<S>>, first: mpsc::Sender<()>) {
    let mut first = Some(first);
    while let Some(cache) = cache.upgrade() {
        cache.refresh();
        drop((cache, first.take()));
        thread::sleep(POLL_INTERVAL);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::private_file::PrivateFile;

    impl Source for PrivateFile {
        type Content = Vec<u64>;

        fn version(&self) -> Option<SourceVersion> {
            Some(SourceVersion::File(PrivateFile::version(self)))
        }

        fn load(&self) -> Option<Vec<u64>> {
            Some(self.read().unwrap_or_default())
        }
    }

    fn cached(file: &PrivateFile) -> Cached<PrivateFile> {
        Cached::new(file.clone()).expect("a thread")
    }

    fn push(file: &PrivateFile, number: u64) {
        let added = file.change(|list: &mut Vec<u64>| {
            list.push(number);
            Ok(())
        });
        added.expect("it is written");
    }

    #[test]
    fn change_of_another_process_is_seen_without_a_request() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = PrivateFile::at(folder.path().join("list.json"));
        let cached = cached(&file);
        assert!(cached.get().is_empty());
        push(&file, 1);
        let start = Instant::now();
        while cached.get().is_empty() {
            assert!(start.elapsed() < Duration::from_secs(20), "the change was never seen");
            thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(*cached.get(), [1]);
    }

    #[test]
    fn own_change_is_seen_at_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = PrivateFile::at(folder.path().join("list.json"));
        let cached = cached(&file);
        for number in 0..50 {
            push(&file, number);
            cached.refresh();
            assert_eq!(cached.get().last(), Some(&number));
        }
    }
}
