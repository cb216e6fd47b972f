//! The content of a file, kept in memory and reloaded by a polling thread when another process wrote the file.
//!
//! All requests are served on one thread, which must never wait for a disk: they use the content that was loaded last.

use std::io;
use std::sync::{Arc, Weak};
use std::thread;
use std::time::Duration;

use crate::private_file::Version;
use parking_lot::RwLock;

/// Poll interval. A revoked token stays valid for at most this long.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// How long a change takes to reach every running server, with a margin for a busy machine.
pub(crate) const PROPAGATION_TIMEOUT: Duration = Duration::from_millis(4 * 50);

/// A file's content, never older than [`POLL_INTERVAL`].
pub(crate) struct CachedFile<T>(Arc<Cache<T>>);

struct Cache<T> {
    version: Box<dyn Fn() -> Option<Version> + Send + Sync>,
    read: Box<dyn Fn() -> T + Send + Sync>,
    content: RwLock<(Option<Version>, Arc<T>)>,
}

impl<T: Send + Sync + 'static> CachedFile<T> {
    /// Loads the file, and again whenever its version changes. Blocks on the disk.
    pub(crate) fn new(
        version: impl Fn() -> Option<Version> + Send + Sync + 'static,
        read: impl Fn() -> T + Send + Sync + 'static,
    ) -> io::Result<Self> {
        // The version is read first: a write in between is then loaded at the next poll.
        let content = RwLock::new((version(), Arc::new(read())));
        let cache = Arc::new(Cache { version: Box::new(version), read: Box::new(read), content });
        let polled = Arc::downgrade(&cache);
        thread::Builder::new().name("cairn-files".to_owned()).spawn(move || poll(&polled))?;
        Ok(Self(cache))
    }

    /// Returns the content.
    pub(crate) fn get(&self) -> Arc<T> {
        Arc::clone(&self.0.content.read().1)
    }

    /// Reloads the file if it changed. Blocks on the disk.
    pub(crate) fn refresh(&self) {
        self.0.refresh();
    }
}

impl<T> Cache<T> {
    fn refresh(&self) {
        let version = (self.version)();
        if self.content.read().0 == version {
            return;
        }
        let content = Arc::new((self.read)());
        *self.content.write() = (version, content);
    }
}

/// Ends when the cache is dropped.
fn poll<T>(cache: &Weak<Cache<T>>) {
    while let Some(cache) = cache.upgrade() {
        cache.refresh();
        drop(cache);
        thread::sleep(POLL_INTERVAL);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::private_file::PrivateFile;

    fn cached(file: &PrivateFile) -> CachedFile<Vec<u64>> {
        let (versioned, read) = (file.clone(), file.clone());
        CachedFile::new(move || versioned.version(), move || read.read().unwrap_or_default()).expect("a thread")
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
