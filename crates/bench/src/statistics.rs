//! Summary statistics of measured times: median and percentiles.

use std::fmt;
use std::time::Duration;

/// The median and the spread of measurements. Medians and percentiles, not means, so that one outlier on a shared
/// machine does not matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Summary {
    pub(crate) median: Duration,
    /// 10th percentile.
    pub(crate) p10: Duration,
    /// 90th percentile.
    pub(crate) p90: Duration,
}

impl Summary {
    /// Summarizes measurements; `None` if there are none.
    pub(crate) fn of(samples: &[Duration]) -> Option<Self> {
        if samples.is_empty() {
            return None;
        }
        let mut sorted = samples.to_vec();
        sorted.sort_unstable();
        Some(Self { median: percentile(&sorted, 50), p10: percentile(&sorted, 10), p90: percentile(&sorted, 90) })
    }

    /// Returns the spread in percent of the median.
    pub(crate) fn spread(&self) -> f64 {
        self.p90.saturating_sub(self.p10).as_secs_f64() / self.median.as_secs_f64() * 100.0
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}–{})", milliseconds(self.median), number(self.p10), number(self.p90))
    }
}

/// Returns a percentile of measurements; zero if there are none.
pub(crate) fn percentile_of(samples: &[Duration], hundredths: u32) -> Duration {
    let mut sorted = samples.to_vec();
    sorted.sort_unstable();
    if sorted.is_empty() { Duration::ZERO } else { percentile(&sorted, hundredths) }
}

/// Returns the ratio of `measured` to `floor`.
pub(crate) fn ratio(measured: Duration, floor: Duration) -> f64 {
    measured.as_secs_f64() / floor.as_secs_f64()
}

/// Formats a time as `1.23 ms`.
pub(crate) fn milliseconds(time: Duration) -> String {
    format!("{} ms", number(time))
}

// Three significant digits; more would be noise.
fn number(time: Duration) -> String {
    let milliseconds = time.as_secs_f64() * 1000.0;
    let digits = match milliseconds {
        ..10.0 => 2,
        ..100.0 => 1,
        _ => 0,
    };
    format!("{milliseconds:.digits$}")
}

/// Interpolates between the two nearest ranks, so that few samples do not jump.
fn percentile(sorted: &[Duration], hundredths: u32) -> Duration {
    let last = u32::try_from(sorted.len() - 1).unwrap_or(u32::MAX);
    let position = u64::from(last) * u64::from(hundredths);
    let below = usize::try_from(position / 100).unwrap_or(usize::MAX);
    let part = u32::try_from(position % 100).expect("a remainder of 100 is small");
    let above = (below + 1).min(sorted.len() - 1);
    sorted[below] + sorted[above].saturating_sub(sorted[below]) * part / 100
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(milliseconds: &[u64]) -> Summary {
        let samples: Vec<Duration> = milliseconds.iter().copied().map(Duration::from_millis).collect();
        Summary::of(&samples).unwrap()
    }

    #[test]
    fn middle_and_spread_do_not_depend_on_the_order() {
        let eleven = summary(&[7, 3, 11, 1, 9, 5, 2, 10, 4, 8, 6]);
        assert_eq!(eleven, summary(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]));
        assert_eq!(eleven.median, Duration::from_millis(6));
        assert_eq!(eleven.p10, Duration::from_millis(2));
        assert_eq!(eleven.p90, Duration::from_millis(10));
        assert!((eleven.spread() - 800.0 / 6.0).abs() < 1e-9);
    }

    #[test]
    fn between_two_ranks_lies_between_two_samples() {
        let two = summary(&[10, 20]);
        assert_eq!((two.p10, two.median), (Duration::from_millis(11), Duration::from_millis(15)));
        assert_eq!(two.p90, Duration::from_millis(19));
        assert_eq!(summary(&[4]).p90, Duration::from_millis(4));
        assert_eq!(Summary::of(&[]), None);
        let hundred: Vec<Duration> = (0..=100).rev().map(Duration::from_millis).collect();
        assert_eq!(percentile_of(&hundred, 99), Duration::from_millis(99));
        assert_eq!(percentile_of(&[], 99), Duration::ZERO);
    }

    #[test]
    fn one_hiccup_does_not_move_the_middle() {
        let calm = summary(&[5; 21]);
        let mut times = [5; 21];
        times[7] = 60_000;
        assert_eq!(summary(&times), calm);
    }

    #[test]
    fn times_are_shown_with_digits_that_mean_something() {
        let check = |microseconds, expected: &str| {
            assert_eq!(milliseconds(Duration::from_micros(microseconds)), expected);
        };
        check(1_234, "1.23 ms");
        check(12_345, "12.3 ms");
        check(1_234_567, "1235 ms");
        assert_eq!(summary(&[10, 20]).to_string(), "15.0 ms (11.0–19.0)");
    }
}
