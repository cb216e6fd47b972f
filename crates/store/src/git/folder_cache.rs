//! An LRU cache of trees, and of the commits that they belong to. Without it, looking up a thousand files of one folder
//! would read and decompress its tree and the commit a thousand times.

use std::sync::Arc;

use parking_lot::Mutex;

use super::gix;

/// Number of cached objects: the path to a file, at two commits, and some more.
const MAX_FOLDERS: usize = 32;
/// Maximum size of a cached object, in bytes. Together with [`MAX_FOLDERS`] it bounds the memory to 16 MiB.
const MAX_BYTES: usize = 512 * 1024;

/// Trees and commits by id. Objects are immutable, so entries never become stale.
#[derive(Debug, Default)]
pub(super) struct FolderCache(Mutex<Vec<(gix::ObjectId, Arc<[u8]>)>>);

impl FolderCache {
    /// Returns the bytes of a tree or a commit; `read` loads them if they are not cached.
    pub(super) fn get<E>(&self, id: gix::ObjectId, read: impl FnOnce() -> Result<Vec<u8>, E>) -> Result<Arc<[u8]>, E> {
        if let Some(known) = self.find(&id) {
            return Ok(known);
        }
        let bytes: Arc<[u8]> = read()?.into();
        if bytes.len() <= MAX_BYTES {
            let mut kept = self.0.lock();
            kept.truncate(MAX_FOLDERS - 1);
            kept.insert(0, (id, Arc::clone(&bytes)));
        }
        Ok(bytes)
    }

    /// Finds an object and moves it to the front; the least recently used one is evicted.
    fn find(&self, wanted: &gix::ObjectId) -> Option<Arc<[u8]>> {
        let mut kept = self.0.lock();
        let place = kept.iter().position(|(id, _)| id == wanted)?;
        kept[..=place].rotate_right(1);
        kept.first().map(|(_, bytes)| Arc::clone(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(n: usize) -> gix::ObjectId {
        gix::ObjectId::from_hex(format!("{n:040x}").as_bytes()).unwrap()
    }

    fn ask(cache: &FolderCache, n: usize, n_bytes: usize) -> bool {
        let mut was_read = false;
        let bytes = cache.get(id(n), || {
            was_read = true;
            Ok::<_, ()>(vec![7; n_bytes])
        });
        assert_eq!(bytes.unwrap().len(), n_bytes);
        was_read
    }

    #[test]
    fn folder_is_read_once_while_it_is_in_use() {
        let cache = FolderCache::default();
        assert!(ask(&cache, 0, 10));
        for n in 1..=3 * MAX_FOLDERS {
            assert!(ask(&cache, n, 10));
            assert!(!ask(&cache, 0, 10), "asked for again and again, it stays");
        }
        assert!(ask(&cache, 1, 10), "the oldest gave way");
        assert!(cache.0.lock().len() <= MAX_FOLDERS);
    }

    #[test]
    fn huge_folders_and_failures_are_not_kept() {
        let cache = FolderCache::default();
        assert!(ask(&cache, 1, MAX_BYTES + 1) && ask(&cache, 1, MAX_BYTES + 1));
        assert_eq!(cache.get(id(2), || Err("gone")).unwrap_err(), "gone");
        assert!(ask(&cache, 2, 10));
    }
}
