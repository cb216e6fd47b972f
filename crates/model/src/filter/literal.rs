//! Parses the values of comparisons: numbers, booleans, ids, dates and times.
//!
//! Each parser accepts the whole text or nothing; the caller makes the error. There is no clock: relative dates count
//! from the `now` that is passed in.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use super::field::NumberField;

/// Minimum number of digits of an id prefix.
const MIN_ID_PREFIX: usize = 4;

/// A value that is compared with an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moment {
    Exact(Timestamp),
    /// A UTC day; `end` is the start of the next one.
    Day {
        start: Timestamp,
        end: Timestamp,
    },
}

/// Parses an integer; an item's number may be written `#42`.
pub(super) fn read_number(field: NumberField, text: &str) -> Option<i64> {
    let digits = match (field, text.strip_prefix('#')) {
        (NumberField::Number, Some(digits)) if !digits.starts_with(['-', '+']) => digits,
        _ => text,
    };
    digits.parse().ok()
}

/// Parses `true`, `yes`, `false` or `no`.
pub(super) fn read_flag(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "yes" => Some(true),
        "false" | "no" => Some(false),
        _ => None,
    }
}

/// Parses a UUID or a prefix of one; returns it in lower case with dashes, as ids are stored.
pub(super) fn read_id_prefix(text: &str) -> Option<String> {
    let n_digits = text.bytes().filter(u8::is_ascii_hexdigit).count();
    let is_hexadecimal = text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    if !is_hexadecimal || n_digits < MIN_ID_PREFIX {
        return None;
    }
    let mut prefix = text.to_ascii_lowercase();
    if !prefix.contains('-') {
        // From the end, so that earlier positions stay valid.
        for position in [20, 16, 12, 8] {
            if prefix.len() > position {
                prefix.insert(position, '-');
            }
        }
    }
    Some(prefix)
}

/// Parses a value that is compared with an instant.
pub(super) fn read_moment(text: &str, now: Timestamp) -> Option<Moment> {
    if let Some(date) = read_named_day(text, now).or_else(|| read_civil_date(text)) {
        return Some(day(date));
    }
    read_relative(text, now).or_else(|| read_timestamp(text)).map(Moment::Exact)
}

/// Parses a value that is compared with a civil date.
pub(super) fn read_date(text: &str, now: Timestamp) -> Option<Date> {
    read_named_day(text, now).or_else(|| read_civil_date(text)).or_else(|| read_relative(text, now).map(utc_date))
}

fn read_named_day(text: &str, now: Timestamp) -> Option<Date> {
    let today = utc_date(now);
    match text.to_ascii_lowercase().as_str() {
        "today" => Some(today),
        "yesterday" => today.yesterday().ok(),
        "tomorrow" => today.tomorrow().ok(),
        _ => None,
    }
}

/// Parses `now`, or an offset before (`-7d`) or after (`+2w`) it.
fn read_relative(text: &str, now: Timestamp) -> Option<Timestamp> {
    if text.eq_ignore_ascii_case("now") {
        return Some(now);
    }
    let (sign, rest) = match text.as_bytes().first()? {
        b'-' => (-1, &text[1..]),
        b'+' => (1, &text[1..]),
        _ => return None,
    };
    let unit = match rest.as_bytes().last()? {
        b'm' => 60,
        b'h' => 60 * 60,
        b'd' => 24 * 60 * 60,
        b'w' => 7 * 24 * 60 * 60,
        _ => return None,
    };
    let digits = &rest[..rest.len() - 1];
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let count: i64 = digits.parse().ok()?;
    let distance = SignedDuration::from_secs(count.checked_mul(unit)? * sign);
    now.checked_add(distance).ok()
}

/// Parses only `YYYY-MM-DD`: the library's parser accepts more forms.
fn read_civil_date(text: &str) -> Option<Date> {
    text.parse().ok().filter(|date: &Date| date.to_string() == text)
}

/// Parses an RFC 3339 time; an offset is required, and zone names are not accepted.
fn read_timestamp(text: &str) -> Option<Timestamp> {
    if text.contains('[') { None } else { text.parse().ok() }
}

fn utc_date(at: Timestamp) -> Date {
    TimeZone::UTC.to_datetime(at).date()
}

fn day(date: Date) -> Moment {
    let start = utc_midnight(date);
    let end = date.tomorrow().map_or(Timestamp::MAX, utc_midnight);
    Moment::Day { start, end }
}

/// The first and last days of the calendar begin outside of the range of timestamps; people write `9999-12-31` for
/// "never", so they are clamped.
fn utc_midnight(date: Date) -> Timestamp {
    let nearest = if date.year() < 0 { Timestamp::MIN } else { Timestamp::MAX };
    TimeZone::UTC.to_timestamp(date.at(0, 0, 0, 0)).unwrap_or(nearest)
}
