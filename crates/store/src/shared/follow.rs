//! Follows the announcements of the other servers, so that the clone, and whoever watches it, has their writes soon.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use database::DatabaseError;
use database::refs::CHANNEL;

use super::database_refs::DatabaseRefs;
use crate::git::{CommitId, RefName, Repository};
use crate::open::{Listener, Store, StoreError};

/// How long the thread waits for an announcement before it looks whether it must end.
const WAIT_INTERVAL: Duration = Duration::from_millis(500);
/// How long an announcement waits that follows another one. While others write many commits, one catch-up brings all of
/// this time; a busy server needs none, since its own reads and writes catch up.
const CATCH_UP_INTERVAL: Duration = Duration::from_millis(100);
/// Pause before listening again after the connection broke; announcements of that time are lost, not the writes.
const RETRY_INTERVAL: Duration = Duration::from_millis(500);

/// Interval between syncs of the clone's log, and the minimum age of what they sync: the kernel has written most of it by
/// then, so that it costs little.
const SYNC_INTERVAL: Duration = Duration::from_secs(35);

/// The thread that follows, until dropped.
pub(super) struct Follower {
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Follower {
    /// Returns one that does nothing.
    pub(super) fn idle() -> Self {
        Self { is_over: Arc::default(), thread: None }
    }

    /// Starts the thread.
    pub(super) fn start(refs: Arc<DatabaseRefs>, place: PathBuf, notes: RefName, listener: Listener) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let ends = Arc::clone(&is_over);
        let run = move || follow(&refs, &place, &notes, &listener, &ends);
        let thread = thread::Builder::new().name("shared-refs".to_owned()).spawn(run).ok();
        Self { is_over, thread }
    }

    /// Ends the thread.
    pub(super) fn stop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was logged.
            let _ = thread.join();
        }
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Syncs the log of the clone from time to time.
#[derive(Default)]
struct LogSync {
    /// A commit of the log, and since when it is there.
    next: Option<(CommitId, Instant)>,
}

impl LogSync {
    fn tend(&mut self, refs: &DatabaseRefs, repository: &Repository) {
        if self.next.is_some_and(|(_, since)| since.elapsed() < SYNC_INTERVAL) {
            return;
        }
        if let Err(error) = self.try_tend(refs, repository) {
            // The log stays as safe as it was.
            tracing::debug!(%error, "cannot sync the log of the clone");
        }
    }

    fn try_tend(&mut self, refs: &DatabaseRefs, repository: &Repository) -> Result<(), StoreError> {
        let next = self.next.take();
        self.next = repository.read_ref(&RefName::WORK)?.map(|tip| (tip, Instant::now()));
        refs.begin_unsynced(repository)?;
        next.map_or(Ok(()), |(tip, _)| refs.sync_log_up_to(repository, tip))
    }
}

fn follow(refs: &DatabaseRefs, place: &Path, notes: &RefName, listener: &Listener, is_over: &AtomicBool) {
    let mut store = None;
    let mut sync = LogSync::default();
    while !is_over.load(Ordering::SeqCst) {
        if let Err(error) = listen(refs, is_over, |is_announced| {
            if is_announced {
                catch_up(&mut store, place, notes, listener);
            }
            if let Some(store) = &store {
                sync.tend(refs, store.repository());
            }
        }) {
            tracing::debug!(%error, "cannot listen to the database; trying again");
            thread::sleep(RETRY_INTERVAL);
        }
    }
}

/// Catches up once at the start and after each announcement, until the connection breaks.
/// Calls `tend` after each wait, and says whether something was announced.
fn listen(refs: &DatabaseRefs, is_over: &AtomicBool, mut tend: impl FnMut(bool)) -> Result<(), DatabaseError> {
    let mut subscription = refs.database.subscribe(CHANNEL)?;
    let mut is_outdated = true;
    let mut announced_at = Instant::now();
    while !is_over.load(Ordering::SeqCst) {
        if is_outdated {
            // Whatever the age that a read allows: this answer is known to be outdated.
            refs.forget_freshness();
        }
        tend(is_outdated);
        let announced = subscription.wait(WAIT_INTERVAL)?;
        // Most announcements of a busy server are its own.
        is_outdated = !announced.is_empty() && !refs.has_announced(&announced);
        if is_outdated {
            thread::sleep(CATCH_UP_INTERVAL.saturating_sub(announced_at.elapsed()));
            is_outdated = !refs.has_announced(&announced);
        }
        if !announced.is_empty() {
            announced_at = Instant::now();
        }
    }
    Ok(())
}

fn catch_up(store: &mut Option<Store>, place: &Path, notes: &RefName, listener: &Listener) {
    let caught_up = match store {
        Some(store) => store.refresh().and_then(|_| store.follow_shared_notes(notes)),
        None => Store::open(place, Arc::clone(listener)).map(|opened| *store = Some(opened)),
    };
    if let Err(error) = caught_up {
        // The next read reports it to somebody.
        tracing::debug!(%error, "cannot catch up with the database");
        *store = None;
    }
}
