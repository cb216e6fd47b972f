//! Times and days as other tools write them. A time without a zone is taken as UTC.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::fmt::strtime;
use jiff::tz::TimeZone;

/// Forms with a time of day, beyond ISO 8601, in the notation of `strftime`.
const TIME_FORMS: &[&str] = &[
    "%d/%b/%y %I:%M %p",
    "%d/%b/%Y %I:%M %p",
    "%d/%b/%y %H:%M",
    "%Y/%m/%d %I:%M %p",
    "%Y/%m/%d %H:%M:%S",
    "%Y/%m/%d %H:%M",
    "%m/%d/%Y %H:%M",
    "%d.%m.%Y %H:%M",
    "%d/%m/%Y %H:%M",
];
/// Forms with an offset.
const ZONED_FORMS: &[&str] = &["%a, %d %b %Y %H:%M:%S %z", "%a %b %d %Y %H:%M:%S GMT%z", "%Y-%m-%dT%H:%M:%S%.f%z"];
const DAY_FORMS: &[&str] = &["%d/%b/%y", "%d/%b/%Y", "%Y/%m/%d", "%m/%d/%Y", "%d/%m/%Y", "%d.%m.%Y"];

/// Parses a time.
pub(crate) fn time(text: &str) -> Result<Timestamp, String> {
    // JavaScript adds the name of the zone in brackets.
    let text = text.split(" (").next().unwrap_or_default().trim();
    refuse_ambiguous(text)?;
    try_time(text).ok_or_else(|| format!("invalid time `{}`; write 2026-01-31T12:00:00Z", shown(text)))
}

fn try_time(text: &str) -> Option<Timestamp> {
    if let Ok(at) = text.parse() {
        return Some(at);
    }
    let zoned = || ZONED_FORMS.iter().find_map(|form| strtime::parse(form, text).ok()?.to_timestamp().ok());
    let local = || TIME_FORMS.iter().find_map(|form| strtime::parse(form, text).ok()?.to_datetime().ok());
    zoned().or_else(|| local().or_else(|| text.parse::<DateTime>().ok()).and_then(utc)).or_else(|| {
        let day = try_day(text)?;
        utc(day.at(0, 0, 0, 0))
    })
}

fn utc(time: DateTime) -> Option<Timestamp> {
    time.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp())
}

/// Parses a day; of a time only the day counts, as it is written: midnight of another zone is the day before in UTC.
pub(crate) fn day(text: &str) -> Result<Date, String> {
    let text = text.trim();
    refuse_ambiguous(text)?;
    let written = || ZONED_FORMS.iter().find_map(|form| strtime::parse(form, text).ok()?.to_date().ok());
    let of_time = || {
        let at = written().or_else(|| text.parse::<DateTime>().ok().map(DateTime::date));
        at.or_else(|| try_time(text).map(|at| at.to_zoned(TimeZone::UTC).date()))
    };
    try_day(text).or_else(of_time).ok_or_else(|| format!("invalid date `{}`; write 2026-01-31", shown(text)))
}

fn try_day(text: &str) -> Option<Date> {
    let is_plain = text.len() == 10 && text.is_ascii();
    if is_plain && let Ok(day) = text.parse() {
        return Some(day);
    }
    DAY_FORMS.iter().find_map(|form| strtime::parse(form, text).ok()?.to_date().ok())
}

/// Refuses `03/04/2024`: some countries write the month first, others the day, and a guess would move the day in silence.
fn refuse_ambiguous(text: &str) -> Result<(), String> {
    let day = text.split(' ').next().unwrap_or_default();
    let mut parts = day.split('/').map(str::parse::<u16>);
    let (Some(Ok(first)), Some(Ok(second)), Some(Ok(year))) = (parts.next(), parts.next(), parts.next()) else {
        return Ok(());
    };
    if first == second || !(1..=12).contains(&first) || !(1..=12).contains(&second) {
        return Ok(());
    }
    Err(format!(
        "ambiguous date `{}`; write {year:04}-{first:02}-{second:02} or {year:04}-{second:02}-{first:02}",
        shown(text)
    ))
}

fn shown(text: &str) -> String {
    model::text::escape_line(&text.chars().take(60).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_all_tools_are_read() {
        let check =
            |text: &str, expected: &str| assert_eq!(time(text).map(|at| at.to_string()).as_deref(), Ok(expected));
        check("2024-03-27T10:03:04Z", "2024-03-27T10:03:04Z");
        check("2024-03-27T10:03:04.5+02:00", "2024-03-27T08:03:04.5Z");
        check("2024-03-27T10:03:04.000+0200", "2024-03-27T08:03:04Z");
        check("2024-03-27 10:03", "2024-03-27T10:03:00Z");
        check("2024-03-27 10:03:04", "2024-03-27T10:03:04Z");
        check("2024-03-27", "2024-03-27T00:00:00Z");
        check("27/Mar/24 10:03 PM", "2024-03-27T22:03:00Z");
        check("Wed, 27 Mar 2024 10:03:04 +0100", "2024-03-27T09:03:04Z");
        check("Wed Mar 27 2024 10:03:04 GMT+0000 (GMT)", "2024-03-27T10:03:04Z");
        assert_eq!(time("soon").unwrap_err(), "invalid time `soon`; write 2026-01-31T12:00:00Z");
    }

    #[test]
    fn days_are_read_with_and_without_a_time() {
        let check =
            |text: &str| assert_eq!(day(text).map(|day| day.to_string()).as_deref(), Ok("2024-03-27"), "{text}");
        for text in
            ["2024-03-27", "27/Mar/24", "2024/03/27", "27.03.2024", "2024-03-27T23:59:00Z", "27/Mar/24 12:00 AM"]
        {
            check(text);
        }
        for text in ["Wed, 27 Mar 2024 00:00:00 +0100", "2024-03-27T00:00:00+01:00", "2024-03-27T23:59:59.000-0800"] {
            check(text);
        }
        check("03/27/2024");
        check("27/03/2024");
        assert!(day("2024-13-01").is_err());
    }

    #[test]
    fn day_that_could_be_a_month_is_refused() {
        let error = "ambiguous date `03/04/2024`; write 2024-03-04 or 2024-04-03";
        assert_eq!(day("03/04/2024").unwrap_err(), error);
        assert_eq!(day("2024/03/04").map(|day| day.to_string()).as_deref(), Ok("2024-03-04"));
        assert_eq!(day("04/04/2024").map(|day| day.to_string()).as_deref(), Ok("2024-04-04"));
        let error = "ambiguous date `3/4/2024 10:00`; write 2024-03-04 or 2024-04-03";
        assert_eq!(time("3/4/2024 10:00").unwrap_err(), error);
        assert_eq!(time("27/3/2024 10:00").map(|at| at.to_string()).as_deref(), Ok("2024-03-27T10:00:00Z"));
    }
}
