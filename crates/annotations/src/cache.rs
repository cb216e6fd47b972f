//! Caches results per commit for repeated queries.

use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use model::annotation::Note;
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
    pub(super) summaries: Kept<SummaryKey, SummaryView>,
    /// Commit times, in seconds since 1970.
    pub(super) times: Kept<CommitId, i64>,
    /// Files; `None` if a file does not exist.
    pub(super) sources: Kept<SourceKey, Option<Arc<Source>>>,
    pub(super) notes: Kept<ObjectId, Arc<Note>>,
}

/// Values by key, the newest last.
pub(super) struct Kept<K, V>(Mutex<Vec<(K, V)>>);

impl<K, V> Default for Kept<K, V> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: PartialEq, V: Clone> Kept<K, V> {
    pub(super) fn get(&self, key: &K) -> Option<V> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().find(|(known, _)| known == key).map(|(_, value)| value.clone())
    }

    fn keep(&self, key: K, value: V, most: usize) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= most {
            kept.remove(0);
        }
        kept.push((key, value));
    }

    /// Evicts the oldest entries until the rest is small enough, but never the newest.
    fn shrink(&self, size: impl Fn(&V) -> usize, most: usize) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut total: usize = kept.iter().map(|(_, value)| size(value)).sum();
        while total > most && kept.len() > 1 {
            total -= size(&kept.remove(0).1);
        }
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
