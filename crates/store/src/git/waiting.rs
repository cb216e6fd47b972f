//! The clock of waits for locks, passed in so that tests do not wait.

use std::thread;
use std::time::{Duration, Instant};

/// Measures and passes time.
pub(super) trait WaitClock {
    /// Returns the current time.
    fn now(&self) -> Instant;

    /// Waits.
    fn sleep(&self, time: Duration);
}

/// The clock of the system.
pub(super) struct SystemClock;

impl WaitClock for SystemClock {
    fn now(&self) -> Instant {
        Instant::now()
    }

    fn sleep(&self, time: Duration) {
        thread::sleep(time);
    }
}

/// A clock that only moves when someone sleeps, and then does what a test says.
#[cfg(test)]
pub(super) struct TestClock<F> {
    start: Instant,
    slept: std::cell::Cell<Duration>,
    on_sleep: F,
}

#[cfg(test)]
impl<F: Fn(Duration)> TestClock<F> {
    /// Calls `on_sleep` with the time slept so far.
    pub(super) fn new(on_sleep: F) -> Self {
        Self { start: Instant::now(), slept: std::cell::Cell::default(), on_sleep }
    }

    pub(super) fn slept(&self) -> Duration {
        self.slept.get()
    }
}

#[cfg(test)]
impl<F: Fn(Duration)> WaitClock for TestClock<F> {
    fn now(&self) -> Instant {
        self.start + self.slept.get()
    }

    fn sleep(&self, time: Duration) {
        self.slept.set(self.slept.get() + time);
        (self.on_sleep)(self.slept.get());
    }
}
