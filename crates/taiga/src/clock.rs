//! The client's clock, so that tests can control time.

use std::fmt::Debug;
use std::time::{Duration, Instant, SystemTime};

use jiff::Timestamp;

/// A source of time that can sleep.
pub trait Clock: Debug + Send + Sync {
    /// Returns the time since a fixed moment; monotonic.
    fn now(&self) -> Duration;

    /// Returns the wall-clock time.
    fn time_of_day(&self) -> Timestamp;

    /// Blocks for this long.
    fn sleep(&self, duration: Duration);
}

/// The system's clock.
#[derive(Debug, Clone)]
pub struct SystemClock {
    start: Instant,
}

impl SystemClock {
    /// Starts at zero now.
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
        timestamp(SystemTime::now())
    }

    fn sleep(&self, duration: Duration) {
        std::thread::sleep(duration);
    }
}

// `Timestamp::now` panics for a time that it cannot represent; such a time is clamped here.
fn timestamp(at: SystemTime) -> Timestamp {
    let nearest = if at < SystemTime::UNIX_EPOCH { Timestamp::MIN } else { Timestamp::MAX };
    Timestamp::try_from(at).unwrap_or(nearest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_time_can_be_expressed() {
        let (epoch, year) = (SystemTime::UNIX_EPOCH, Duration::from_secs(31_556_952));
        assert_eq!(timestamp(epoch), Timestamp::UNIX_EPOCH);
        assert_eq!(timestamp(epoch - year).as_second(), -31_556_952);
        assert_eq!(timestamp(epoch + year * 9000), Timestamp::MAX);
        assert_eq!(timestamp(epoch - year * 13_000), Timestamp::MIN);
    }
}
