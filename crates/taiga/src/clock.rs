//! Time as the client sees it, so that tests can pass it by hand.

use std::fmt::Debug;
use std::time::{Duration, Instant, SystemTime};

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
        timestamp(SystemTime::now())
    }

    fn sleep(&self, duration: Duration) {
        std::thread::sleep(duration);
    }
}

// `Timestamp::now` panics at a time it cannot express; here such a time becomes the nearest one it can.
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
