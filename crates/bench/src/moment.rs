//! Times of a generated history, in milliseconds since 1970, formatted as in the log.

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// A day in milliseconds.
pub(crate) const DAY: u64 = 24 * 60 * 60 * 1000;

/// Formats a time as RFC 3339, without trailing zeros of the fraction, as in the log.
pub(crate) fn rfc3339(at: u64) -> String {
    timestamp(at).to_string()
}

/// Returns the date of a time as `YYYY-MM-DD`.
pub(crate) fn date(at: u64) -> String {
    timestamp(at).to_zoned(TimeZone::UTC).date().to_string()
}

fn timestamp(at: u64) -> Timestamp {
    let at = i64::try_from(at).unwrap_or(i64::MAX);
    Timestamp::from_millisecond(at).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_the_form_of_the_log() {
        let check = |at, expected: &str| assert_eq!(rfc3339(at), expected);
        check(0, "1970-01-01T00:00:00Z");
        check(1_794_784_841_860, "2026-11-15T23:20:41.86Z");
        check(951_782_400_005, "2000-02-29T00:00:00.005Z");
        assert_eq!(date(4_107_542_400_000), "2100-03-01");
    }
}
