//! Progress of calls that may take long.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use mcp::Call;

/// Time between two progress notifications.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(1);

/// Runs an action. A client that asked for progress is notified at once and every second, so that it knows that the
/// server is alive; the notifications count the seconds.
pub(super) fn with_progress<T>(call: &Call, what: &str, action: impl FnOnce() -> T) -> T {
    if !call.wants_progress() {
        return action();
    }
    let (finished, is_finished) = mpsc::channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            let mut seconds = 0.0;
            call.progress(seconds, None, Some(what));
            // A dropped sender ends the wait at once.
            while is_finished.recv_timeout(PROGRESS_INTERVAL) == Err(mpsc::RecvTimeoutError::Timeout) {
                seconds += 1.0;
                call.progress(seconds, None, Some(what));
            }
        });
        let done = action();
        drop(finished);
        done
    })
}
