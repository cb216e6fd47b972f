//! Watches the inbox of all servers, by announcements of the database.

use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, TryRecvError};
use std::thread;
use std::time::Duration;

use database::Database;
use database::messages::MESSAGES_CHANNEL;

use crate::spool::SpoolWatch;
use crate::spool::watch::WatchEvent;

/// How long the thread waits for an announcement before it looks whether the watch was dropped.
const WAIT_TIMEOUT: Duration = Duration::from_millis(250);

/// Pause before it connects again.
const RECONNECT_INTERVAL: Duration = Duration::from_secs(1);

/// Calls `changed` soon after each change, until the watch is dropped.
pub(super) fn watch(database: &Arc<Database>, changed: Box<dyn FnMut() + Send>) -> SpoolWatch {
    let (stop, is_stopped) = mpsc::channel();
    let (ready, is_ready) = mpsc::channel();
    let database = Arc::clone(database);
    let thread = thread::spawn(move || {
        let mut changed = changed;
        let mut ready = Some(ready);
        while !has_ended(&is_stopped) {
            follow(&database, &is_stopped, &mut changed, || drop(ready.take()));
            drop(ready.take());
            if !has_ended(&is_stopped) {
                thread::sleep(RECONNECT_INTERVAL);
                // Announcements were missed.
                changed();
            }
        }
    });
    // The first connection listens before this returns, so that no later change is missed.
    let _: Result<(), _> = is_ready.recv();
    SpoolWatch::new(stop, thread)
}

/// Reports announcements until the connection breaks or the watch is dropped.
fn follow(database: &Database, is_stopped: &Receiver<WatchEvent>, changed: &mut dyn FnMut(), listening: impl FnOnce()) {
    let Ok(mut subscription) = database.subscribe(MESSAGES_CHANNEL) else { return };
    listening();
    while !has_ended(is_stopped) {
        match subscription.wait(WAIT_TIMEOUT) {
            Ok(announcements) if announcements.is_empty() => {}
            Ok(_) => changed(),
            Err(_) => return,
        }
    }
}

fn has_ended(is_stopped: &Receiver<WatchEvent>) -> bool {
    !matches!(is_stopped.try_recv(), Err(TryRecvError::Empty))
}
