//! Follows the announcements of the other servers, so that the clone, and whoever watches it, has their writes soon.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use database::DatabaseError;
use database::refs::CHANNEL;

use super::database_refs::DatabaseRefs;
use crate::git::RefName;
use crate::open::{Listener, Store};

/// How long the thread waits for an announcement before it looks whether it must end.
const WAIT_INTERVAL: Duration = Duration::from_millis(500);
/// Pause before listening again after the connection broke; announcements of that time are lost, not the writes.
const RETRY_INTERVAL: Duration = Duration::from_millis(500);

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

fn follow(refs: &DatabaseRefs, place: &Path, notes: &RefName, listener: &Listener, is_over: &AtomicBool) {
    let mut store = None;
    while !is_over.load(Ordering::SeqCst) {
        if let Err(error) = listen(refs, is_over, || {
            catch_up(&mut store, place, notes, listener);
        }) {
            tracing::debug!(%error, "cannot listen to the database; trying again");
            thread::sleep(RETRY_INTERVAL);
        }
    }
}

/// Catches up once at the start and after each announcement, until the connection breaks.
fn listen(refs: &DatabaseRefs, is_over: &AtomicBool, mut changed: impl FnMut()) -> Result<(), DatabaseError> {
    let mut subscription = refs.database.subscribe(CHANNEL)?;
    let mut catch_up = || {
        // Whatever the age that a read allows: this answer is known to be outdated.
        refs.forget_freshness_of_all();
        changed();
    };
    catch_up();
    while !is_over.load(Ordering::SeqCst) {
        let announced = subscription.wait(WAIT_INTERVAL)?;
        // Most announcements of a busy server are its own.
        if !announced.is_empty() && !refs.has_announced(&announced) {
            catch_up();
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
