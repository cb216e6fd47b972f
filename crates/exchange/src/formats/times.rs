//! Times and days as other tools write them. A time without a zone is taken as UTC.

mod months;

use std::borrow::Cow;

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::fmt::strtime;
use jiff::tz::TimeZone;

/// Forms with a time of day, beyond ISO 8601, in the notation of `strftime`.
const TIME_FORMS: &[&str] = &[
    "%d/%b/%y %I:%M %p",
    "%d/%b/%Y %I:%M %p",
    "%d/%b/%y %H:%M",
    "%d/%b/%Y %H:%M",
    "%Y/%m/%d %I:%M %p",
    "%Y/%m/%d %H:%M:%S",
    "%Y/%m/%d %H:%M",
    "%Y-%m-%d %I:%M %p",
    "%Y-%m-%d %I:%M:%S %p",
    "%d.%m.%Y %H:%M",
    "%d.%m.%Y %H:%M:%S",
    "%d.%m.%y %H:%M",
    "%d. %b %Y %H:%M",
    "%b %d, %Y %I:%M %p",
    "%b %d, %Y %H:%M",
];
/// Forms with an offset.
const ZONED_FORMS: &[&str] = &["%a, %d %b %Y %H:%M:%S %z", "%a %b %d %Y %H:%M:%S GMT%z", "%Y-%m-%dT%H:%M:%S%.f%z"];
const DAY_FORMS: &[&str] =
    &["%d/%b/%y", "%d/%b/%Y", "%Y/%m/%d", "%d.%m.%Y", "%d.%m.%y", "%d. %b %Y", "%d %b %Y", "%b %d, %Y"];

/// The order of day and month in dates of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DateOrder {
    /// `31/12/2026`.
    DayFirst,
    /// `12/31/2026`.
    MonthFirst,
}

/// Reads times and days.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Times {
    order: Option<DateOrder>,
}

/// Parses a time.
pub(crate) fn time(text: &str) -> Result<Timestamp, String> {
    Times::default().time(text)
}

/// Parses a day; of a time only the day counts, as it is written: midnight of another zone is the day before in UTC.
pub(crate) fn day(text: &str) -> Result<Date, String> {
    Times::default().day(text)
}

impl Times {
    /// Creates a reader; without an order, a date that has two meanings is refused.
    pub(crate) fn new(order: Option<DateOrder>) -> Self {
        Self { order }
    }

    /// Parses a time.
    pub(crate) fn time(self, text: &str) -> Result<Timestamp, String> {
        // JavaScript adds the name of the zone in brackets.
        let text = text.split(" (").next().unwrap_or_default().trim();
        let plain = self.plain(text)?;
        try_time(&plain).ok_or_else(|| format!("invalid time `{}`; write 2026-01-31T12:00:00Z", shown(text)))
    }

    /// Parses a day; of a time only the day counts.
    pub(crate) fn day(self, text: &str) -> Result<Date, String> {
        let text = text.trim();
        let plain = self.plain(text)?;
        let written = || ZONED_FORMS.iter().find_map(|form| strtime::parse(form, &*plain).ok()?.to_date().ok());
        let of_time = || {
            let at = written().or_else(|| plain.parse::<DateTime>().ok().map(DateTime::date));
            at.or_else(|| try_time(&plain).map(|at| at.to_zoned(TimeZone::UTC).date()))
        };
        try_day(&plain).or_else(of_time).ok_or_else(|| format!("invalid date `{}`; write 2026-01-31", shown(text)))
    }

    /// Returns the text with months in English, and with a date of numbers in the order of ISO 8601.
    fn plain(self, text: &str) -> Result<Cow<'_, str>, String> {
        // Nearly every time is in the form of ISO 8601.
        if text.len() >= 10 && text.as_bytes()[4] == b'-' {
            return Ok(text.into());
        }
        match self.numeric(text)? {
            Some(plain) => Ok(plain.into()),
            None => Ok(months::in_english(text)),
        }
    }

    /// Reads `03/04/2024` and `03-04-2024`: some countries write the month first, others the day, and a guess would move the
    /// day in silence.
    fn numeric(self, text: &str) -> Result<Option<String>, String> {
        let (date, rest) = text.split_once(' ').unwrap_or((text, ""));
        let mut parts = date.split(['/', '-']);
        let mut number = |n_digits: usize| {
            let part =
                parts.next().filter(|part| part.len() <= n_digits && part.bytes().all(|byte| byte.is_ascii_digit()));
            part.and_then(|part| part.parse::<u16>().ok())
        };
        let (Some(first), Some(second), Some(year)) = (number(2), number(2), number(4)) else { return Ok(None) };
        let year = if year < 100 { 2000 + year } else { year };
        let (month, day) = match self.order {
            _ if first == second || second > 12 => (first, second),
            _ if first > 12 => (second, first),
            Some(DateOrder::MonthFirst) => (first, second),
            Some(DateOrder::DayFirst) => (second, first),
            None => {
                return Err(format!(
                    "ambiguous date `{}`; write {year:04}-{first:02}-{second:02} or {year:04}-{second:02}-{first:02}",
                    shown(text)
                ));
            }
        };
        Ok(Some(format!("{year:04}-{month:02}-{day:02} {rest}").trim_end().to_owned()))
    }
}

/// Returns whether an error says that a date has two meanings.
pub(crate) fn is_ambiguous(why: &str) -> bool {
    why.contains("ambiguous date `")
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

fn try_day(text: &str) -> Option<Date> {
    let is_plain = text.len() == 10 && text.is_ascii();
    if is_plain && let Ok(day) = text.parse() {
        return Some(day);
    }
    DAY_FORMS.iter().find_map(|form| strtime::parse(form, text).ok()?.to_date().ok())
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
        assert_eq!(time("3/27/24 10:00 PM").map(|at| at.to_string()).as_deref(), Ok("2024-03-27T22:00:00Z"));
        for (order, expected) in [(DateOrder::DayFirst, "2024-04-03"), (DateOrder::MonthFirst, "2024-03-04")] {
            let times = Times::new(Some(order));
            for text in ["03/04/2024", "3-4-24"] {
                assert_eq!(times.day(text).map(|day| day.to_string()).as_deref(), Ok(expected), "{text}");
            }
            assert_eq!(times.day("27/3/2024"), times.day("3/27/2024"));
        }
    }
}
