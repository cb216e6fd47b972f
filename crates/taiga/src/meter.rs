//! Counts requests and waiting time, for callers that report them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Counts the requests of a client, and how long they waited for pauses.
///
/// Clones share the counters.
#[derive(Debug, Clone, Default)]
pub struct Meter {
    counts: Arc<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    requests: AtomicU64,
    held_back_ms: AtomicU64,
}

impl Meter {
    /// Returns the number of requests sent.
    pub fn requests(&self) -> u64 {
        self.counts.requests.load(Ordering::Relaxed)
    }

    /// Returns how long requests waited for pauses that the server asked for.
    pub fn held_back(&self) -> Duration {
        Duration::from_millis(self.counts.held_back_ms.load(Ordering::Relaxed))
    }

    pub(crate) fn count_request(&self) {
        self.counts.requests.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn count_wait(&self, wait: Duration) {
        let milliseconds = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
        self.counts.held_back_ms.fetch_add(milliseconds, Ordering::Relaxed);
    }
}
