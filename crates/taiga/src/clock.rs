//! Time as the client sees it, so that tests can pass it by hand.

use std::fmt::Debug;
use std::time::{Duration, Instant};

use jiff::Timestamp;

/// Where the client reads the time and waits.
pub trait Clock: Debug + Send + Sync {
    /// Returns the time since some fixed moment; never goes back.
    fn now(&self) -> Duration;

    /// Returns the time of day.
    fn time_of_day(&self) -> Timestamp;

    /// Waits.
    fn sleep(&self, duration: Duration);
}

/// The machine's clock.
#[derive(Debug, Clone)]
pub struct SystemClock {
    start: Instant,
}

impl SystemClock {
    /// Starts counting now.
    pub fn new() -> Self {
        Self { start: Instant::now() }
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Duration {
        self.start.elapsed()
    }

    fn time_of_day(&self) -> Timestamp {
        Timestamp::now()
    }

    fn sleep(&self, duration: Duration) {
        std::thread::sleep(duration);
    }
}
