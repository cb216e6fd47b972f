//! Caches results per commit for repeated queries.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::sync::{Arc, LazyLock};

use model::annotation::Note;
use parking_lot::{Mutex, MutexGuard};
use store::git::{CommitId, ObjectId};

use super::source::Source;
use crate::view::SummaryView;

/// Maximum number of cached summaries, commit times, and files.
const MAX_SUMMARIES: usize = 32;
const MAX_TIMES: usize = 64;
const MAX_SOURCES: usize = 256;
/// Maximum number of cached notes, and of their regions in total: a note may have tens of thousands.
const MAX_NOTES: usize = 256;
const MAX_REGIONS: usize = 100_000;

/// The inputs of a summary: the code, the notes, and the query.
pub(super) type SummaryKey = (CommitId, Option<CommitId>, String, Option<String>);

/// A file at a commit.
pub(super) type SourceKey = (CommitId, String);

/// The cache of this process. Every key contains a content hash, so projects can share it.
static CACHE: LazyLock<Cache> = LazyLock::new(Cache::default);

pub(super) fn cache() -> &'static Cache {
    &CACHE
}

#[derive(Default)]
pub(super) struct Cache {
    pub(super) summaries: BoundedCache<SummaryKey, SummaryView>,
    /// Commit times, in seconds since 1970.
    pub(super) times: BoundedCache<CommitId, i64>,
    /// Files; `None` if a file does not exist.
    pub(super) sources: BoundedCache<SourceKey, Option<Arc<Source>>>,
    pub(super) notes: BoundedCache<ObjectId, Arc<Note>>,
}

/// Values by key, of which the oldest is forgotten first.
pub(super) struct BoundedCache<K, V>(Mutex<Entries<K, V>>);

struct Entries<K, V> {
    values: HashMap<K, V>,
    /// The keys, the newest last.
    order: VecDeque<K>,
}

impl<K, V> Default for BoundedCache<K, V> {
    fn default() -> Self {
        Self(Mutex::new(Entries { values: HashMap::new(), order: VecDeque::new() }))
    }
}

impl<K: Eq + Hash + Clone, V: Clone> BoundedCache<K, V> {
    pub(super) fn get(&self, key: &K) -> Option<V> {
        self.entries().values.get(key).cloned()
    }

    fn keep(&self, key: K, value: V, most: usize) {
        let mut entries = self.entries();
        if entries.values.insert(key.clone(), value).is_none() {
            entries.order.push_back(key);
        }
        while entries.order.len() > most {
            entries.forget_oldest();
        }
    }

    /// Evicts the oldest entries until the rest is small enough, but never the newest.
    fn shrink(&self, size: impl Fn(&V) -> usize, most: usize) {
        let mut entries = self.entries();
        let mut total: usize = entries.values.values().map(&size).sum();
        while total > most && entries.order.len() > 1 {
            total -= entries.forget_oldest().as_ref().map_or(0, &size);
        }
    }

    fn entries(&self) -> MutexGuard<'_, Entries<K, V>> {
        self.0.lock()
    }
}

impl<K: Eq + Hash, V> Entries<K, V> {
    fn forget_oldest(&mut self) -> Option<V> {
        let oldest = self.order.pop_front()?;
        self.values.remove(&oldest)
    }
}

impl Cache {
    pub(super) fn keep_summary(&self, key: SummaryKey, view: SummaryView) {
        self.summaries.keep(key, view, MAX_SUMMARIES);
    }

    pub(super) fn keep_time(&self, commit: CommitId, seconds: i64) {
        self.times.keep(commit, seconds, MAX_TIMES);
    }

    pub(super) fn keep_note(&self, blob: ObjectId, note: Arc<Note>) {
        self.notes.keep(blob, note, MAX_NOTES);
        self.notes.shrink(|note| note.regions.len(), MAX_REGIONS);
    }

    pub(super) fn keep_source(&self, key: SourceKey, source: Option<Arc<Source>>) {
        self.sources.keep(key, source, MAX_SOURCES);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn oldest_is_forgotten_first() {
        let kept: BoundedCache<u8, &str> = BoundedCache::default();
        for (key, value) in [(1, "one"), (2, "two"), (1, "uno"), (3, "three")] {
            kept.keep(key, value, 2);
        }
        assert_eq!([1, 2, 3].map(|key| kept.get(&key)), [None, Some("two"), Some("three")]);
        kept.shrink(|value| value.len(), 5);
        assert_eq!([2, 3].map(|key| kept.get(&key)), [None, Some("three")]);
        kept.shrink(|value| value.len(), 0);
        assert_eq!(kept.get(&3), Some("three"), "the newest stays");
    }
}
