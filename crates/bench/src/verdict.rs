//! A row of the report: a measurement, its floor and its limit.

use std::time::Duration;

use super::measure::Timing;
use super::statistics::{Summary, milliseconds, ratio};

/// A row of the report.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) what: String,
    /// The timing; `None` if something other than time was measured.
    pub(crate) timing: Option<Timing>,
    /// The name of the floor and its timing.
    pub(crate) floor: Option<(String, Summary)>,
    pub(crate) verdict: Verdict,
}

/// The assessment of a measurement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Verdict {
    /// Comparison with the floor, as text.
    pub(crate) ratio: String,
    /// The limit, as text.
    pub(crate) limit: String,
    pub(crate) outcome: Outcome,
}

/// Whether a limit is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Pass,
    Fail,
    /// There is no limit.
    Told,
}

impl Outcome {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Pass => "PASS",
            Self::Fail => "**FAIL**",
            Self::Told => "–",
        }
    }

    fn of(passed: bool) -> Self {
        if passed { Self::Pass } else { Self::Fail }
    }
}

/// The limit of a measurement relative to its floor.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limit {
    pub(crate) times: f64,
    pub(crate) plus: Duration,
}

impl Limit {
    pub(crate) const fn times(times: f64) -> Self {
        Self { times, plus: Duration::ZERO }
    }

    /// Compares a time with the limit.
    pub(crate) fn judge(self, measured: Duration, floor: Duration) -> Verdict {
        let allowed = floor.mul_f64(self.times) + self.plus;
        let plus = if self.plus.is_zero() { String::new() } else { format!(" + {} ms", self.plus.as_millis()) };
        Verdict {
            ratio: times(measured, floor),
            limit: format!("≤ {}×{plus} = {}", self.times, milliseconds(allowed)),
            outcome: Outcome::of(measured <= allowed),
        }
    }
}

impl Verdict {
    /// Compares a time with its floor, without a limit.
    pub(crate) fn told(measured: Duration, floor: Duration) -> Self {
        Self { ratio: times(measured, floor), limit: String::new(), outcome: Outcome::Told }
    }

    /// The verdict of a floor itself.
    pub(crate) fn none() -> Self {
        Self { ratio: String::new(), limit: String::new(), outcome: Outcome::Told }
    }

    /// Compares the things per second of CPU time with a minimum.
    pub(crate) fn rate(n_things: usize, things: &str, time: Duration, least: u32) -> Self {
        let n_things = u32::try_from(n_things).unwrap_or(u32::MAX);
        let rate = f64::from(n_things) / time.as_secs_f64();
        Self {
            ratio: format!("{rate:.0} {things}/s"),
            limit: format!("≥ {least} {things}/s"),
            outcome: Outcome::of(rate >= f64::from(least)),
        }
    }

    /// Compares the ratio of two rates with a minimum.
    pub(crate) fn speed_up(rate: f64, other: f64, least: f64) -> Self {
        Self {
            ratio: format!("{:.2}×, {rate:.0} a second", rate / other),
            limit: format!("≥ {least}× = {:.0} a second", other * least),
            outcome: Outcome::of(rate >= other * least),
        }
    }

    /// Reports a rate without a limit.
    pub(crate) fn told_rate(rate: f64) -> Self {
        Self { ratio: format!("{rate:.0} a second"), limit: String::new(), outcome: Outcome::Told }
    }

    /// Compares resident memory in KiB with a maximum.
    pub(crate) fn memory(kib: u64, most_mib: u64) -> Self {
        let tenths = kib * 10 / 1024;
        Self {
            ratio: format!("{}.{} MiB", tenths / 10, tenths % 10),
            limit: format!("≤ {most_mib} MiB"),
            outcome: Outcome::of(kib <= most_mib * 1024),
        }
    }
}

fn times(measured: Duration, floor: Duration) -> String {
    format!("{:.2}×", ratio(measured, floor))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn a_limit_is_kept_up_to_and_including_itself() {
        let limit = Limit { times: 3.0, plus: 5 * MS };
        let verdict = limit.judge(11 * MS, 2 * MS);
        assert_eq!(verdict.outcome, Outcome::Pass);
        assert_eq!((verdict.ratio.as_str(), verdict.limit.as_str()), ("5.50×", "≤ 3× + 5 ms = 11.0 ms"));
        assert_eq!(limit.judge(12 * MS, 2 * MS).outcome, Outcome::Fail);
        assert_eq!(Limit::times(1.2).judge(12 * MS, 10 * MS).limit, "≤ 1.2× = 12.0 ms");
    }

    #[test]
    fn a_rate_must_reach_its_limit() {
        let verdict = Verdict::rate(50_000, "operations", 800 * MS, 50_000);
        assert_eq!((verdict.ratio.as_str(), verdict.outcome), ("62500 operations/s", Outcome::Pass));
        assert_eq!(Verdict::rate(50_000, "operations", 1001 * MS, 50_000).outcome, Outcome::Fail);
    }

    #[test]
    fn a_speed_up_must_reach_its_limit() {
        let verdict = Verdict::speed_up(800.0, 100.0, 8.0);
        assert_eq!((verdict.ratio.as_str(), verdict.limit.as_str()), ("8.00×, 800 a second", "≥ 8× = 800 a second"));
        assert_eq!(verdict.outcome, Outcome::Pass);
        assert_eq!(Verdict::speed_up(799.0, 100.0, 8.0).outcome, Outcome::Fail);
        assert_eq!(Verdict::told_rate(3.0).outcome, Outcome::Told);
    }

    #[test]
    fn memory_is_kept_up_to_and_including_its_limit() {
        let verdict = Verdict::memory(40 * 1024, 40);
        assert_eq!((verdict.ratio.as_str(), verdict.limit.as_str()), ("40.0 MiB", "≤ 40 MiB"));
        assert_eq!(verdict.outcome, Outcome::Pass);
        assert_eq!(Verdict::memory(40 * 1024 + 1, 40).outcome, Outcome::Fail);
    }

    #[test]
    fn without_a_limit_nothing_can_fail() {
        assert_eq!(Verdict::told(9 * MS, MS).outcome, Outcome::Told);
    }
}
