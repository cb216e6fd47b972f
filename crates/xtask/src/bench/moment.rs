//! Times of a generated history, in milliseconds since 1970, formatted as in the log.

/// A day in milliseconds.
pub(crate) const DAY: u64 = 24 * 60 * 60 * 1000;

/// Formats a time as RFC 3339, without trailing zeros of the fraction, as in the log.
pub(crate) fn rfc3339(at: u64) -> String {
    let (seconds, fraction) = (at / 1000, at % 1000);
    let (hours, minutes, seconds) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    let fraction = format!("{fraction:03}");
    let fraction = fraction.trim_end_matches('0');
    let dot = if fraction.is_empty() { "" } else { "." };
    format!("{}T{hours:02}:{minutes:02}:{seconds:02}{dot}{fraction}Z", date(at))
}

/// Returns the date of a time as `YYYY-MM-DD`.
pub(crate) fn date(at: u64) -> String {
    // Counted from the first of March of the year 0, so that the leap day is the last day of its year. After Howard
    // Hinnant's `civil_from_days`.
    let days = at / DAY + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_written_as_the_log_has_them() {
        let check = |at, expected: &str| assert_eq!(rfc3339(at), expected);
        check(0, "1970-01-01T00:00:00Z");
        check(1_794_784_841_860, "2026-11-15T23:20:41.86Z");
        check(951_782_400_005, "2000-02-29T00:00:00.005Z");
        check(4_107_542_399_000, "2100-02-28T23:59:59Z");
        check(4_107_542_400_000, "2100-03-01T00:00:00Z");
    }
}
