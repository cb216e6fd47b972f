//! The rate limiter of all requests: a maximum of concurrent requests, and none during a pause that the server asked
//! for.

use std::sync::Arc;
use std::time::Duration;

use crate::{Clock, Error, Meter};
use parking_lot::{Condvar, Mutex, MutexGuard};

#[derive(Debug)]
pub(crate) struct RateLimiter {
    clock: Arc<dyn Clock>,
    max_concurrent: usize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    in_flight: usize,
    /// End of the pause, by the clock; in the past if there is none.
    opens_at: Duration,
}

/// How long one call may still wait for pauses.
#[derive(Debug)]
pub(crate) struct WaitBudget(pub(crate) Duration);

/// Permit for one request; released when dropped.
pub(crate) struct RequestPermit<'limiter> {
    limiter: &'limiter RateLimiter,
}

impl RateLimiter {
    pub(crate) fn new(clock: Arc<dyn Clock>, max_concurrent: usize) -> Self {
        Self { clock, max_concurrent: max_concurrent.max(1), state: Mutex::default(), changed: Condvar::new() }
    }

    /// Waits for a permit; fails at once if a pause exceeds the patience.
    pub(crate) fn enter(&self, patience: &mut WaitBudget, meter: &Meter) -> Result<RequestPermit<'_>, Error> {
        let mut state = self.state();
        loop {
            let pause = state.opens_at.saturating_sub(self.clock.now());
            if !pause.is_zero() {
                drop(state);
                self.sit_out(pause, patience, meter)?;
                state = self.state();
            } else if state.in_flight < self.max_concurrent {
                state.in_flight += 1;
                return Ok(RequestPermit { limiter: self });
            } else {
                self.changed.wait(&mut state);
            }
        }
    }

    /// Starts a pause.
    pub(crate) fn close_for(&self, pause: Duration) {
        let mut state = self.state();
        state.opens_at = state.opens_at.max(self.clock.now() + pause);
    }

    fn sit_out(&self, pause: Duration, patience: &mut WaitBudget, meter: &Meter) -> Result<(), Error> {
        // The patience is per call and shrinks with each pause.
        let Some(left) = patience.0.checked_sub(pause) else {
            return Err(Error::rate_limit(pause));
        };
        patience.0 = left;
        meter.count_wait(pause);
        self.clock.sleep(pause);
        Ok(())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

impl Drop for RequestPermit<'_> {
    fn drop(&mut self) {
        self.limiter.state().in_flight -= 1;
        // Wake all waiters: a single one might find a pause and leave, and the free slot would stay unused.
        self.limiter.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::RwLock;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use jiff::Timestamp;

    use super::*;

    /// A clock that stands still and counts its reads.
    #[derive(Debug, Default)]
    struct CountingClock(AtomicUsize);

    impl Clock for CountingClock {
        fn now(&self) -> Duration {
            self.0.fetch_add(1, Ordering::SeqCst);
            Duration::from_secs(1)
        }

        fn time_of_day(&self) -> Timestamp {
            Timestamp::UNIX_EPOCH
        }

        fn sleep(&self, _: Duration) {}
    }

    #[test]
    fn no_more_than_the_limit_are_let_in() {
        let clock = Arc::new(CountingClock::default());
        let limiter = RateLimiter::new(clock.clone(), 4);
        let door = RwLock::new(());
        let held = door.write().unwrap();
        std::thread::scope(|scope| {
            for _ in 0..12 {
                scope.spawn(|| {
                    let pass = limiter.enter(&mut WaitBudget(Duration::ZERO), &Meter::default()).unwrap();
                    drop(door.read().unwrap());
                    drop(pass);
                });
            }
            // A thread that has read the clock holds the state until it is admitted or waits.
            while clock.0.load(Ordering::SeqCst) < 12 {
                std::thread::yield_now();
            }
            assert_eq!(limiter.state().in_flight, 4);
            drop(held);
        });
        assert_eq!(limiter.state().in_flight, 0);
    }
}
